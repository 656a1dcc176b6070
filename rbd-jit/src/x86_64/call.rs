//! From Rust to machine code and back.

use super::{Context, Native};
use crate::arrays::{Arrays, Location};
use std::ffi::c_void;
use std::mem::MaybeUninit;

/// The most arguments that machine code reads, zeros in place of one that there is not included.
const MOST_INPUTS: usize = 8;
/// The most results that it writes.
const MOST_OUTPUTS: usize = 23;

/// Where the kernels' own memory, arguments and results are.
#[derive(Debug)]
#[repr(transparent)]
pub struct Pointers([MaybeUninit<*mut f64>; 1 + MOST_INPUTS + MOST_OUTPUTS]);

impl Pointers {
    /// Pointers to nothing yet.
    #[inline(always)]
    pub fn new() -> Self {
        Self([const { MaybeUninit::uninit() }; 1 + MOST_INPUTS + MOST_OUTPUTS])
    }

    /// Sets them to the memory of a call. In place: a copy would read what was just written, in larger
    /// pieces, for which processors wait until all of it, and every call before, has reached the cache.
    #[inline(always)]
    pub fn set(&mut self, arrays: &mut Arrays<'_, '_>) {
        let (work, rest) = self.0.split_at_mut(1);
        work[0].write(arrays.work.as_mut_ptr());
        let (inputs, outputs) = rest.split_at_mut(MOST_INPUTS);
        let given = arrays.inputs.iter().chain([&arrays.zeros]);
        for (pointer, input) in inputs.iter_mut().zip(given) {
            pointer.write(input.as_ptr().cast_mut());
        }
        for (pointer, output) in outputs.iter_mut().zip(&mut *arrays.outputs) {
            pointer.write(output.as_mut_ptr());
        }
    }

    /// Which of the pointers is that to an argument or result; none, if it is beyond the last.
    pub fn place(location: Location) -> Option<usize> {
        match location {
            Location::Work(_) => Some(Self::WORK),
            Location::Input(k) => (k < MOST_INPUTS).then_some(1 + k),
            Location::Output(k) => (k < MOST_OUTPUTS).then_some(1 + MOST_INPUTS + k),
        }
    }

    /// Which of them is that to the kernels' own memory.
    pub const WORK: usize = 0;
}

impl Native {
    /// Runs the kernel.
    ///
    /// # Safety
    /// The pointers were made of these arrays, whose memory nobody moved since. The arrays are those of the
    /// kernel that this was made from, in its order: each argument and result has as many numbers, for each
    /// state, as the kernel declares; none that it writes is an argument; and those that it writes do not
    /// overlap others.
    ///
    /// # Panics
    /// If the kernel's own memory is too small.
    #[inline(always)]
    pub unsafe fn run(&self, pointers: &Pointers, arrays: &mut Arrays<'_, '_>) {
        assert!(arrays.work.len() >= self.work, "too little memory");
        let mut context = Context { pointers, arrays, routines: &self.routines, states: self.states };
        // SAFETY: the pages hold a function of this type, made by `Body` for this processor. It reads and
        // writes through the pointers alone, at places that `Kernel::verify` found within the arrays, and
        // within `work` numbers of the kernel's own memory (asserted); the caller promises that the arrays
        // are as long. It reads no pointer but those to arrays that the kernel has, which were written. It
        // keeps what callees keep, and unwinds never.
        unsafe {
            let code: extern "sysv64" fn(*mut c_void, *const Pointers) =
                std::mem::transmute(self.pages.begin());
            code((&raw mut context).cast(), pointers);
        }
    }
}

/// What machine code calls: runs a routine of the kernel.
pub(super) extern "sysv64" fn run_routine(context: *mut c_void, routine: usize) {
    // SAFETY: machine code hands on what `Native::run` gave it, which lives until the code returns.
    // Meanwhile it touches no array.
    let context = unsafe { &mut *context.cast::<Context<'_, '_, '_>>() };
    context.routines[routine].run(context.states, context.arrays);
}
