//! Verilog-2001: a circuit of a function, a test bench, and vectors for it.
//!
//! Nothing in the text is from the URDF but numbers: no name of a joint or a link can be taken for Verilog.

mod bench;
mod control;
mod text;

use crate::hardware::bind::Binding;
use crate::hardware::integers::{Integers, Scales};
use crate::hardware::micro::Micro;
use crate::hardware::schedule::{Schedule, Units};
use crate::hardware::straight::Straight;
use crate::hardware::{Angles, Format, Refusal};
use std::fmt::Write;

/// What a circuit is to be like.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Its numbers.
    pub format: Format,
    /// Multipliers that it has.
    pub multipliers: usize,
    /// Adders; by default in proportion.
    pub adders: Option<usize>,
    /// Where sines and cosines are taken.
    pub angles: Angles,
    /// Numbers in formats of their own.
    pub scales: Scales,
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
    /// The circuit of a function. Of the name only letters, digits and `_` stay.
    ///
    /// # Errors
    /// If the function is none for a circuit.
    pub fn new(name: &str, straight: &Straight, options: Options) -> Result<Self, Refusal> {
        let integers = Integers::new(straight, options.format, options.angles, options.scales)?;
        if integers.ops.len() > LARGEST {
            return Err(Refusal::TooLarge(integers.ops.len(), LARGEST));
        }
        let micro = Micro::new(&integers);
        let mut units = Units::with_multipliers(options.multipliers, &micro);
        units.adders = options.adders.unwrap_or(units.adders);
        let mut schedule = Schedule::new(&micro, units);
        let binding = Binding::new(&micro, &mut schedule, TRIES * micro.ops.len());
        Ok(Self { name: identifier(name), integers, micro, schedule, binding, format: options.format })
    }

    /// Words in and out.
    pub fn words(&self) -> (usize, usize) {
        (self.integers.inputs.len(), self.integers.results.len())
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

    /// A file of vectors: for each state its inputs and then its results, a number a line.
    pub fn vectors<'a>(&self, states: impl IntoIterator<Item = &'a [i32]>) -> String {
        let mut text = String::new();
        for inputs in states {
            let results = self.integers.run(inputs);
            for x in inputs.iter().chain(&results) {
                let _ = writeln!(text, "{:x}", self.word(*x));
            }
        }
        text
    }

    /// Who does what when: a line a piece of work.
    pub fn schedule_csv(&self) -> String {
        let mut text = String::from("cycle,unit,number,work\n");
        let mut lines: Vec<(u32, usize, &str)> = Vec::new();
        for (k, work) in self.micro.ops.iter().enumerate() {
            lines.push((
                self.schedule.start[k],
                self.schedule.unit[k],
                match work {
                    crate::hardware::micro::Work::Mac(mac) if mac.shift == self.format.frac => "product",
                    crate::hardware::micro::Work::Mac(_) => "sine",
                    crate::hardware::micro::Work::Sum { .. } => "sum",
                    crate::hardware::micro::Work::Fold(_) => "sine",
                },
            ));
        }
        lines.sort_unstable();
        for (cycle, unit, work) in lines {
            let multipliers = self.schedule.units.multipliers;
            let (kind, number) =
                if unit < multipliers { ("multiplier", unit) } else { ("adder", unit - multipliers) };
            let _ = writeln!(text, "{cycle},{kind},{number},{work}");
        }
        text
    }

    fn word(&self, x: i32) -> u32 {
        x as u32 & (u32::MAX >> (32 - self.format.bits))
    }
}

/// A name in Verilog: in lower case, words apart, and none of its keywords.
fn identifier(name: &str) -> String {
    let mut out = String::from("rbd");
    let mut previous = '_';
    for c in name.chars() {
        let c = if c.is_ascii_alphanumeric() { c } else { '_' };
        if out == "rbd" || (c.is_ascii_uppercase() && previous.is_ascii_lowercase()) || c == '_' {
            if !out.ends_with('_') {
                out.push('_');
            }
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
