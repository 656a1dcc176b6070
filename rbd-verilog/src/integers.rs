//! A function as operations on integers, which hardware performs bit for bit.

use crate::straight::Element;
use crate::{Format, range};
use rbd_runtime::Model;
use rbd_runtime::fixed::{SineSteps, fold, product, sine, wrap};
use rbd_runtime::random::State;
use std::fmt::Write;

/// Operand of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A constant.
    Const(i32),
    /// An input, or the value of an earlier operation. Inputs are numbered first.
    Value(u32),
}

/// An operation on integers that wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Product `a b` or its negative, shifted right. It is rounded to nearest, ties upwards.
    Mul {
        /// First factor.
        a: Operand,
        /// Second factor.
        b: Operand,
        /// True if the exact product is negated before rounding.
        negated: bool,
        /// Bits dropped.
        shift: u32,
    },
    /// Sum.
    Add(Operand, Operand),
    /// Difference.
    Sub(Operand, Operand),
    /// Reflection of a fraction of a turn into a quarter turn.
    Fold(Operand),
    /// Quotient `2^exponent / a`, by [`reciprocal`].
    Recip {
        /// The divisor.
        a: Operand,
        /// Exponent of the numerator.
        exponent: u32,
    },
    /// Root `sqrt(2^shift a)`, by [`root`]. Circuits do not support it.
    Sqrt {
        /// Square. The root of a negative number is 0.
        a: Operand,
        /// Shift to the left, or to the right if negative.
        shift: i32,
    },
}

/// Root `sqrt(2^shift a)` as the nearest integer of `bits` bits. Saturates, and is 0 for negative numbers.
///
/// With one common format, it is the root of [`rbd_runtime::Fixed`].
pub fn root(a: i32, shift: i32, bits: u32) -> i32 {
    let square = match (a.max(0) as u128, shift) {
        (x, 0..) => x << shift.min(90),
        (x, _) => x >> (-shift).min(90),
    };
    let root = square.isqrt();
    // Rounds to nearest: (root + 1/2)^2 = root^2 + root + 1/4.
    let nearest = root + u128::from(square - root * root > root);
    nearest.min((1 << (bits - 1)) - 1) as i32
}

/// Quotient `2^exponent / a` as an integer of `bits` bits, rounded to nearest, ties away from zero.
///
/// Saturates by the sign of the divisor, where 0 counts as positive.
/// With one common format, it is the quotient of [`rbd_runtime::Fixed`].
pub fn reciprocal(a: i32, exponent: u32, bits: u32) -> i32 {
    let most = (1_i64 << (bits - 1)) - 1;
    let below = i64::from(a).abs();
    if below == 0 {
        return most as i32;
    }
    let quotient = ((1_i64 << exponent) + below / 2) / below;
    (if a < 0 { (-quotient).max(-most - 1) } else { quotient.min(most) }) as i32
}

impl Op {
    /// Operands.
    pub fn operands(self) -> impl Iterator<Item = Operand> {
        let (a, b) = match self {
            Self::Fold(a) | Self::Recip { a, .. } | Self::Sqrt { a, .. } => (a, None),
            Self::Mul { a, b, .. } | Self::Add(a, b) | Self::Sub(a, b) => (a, Some(b)),
        };
        std::iter::once(a).chain(b)
    }
}

/// An input or output number, with its bits behind the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// Array and place of the number.
    pub element: Element,
    /// Bits behind the point.
    pub frac: u32,
}

/// A function as operations on integers of one width.
#[derive(Clone, Debug)]
pub struct Integers {
    /// Bits of every number, and default bits behind the point.
    pub format: Format,
    /// True if every number has that format.
    pub is_common: bool,
    /// Inputs, in order.
    pub inputs: Vec<Port>,
    /// Operations. Each follows its operands, and all are needed.
    pub ops: Vec<Op>,
    /// Results, in order.
    pub results: Vec<(Port, Operand)>,
}

impl Integers {
    /// Format of all numbers, such as `Q16.16`, or their width if each has a format of its own.
    pub fn format_name(&self) -> String {
        match self.is_common {
            true => self.format.to_string(),
            false => format!("{} bits", self.format.bits),
        }
    }

