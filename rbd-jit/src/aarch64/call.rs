//! Calls from Rust to machine code and back.

use super::{Error, Made};
use crate::Number;
use crate::arrays::{Array, Arrays};
use crate::constants::Constants;
use crate::lower::{Lowered, Routine};
use crate::memory::{CodeMemory, Pages};
use crate::pointers::Pointers;
use std::ffi::c_void;
use std::marker::PhantomData;

/// Instruction set of a processor. All of aarch64 have NEON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// NEON: 32 registers of two doubles.
    Neon,
}

/// A kernel in machine code.
#[derive(Debug)]
pub struct Native<T> {
    pages: Pages,
    constants: Constants,
    routines: Vec<Routine>,
    states: usize,
    work: usize,
    of: PhantomData<T>,
}

/// Context that machine code gets as its first argument. The code reads the first three fields, in this
/// order.
#[repr(C)]
struct Context<'a, 'b, 'm, T> {
    pointers: &'a Pointers,
    /// The address of the constants.
    constants: u64,
    routine: extern "C" fn(*mut c_void, usize),
    arrays: &'a mut Arrays<'b, 'm, T>,
    routines: &'a [Routine],
    states: usize,
}

impl Level {
    /// True if this processor has the instruction set. The code is for addresses of 64 bits, and numbers
    /// whose lower byte comes first.
    pub fn is_there(self) -> bool {
        cfg!(all(target_arch = "aarch64", target_pointer_width = "64", target_endian = "little"))
    }
}

impl<T: Number> Native<T> {
    /// Makes machine code for this many states side by side: one or two. `arrays` are the locations of the
    /// kernel's arrays.
    pub fn new(
        lowered: &Lowered,
        level: Level,
        memory: &CodeMemory,
        states: usize,
        arrays: &[Array],
    ) -> Result<Self, Error> {
        assert!(level.is_there(), "this processor has no {level:?}");
        assert!(T::IS_DOUBLE, "the code is for doubles");
        let Made { words, constants, routines, work } = Made::new(lowered, states, arrays)?;
        // Instructions have their lower byte first, whatever numbers have.
        let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Ok(Self { pages: memory.pages(&code)?, constants, routines, states, work, of: PhantomData })
    }

    /// Workspace size that the kernel needs, in numbers.
    pub fn work(&self) -> usize {
        self.work
    }

    /// Number of bytes of machine code.
    pub fn bytes(&self) -> usize {
        self.pages.len()
    }

    /// Runs the kernel.
    ///
    /// # Safety
    /// The pointers were made of these arrays, whose memory nobody moved since. The arrays are those of the
    /// kernel that this was made from, in its order: each argument and result has as many numbers, for each
    /// state, as the kernel declares; none that it writes is an argument; and those that it writes do not
    /// overlap others. Its own memory has [`Self::work`] numbers.
    #[inline(always)]
    pub unsafe fn run(&self, pointers: &Pointers, arrays: &mut Arrays<'_, '_, T>) {
        debug_assert!(arrays.work.len() >= self.work, "too little memory");
        let constants = self.constants.address();
        let (routines, states) = (&*self.routines, self.states);
        let mut context =
            Context { pointers, constants, routine: run_routine::<T>, arrays, routines, states };
        // SAFETY: the pages hold a function of this type, made by `Body` for this processor (`Native::new`
        // asked). It reads and writes through the pointers alone, at places that `Kernel::verify` found
        // within the arrays, and within `work` numbers of the kernel's own memory; the caller promises that
        // the arrays are as long. It reads no pointer but those to arrays that the kernel has,
        // which were written, and of the context the first three. It keeps what callees keep by AAPCS64, and
        // unwinds never.
        unsafe {
            let code: extern "C" fn(*mut c_void, *const Pointers) = std::mem::transmute(self.pages.begin());
            code((&raw mut context).cast(), pointers);
        }
    }
}

/// Runs a routine of the kernel. Machine code calls this function.
extern "C" fn run_routine<T: Number>(context: *mut c_void, routine: usize) {
    // SAFETY: machine code hands on what `Native::run` gave it, which lives until the code returns.
    // Meanwhile it touches no array.
    let context = unsafe { &mut *context.cast::<Context<'_, '_, '_, T>>() };
    context.routines[routine].run(context.states, context.arrays);
}
