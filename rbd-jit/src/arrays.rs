//! The arrays of a kernel while it runs.

use crate::Number;
use rbd_ir::kernel::ArrayId;

/// Memory in which an array of a kernel lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// An argument, by its place; the place after the last one is that of [`Arrays::zeros`].
    Input(usize),
    /// A result, by its place.
    Output(usize),
    /// Workspace of the kernel, from this number on.
    Work(usize),
}

/// An array of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array {
    /// Memory in which the array lies.
    pub location: Location,
    /// Length, of all states together.
    pub length: usize,
}

/// The arrays of a kernel, in the memory that a call was given.
#[derive(Debug)]
pub struct Arrays<'a, 'm, T = f64> {
    /// Each array.
    pub arrays: &'a [Array],
    /// Arguments.
    pub inputs: &'a [&'a [T]],
    /// Zeros that kernels read in place of a missing argument.
    pub zeros: &'a [T],
    /// Results.
    pub outputs: &'a mut [&'m mut [T]],
    /// The kernel's own memory.
    pub work: &'a mut [T],
}

impl<'m, T: Number> Arrays<'_, 'm, T> {
    /// The arrays, of which none is beyond this number of the kernel's own memory, and that memory from
    /// there on.
    pub fn split_work(&mut self, begin: usize) -> (Arrays<'_, 'm, T>, &mut [T]) {
        let (before, after) = self.work.split_at_mut(begin);
        let arrays = Arrays { outputs: &mut *self.outputs, work: before, ..*self };
        (arrays, after)
    }

    /// An argument.
    pub fn input(&self, k: usize) -> &[T] {
        self.inputs.get(k).copied().unwrap_or(self.zeros)
    }

    /// An array, to be read.
    pub fn get(&self, id: ArrayId) -> &[T] {
        let Array { location, length } = self.arrays[id.index()];
        match location {
            Location::Input(k) => &self.input(k)[..length],
            Location::Output(k) => &self.outputs[k][..length],
            Location::Work(begin) => &self.work[begin..begin + length],
        }
    }

    /// An array, to be written.
    ///
    /// # Panics
    /// If it is an argument. Kernels do not write these ([`rbd_ir::kernel::Kernel::verify`]).
    pub fn get_mut(&mut self, id: ArrayId) -> &mut [T] {
        let Array { location, length } = self.arrays[id.index()];
        match location {
            Location::Input(_) => unreachable!("arguments are read only"),
            Location::Output(k) => &mut self.outputs[k][..length],
            Location::Work(begin) => &mut self.work[begin..begin + length],
        }
    }
}
