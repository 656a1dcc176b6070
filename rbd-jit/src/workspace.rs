//! Memory that calls need.

use crate::Number;

/// Memory for any function of one robot, one call at a time. Made by
/// [`Loaded::workspace`](crate::Loaded::workspace).
#[derive(Clone, Debug)]
pub struct Workspace<T = f64> {
    memory: Vec<T>,
}

/// Bytes of a cache line.
const BYTES: usize = 64;
/// Numbers in a cache line: of doubles, and as many of others.
pub(crate) const LINE: usize = 8;

impl<T: Number> Workspace<T> {
    pub(crate) fn new(numbers: usize) -> Self {
        Self { memory: vec![T::zero(); numbers + BYTES / size_of::<T>()] }
    }

    /// The memory, from the beginning of a cache line on.
    pub(crate) fn memory(&mut self) -> &mut [T] {
        let skipped = self.memory.as_ptr().align_offset(BYTES).min(BYTES / size_of::<T>());
        &mut self.memory[skipped..]
    }
}
