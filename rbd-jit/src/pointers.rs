//! Pointers to arrays, as machine code gets them.

use crate::Number;
use crate::arrays::{Arrays, Location};
use std::mem::MaybeUninit;

/// The most arguments that machine code reads, zeros in place of one that there is not included.
const MOST_INPUTS: usize = 8;
/// The most results that machine code writes.
const MOST_OUTPUTS: usize = 23;

/// Pointers to the kernels' workspace, the arguments and the results.
#[derive(Debug)]
#[repr(transparent)]
pub struct Pointers([MaybeUninit<*mut u8>; 1 + MOST_INPUTS + MOST_OUTPUTS]);

impl Pointers {
    /// Pointers to nothing yet.
    #[inline(always)]
    pub fn new() -> Self {
        Self([const { MaybeUninit::uninit() }; 1 + MOST_INPUTS + MOST_OUTPUTS])
    }

    /// Sets the pointers to the memory of a call. In place: a copy would read in larger pieces what was just
    /// written. Processors would wait until all of it, and every call before, has reached the cache.
    #[inline(always)]
    pub fn set<T: Number>(&mut self, arrays: &mut Arrays<'_, '_, T>) {
        let (work, rest) = self.0.split_at_mut(1);
        work[0].write(arrays.work.as_mut_ptr().cast());
        let (inputs, outputs) = rest.split_at_mut(MOST_INPUTS);
        let given = arrays.inputs.iter().chain([&arrays.zeros]);
        for (pointer, input) in inputs.iter_mut().zip(given) {
            pointer.write(input.as_ptr().cast_mut().cast());
        }
        for (pointer, output) in outputs.iter_mut().zip(&mut *arrays.outputs) {
            pointer.write(output.as_mut_ptr().cast());
        }
    }

    /// Index of the pointer to an argument or result; `None` if it is beyond the last.
    pub fn place(location: Location) -> Option<usize> {
        match location {
            Location::Work(_) => Some(Self::WORK),
            Location::Input(k) => (k < MOST_INPUTS).then_some(1 + k),
            Location::Output(k) => (k < MOST_OUTPUTS).then_some(1 + MOST_INPUTS + k),
        }
    }

    /// Index of the pointer to the kernels' workspace.
    pub const WORK: usize = 0;
}
