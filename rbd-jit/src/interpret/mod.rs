//! Running allocated code without a processor that it was made for.
//!
//! It is what robots are computed by where there is no machine code, and what machine code is compared with
//! in tests.

use crate::Number;
use crate::allocate::{Allocated, Inst, Rules, Source, Step, Value, allocate};
use crate::arrays::Arrays;
use crate::lower::{Kind, Lowered, Memory, Op};

/// Number of the interpreter's registers.
const REGISTERS: usize = 16;

/// A kernel to be interpreted.
#[derive(Debug)]
pub struct Interpreted<T> {
    lowered: Lowered,
    /// Constants of the kernel, by lane.
    constants: Vec<Vec<T>>,
    allocated: Allocated,
    /// Beginning of the slots in the kernel's workspace.
    slots: usize,
    /// True if a product and a sum are rounded once.
    is_fused: bool,
}

type Lanes<T> = [T; 4];

impl<T: Number> Interpreted<T> {
    /// Prepares a kernel for one state.
    pub fn new(lowered: Lowered, is_fused: bool) -> Self {
        let any = |_: &Inst<Op>| Rules { in_memory: [true; 3], ..Rules::default() };
        let rules = |inst: &Inst<Op>| match inst.op.kind {
            Kind::Routine(_) => Rules { is_call: true, ..any(inst) },
            _ => any(inst),
        };
        let allocated = allocate(&lowered.program, REGISTERS as u8, rules);
        let slots = lowered.work as usize;
        let numbers = |lanes: &Vec<f64>| lanes.iter().map(|x| T::from_f64(*x)).collect();
        let constants = lowered.constants.iter().map(numbers).collect();
        Self { lowered, constants, allocated, slots, is_fused }
    }

    /// Workspace size that the kernel needs, in numbers.
    pub fn work(&self) -> usize {
        self.slots + self.allocated.slots as usize
    }

    /// Runs the kernel.
    pub fn run(&self, arrays: &mut Arrays<'_, '_, T>) {
        let mut registers = [[T::NAN; 4]; REGISTERS];
        for step in &self.allocated.steps {
            match *step {
                Step::Load { to, value, from } => {
                    registers[usize::from(to.0)] = self.read(from, self.lanes(value), &registers, arrays);
                }
                Step::Save { from, value, slot } => {
                    let at = self.slots + slot as usize;
                    let lanes = self.lanes(value);
                    arrays.work[at..at + lanes].copy_from_slice(&registers[usize::from(from.0)][..lanes]);
                }
                Step::Copy { to, from, .. } => registers[usize::from(to.0)] = registers[usize::from(from.0)],
                Step::Do { inst, to, from } => {
                    let Op { kind, lanes } = self.lowered.program.body[inst as usize].op;
                    let of = |k: usize| {
                        from[k].map(|source| {
                            self.read(source, operand_lanes(kind, lanes, k), &registers, arrays)
                        })
                    };
                    let [a, b, c] = [0, 1, 2].map(|k| of(k).unwrap_or([T::NAN; 4]));
                    match to {
                        Some(to) => registers[usize::from(to.0)] = self.compute(kind, lanes.into(), a, b, c),
                        None => self.effect(kind, lanes.into(), a, arrays),
                    }
                }
            }
        }
    }

    fn lanes(&self, value: Value) -> usize {
        self.lowered.program.values[value.index()].lanes.into()
    }

    fn read(
        &self,
        source: Source,
        lanes: usize,
        registers: &[Lanes<T>; REGISTERS],
        arrays: &Arrays<'_, '_, T>,
    ) -> Lanes<T> {
        let row = |row: &[T]| {
            let mut numbers = [T::NAN; 4];
            numbers[..lanes].copy_from_slice(&row[..lanes]);
            numbers
        };
        let value = match source {
            Source::Register(register) => return registers[usize::from(register.0)],
            Source::Slot(slot) => return row(&arrays.work[self.slots + slot as usize..]),
            Source::Home(value) => value,
        };
        let home = self.lowered.program.values[value.index()].home.expect("it has one");
        match home.at {
            Memory::Entry(place) => row(&arrays.get(place.array)[place.index as usize..]),
            Memory::Splat(place) => [arrays.get(place.array)[place.index as usize]; 4],
            Memory::Constant(k) => row(&self.constants[k as usize]),
            Memory::Work(at) => row(&arrays.work[at as usize..]),
        }
    }

    fn compute(&self, kind: Kind, lanes: usize, a: Lanes<T>, b: Lanes<T>, c: Lanes<T>) -> Lanes<T> {
        let mut out = [T::NAN; 4];
        for (k, out) in out.iter_mut().enumerate().take(lanes) {
            *out = match kind {
                Kind::Add => a[k] + b[k],
                Kind::Sub => a[k] - b[k],
                Kind::Mul => a[k] * b[k],
                Kind::Div => a[k] / b[k],
                Kind::Sqrt => a[k].sqrt(),
                Kind::MulAdd { minus_product, minus_addend } => {
                    let a = if minus_product { -a[k] } else { a[k] };
                    let c = if minus_addend { -c[k] } else { c[k] };
                    if self.is_fused { a.fused(b[k], c) } else { a * b[k] + c }
                }
                Kind::Flip => a[k].flipped(b[k]),
                Kind::Splat => a[0],
                Kind::Pair => [a[0], b[0]][k],
                Kind::Join => [a[0], a[1], b[0], b[1]][k],
                Kind::High => a[2 + k],
                Kind::Second => a[1],
                Kind::Store(_)
                | Kind::StoreSecond(_)
                | Kind::Fill(_)
                | Kind::Zeros(..)
                | Kind::Routine(_) => {
                    unreachable!("they have no result")
                }
            };
        }
        out
    }

    fn effect(&self, kind: Kind, lanes: usize, a: Lanes<T>, arrays: &mut Arrays<'_, '_, T>) {
        match kind {
            Kind::Store(Memory::Entry(place)) => arrays.get_mut(place.array)[place.index as usize] = a[0],
            Kind::StoreSecond(Memory::Entry(place)) => {
                arrays.get_mut(place.array)[place.index as usize] = a[1];
            }
            Kind::Store(Memory::Work(at)) => {
                arrays.work[at as usize..][..lanes].copy_from_slice(&a[..lanes]);
            }
            Kind::Fill(array) => arrays.get_mut(array).fill(a[0]),
            Kind::Zeros(place, count) => {
                arrays.get_mut(place.array)[place.index as usize..][..count as usize].fill(a[0]);
            }
            Kind::Routine(k) => self.lowered.routines[k as usize].run(1, arrays),
            _ => unreachable!("{kind:?} has a result"),
        }
    }
}

/// Number of lanes that an instruction reads of an operand.
fn operand_lanes(kind: Kind, lanes: u8, operand: usize) -> usize {
    match (kind, operand) {
        (Kind::High, _) => 4,
        (Kind::Second | Kind::StoreSecond(_) | Kind::Join, _) => 2,
        (Kind::Splat | Kind::Pair, _) => 1,
        _ => lanes.into(),
    }
}

#[cfg(test)]
mod tests;
