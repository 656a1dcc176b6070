//! Machine code of x86-64, with AVX2 and FMA or with AVX-512.

mod assembler;
mod body;
mod codes;
mod products;
mod sines;
mod turn;

use crate::Number;
use crate::allocate::{Inst, Rules};
use crate::arrays::{Array, Arrays};
use crate::constants::Constants;
use crate::lower::{Kind, Lowered, Op, Routine};
use crate::memory::{CodeMemory, Pages};
use crate::ordered::ordered;
use crate::pointers::Pointers;
use body::Body;
use codes::{Size, Width};
use iced_x86::Register as General;
use std::marker::PhantomData;

/// The context of a run, and the pointers, on entry. The context is at the end of the stack then.
const CONTEXT: General = General::RDI;
const POINTERS: General = General::RSI;
/// The address of the constants.
const CONSTANTS: General = General::RCX;
/// The address of the kernel's own memory.
const WORK: General = General::RDX;
/// Counter of loops.
const COUNTER: General = General::R11;
/// Addresses of arrays. That of the pointers comes last of those that callers save, since the others are
/// read through it.
const ARRAY_BASES: [General; 12] = [
    General::RDI,
    General::RAX,
    General::R8,
    General::R9,
    General::R10,
    General::RSI,
    General::RBX,
    General::RBP,
    General::R12,
    General::R13,
    General::R14,
    General::R15,
];
/// Address of an array that has no register of its own, loaded when it is needed.
const FAR: General = ARRAY_BASES[ARRAY_BASES.len() - 1];
/// The registers that callees keep for their callers.
const SAVED: [General; 6] =
    [General::RBX, General::RBP, General::R12, General::R13, General::R14, General::R15];

/// Instruction set of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// AVX2 and FMA: 16 registers of four doubles, or eight numbers of single precision.
    Avx2,
    /// AVX-512 (F, VL, DQ): 32 registers of twice as many.
    Avx512,
}

impl Level {
    /// True if this processor has the instructions.
    pub fn is_there(self) -> bool {
        let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        let avx512 = || {
            is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq")
        };
        avx2 && (self == Self::Avx2 || avx512())
    }

    /// Widest registers of the instruction set.
    fn widest(self, size: Size) -> Width {
        match (self, size) {
            (Self::Avx2, Size::Double) => Width::Four,
            (Self::Avx512, Size::Double) | (Self::Avx2, Size::Single) => Width::Eight,
            (Self::Avx512, Size::Single) => Width::Sixteen,
        }
    }

    /// Widest registers for sines and zeros of this many states side by side. While registers of 64 bytes are
    /// in use, Intel's processors compute with two units in place of three, and what comes after waits.
    fn widest_beside(self, states: usize, size: Size) -> Width {
        if states == 1 { Self::Avx2.widest(size) } else { self.widest(size) }
    }

    fn registers(self) -> u8 {
        match self {
            Self::Avx2 => 16,
            Self::Avx512 => 32,
        }
    }
}

/// Why there is no machine code.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// More arguments or results than calls hand on.
    #[error("more arguments or results than a call hands on")]
    TooManyArrays,
    /// The system gave no memory.
    #[error("no memory for machine code: {0}")]
    Memory(#[from] region::Error),
}

/// A kernel in machine code.
#[derive(Debug)]
pub struct Native<T> {
    pages: Pages,
    /// Constants, which the code reads by their address.
    _constants: Constants,
    routines: Vec<Routine>,
    states: usize,
    work: usize,
    of: PhantomData<T>,
}

/// Context that machine code gets as its first argument.
#[repr(C)]
struct Context<'a, 'b, 'm, T> {
    pointers: &'a Pointers,
    arrays: &'a mut Arrays<'b, 'm, T>,
    routines: &'a [Routine],
    states: usize,
}

impl<T: Number> Native<T> {
    /// Makes machine code for this many states side by side: one, or as many as fill a register of AVX2 or,
    /// if the level has it, of AVX-512. `arrays` are the locations of the kernel's arrays.
    ///
    /// Kernels with several lanes are for doubles.
    pub fn new(
        lowered: &Lowered,
        level: Level,
        memory: &CodeMemory,
        states: usize,
        arrays: &[Array],
    ) -> Result<Self, Error> {
        assert!(level.is_there(), "this processor has no {level:?}");
        let size = Size::of::<T>();
        let fills = |level: Level| states == level.widest(size).numbers();
        assert!(states == 1 || fills(Level::Avx2) || fills(level));
        let (lowered, allocated) = ordered(lowered, level.registers(), rules);
        let lowered = &*lowered;
        let mut constants = Constants::new::<T>(&lowered.constants, states);
        let sines = sines::Sines::new(lowered, level, (states, size), &mut constants);
        let kernel = body::Unit {
            lowered,
            allocated: &allocated,
            constants: &constants,
            arrays,
            states,
            size,
            level,
            sines,
        };
        let code = Body::new(kernel, run_routine::<T> as *const () as u64)?.bytes();
        Ok(Self {
            pages: memory.pages(&code)?,
            _constants: constants,
            routines: lowered.routines.clone(),
            states,
            work: (lowered.work + allocated.slots) as usize * states,
            of: PhantomData,
        })
    }

    /// Workspace size that the kernel needs, in numbers.
    pub fn work(&self) -> usize {
        self.work
    }

    /// Number of bytes of machine code.
    pub fn bytes(&self) -> usize {
        self.pages.len()
    }
}

/// Constraints of the processor on the operands of an instruction.
fn rules(inst: &Inst<Op>) -> Rules {
    let none = Rules::default();
    match inst.op.kind {
        Kind::Add | Kind::Mul => Rules { in_memory: [true, true, false], ..none },
        Kind::Sub | Kind::Div | Kind::Flip | Kind::Pair | Kind::Join => {
            Rules { in_memory: [false, true, false], ..none }
        }
        Kind::MulAdd { .. } => Rules { in_memory: [true; 3], overwrites: [true; 3], ..none },
        Kind::Splat => Rules { in_memory: [true, false, false], ..none },
        Kind::Sqrt | Kind::High | Kind::Second => none,
        Kind::Store(_) | Kind::StoreSecond(_) | Kind::Fill(_) | Kind::Zeros(..) => none,
        Kind::Routine(_) => Rules { is_call: true, ..none },
    }
}

mod call;
#[cfg(test)]
mod tests;
use call::run_routine;
pub use turn::Turn;
