//! Lowering of operations on numbers to operations on integers.

use crate::formats::Formats;
use crate::integers::{Integers, Op, Operand, Port};
use crate::straight::{Element, Op as Real, Operand as RealOperand, Straight};
use crate::{Angles, Format, Refusal};
use rbd_runtime::fixed::{SineSteps, wrap};
use rustc_hash::FxHashMap;

/// Largest circuit, in operations. The schedule of a larger one exceeds the memory of any FPGA.
const LARGEST: usize = 20_000;

impl Integers {
    /// Operations of a function in some formats.
    ///
    /// # Errors
    /// A sine that should be an input is not that of a coordinate.
    pub fn new(straight: &Straight, formats: &Formats, angles: Angles) -> Result<Self, Refusal> {
        let format = formats.format;
        let mut lowering = Lowering {
            out: Self {
                format,
                is_common: formats.is_common,
                inputs: Vec::new(),
                ops: Vec::new(),
                results: Vec::new(),
            },
            values: Vec::new(),
            fracs: Vec::new(),
            made: FxHashMap::default(),
            formats,
        };
        lowering.inputs(straight, angles)?;
        for (k, op) in straight.ops.iter().enumerate() {
            lowering.operation(straight, *op, angles, formats.frac[k])?;
        }
        for entry in &straight.results {
            let frac = formats.of_result(straight, entry.element);
            let from = lowering.term(entry.from, frac);
            let from = match from {
                Operand::Const(x) if entry.negated => Operand::Const(wrap(-i64::from(x), format.bits)),
                _ if entry.negated => lowering.push(Op::Sub(Operand::Const(0), from)),
                // Every result needs a unit that makes it.
                Operand::Value(k) if (k as usize) < lowering.out.inputs.len() => {
                    lowering.push(Op::Add(from, Operand::Const(0)))
                }
                _ => from,
            };
            lowering.out.results.push((Port { element: entry.element, frac }, from));
        }
        Ok(lowering.out.live())
    }

    /// Operations of a function that becomes a circuit, as by [`Self::new`].
    ///
    /// # Errors
    /// The function takes roots or has too many operations, or [`Self::new`] fails.
    pub(crate) fn of_circuit(
        straight: &Straight,
        formats: &Formats,
        angles: Angles,
    ) -> Result<Self, Refusal> {
        let integers = Self::new(straight, formats, angles)?;
        if integers.ops.iter().any(|op| matches!(op, Op::Sqrt { .. })) {
            return Err(Refusal::TakesRoots);
        }
        match integers.ops.len() {
            many if many > LARGEST => Err(Refusal::TooLarge(many, LARGEST)),
            _ => Ok(integers),
        }
    }
}

struct Lowering<'a> {
    out: Integers,
    /// Operand of each value in the lowered list.
    values: Vec<Operand>,
    /// Bits behind the point of each value.
    fracs: Vec<u32>,
    /// Products that may be shared: fractions of turns, and values converted to other formats.
    made: FxHashMap<(Operand, Operand, u32), Operand>,
    formats: &'a Formats,
}

