//! Calls from Rust to machine code and back.

use super::{Context, Native};
use crate::Number;
use crate::arrays::Arrays;
use crate::pointers::Pointers;
use std::ffi::c_void;

impl<T: Number> Native<T> {
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
        let mut context = Context { pointers, arrays, routines: &self.routines, states: self.states };
        // SAFETY: the pages hold a function of this type, made by `Body` for this processor. It reads and
        // writes through the pointers alone, at places that `Kernel::verify` found within the arrays, and
        // within `work` numbers of the kernel's own memory; the caller promises that the arrays are as long,
        // of numbers of this type. It reads no pointer but those to arrays that the kernel has,
        // which were written. It keeps what callees keep, and unwinds never.
        unsafe {
            let code: extern "sysv64" fn(*mut c_void, *const Pointers) =
                std::mem::transmute(self.pages.begin());
            code((&raw mut context).cast(), pointers);
        }
    }
}

/// Runs a routine of the kernel. Machine code calls this function.
pub(super) extern "sysv64" fn run_routine<T: Number>(context: *mut c_void, routine: usize) {
    // SAFETY: machine code hands on what `Native::run` gave it, which lives until the code returns.
    // Meanwhile it touches no array.
    let context = unsafe { &mut *context.cast::<Context<'_, '_, '_, T>>() };
    context.routines[routine].run(context.states, context.arrays);
}
