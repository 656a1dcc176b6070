//! A function as operations on integers: what hardware does, bit for bit.

use super::straight::{Element, Op as Real, Operand as RealOperand, Straight};
use super::{Angles, Format, Refusal};
use rbd_runtime::fixed::{SineSteps, fold, product, wrap};

/// What an operation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A constant.
    Const(i32),
    /// An input or the value of an earlier operation: inputs are numbered first.
    Value(u32),
}

/// An operation on integers that wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// `a b`, or its negative, less so many bits, rounded to the nearest, ties upwards.
    Mul {
        /// A factor.
        a: Operand,
        /// The other.
        b: Operand,
        /// Whether it is the negative of the exact product that is rounded.
        negated: bool,
        /// Bits that are left out.
        shift: u32,
    },
    /// Sum.
    Add(Operand, Operand),
    /// Difference.
    Sub(Operand, Operand),
    /// A part of a turn, reflected into a quarter turn.
    Fold(Operand),
}

impl Op {
    /// What it reads.
    pub fn operands(self) -> impl Iterator<Item = Operand> {
        let (a, b) = match self {
            Self::Fold(a) => (a, None),
            Self::Mul { a, b, .. } | Self::Add(a, b) | Self::Sub(a, b) => (a, Some(b)),
        };
        std::iter::once(a).chain(b)
    }
}

/// A number that is taken or given, with the bits behind its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// Which it is.
    pub element: Element,
    /// Bits behind the point.
    pub frac: u32,
}

/// A function as operations on integers of one width.
#[derive(Clone, Debug)]
pub struct Integers {
    /// Bits of every number.
    pub bits: u32,
    /// What is taken, in order.
    pub inputs: Vec<Port>,
    /// Operations, each after those that it reads, all of them needed.
    pub ops: Vec<Op>,
    /// What is given, in order.
    pub results: Vec<(Port, Operand)>,
}

/// Bits behind the point of a value that is in no common format.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scales {
    /// Of an input of this name.
    pub input: Option<(&'static str, u32)>,
    /// Of products with it, and of sums of these.
    pub dependent: u32,
}

impl Integers {
    /// The operations of a function in a format.
    ///
    /// # Errors
    /// If it divides, or sines that are to be inputs are not those of coordinates.
    pub fn new(straight: &Straight, format: Format, angles: Angles, scales: Scales) -> Result<Self, Refusal> {
        let mut lowering = Lowering {
            out: Self { bits: format.bits, inputs: Vec::new(), ops: Vec::new(), results: Vec::new() },
            values: Vec::new(),
            fracs: Vec::new(),
            format,
            steps: SineSteps::new(format.frac, format.bits),
        };
        lowering.inputs(straight, angles, scales)?;
        for op in &straight.ops {
            lowering.operation(straight, *op, angles, scales)?;
        }
        for entry in &straight.results {
            let frac = lowering.frac(entry.from).unwrap_or(format.frac);
            let from = lowering.operand(entry.from, frac);
            let from = match from {
                Operand::Const(x) if entry.negated => Operand::Const(wrap(-i64::from(x), format.bits)),
                _ if entry.negated => lowering.push(Op::Sub(Operand::Const(0), from)),
                // Every result is made by some unit.
                Operand::Value(k) if (k as usize) < lowering.out.inputs.len() => {
                    lowering.push(Op::Add(from, Operand::Const(0)))
                }
                _ => from,
            };
            lowering.out.results.push((Port { element: entry.element, frac }, from));
        }
        Ok(lowering.out.live())
    }

    /// The results for these inputs.
    ///
    /// # Panics
    /// If there are not as many as [`Self::inputs`].
    pub fn run(&self, inputs: &[i32]) -> Vec<i32> {
        assert_eq!(inputs.len(), self.inputs.len());
        let bits = self.bits;
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
            };
            values.push(value);
        }
        let of = |operand| match operand {
            Operand::Const(x) => x,
            Operand::Value(k) => values[k as usize],
        };
        self.results.iter().map(|(_, from)| of(*from)).collect()
    }

    /// Products.
    pub fn products(&self) -> usize {
        self.ops.iter().filter(|op| matches!(op, Op::Mul { .. })).count()
    }

    /// Without operations that no result needs.
    fn live(mut self) -> Self {
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
        });
        self.ops = ops.collect();
        self.results.iter_mut().for_each(|(_, from)| *from = rename(*from));
        self
    }
}

struct Lowering {
    out: Integers,
    /// By number of the value in the list that is lowered.
    values: Vec<Operand>,
    /// Bits behind the points of these.
    fracs: Vec<u32>,
    format: Format,
    steps: SineSteps,
}

impl Lowering {
    /// Sines and cosines come first where they are given.
    fn inputs(&mut self, straight: &Straight, angles: Angles, scales: Scales) -> Result<(), Refusal> {
        let frac = self.format.frac;
        if angles == Angles::Given {
            for (name, wanted) in [("sin", true), ("cos", false)] {
                for op in &straight.ops {
                    let (Real::Sin(of) | Real::Cos(of)) = *op else { continue };
                    if matches!(op, Real::Sin(_)) == wanted {
                        let index = coordinate(straight, of).ok_or(Refusal::AngleIsNoCoordinate)?;
                        let element = Element { name, index };
                        self.out.inputs.push(Port { element, frac });
                    }
                }
            }
        }
        // A configuration of which sines and cosines are all that is read is not asked for.
        let is_q = |operand| match operand {
            RealOperand::Value(k) => match straight.ops[k as usize] {
                Real::Input(i) => straight.inputs[i as usize].name == "q",
                _ => false,
            },
            RealOperand::Const(_) => false,
        };
        let by_angle = |op: &Real| angles == Angles::Given && matches!(op, Real::Sin(_) | Real::Cos(_));
        let reads_q = straight.ops.iter().any(|op| !by_angle(op) && op.operands().any(is_q))
            || straight.results.iter().any(|e| is_q(e.from));
        let asked = |name: &str| name != "q" || angles == Angles::Inside || reads_q;
        for element in straight.inputs.iter().filter(|element| asked(element.name)) {
            let frac = match scales.input {
                Some((name, frac)) if name == element.name => frac,
                _ => frac,
            };
            self.out.inputs.push(Port { element: *element, frac });
        }
        Ok(())
    }

