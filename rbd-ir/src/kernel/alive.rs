//! Liveness of values: about as many registers are needed as values are alive at once.
//!
//! An entry of an input is alive from its first to its last read: compilers load it once.

use super::{Kernel, Op, Operand, Place, Stmt};
use rustc_hash::{FxHashMap, FxHashSet};

/// A value that a statement reads and that takes a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Value {
    /// A variable, by its number.
    Reg(u32),
    /// An entry of an input.
    Load(Place),
}

impl Kernel {
    /// Largest number of values alive at any statement, including the values that it reads.
    pub fn most_alive(&self) -> usize {
        let mut last: FxHashMap<Value, usize> = FxHashMap::default();
        for (k, stmt) in self.body.iter().enumerate() {
            each_value(stmt, |value| {
                last.insert(value, k);
            });
        }
        let (mut alive, mut most) = (FxHashSet::default(), 0);
        for (k, stmt) in self.body.iter().enumerate() {
            each_value(stmt, |value| {
                alive.insert(value);
            });
            most = most.max(alive.len());
            each_value(stmt, |value| {
                if last[&value] == k {
                    alive.remove(&value);
                }
            });
            let mut make = |number: u32| {
                if last.contains_key(&Value::Reg(number)) {
                    alive.insert(Value::Reg(number));
                }
            };
            match stmt {
                Stmt::Let { reg, .. } => make(reg.number),
                Stmt::SinCos(angles) => {
                    let regs = angles.iter().flat_map(|angle| [angle.sin, angle.cos]).flatten();
                    regs.for_each(|reg| make(reg.number));
                }
                _ => {}
            }
            most = most.max(alive.len());
        }
        most
    }
}

/// Calls `f` with every value that a statement reads; with some more than once.
pub(super) fn each_value(stmt: &Stmt, mut f: impl FnMut(Value)) {
    let mut of = |operand: Operand| match operand {
        Operand::Reg(reg) => f(Value::Reg(reg.number)),
        Operand::Load(place) => f(Value::Load(place)),
        Operand::Const(_) | Operand::LaneConst(_) => {}
    };
    match stmt {
        Stmt::Let { op, .. } => Op::for_each_operand(op, of),
        Stmt::SinCos(angles) => angles.iter().for_each(|angle| of(angle.of)),
        Stmt::Store { from, .. } => of(from.operand),
        Stmt::Fill { .. } | Stmt::Product(_) | Stmt::Call(_) => {}
    }
}
