//! From Rust to machine code and back.

use super::{Context, MOST_ARRAYS, Native};
use crate::arrays::{Array, Arrays, Location};
use std::ffi::c_void;

impl Native {
    /// Runs the kernel.
    ///
    /// # Safety
    /// The arrays are those of the kernel that this was made from, in its order: each has as many numbers,
    /// for each state, as the kernel declares; none that it writes is an argument; and those that it writes
    /// do not overlap others.
    pub unsafe fn run(&self, arrays: &mut Arrays<'_, '_>) {
        assert!(arrays.arrays.len() == self.arrays && arrays.work.len() >= self.work);
        let mut pointers = [std::ptr::null_mut(); 1 + MOST_ARRAYS];
        pointers[0] = arrays.work.as_mut_ptr();
        for (pointer, Array { location, .. }) in pointers[1..].iter_mut().zip(arrays.arrays) {
            *pointer = match *location {
                Location::Input(k) => arrays.inputs[k].as_ptr().cast_mut(),
                Location::Output(k) => arrays.outputs[k].as_mut_ptr(),
                Location::Work(begin) => arrays.work[begin..].as_mut_ptr(),
            };
        }
        let mut context = Context { pointers, arrays, routines: &self.routines, states: self.states };
        // SAFETY: the pages hold a function of this type, made by `Body` for this processor. It reads and
        // writes through the context's pointers alone, at places that `Kernel::verify` found within the
        // arrays, and within `work` numbers of the kernel's own memory (asserted); the caller promises that
        // the arrays are as long. It keeps what callees keep, and unwinds never.
        unsafe {
            let code: extern "sysv64" fn(*mut c_void) = std::mem::transmute(self.pages.begin());
            code((&raw mut context).cast());
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
