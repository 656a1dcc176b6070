//! Cuts a kernel into parts, each a function of its own.
//!
//! Engines optimise short functions only. Values that a later part reads pass through memory.

use rbd_ir::kernel::{Kernel, Operand, Stmt};
use rustc_hash::{FxHashMap, FxHashSet};

/// Statements of a function, and the variables that pass through memory.
#[derive(Debug)]
pub struct Part<'k> {
    /// Statements, without those whose results nobody reads.
    pub body: Vec<&'k Stmt>,
    /// Variables of earlier parts, by number, and their places in memory.
    pub taken: Vec<(u32, usize)>,
    /// Variables for later parts, by number, and their places in memory.
    pub kept: FxHashMap<u32, usize>,
}

/// Calls `f` with the number of each variable that a statement reads.
pub fn each_read(stmt: &Stmt, mut f: impl FnMut(u32)) {
    let mut read = |operand: Operand| {
        if let Operand::Reg(reg) = operand {
            f(reg.number);
        }
    };
    match stmt {
        Stmt::Let { op, .. } => op.for_each_operand(read),
        Stmt::SinCos(angles) => angles.iter().for_each(|angle| read(angle.of)),
        Stmt::Store { from, .. } => read(from.operand),
        Stmt::Fill { .. } | Stmt::Product(_) | Stmt::Call(_) => {}
    }
}

/// Numbers of the variables that a statement makes.
fn made(stmt: &Stmt) -> Vec<u32> {
    match stmt {
        Stmt::Let { reg, .. } => vec![reg.number],
        Stmt::SinCos(angles) => {
            angles.iter().flat_map(|angle| [angle.sin, angle.cos]).flatten().map(|reg| reg.number).collect()
        }
        Stmt::Fill { .. } | Stmt::Store { .. } | Stmt::Product(_) | Stmt::Call(_) => Vec::new(),
    }
}

/// Statements that are read from, directly or not, by stores.
fn needed(kernel: &Kernel) -> Vec<&Stmt> {
    let mut read: FxHashSet<u32> = FxHashSet::default();
    let mut body = Vec::new();
    for stmt in kernel.body.iter().rev() {
        let numbers = made(stmt);
        if numbers.is_empty() || numbers.iter().any(|number| read.contains(number)) {
            each_read(stmt, |number| {
                read.insert(number);
            });
            body.push(stmt);
        }
    }
    body.reverse();
    body
}

/// Parts of at most `longest` statements, and the number of places in memory that they need.
pub fn parts(kernel: &Kernel, longest: usize) -> (Vec<Part<'_>>, usize) {
    let body = needed(kernel);
    let (mut made_in, mut read_in) = (FxHashMap::default(), FxHashMap::default());
    for (k, stmt) in body.iter().enumerate() {
        made_in.extend(made(stmt).into_iter().map(|number| (number, k / longest)));
        each_read(stmt, |number| {
            read_in.insert(number, k / longest);
        });
    }
    let (mut places, mut free, mut count) = (FxHashMap::default(), Vec::new(), 0);
    let mut parts = Vec::new();
    for (at, body) in body.chunks(longest).enumerate() {
        let (mut taken, mut seen) = (Vec::new(), FxHashSet::default());
        for stmt in body {
            each_read(stmt, |number| {
                if made_in[&number] < at && seen.insert(number) {
                    taken.push((number, places[&number]));
                }
            });
        }
        // All that is taken is read before anything is kept, so that its places are free again.
        free.extend(taken.iter().filter(|(number, _)| read_in[number] == at).map(|(_, place)| *place));
        let mut kept = FxHashMap::default();
        for number in body.iter().flat_map(|stmt| made(stmt)) {
            if read_in.get(&number).is_some_and(|last| *last > at) {
                let place = free.pop().unwrap_or_else(|| {
                    count += 1;
                    count - 1
                });
                places.insert(number, place);
                kept.insert(number, place);
            }
        }
        parts.push(Part { body: body.to_vec(), taken, kept });
    }
    (parts, count)
}
