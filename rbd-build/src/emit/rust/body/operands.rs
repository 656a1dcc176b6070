//! Spelling of operations and operands.

use super::super::scalar_functions::ScalarFunction;
use super::Body;
use rbd_ir::kernel::{Op, Operand, Reg, Signed};

impl Body<'_> {
    pub(super) fn operation(&self, reg: Reg, op: &Op) -> String {
        let lanes = reg.lanes;
        let of = |operand: Operand| self.broadcast(operand, lanes);
        let signed = |s: Signed| format!("{}{}", if s.negated { "-" } else { "" }, of(s.operand));
        match op {
            Op::Add(a, b) => format!("{} + {}", of(*a), of(*b)),
            Op::Sub(a, b) => format!("{} - {}", of(*a), of(*b)),
            Op::Mul(a, b) => format!("{} * {}", of(*a), of(*b)),
            Op::MulAdd { a, b, c } => {
                format!(
                    "{}({}, {}, {})",
                    self.call(ScalarFunction::MulAdd, lanes),
                    signed(*a),
                    of(*b),
                    signed(*c)
                )
            }
            Op::Recip(a) if lanes > 1 => format!("{}.recip()", of(*a)),
            Op::Recip(a) => format!("{} / {}", self.constant(1.0), of(*a)),
            Op::Hypot(a, b) => {
                let (a, b) = (of(*a), of(*b));
                format!("rt::Scalar::sqrt({a} * {a} + {b} * {b})")
            }
            Op::Gather(scalars) => {
                let scalars: Vec<String> = scalars.iter().map(|s| self.signed(*s)).collect();
                format!("{}([{}])", self.call(ScalarFunction::Gather, lanes), scalars.join(", "))
            }
            Op::Lane(a, lane) => {
                format!("{}({}, {lane})", self.call(ScalarFunction::Lane, self.lanes(*a)), self.operand(*a))
            }
            Op::Sum(a) => format!("{}({})", self.call(ScalarFunction::Sum, self.lanes(*a)), self.operand(*a)),
        }
    }

    pub(super) fn signed(&self, signed: Signed) -> String {
        format!("{}{}", if signed.negated { "-" } else { "" }, self.operand(signed.operand))
    }

    /// An operand of a statement on `lanes` lanes. Scalars are broadcast.
    fn broadcast(&self, operand: Operand, lanes: u8) -> String {
        let text = self.operand(operand);
        if lanes > 1 && self.lanes(operand) == 1 {
            format!("{}({text})", self.call(ScalarFunction::Splat, lanes))
        } else {
            text
        }
    }

    pub(in crate::emit::rust) fn operand(&self, operand: Operand) -> String {
        match operand {
            Operand::Const(x) => self.constant(x),
            Operand::LaneConst(slot) => {
                let constants = &self.version.kernel.lane_constants[slot as usize];
                format!("{}(&{constants:?})", self.call(ScalarFunction::Constant, constants.len() as u8))
            }
            Operand::Load(place) => self.element(place),
            Operand::Reg(reg) => match self.trigonometric.get(&reg.number) {
                Some(name) => name.clone(),
                None => self.registers.name(reg).into(),
            },
        }
    }

    pub(in crate::emit::rust) fn constant(&self, x: f64) -> String {
        format!("{}({x:?})", self.call(ScalarFunction::Constant, 1))
    }

    fn lanes(&self, operand: Operand) -> u8 {
        self.version.kernel.lanes(operand)
    }

    /// Name of a function of the scalar, or of its register with `lanes` lanes.
    pub(in crate::emit::rust) fn call(&self, called: ScalarFunction, lanes: u8) -> String {
        let constant = (called, lanes) == (ScalarFunction::Constant, 1);
        if !self.many && !constant {
            return called.path(lanes);
        }
        self.called.borrow_mut().insert((called, lanes));
        called.name(lanes)
    }
}
