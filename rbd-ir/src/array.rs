//! Numbers of arrays, by which kernels, calls and products name what they read and write.

/// The number of an array of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayId(pub u16);

impl ArrayId {
    /// Index into [`Kernel::arrays`](crate::kernel::Kernel::arrays).
    pub fn index(self) -> usize {
        self.0.into()
    }
}
