//! Names of a kernel's registers.
//!
//! A kernel writes each register once, and a large kernel has ten thousand. Each has a name of its own:
//!
//! - Few registers are declared where they are written.
//! - Many registers are declared first, with types, which saves rustc type inference.
//!
//! Registers that are never alive together could share a name.
//! But rustc keeps a variable with several assignments in memory, and LLVM must turn it into values again
//! (docs/limits.md#compile-time).

use super::parts::Line;
use rbd_ir::kernel::{Operand, Reg, Stmt};
use std::collections::BTreeMap;

/// First letter of a name, by number of lanes.
fn letter(lanes: u8) -> &'static str {
    match lanes {
        1 => "x",
        2 => "y",
        _ => "z",
    }
}

/// Type of a register, by number of lanes.
fn type_of(lanes: u8) -> &'static str {
    match lanes {
        1 => "S",
        2 => "S::X2",
        _ => "S::X4",
    }
}

/// Names declared at the beginning.
#[derive(Debug, Default)]
pub struct Declared {
    /// Patterns of the names.
    pub patterns: Vec<String>,
    /// Type of all of them.
    pub of: &'static str,
}

/// Names of a kernel's registers.
#[derive(Debug, Default)]
pub struct Registers {
    /// Names by the register's number.
    names: BTreeMap<u32, String>,
    declared: Vec<Declared>,
}

impl Registers {
    /// Names for registers that are declared where they are written.
    pub fn few(body: &[Line]) -> Self {
        let names =
            body.iter().filter_map(|line| line.writes()).map(|reg| (reg.number, format!("x{}", reg.number)));
        Self { names: names.collect(), declared: Vec::new() }
    }

    /// Names for registers that are declared first, with types.
    pub fn own(body: &[Line]) -> Self {
        let mut registers = Self::default();
        let mut declared: BTreeMap<u8, Vec<String>> = BTreeMap::new();
        for reg in body.iter().filter_map(|line| line.writes()) {
            let declared = declared.entry(reg.lanes).or_default();
            let name = format!("{}{}", letter(reg.lanes), declared.len());
            declared.push(name.clone());
            registers.names.insert(reg.number, name);
        }
        let declared = declared.into_iter();
        registers.declared =
            declared.map(|(lanes, patterns)| Declared { patterns, of: type_of(lanes) }).collect();
        registers
    }

    /// Name of a register.
    pub fn name(&self, reg: Reg) -> &str {
        &self.names[&reg.number]
    }

    /// Names declared at the beginning.
    pub fn declared(&self) -> &[Declared] {
        &self.declared
    }
}

/// Calls `f` with each register that a statement reads.
pub(super) fn for_each_read(stmt: &Stmt, mut f: impl FnMut(Reg)) {
    let mut read = |operand: Operand| {
        if let Operand::Reg(reg) = operand {
            f(reg);
        }
    };
    match stmt {
        Stmt::Let { op, .. } => op.for_each_operand(read),
        Stmt::SinCos(angles) => angles.iter().for_each(|angle| read(angle.of)),
        Stmt::Store { from, .. } => read(from.operand),
        Stmt::Fill { .. } | Stmt::Product(_) | Stmt::Call(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rbd_ir::kernel::Op;
    use std::collections::BTreeSet;

    fn of(number: u32, lanes: u8) -> Reg {
        Reg { number, lanes }
    }

    fn sum(to: Reg, a: Reg, b: Reg) -> Stmt {
        Stmt::Let { reg: to, op: Op::Add(Operand::Reg(a), Operand::Reg(b)) }
    }

    #[test]
    fn each_variable_has_a_name_of_its_own_and_its_lanes() {
        let mut body = Vec::new();
        for number in 0..300 {
            let to = of(number, [1, 2, 4][number as usize % 3]);
            body.push(match number.checked_sub(3) {
                None => Stmt::Let { reg: to, op: Op::Recip(Operand::Const(2.0)) },
                Some(above) => sum(to, of(above, to.lanes), of(above, to.lanes)),
            });
        }
        let lines: Vec<Line> = body.iter().map(Line::Stmt).collect();
        let registers = Registers::own(&lines);
        let declared: Vec<_> = registers.declared().iter().map(|d| (d.of, d.patterns.len())).collect();
        assert_eq!(declared, [("S", 100), ("S::X2", 100), ("S::X4", 100)]);
        let names: BTreeSet<&str> = (0..300).map(|number| registers.name(of(number, 1))).collect();
        assert_eq!(names.len(), 300);
        let first = [(0, 1), (1, 2), (2, 4), (3, 1)].map(|(number, lanes)| registers.name(of(number, lanes)));
        assert_eq!(first, ["x0", "y0", "z0", "x1"]);
        assert_eq!(Registers::few(&lines).declared().len(), 0);
        assert_eq!(Registers::few(&lines).name(of(7, 2)), "x7");
    }
}
