//! What a kernel's variables are called.
//!
//! A kernel writes each variable once, and a large one has ten thousand. Each has a name of its own:
//!
//! - Few variables are declared where they are written.
//! - Many are declared first, with their types, which spare a search for each.
//!
//! Variables that are never alive at once could share a name. But what is written several times is a place in memory to rustc, of
//! which it and LLVM have to make values again (docs/benchmarks.md#compile-time).

use super::parts::Line;
use crate::kernel::{Operand, Reg, Stmt};
use std::collections::BTreeMap;

/// How many numbers a variable holds, by its first letter.
fn letter(lanes: u8) -> &'static str {
    match lanes {
        1 => "x",
        2 => "y",
        _ => "z",
    }
}

/// What holds that many numbers.
fn type_of(lanes: u8) -> &'static str {
    match lanes {
        1 => "S",
        2 => "S::X2",
        _ => "S::X4",
    }
}

/// Names that are declared before all.
#[derive(Debug, Default)]
pub struct Declared {
    /// Each as a pattern.
    pub patterns: Vec<String>,
    /// The type of all of them.
    pub of: &'static str,
}

/// The names of a kernel's variables.
#[derive(Debug, Default)]
pub struct Registers {
    /// By a variable's number.
    names: BTreeMap<u32, String>,
    declared: Vec<Declared>,
}

impl Registers {
    /// Names for variables that are declared where they are written.
    pub fn few(body: &[Line]) -> Self {
        let names =
            body.iter().filter_map(|line| line.writes()).map(|reg| (reg.number, format!("x{}", reg.number)));
        Self { names: names.collect(), declared: Vec::new() }
    }

    /// A name and a type for each.
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

    /// What a variable is called.
    pub fn name(&self, reg: Reg) -> &str {
        &self.names[&reg.number]
    }

    /// The names that are declared before all.
    pub fn declared(&self) -> &[Declared] {
        &self.declared
    }
}

/// Calls `f` with each variable that a statement reads.
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
    use crate::kernel::Op;
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
