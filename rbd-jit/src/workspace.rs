//! Memory that calls need.

/// Memory for any function of one robot, one call at a time. Made by
/// [`Loaded::workspace`](crate::Loaded::workspace).
#[derive(Clone, Debug)]
pub struct Workspace {
    memory: Vec<f64>,
}

/// Numbers in a cache line.
pub(crate) const LINE: usize = 8;

impl Workspace {
    pub(crate) fn new(numbers: usize) -> Self {
        Self { memory: vec![0.0; numbers + LINE] }
    }

    /// The memory, from the beginning of a cache line on.
    pub(crate) fn memory(&mut self) -> &mut [f64] {
        let skipped = self.memory.as_ptr().align_offset(LINE * size_of::<f64>()).min(LINE);
        &mut self.memory[skipped..]
    }
}
