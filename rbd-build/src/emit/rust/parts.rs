//! Parts of a kernel's straight line, each a function of its own.
//!
//! Compile time grows faster than a function's length (docs/limits.md#compile-time).
//! The longest straight lines have tens of thousands of statements, so they are cut into parts.
//! A value read by a later part is stored to memory at once, and loaded at its first use there.
//! Such a value would not stay in a register anyway.

use super::body::Body;
use super::registers;
use crate::search::plan::Wire;
use crate::signatures::signature::Kind;
use rbd_ir::kernel::{ArrayId, Operand, Reg, Role, Stmt};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter, Write};

/// Longest body in one piece, in instructions.
///
/// Derivatives of a quadruped have 3000 to 5000, and compile no faster in parts.
const LONGEST: usize = 6000;

/// Instructions of a part.
const LENGTH: usize = 2000;

/// Place of a value between parts. Values with equal numbers of lanes share memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    lanes: u8,
    index: usize,
}

/// Numbers of lanes, each with memory of its own.
const LANES: [u8; 3] = [1, 2, 4];

/// Fields of a runtime's `Slots`.
const FIELDS: usize = 16;

/// A tuple of so many `item`, each of [`FIELDS`] fields, that each of `count` values has a field.
///
/// They are no array, since rustc checks an index ten times as long as a field
/// (docs/limits.md#compile-time).
fn memory(count: usize, item: &str) -> String {
    format!("({})", format!("{item}, ").repeat(count.div_ceil(FIELDS)))
}

impl Display for Slot {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let kind =
            LANES.iter().position(|lanes| *lanes == self.lanes).expect("registers have 1, 2 or 4 lanes");
        write!(f, "kept.{kind}.{}.{}", self.index / FIELDS, self.index % FIELDS)
    }
}

/// A line of a body.
#[derive(Clone, Copy, Debug)]
pub(super) enum Line<'a> {
    /// A statement.
    Stmt(&'a Stmt),
    /// Load of a value from an earlier part.
    Take(Reg, Slot),
    /// Store of a value for a later part.
    Keep(Reg, Slot),
}

impl Line<'_> {
    /// Register that the line writes, except for sines and cosines.
    pub(super) fn writes(&self) -> Option<Reg> {
        match self {
            Self::Stmt(Stmt::Let { reg, .. }) | Self::Take(reg, _) => Some(*reg),
            Self::Stmt(_) | Self::Keep(..) => None,
        }
    }

    /// Calls `f` with each register that the line reads.
    #[cfg(test)]
    fn for_each_read(&self, mut f: impl FnMut(Reg)) {
        match self {
            Self::Stmt(stmt) => registers::for_each_read(stmt, f),
            Self::Keep(reg, _) => f(*reg),
            Self::Take(..) => {}
        }
    }

    /// Calls `f` with each operand of a statement.
    pub(super) fn for_each_operand(&self, mut f: impl FnMut(Operand)) {
        match self {
            Self::Stmt(Stmt::Let { op, .. }) => op.for_each_operand(f),
            Self::Stmt(Stmt::SinCos(angles)) => angles.iter().for_each(|angle| f(angle.of)),
            Self::Stmt(Stmt::Store { from, .. }) => f(from.operand),
            Self::Stmt(Stmt::Fill { .. } | Stmt::Product(_) | Stmt::Call(_))
            | Self::Keep(..)
            | Self::Take(..) => {}
        }
    }
}

/// A body in parts.
#[derive(Debug)]
pub(super) struct Parts<'a> {
    /// Lines before the parts, up to the sines and cosines.
    pub(super) head: Vec<Line<'a>>,
    /// Lines of each part.
    pub(super) lines: Vec<Vec<Line<'a>>>,
    /// Lines after the parts: loops.
    pub(super) tail: Vec<Line<'a>>,
    /// Places needed for values of 1, 2 and 4 lanes.
    slots: [usize; 3],
}

