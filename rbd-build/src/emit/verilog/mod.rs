//! Verilog-2001: a circuit of a function, a test bench, and vectors for it.
//!
//! Nothing in the text is from the URDF but numbers: no name of a joint or a link can be taken for Verilog.

mod bench;
mod control;
mod kept;
mod picture;
mod pipeline;
mod text;
mod units;

pub use pipeline::Pipeline;

use crate::hardware::bind::Binding;
use crate::hardware::formats::Formats;
use crate::hardware::integers::{Integers, Op};
use crate::hardware::micro::{FOLDED, Kind, Micro, Work};
use crate::hardware::schedule::{Schedule, Units};
use crate::hardware::straight::Straight;
use crate::hardware::{Angles, Format, Refusal};
use std::fmt::Write;

/// What a circuit is to be like.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Multipliers that it has.
    pub multipliers: usize,
    /// Adders; by default in proportion.
    pub adders: Option<usize>,
    /// Where sines and cosines are taken.
    pub angles: Angles,
}

/// Operations beyond which a circuit is refused: its schedule would not fit any memory of an FPGA.
pub const LARGEST: usize = 20_000;
/// Exchanges of units that are tried for each piece of work, to save wires.
const TRIES: usize = 1500;
/// A function as a circuit.
#[derive(Clone, Debug)]
pub struct Circuit {
    /// The module's name.
    pub name: String,
    /// What it computes, on integers.
    pub integers: Integers,
    /// What its units do.
    pub micro: Micro,
    /// When.
    pub schedule: Schedule,
    /// And what is wired to what.
    pub binding: Binding,
    /// The format of its numbers.
    pub format: Format,
}

impl Circuit {
    /// The circuit of a function in these formats. Of the name only letters, digits and `_` stay.
    ///
    /// # Errors
    /// If the function is none for a circuit.
    pub fn new(
        name: &str,
        straight: &Straight,
        formats: &Formats,
        options: Options,
    ) -> Result<Self, Refusal> {
        let integers = integers(straight, formats, options.angles)?;
        let (micro, mut schedule) = Self::scheduled(&integers, options.multipliers, options.adders);
        let binding = Binding::new(&micro, &mut schedule, TRIES * micro.ops.len());
        Ok(Self { name: identifier(name), format: integers.format, integers, micro, schedule, binding })
    }

    /// The work of a circuit, and when it is done.
    pub fn scheduled(integers: &Integers, multipliers: usize, adders: Option<usize>) -> (Micro, Schedule) {
        // A chain for each sum of products: shorter ones would take more adders, and save one cycle in a hundred.
        let micro = Micro::new(integers, FOLDED, usize::MAX);
        let mut units = Units::with_multipliers(multipliers, &micro);
        units.adders = adders.unwrap_or(units.adders);
        let schedule = Schedule::new(&micro, units);
        (micro, schedule)
    }

    /// Words in and out.
    pub fn words(&self) -> (usize, usize) {
        self.integers.words()
    }

    /// Cycles from the last input until every result is kept.
    pub fn latency(&self) -> usize {
        self.schedule.cycles as usize - self.words().0
    }

    /// The circuit.
    pub fn verilog(&self) -> String {
        text::module(self)
    }

    /// Verilog that gives the circuit the states of a file of vectors, waits at random, and compares.
    pub fn test_bench(&self, states: usize) -> String {
        bench::text(self, states)
    }

    /// Who does what when: a line a piece of work.
    pub fn schedule_csv(&self) -> String {
        let mut text = String::from("cycle,unit,number,work\n");
        for piece in self.pieces() {
            let units = self.schedule.units;
            let kind = units.kind(piece.unit);
            let name = match kind {
                Kind::Multiplier => "multiplier",
                Kind::Adder => "adder",
                Kind::Divider => "divider",
            };
            let _ =
                writeln!(text, "{},{name},{},{}", piece.cycle, piece.unit - units.of(kind).start, piece.work);
        }
        text
    }

    /// A picture of that, as SVG: units over cycles.
    pub fn picture(&self) -> String {
        picture::svg(self)
    }

    /// What units do, cycle by cycle.
    fn pieces(&self) -> Vec<Piece> {
        let piece = |(k, work): (usize, &Work)| Piece {
            cycle: self.schedule.start[k],
            unit: self.schedule.unit[k],
            work: match work {
                // In one format all but sines lose as many bits.
                Work::Mac(mac) if mac.shift == self.format.frac || !self.integers.is_common => "product",
                Work::Mac(_) | Work::Fold(_) => "sine",
                Work::Sum { .. } => "sum",
                Work::Recip { .. } => "quotient",
            },
            busy: self.micro.interval(*work),
        };
        let mut pieces: Vec<Piece> = self.micro.ops.iter().enumerate().map(piece).collect();
        pieces.sort_unstable_by_key(|piece| (piece.cycle, piece.unit));
        pieces
    }
}

/// A piece of work.
struct Piece {
    cycle: u32,
    unit: usize,
    work: &'static str,
    /// Cycles from which on the unit can begin the next.
    busy: u32,
}

/// The operations of a function that is to be a circuit.
fn integers(straight: &Straight, formats: &Formats, angles: Angles) -> Result<Integers, Refusal> {
    let integers = Integers::new(straight, formats, angles)?;
    if integers.ops.iter().any(|op| matches!(op, Op::Sqrt { .. })) {
        return Err(Refusal::TakesRoots);
    }
    match integers.ops.len() {
        many if many > LARGEST => Err(Refusal::TooLarge(many, LARGEST)),
        _ => Ok(integers),
    }
}

/// A name in Verilog: in lower case, words apart, and none of its keywords.
fn identifier(name: &str) -> String {
    let mut out = String::from("rbd");
    let mut previous = '_';
    for c in name.chars() {
        let c = if c.is_ascii_alphanumeric() { c } else { '_' };
        let apart = out == "rbd" || (c.is_ascii_uppercase() && previous.is_ascii_lowercase()) || c == '_';
        if apart && !out.ends_with('_') {
            out.push('_');
        }
        if c != '_' {
            out.push(c.to_ascii_lowercase());
        }
        previous = c;
    }
    out.trim_end_matches('_').to_owned()
}

/// Bits that numbers below `n` have; at least one.
fn width(n: usize) -> usize {
    (usize::BITS - n.saturating_sub(1).leading_zeros()).max(1) as usize
}
