//! The order of a kernel's instructions.

use crate::allocate::{Allocated, Inst, Program, Rules, allocate};
use crate::lower::{Kind, Lowered, Memory, Op};
use rbd_ir::kernel::Place;
use rustc_hash::FxHashSet;
use std::borrow::Cow;

/// Kernels of fewer instructions keep their order: they wait for their longest chain, and moves are free
/// beside it. Measured on the dynamics of an arm, a quadruped and a humanoid.
const SHORT: usize = 500;

/// The kernel, allocated to so many registers, in the order in which fewer values are moved, and where they
/// are then.
pub fn ordered(
    lowered: &Lowered,
    registers: u8,
    rules: impl Fn(&Inst<Op>) -> Rules,
) -> (Cow<'_, Lowered>, Allocated) {
    let of = |program: &Program<Op, Memory>| allocate(program, registers, &rules);
    let allocated = of(&lowered.program);
    if lowered.program.body.len() >= SHORT && is_free(&lowered.program) {
        let program = lowered.program.ordered(stays);
        let other = of(&program);
        if other.moves() < allocated.moves() {
            return (Cow::Owned(Lowered { program, ..lowered.clone() }), other);
        }
    }
    (Cow::Borrowed(lowered), allocated)
}

/// True if an instruction reads or writes memory that others read or write.
fn stays(inst: &Inst<Op>) -> bool {
    matches!(inst.op.kind, Kind::Routine(_) | Kind::Fill(_))
}

/// True if no other instruction reads or writes what is stored, up to the next one that stays.
fn is_free(program: &Program<Op, Memory>) -> bool {
    let place = |at: Memory| match at {
        Memory::Entry(place) | Memory::Splat(place) => Some((place.array, place.index)),
        Memory::Constant(_) | Memory::Work(_) => None,
    };
    program.body.split(stays).all(|line| {
        let mut stored = FxHashSet::default();
        let is_first = |inst: &Inst<Op>| match inst.op.kind {
            Kind::Store(at) | Kind::StoreSecond(at) => place(at).is_none_or(|at| stored.insert(at)),
            Kind::Zeros(Place { array, index }, count) => {
                (index..index + count).all(|index| stored.insert((array, index)))
            }
            _ => true,
        };
        let is_once = line.iter().all(is_first);
        let read = line.iter().flat_map(Inst::operands);
        let read = read.filter_map(|value| place(program.values[value.index()].home?.at));
        let mut read = read.filter(|at| stored.contains(at));
        is_once && read.next().is_none()
    })
}
