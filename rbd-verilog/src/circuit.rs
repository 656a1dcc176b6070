//! Circuits with shared units.

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

/// A function as a circuit with shared units.
#[derive(Clone, Debug)]
pub struct Circuit {
    /// Name of the module.
    pub name: String,
    /// The function on integers.
    pub integers: Integers,
    /// Work of the units.
    pub micro: Micro,
    /// Times and units of the work.
    pub schedule: Schedule,
    /// Wires between the units.
    pub binding: Binding,
    /// Format of the numbers.
    pub format: Format,
}

impl Circuit {
    /// Circuit of a function in some formats. The module's name keeps letters, digits and `_` of `name`.
    ///
    /// # Errors
    /// The function cannot be a circuit.
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

    /// Work and schedule of a circuit.
    pub fn scheduled(integers: &Integers, multipliers: usize, adders: Option<usize>) -> (Micro, Schedule) {
        // One chain for each sum of products: shorter chains take more adders and save only one cycle in a
        // hundred.
        let micro = Micro::new(integers, FOLDED, usize::MAX);
        let mut units = Units::with_multipliers(multipliers, &micro);
        units.adders = adders.unwrap_or(units.adders);
        let schedule = Schedule::new(&micro, units);
        (micro, schedule)
    }

    /// Numbers of input and output words.
    pub fn words(&self) -> (usize, usize) {
        self.integers.words()
    }

    /// Cycles from the last input until all results are stored.
    pub fn latency(&self) -> usize {
        self.schedule.cycles as usize - self.words().0
    }

    /// Verilog of the circuit.
    pub fn verilog(&self) -> String {
        module::text(self)
    }

    /// Verilog of a test bench. It feeds states from a file of vectors, waits at random, and compares
    /// results.
    pub fn test_bench(&self, states: usize) -> String {
        bench::text(self, states)
    }

    /// Schedule as CSV: the cycle in which a unit begins a piece of work, and the kind of work.
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

    /// Work of all units, cycle by cycle.
    fn pieces(&self) -> Vec<Piece> {
        let piece = |(k, work): (usize, &Work)| Piece {
            cycle: self.schedule.start[k],
            unit: self.schedule.unit[k],
            work: match work {
                // With one common format, only sines have other shifts.
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
