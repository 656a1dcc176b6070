//! Memory that calls need.

use crate::Number;

/// Memory for any function of one robot, one call at a time. Made by
/// [`Loaded::workspace`](crate::Loaded::workspace).
#[derive(Clone, Debug)]
pub struct Workspace<T = f64> {
    memory: Vec<T>,
    leaves_zeros: bool,
}

/// Bytes of a cache line.
pub(crate) const LINE_BYTES: usize = 64;
/// Numbers in a cache line: of doubles, and as many of others.
pub(crate) const LINE: usize = 8;

impl<T: Number> Workspace<T> {
    pub(crate) fn new(numbers: usize) -> Self {
        Self { memory: vec![T::zero(); numbers + LINE_BYTES / size_of::<T>()], leaves_zeros: false }
    }

    /// The workspace for matrices and tensors that are zero at first. Calls leave entries alone that are zero
    /// in every state ([`Function::structure`](crate::Function::structure)), as `_into` of compiled robots
    /// does: give them zeros, or what an earlier call of this function gave. Builds with debug assertions
    /// check matrices.
    ///
    /// The first such call of a function makes its code. Functions of frames write all entries.
    #[must_use]
    pub fn leaving_zeros(self) -> Self {
        Self { leaves_zeros: true, ..self }
    }

    /// True if calls leave zeros alone.
    pub(crate) fn leaves_zeros(&self) -> bool {
        self.leaves_zeros
    }

    /// The memory, from the beginning of a cache line on.
    pub(crate) fn memory(&mut self) -> &mut [T] {
        let skipped = self.memory.as_ptr().align_offset(LINE_BYTES).min(LINE_BYTES / size_of::<T>());
        &mut self.memory[skipped..]
    }
}