    /// Results for some inputs.
    ///
    /// # Panics
    /// If the number of inputs is not that of [`Self::inputs`].
    pub fn run(&self, inputs: &[i32]) -> Vec<i32> {
        assert_eq!(inputs.len(), self.inputs.len());
        let bits = self.format.bits;
        let mut values = inputs.to_vec();
        for op in &self.ops {
            let of = |operand| match operand {
                Operand::Const(x) => x,
                Operand::Value(k) => values[k as usize],
            };
            let value = match *op {
                Op::Mul { a, b, negated, shift } => {
                    let a = if negated { wrap(-i64::from(of(a)), bits) } else { of(a) };
                    product(a, of(b), shift, bits)
                }
                Op::Add(a, b) => wrap(i64::from(of(a)) + i64::from(of(b)), bits),
                Op::Sub(a, b) => wrap(i64::from(of(a)) - i64::from(of(b)), bits),
                Op::Fold(a) => fold(of(a), bits),
                Op::Recip { a, exponent } => reciprocal(of(a), exponent, bits),
                Op::Sqrt { a, shift } => root(of(a), shift, bits),
            };
            values.push(value);
        }
        let of = |operand| match operand {
            Operand::Const(x) => x,
            Operand::Value(k) => values[k as usize],
        };
        self.results.iter().map(|(_, from)| of(*from)).collect()
    }

    /// Inputs at a state.
    pub fn inputs_at(&self, model: &Model<f64>, state: &State) -> Vec<i32> {
        let angle = |port: &Port| matches!(port.element.name, "sin" | "cos");
        let given: Vec<Element> =
            self.inputs.iter().filter(|port| !angle(port)).map(|port| port.element).collect();
        let mut given = range::inputs(&given, model, state).into_iter();
        let Format { bits, frac } = self.format;
        let of = |port: &Port| {
            if angle(port) {
                let steps = SineSteps { turn_shift: frac + 1, ..SineSteps::new(port.frac, bits) };
                let q = self.format.integer(state.q[port.element.index]);
                let turns = product(q, steps.turn, steps.turn_shift, bits);
                let ahead = if port.element.name == "cos" { 1 << (bits - 2) } else { 0 };
                return sine(wrap(i64::from(turns) + ahead, bits), &steps);
            }
            let x = given.next().expect("an input for each");
            Format { bits, frac: port.frac }.integer(x)
        };
        self.inputs.iter().map(of).collect()
    }

    /// File of vectors: the inputs, then the results of each state, one number a line.
    pub fn vectors<'a>(&self, states: impl IntoIterator<Item = &'a [i32]>) -> String {
        let mut text = String::new();
        for inputs in states {
            let results = self.run(inputs);
            for x in inputs.iter().chain(&results) {
                let _ = writeln!(text, "{:x}", self.word(*x));
            }
        }
        text
    }

    /// Results as floating-point numbers.
    pub fn numbers(&self, results: &[i32]) -> Vec<f64> {
        let ports = self.results.iter().map(|(port, _)| port);
        results.iter().zip(ports).map(|(x, port)| f64::from(*x) / 2_f64.powi(port.frac as i32)).collect()
    }

    /// Bits of a number.
    pub(crate) fn word(&self, x: i32) -> u32 {
        x as u32 & (u32::MAX >> (32 - self.format.bits))
    }

    /// Numbers of inputs and of results.
    pub fn words(&self) -> (usize, usize) {
        (self.inputs.len(), self.results.len())
    }

    /// Number of products.
    pub fn products(&self) -> usize {
        self.ops.iter().filter(|op| matches!(op, Op::Mul { .. })).count()
    }

    /// Removes operations that no result needs.
    pub(super) fn live(mut self) -> Self {
        let inputs = self.inputs.len();
        let mut live = vec![false; self.ops.len()];
        let mark = |live: &mut Vec<bool>, operand| match operand {
            Operand::Value(k) if k as usize >= inputs => live[k as usize - inputs] = true,
            _ => {}
        };
        self.results.iter().for_each(|(_, from)| mark(&mut live, *from));
        for k in (0..self.ops.len()).rev() {
            if live[k] {
                self.ops[k].operands().for_each(|operand| mark(&mut live, operand));
            }
        }
        let mut number = inputs as u32;
        let mut renamed = vec![0; self.ops.len()];
        for (k, live) in live.iter().enumerate() {
            renamed[k] = number;
            number += u32::from(*live);
        }
        let rename = |operand| match operand {
            Operand::Value(k) if k as usize >= inputs => Operand::Value(renamed[k as usize - inputs]),
            same => same,
        };
        let ops = self.ops.iter().zip(&live).filter(|(_, live)| **live).map(|(op, _)| match *op {
            Op::Mul { a, b, negated, shift } => Op::Mul { a: rename(a), b: rename(b), negated, shift },
            Op::Add(a, b) => Op::Add(rename(a), rename(b)),
            Op::Sub(a, b) => Op::Sub(rename(a), rename(b)),
            Op::Fold(a) => Op::Fold(rename(a)),
            Op::Recip { a, exponent } => Op::Recip { a: rename(a), exponent },
            Op::Sqrt { a, shift } => Op::Sqrt { a: rename(a), shift },
        });
        self.ops = ops.collect();
        self.results.iter_mut().for_each(|(_, from)| *from = rename(*from));
        self
    }
}