impl<'a> Parts<'a> {
    /// Cuts statements into parts. `None` if one piece suffices.
    pub(super) fn of(body: &'a [Stmt]) -> Option<Self> {
        let count = body.iter().filter(|stmt| matches!(stmt, Stmt::Let { .. })).count();
        if count > LONGEST { Self::cut(body, LENGTH) } else { None }
    }

    /// Cuts statements into parts of about `length` instructions. `None` if there would be one part.
    fn cut(body: &'a [Stmt], length: usize) -> Option<Self> {
        let is_loop = |stmt: &Stmt| matches!(stmt, Stmt::Product(_) | Stmt::Call(_));
        let begin = body.iter().rposition(|stmt| matches!(stmt, Stmt::SinCos(_))).map_or(0, |k| k + 1);
        let end = body.iter().position(is_loop).unwrap_or(body.len());
        let lets = |stmts: &[Stmt]| stmts.iter().filter(|stmt| matches!(stmt, Stmt::Let { .. })).count();
        let count = (lets(body.get(begin..end)?) + length / 2) / length;
        if count < 2 {
            return None;
        }
        // Part of each statement. Part 0 is the head.
        let all = lets(&body[begin..end]);
        let mut seen = 0;
        let part_of: Vec<usize> = (0..end)
            .map(|k| {
                if k < begin {
                    return 0;
                }
                let part = 1 + seen * count / all;
                seen += usize::from(matches!(body[k], Stmt::Let { .. }));
                part.min(count)
            })
            .collect();
        let slots = Slots::new(&body[..end], &part_of);
        let mut lines: Vec<Vec<Line>> = vec![Vec::new(); count + 1];
        let mut taken: BTreeSet<(usize, u32)> = BTreeSet::new();
        for (stmt, &part) in body.iter().zip(&part_of) {
            registers::for_each_read(stmt, |reg| {
                if let Some((slot, from)) = slots.places.get(&reg.number)
                    && *from < part
                    && taken.insert((part, reg.number))
                {
                    lines[part].push(Line::Take(reg, *slot));
                }
            });
            lines[part].push(Line::Stmt(stmt));
            for_each_write(stmt, |reg| {
                if let Some((slot, _)) = slots.places.get(&reg.number) {
                    lines[part].push(Line::Keep(reg, *slot));
                }
            });
        }
        let head = lines.remove(0);
        Some(Self { head, lines, tail: body[end..].iter().map(Line::Stmt).collect(), slots: slots.used })
    }
}

/// Calls `f` with each register that a statement writes.
fn for_each_write(stmt: &Stmt, mut f: impl FnMut(Reg)) {
    match stmt {
        Stmt::Let { reg, .. } => f(*reg),
        Stmt::SinCos(angles) => angles.iter().flat_map(|a| a.sin.into_iter().chain(a.cos)).for_each(f),
        Stmt::Store { .. } | Stmt::Fill { .. } | Stmt::Product(_) | Stmt::Call(_) => {}
    }
}

/// Places of values that a later part reads.
struct Slots {
    /// Place of a register's value and the part that computes it, by the register's number.
    places: BTreeMap<u32, (Slot, usize)>,
    used: [usize; 3],
}

impl Slots {
    fn new(body: &[Stmt], part_of: &[usize]) -> Self {
        // Of each register the last part that reads it, and the statement before which it is taken there.
        let mut last: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
        for (at, (stmt, &part)) in body.iter().zip(part_of).enumerate() {
            registers::for_each_read(stmt, |reg| {
                let taken = last.entry(reg.number).or_insert((part, at));
                if taken.0 < part {
                    *taken = (part, at);
                }
            });
        }
        let mut slots = Self { places: BTreeMap::new(), used: [0; 3] };
        // Free places by number of lanes, each with the statement from which on it is free.
        let mut free: [Vec<(usize, usize)>; 3] = Default::default();
        for (at, (stmt, &part)) in body.iter().zip(part_of).enumerate() {
            for_each_write(stmt, |reg| {
                let Some(&(until, taken)) = last.get(&reg.number) else { return };
                if until == part {
                    return;
                }
                let kind = LANES.iter().position(|lanes| *lanes == reg.lanes).expect("1, 2 or 4 lanes");
                let reused = free[kind].iter().position(|(_, from)| *from <= at);
                let index = reused.map_or(slots.used[kind], |k| free[kind].swap_remove(k).0);
                slots.used[kind] = slots.used[kind].max(index + 1);
                free[kind].push((index, taken));
                slots.places.insert(reg.number, (Slot { lanes: reg.lanes, index }, part));
            });
        }
        slots
    }
}

