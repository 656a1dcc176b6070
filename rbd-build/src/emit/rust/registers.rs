//! Which of a kernel's variables share a place.
//!
//! A kernel writes each variable once, and a large one has ten thousand. An optimising compiler finds out which of them can
//! share a register, but without optimisation each has its own place on the stack, and whatever a compiler does by
//! variable (borrow checking, debugging information) is slow. So variables share names here: a name is free again where
//! its variable is read for the last time. What is computed, and in which order, stays the same.

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

/// The names of a kernel's variables.
#[derive(Debug, Default)]
pub struct Registers {
    /// By a variable's number, its name's.
    places: BTreeMap<u32, u32>,
    /// How often each name is written, by their lanes.
    writes: BTreeMap<u8, Vec<u32>>,
}

impl Registers {
    /// A name for each variable of its own.
    pub fn apart(body: &[Line]) -> Self {
        let places =
            body.iter().filter_map(|line| line.writes()).map(|reg| (reg.number, reg.number)).collect();
        Self { places, writes: BTreeMap::new() }
    }

    /// As few names as there are variables at once.
    pub fn shared(body: &[Line]) -> Self {
        let mut last: BTreeMap<u32, usize> = BTreeMap::new();
        for (k, line) in body.iter().enumerate() {
            line.for_each_read(|reg| {
                last.insert(reg.number, k);
            });
        }
        let mut shared = Self::default();
        let mut free: BTreeMap<u8, Vec<u32>> = BTreeMap::new();
        for (k, line) in body.iter().enumerate() {
            // What is read before anything is written: the result may take the place of an operand.
            line.for_each_read(|reg| {
                if last.get(&reg.number) == Some(&k)
                    && let Some(place) = shared.places.get(&reg.number)
                {
                    last.remove(&reg.number);
                    free.entry(reg.lanes).or_default().push(*place);
                }
            });
            if let Some(reg) = line.writes() {
                let writes = shared.writes.entry(reg.lanes).or_default();
                let place = free.entry(reg.lanes).or_default().pop().unwrap_or(writes.len() as u32);
                match writes.get_mut(place as usize) {
                    Some(times) => *times += 1,
                    None => writes.push(1),
                }
                shared.places.insert(reg.number, place);
                if !last.contains_key(&reg.number) {
                    free.entry(reg.lanes).or_default().push(place);
                }
            }
        }
        shared
    }

    /// What a variable is called.
    pub fn name(&self, reg: Reg) -> String {
        // Names by number where each variable has its own.
        let letter = if self.writes.is_empty() { "x" } else { letter(reg.lanes) };
        format!("{letter}{}", self.places[&reg.number])
    }

    /// The names that are declared before they are written, if they are, and which of them are written more than once.
    pub fn names(&self) -> impl Iterator<Item = (String, bool)> + '_ {
        self.writes.iter().flat_map(|(lanes, writes)| {
            writes.iter().enumerate().map(|(k, times)| (format!("{}{k}", letter(*lanes)), *times > 1))
        })
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
        let names: Vec<String> = x.iter().map(|reg| registers.name(*reg)).collect();
        assert_eq!(names[..4], ["x0", "x1", "x0", "x1"]);
        assert_eq!(registers.names().collect::<Vec<_>>(), [("x0".into(), true), ("x1".into(), true)]);
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
            for_each_read(stmt, |reg| assert_eq!(holds[&registers.name(reg)], reg));
            if let Stmt::Let { reg, .. } = stmt {
                holds.insert(registers.name(*reg), *reg);
            }
        }
        assert!(registers.names().count() < 200);
    }
}
