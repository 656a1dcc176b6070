//! What a kernel's variables are called.
//!
//! A kernel writes each variable once, and a large one has ten thousand. There are three ways to name them:
//!
//! - Few variables have names of their own, declared where they are written.
//! - Many share names: a name is free again where its variable is read for the last time. An optimising compiler finds out by
//!   itself which of them can share a register, but without optimisation each name has its own place on the stack.
//! - Those of a body that is cut into parts have names of their own, declared first and with their types. Names that are shared
//!   are places in memory to rustc, of which LLVM has to make values again: over a humanoid's bodies that takes a third of the
//!   compile time (docs/benchmarks.md#compile-time). Types spare a search for each. What is alive at once is little in a part.

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
    /// The type of all of them, where it is said.
    pub of: Option<&'static str>,
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

    /// As few names as there are variables at once.
    pub fn shared(body: &[Line]) -> Self {
        let mut last: BTreeMap<u32, usize> = BTreeMap::new();
        for (k, line) in body.iter().enumerate() {
            line.for_each_read(|reg| {
                last.insert(reg.number, k);
            });
        }
        // By lanes: how often each name is written, and which are free.
        let mut writes: BTreeMap<u8, Vec<u32>> = BTreeMap::new();
        let mut free: BTreeMap<u8, Vec<u32>> = BTreeMap::new();
        let mut places: BTreeMap<u32, (u8, u32)> = BTreeMap::new();
        for (k, line) in body.iter().enumerate() {
            // What is read before anything is written: the result may take the place of an operand.
            line.for_each_read(|reg| {
                if last.get(&reg.number) == Some(&k)
                    && let Some((_, place)) = places.get(&reg.number)
                {
                    last.remove(&reg.number);
                    free.entry(reg.lanes).or_default().push(*place);
                }
            });
            if let Some(reg) = line.writes() {
                let writes = writes.entry(reg.lanes).or_default();
                let place = free.entry(reg.lanes).or_default().pop().unwrap_or(writes.len() as u32);
                match writes.get_mut(place as usize) {
                    Some(times) => *times += 1,
                    None => writes.push(1),
                }
                places.insert(reg.number, (reg.lanes, place));
                if !last.contains_key(&reg.number) {
                    free.entry(reg.lanes).or_default().push(place);
                }
            }
        }
        let name = |lanes: u8, place: usize| format!("{}{place}", letter(lanes));
        let pattern = |lanes: u8, place: usize, times: u32| {
            if times > 1 { format!("mut {}", name(lanes, place)) } else { name(lanes, place) }
        };
        let patterns = writes.iter().flat_map(|(lanes, writes)| {
            writes.iter().enumerate().map(move |(place, times)| pattern(*lanes, place, *times))
        });
        let declared = vec![Declared { patterns: patterns.collect(), of: None }];
        let names = places.iter().map(|(number, (lanes, place))| (*number, name(*lanes, *place as usize)));
        Self { names: names.collect(), declared }
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
            declared.map(|(lanes, patterns)| Declared { patterns, of: Some(type_of(lanes)) }).collect();
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
    use crate::kernel::{Op, Signed};
    use std::collections::BTreeSet;

    fn of(number: u32, lanes: u8) -> Reg {
        Reg { number, lanes }
    }

    fn sum(to: Reg, a: Reg, b: Reg) -> Stmt {
        Stmt::Let { reg: to, op: Op::Add(Operand::Reg(a), Operand::Reg(b)) }
    }

    #[test]
    fn a_place_is_free_after_its_last_reader() {
        let x: Vec<Reg> = (0..6).map(|k| of(k, 1)).collect();
        let one = |to| Stmt::Let { reg: to, op: Op::Recip(Operand::Const(2.0)) };
        let body = [
            one(x[0]),
            one(x[1]),
            sum(x[2], x[0], x[1]), // x0 dies
            sum(x[3], x[1], x[1]), // x1 dies, once
            sum(x[4], x[2], x[3]), // both die
            Stmt::Let { reg: x[5], op: Op::Gather(vec![signed(x[4])]) },
        ];
        let lines: Vec<Line> = body.iter().map(Line::Stmt).collect();
        let registers = Registers::shared(&lines);
        let names: Vec<&str> = x.iter().map(|reg| registers.name(*reg)).collect();
        assert_eq!(names[..4], ["x0", "x1", "x0", "x1"]);
        assert_eq!(registers.declared()[0].patterns, ["mut x0", "mut x1"]);
    }

    fn signed(reg: Reg) -> Signed {
        Signed { operand: Operand::Reg(reg), negated: false }
    }

    /// Variables of different lanes never share, and none is overwritten before it is read.
    #[test]
    fn what_is_read_is_what_was_written() {
        let mut body = Vec::new();
        let mut seed = 1_u64;
        let mut made: Vec<Reg> = Vec::new();
        for number in 0..2000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let lanes = [1, 2, 4][(seed >> 33) as usize % 3];
            let to = of(number, lanes);
            let alike: Vec<Reg> = made.iter().rev().filter(|r| r.lanes == lanes).take(40).copied().collect();
            let pick = |shift: u32| alike[(seed >> shift) as usize % alike.len()];
            body.push(match alike.len() {
                0 => Stmt::Let { reg: to, op: Op::Recip(Operand::Const(f64::from(number))) },
                _ => sum(to, pick(20), pick(40)),
            });
            made.push(to);
        }
        let lines: Vec<Line> = body.iter().map(Line::Stmt).collect();
        let registers = Registers::shared(&lines);
        let mut holds: BTreeMap<String, Reg> = BTreeMap::new();
        for stmt in &body {
            for_each_read(stmt, |reg| assert_eq!(holds[registers.name(reg)], reg));
            if let Stmt::Let { reg, .. } = stmt {
                holds.insert(registers.name(*reg).into(), *reg);
            }
        }
        assert!(registers.declared()[0].patterns.len() < 200);
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
        let declared: Vec<_> =
            registers.declared().iter().map(|d| (d.of.unwrap_or(""), d.patterns.len())).collect();
        assert_eq!(declared, [("S", 100), ("S::X2", 100), ("S::X4", 100)]);
        let names: BTreeSet<&str> = (0..300).map(|number| registers.name(of(number, 1))).collect();
        assert_eq!(names.len(), 300);
        let first = [(0, 1), (1, 2), (2, 4), (3, 1)].map(|(number, lanes)| registers.name(of(number, lanes)));
        assert_eq!(first, ["x0", "y0", "z0", "x1"]);
        assert_eq!(Registers::few(&lines).declared().len(), 0);
        assert_eq!(Registers::few(&lines).name(of(7, 2)), "x7");
    }
}
