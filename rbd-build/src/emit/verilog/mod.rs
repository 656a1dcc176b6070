//! Verilog-2001: a circuit of a function, a test bench, and vectors for it.
//!
//! Nothing in the text is from the URDF but numbers: no name of a joint or a link can be taken for Verilog.

mod bench;
mod control;
mod text;

use crate::hardware::bind::Binding;
use crate::hardware::integers::{Integers, Port, Scales};
use crate::hardware::micro::{Micro, Work};
use crate::hardware::range::{self, Limits};
use crate::hardware::schedule::{Schedule, Units};
use crate::hardware::straight::{Element, Op, Operand, Straight};
use crate::hardware::{Angles, Format, Refusal};
use rbd_runtime::Model;
use rbd_runtime::fixed::{SineSteps, product, sine, wrap};
use rbd_runtime::random::State;
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
/// Random states by which it is judged how large values become.
const STATES: u64 = 200;

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

    /// The circuit of a robot's function, whose values fit the format within these limits.
    ///
    /// # Errors
    /// If they do not, over some hundred random states, or the function is none for a circuit.
    pub fn of_robot(
        name: &str,
        straight: &Straight,
        model: &Model<f64>,
        limits: Limits,
        options: Options,
    ) -> Result<Self, Refusal> {
        let format = options.format;
        let mut found = range::by_states(straight, model, limits, STATES);
        // Values with a scale of their own have been looked at for it.
        if let Some((name, _)) = options.scales.input {
            let scaled = straight.depending_on(name);
            found.iter_mut().zip(scaled).filter(|(_, scaled)| *scaled).for_each(|(most, _)| *most = 0.0);
        }
        if let Some((_, largest)) = straight.largest(&found) {
            let needed = range::bits_before(largest).map_or(i32::MAX, |before| before + format.frac as i32);
            if needed > format.bits as i32 {
                return Err(Refusal::DoesNotFit { largest, needed, format });
            }
        }
        Self::new(name, straight, options)
    }

    /// The scales of the gradient's M^-1 and results, which are larger than torques: as many bits behind the point as twice
    /// what random states have leave, and no more than the format.
    ///
    /// # Panics
    /// If it is not [`Straight::gradient`].
    pub fn gradient_scales(
        straight: &Straight,
        model: &Model<f64>,
        limits: Limits,
        format: Format,
    ) -> Scales {
        let found = range::by_states(straight, model, limits, STATES);
        let of = |values: &mut dyn Iterator<Item = f64>| {
            let before = range::bits_before(2.0 * values.fold(0.0, f64::max)).unwrap_or(i32::MAX);
            (format.bits as i32).saturating_sub(before).clamp(1, format.frac as i32) as u32
        };
        let is_minv = |k: usize| match straight.ops[k] {
            Op::Input(i) => straight.inputs[i as usize].name == "minv",
            _ => false,
        };
        let minv = of(&mut (0..found.len()).filter(|k| is_minv(*k)).map(|k| found[k]));
        let results = of(&mut straight.results.iter().filter_map(|e| match e.from {
            Operand::Value(k) => Some(found[k as usize]),
            Operand::Const(_) => None,
        }));
        Scales { input: Some(("minv", minv)), dependent: results }
    }

    /// What the circuit is given at a state.
    pub fn inputs(&self, model: &Model<f64>, state: &State) -> Vec<i32> {
        let angle = |port: &Port| matches!(port.element.name, "sin" | "cos");
        let given: Vec<Element> =
            self.integers.inputs.iter().filter(|port| !angle(port)).map(|port| port.element).collect();
        let mut given = range::inputs(&given, model, state).into_iter();
        let steps = SineSteps::new(self.format.frac, self.format.bits);
        let of = |port: &Port| {
            if angle(port) {
                let q = self.format.integer(state.q[port.element.index]);
                let turns = product(q, steps.turn, steps.turn_shift, steps.bits);
                let ahead = if port.element.name == "cos" { 1 << (steps.bits - 2) } else { 0 };
                return sine(wrap(i64::from(turns) + ahead, steps.bits), &steps);
            }
            let x = given.next().expect("an input for each");
            Format { frac: port.frac, ..self.format }.integer(x)
        };
        self.integers.inputs.iter().map(of).collect()
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
                    Work::Mac(mac) if mac.shift == self.format.frac => "product",
                    Work::Mac(_) => "sine",
                    Work::Sum { .. } => "sum",
                    Work::Fold(_) => "sine",
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