impl Lowering<'_> {
    /// Lists the inputs. Sines and cosines come first, if they are inputs.
    fn inputs(&mut self, straight: &Straight, angles: Angles) -> Result<(), Refusal> {
        if angles == Angles::Given {
            for (name, wanted) in [("sin", true), ("cos", false)] {
                for (k, op) in straight.ops.iter().enumerate() {
                    let (Real::Sin(of) | Real::Cos(of)) = *op else { continue };
                    if matches!(op, Real::Sin(_)) == wanted {
                        let index = coordinate(straight, of).ok_or(Refusal::AngleIsNoCoordinate)?;
                        let element = Element { name, index };
                        self.out.inputs.push(Port { element, frac: self.formats.frac[k] });
                    }
                }
            }
        }
        // A configuration of which only sines and cosines are read is no input.
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
        for (k, op) in straight.ops.iter().enumerate() {
            let Real::Input(i) = *op else { continue };
            let element = straight.inputs[i as usize];
            if element.name != "q" || angles == Angles::Inside || reads_q {
                self.out.inputs.push(Port { element, frac: self.formats.frac[k] });
            }
        }
        Ok(())
    }

    fn operation(&mut self, straight: &Straight, op: Real, angles: Angles, frac: u32) -> Result<(), Refusal> {
        let find = |inputs: &[Port], element| {
            // An operand that is no input is never read.
            let found = inputs.iter().position(|p| p.element == element);
            found.map_or(Operand::Const(0), |k| Operand::Value(k as u32))
        };
        let value = match op {
            Real::Input(k) => find(&self.out.inputs, straight.inputs[k as usize]),
            Real::Sin(of) | Real::Cos(of) => {
                let sine = matches!(op, Real::Sin(_));
                match angles {
                    Angles::Given => {
                        let index = coordinate(straight, of).ok_or(Refusal::AngleIsNoCoordinate)?;
                        find(&self.out.inputs, Element { name: if sine { "sin" } else { "cos" }, index })
                    }
                    Angles::Inside => self.sine(of, sine, frac),
                }
            }
            Real::Mul { a, b, negated } => {
                let shift = self.formats.of(a) + self.formats.of(b) - frac;
                let (a, b) = (self.operand(a), self.operand(b));
                self.push(Op::Mul { a, b, negated, shift })
            }
            Real::Add(a, b) => {
                let (a, b) = (self.term(a, frac), self.term(b, frac));
                self.push(Op::Add(a, b))
            }
            Real::Sub(a, b) => {
                let (a, b) = (self.term(a, frac), self.term(b, frac));
                self.push(Op::Sub(a, b))
            }
            Real::Sqrt(a) => {
                let shift = 2 * frac as i32 - self.formats.of(a) as i32;
                let a = self.operand(a);
                self.push(Op::Sqrt { a, shift })
            }
            Real::Recip(a) => {
                let exponent = self.formats.of(a) + frac;
                let a = self.operand(a);
                self.push(Op::Recip { a, exponent })
            }
        };
        self.values.push(value);
        self.fracs.push(frac);
        Ok(())
    }

    /// The steps of [`rbd_runtime::fixed::sine`].
    fn sine(&mut self, angle: RealOperand, sine: bool, frac: u32) -> Operand {
        let steps = SineSteps::new(frac, self.formats.format.bits);
        let SineSteps { bits, turn, shift, coefficients, terms, last_shift, .. } = steps;
        let turn_shift = self.formats.of(angle) + 1;
        let angle = self.operand(angle);
        let mul = |a, b, shift| Op::Mul { a, b, negated: false, shift };
        // Sine and cosine of an angle share its fraction of a turn.
        let turns = self.once(angle, Operand::Const(turn), turn_shift);
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

    fn push(&mut self, op: Op) -> Operand {
        self.out.ops.push(op);
        Operand::Value((self.out.inputs.len() + self.out.ops.len() - 1) as u32)
    }

    /// A product that is made once and shared.
    fn once(&mut self, a: Operand, b: Operand, shift: u32) -> Operand {
        if let Some(known) = self.made.get(&(a, b, shift)) {
            return *known;
        }
        let value = self.push(Op::Mul { a, b, negated: false, shift });
        self.made.insert((a, b, shift), value);
        value
    }

    /// A factor, in its own format.
    fn operand(&self, operand: RealOperand) -> Operand {
        match operand {
            RealOperand::Const(x) => {
                Operand::Const(Format { frac: self.formats.of(operand), ..self.formats.format }.integer(x))
            }
            RealOperand::Value(k) => self.values[k as usize],
        }
    }

    /// A term of a sum, in the sum's format. Conversion is a product with a power of two.
    fn term(&mut self, operand: RealOperand, to: u32) -> Operand {
        let Format { bits, .. } = self.formats.format;
        let RealOperand::Value(k) = operand else {
            let RealOperand::Const(x) = operand else { unreachable!("it is no value") };
            return Operand::Const(match self.formats.is_common {
                true => Format { bits, frac: to }.integer(x),
                // Constants wrap like other terms.
                false => wrap((x * (1_u64 << to) as f64 + 0.5).floor() as i64, bits),
            });
        };
        let (mut value, mut from) = (self.values[k as usize], self.fracs[k as usize]);
        if from > to {
            return self.once(value, Operand::Const(1), from - to);
        }
        while from < to {
            let up = (to - from).min(bits - 3);
            value = self.once(value, Operand::Const(1 << (up + 1)), 1);
            from += up;
        }
        value
    }
}

/// Coordinate that an angle is equal to.
fn coordinate(straight: &Straight, angle: RealOperand) -> Option<usize> {
    let RealOperand::Value(k) = angle else { return None };
    match straight.ops[k as usize] {
        Real::Input(i) => Some(straight.inputs[i as usize].index),
        _ => None,
    }
}