impl Body<'_> {
    fn has_limbs(&self) -> bool {
        let kernel = &self.version.kernel;
        kernel.body.iter().any(|stmt| matches!(stmt, Stmt::Let { reg, op: _ } if reg.lanes > 1))
    }

    /// Declares memory for values between parts.
    pub(super) fn kept(&self, text: &mut String, parts: &Parts) {
        let [x, y, z] = parts.slots;
        let mut all = memory(x, &format!("rt::Slots::all({})", self.constant(0.0)));
        if self.has_limbs() {
            let of = |lanes: u8| format!("rt::Slots::all(S::X{lanes}::empty())");
            all = format!("{all}, {}, {}", memory(y, &of(2)), memory(z, &of(4)));
        }
        let _ = writeln!(text, "let mut kept = ({all},);");
    }

    /// Writes a part as an item, and its call. The part takes all arrays that it reads and writes as
    /// arguments.
    pub(super) fn item(
        &self,
        items: &mut String,
        calls: &mut String,
        name: &str,
        lines: &[Line],
        parts: &Parts,
    ) {
        let loaded = Self::loaded(lines);
        let stored: BTreeSet<ArrayId> = lines
            .iter()
            .filter_map(|line| match line {
                Line::Stmt(Stmt::Store { to, .. }) => Some(to.array),
                _ => None,
            })
            .collect();
        let (mut fields, mut passes, mut names) = (String::new(), String::new(), String::new());
        for (id, decl) in self.version.kernel.declared() {
            let (name, rows, columns) = (decl.name, decl.rows, decl.columns);
            if loaded.contains_key(&id) && decl.role == Role::In {
                let of = match self.version.wire(id) {
                    Wire::Param(param) if param.kind == Kind::Forces => {
                        format!("[rt::SMatrix<S, {rows}, 1>; {columns}]")
                    }
                    Wire::Param(param) if param.kind.is_given() => format!("[[S; {rows}]; {columns}]"),
                    _ => format!("rt::SMatrix<S, {rows}, {columns}>"),
                };
                let _ = writeln!(fields, "pub {name}: &'a {of},");
                let _ = write!(passes, "{name}, ");
                let _ = writeln!(names, "let {name} = self.{name};");
            }
            if stored.contains(&id) {
                let _ = writeln!(fields, "pub to_{name}: &'a mut [[S; {rows}]; {columns}],");
                let _ = write!(passes, "to_{name}: &mut *to_{name}, ");
                let _ = writeln!(names, "let to_{name} = self.to_{name};");
            }
        }
        let (bound, [x, y, z]) = (if self.has_limbs() { "LimbScalar" } else { "Scalar" }, parts.slots);
        let mut kept = memory(x, "rt::Slots<S>");
        if self.has_limbs() {
            let of = |n: u8| format!("rt::Slots<<S::X{n} as rt::Limbs<S, {n}>>::Slot>");
            kept = format!("{kept}, {}, {}", memory(y, &of(2)), memory(z, &of(4)));
        }
        let mut text = String::new();
        self.lines(&mut text, lines);
        let text = self.with_names(&names, &loaded, &text);
        let _ = write!(
            items,
            "pub struct {name}<'a, S> {{\npub of: rt::PhantomData<&'a S>,\n{fields}}}\n\
             impl<S: rt::{bound}> rt::Part for {name}<'_, S> {{\n\
             type Kept = ({kept},);\n\
             #[inline(always)]\n\
             fn run(self, kept: &mut Self::Kept) {{\n{text}}}\n}}\n",
        );
        let _ = writeln!(calls, "S::in_part({name} {{ {passes}of: rt::PhantomData }}, &mut kept);");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rbd_ir::kernel::{Angle, Op, Place, Signed};

    fn signed(reg: Reg) -> Signed {
        Signed { operand: Operand::Reg(reg), negated: false }
    }

    /// A body of many statements, each reading near and far registers of its own number of lanes.
    fn body() -> Vec<Stmt> {
        let [sin, cos] = [10_000, 10_001].map(|number| Reg { number, lanes: 1 });
        let angle = Angle { of: Operand::Const(0.5), sin: Some(sin), cos: Some(cos), turned: None };
        let mut body = vec![Stmt::SinCos(vec![angle])];
        let (mut seed, mut made) = (1_u64, vec![sin, cos]);
        for number in 0..3000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let reg = Reg { number, lanes: LANES[(seed >> 33) as usize % 3] };
            let alike: Vec<Reg> = made.iter().copied().filter(|r| r.lanes == reg.lanes).collect();
            let near = alike.len().saturating_sub(20);
            let op = match (alike.get(near), alike.get((seed >> 40) as usize % alike.len().max(1))) {
                (Some(a), Some(b)) => Op::Add(Operand::Reg(*a), Operand::Reg(*b)),
                _ => Op::Recip(Operand::Const(2.0)),
            };
            body.push(Stmt::Let { reg, op });
            if number % 7 == 0 && reg.lanes == 1 {
                let to = Place { array: ArrayId(0), index: number };
                body.push(Stmt::Store { to, from: signed(reg) });
            }
            made.push(reg);
        }
        body
    }

    /// Each part reads its own values, or values still in memory. All statements are there, in order.
    #[test]
    fn parts_hand_on_what_later_ones_read() {
        let body = body();
        let parts = Parts::cut(&body, 300).expect("ten parts");
        assert_eq!(parts.lines.len(), 10);
        let mut memory: BTreeMap<String, Reg> = BTreeMap::new();
        let mut statements: Vec<&Stmt> = Vec::new();
        for lines in [&parts.head].into_iter().chain(&parts.lines) {
            let mut has: BTreeSet<u32> = BTreeSet::new();
            for line in lines {
                line.for_each_read(|reg| assert!(has.contains(&reg.number), "{reg:?} is not there"));
                match line {
                    Line::Stmt(stmt) => {
                        for_each_write(stmt, |reg| assert!(has.insert(reg.number)));
                        statements.push(stmt);
                    }
                    Line::Take(reg, slot) => {
                        assert_eq!(memory[&slot.to_string()], *reg);
                        assert!(has.insert(reg.number));
                    }
                    Line::Keep(reg, slot) => {
                        let kind = LANES.iter().position(|lanes| *lanes == slot.lanes).expect("one of these");
                        assert!(slot.lanes == reg.lanes && slot.index < parts.slots[kind]);
                        memory.insert(slot.to_string(), *reg);
                    }
                }
            }
        }
        assert!(statements.into_iter().eq(&body));
    }

    #[test]
    fn short_bodies_are_one_piece() {
        assert!(Parts::cut(&body(), 2500).is_none());
        assert!(Parts::cut(&[], 2500).is_none());
    }

    /// Places are reused.
    #[test]
    fn what_nothing_reads_any_more_makes_room() {
        let chain: Vec<Stmt> = (0..3000)
            .map(|number| {
                let above = Operand::Reg(Reg { number: u32::saturating_sub(number, 1), lanes: 1 });
                let op = if number == 0 { Op::Recip(Operand::Const(2.0)) } else { Op::Add(above, above) };
                Stmt::Let { reg: Reg { number, lanes: 1 }, op }
            })
            .collect();
        let parts = Parts::cut(&chain, 100).expect("thirty parts");
        assert_eq!((parts.lines.len(), parts.slots), (30, [1, 0, 0]));
    }
}