    fn operation(
        &mut self,
        straight: &Straight,
        op: Real,
        angles: Angles,
        scales: Scales,
    ) -> Result<(), Refusal> {
        let common = self.format.frac;
        let find = |inputs: &[Port], element| {
            // What is not asked for is not read.
            let found = inputs.iter().position(|p| p.element == element);
            found.map_or((Operand::Const(0), common), |k| (Operand::Value(k as u32), inputs[k].frac))
        };
        let (value, frac) = match op {
            Real::Input(k) => find(&self.out.inputs, straight.inputs[k as usize]),
            Real::Sin(of) | Real::Cos(of) => {
                let sine = matches!(op, Real::Sin(_));
                match angles {
                    Angles::Given => {
                        let index = coordinate(straight, of).ok_or(Refusal::AngleIsNoCoordinate)?;
                        find(&self.out.inputs, Element { name: if sine { "sin" } else { "cos" }, index })
                    }
                    Angles::Inside => (self.sine(of, sine), common),
                }
            }
            Real::Mul { a, b, negated } => {
                let (fa, fb) = (self.frac(a).unwrap_or(common), self.frac(b).unwrap_or(common));
                let (a, b) = (self.operand(a, fa), self.operand(b, fb));
                let scaled = self.is_scaled(a, scales) || self.is_scaled(b, scales);
                let frac = if scaled { scales.dependent } else { common };
                (self.push(Op::Mul { a, b, negated, shift: fa + fb - frac }), frac)
            }
            Real::Add(a, b) | Real::Sub(a, b) => {
                let frac = self.frac(a).or(self.frac(b)).unwrap_or(common);
                let (a, b) = (self.operand(a, frac), self.operand(b, frac));
                (self.push(if matches!(op, Real::Add(..)) { Op::Add(a, b) } else { Op::Sub(a, b) }), frac)
            }
            Real::Recip(_) | Real::Sqrt(_) => return Err(Refusal::Divides),
        };
        self.values.push(value);
        self.fracs.push(frac);
        Ok(())
    }

    /// The steps of [`rbd_runtime::fixed::sine`].
    fn sine(&mut self, angle: RealOperand, sine: bool) -> Operand {
        let SineSteps { bits, turn, turn_shift, shift, coefficients, terms, last_shift } = self.steps;
        let angle = self.operand(angle, self.format.frac);
        let mul = |a, b, shift| Op::Mul { a, b, negated: false, shift };
        // Sine and cosine of an angle share its part of a turn.
        let turns = self.shared(mul(angle, Operand::Const(turn), turn_shift));
        let turns = match sine {
            true => turns,
            false => self.push(Op::Add(turns, Operand::Const(1 << (bits - 2)))),
        };
        let y = self.push(Op::Fold(turns));
        let z = self.push(mul(y, y, shift));
        let mut sum = Operand::Const(coefficients[terms - 1]);
        for k in (0..terms - 1).rev() {
            let product = self.push(mul(z, sum, shift));
            sum = self.push(Op::Add(product, Operand::Const(coefficients[k])));
        }
        self.push(mul(y, sum, last_shift))
    }

    /// Whether it is an input with a scale of its own.
    fn is_scaled(&self, operand: Operand, scales: Scales) -> bool {
        let Operand::Value(k) = operand else { return false };
        let port = self.out.inputs.get(k as usize);
        port.is_some_and(|port| scales.input.is_some_and(|(name, _)| name == port.element.name))
    }

    fn push(&mut self, op: Op) -> Operand {
        self.out.ops.push(op);
        Operand::Value((self.out.inputs.len() + self.out.ops.len() - 1) as u32)
    }

    fn shared(&mut self, op: Op) -> Operand {
        match self.out.ops.iter().position(|known| *known == op) {
            Some(k) => Operand::Value((self.out.inputs.len() + k) as u32),
            None => self.push(op),
        }
    }

    /// Bits behind the point of a value; a constant has as many as are asked for.
    fn frac(&self, operand: RealOperand) -> Option<u32> {
        match operand {
            RealOperand::Const(_) => None,
            RealOperand::Value(k) => Some(self.fracs[k as usize]),
        }
    }

    fn operand(&self, operand: RealOperand, frac: u32) -> Operand {
        match operand {
            RealOperand::Const(x) => Operand::Const(Format { frac, ..self.format }.integer(x)),
            RealOperand::Value(k) => self.values[k as usize],
        }
    }
}

/// The coordinate that an angle is.
fn coordinate(straight: &Straight, angle: RealOperand) -> Option<usize> {
    let RealOperand::Value(k) = angle else { return None };
    match straight.ops[k as usize] {
        Real::Input(i) => Some(straight.inputs[i as usize].index),
        _ => None,
    }
}
