//! A function as a circuit whose units are shared.

use crate::bind::Binding;
use crate::formats::Formats;
use crate::integers::Integers;
use crate::micro::{FOLDED, Kind, Micro, Work};
use crate::schedule::{Schedule, Units};
use crate::straight::Straight;
use crate::text::{bench, identifier, module};
use crate::{Format, Options, Refusal};
use std::fmt::Write;

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
        let integers = Integers::of_circuit(straight, formats, options.angles)?;
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
        module::text(self)
    }

    /// Verilog that gives the circuit the states of a file of vectors, waits at random, and compares.
    pub fn test_bench(&self, states: usize) -> String {
        bench::text(self, states)
    }

    /// The schedule as CSV: the cycle in which a unit begins each piece of work, and which kind of work it is.
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
}
