//! Parts of a body that is too large to compile in one piece.

/// A part of a kernel's body, which is a function of its own: what a compiler does with a function takes longer than in
/// proportion to its size, and for a humanoid's derivatives minutes. [`Scalar::in_part`](crate::Scalar::in_part) runs it.
pub trait Part {
    /// The values that parts hand on to one another.
    type Kept;

    /// Its statements. Must be `#[inline(always)]`, as [`Kernel::run`](super::Kernel::run) must, and for the same reason.
    fn run(self, kept: &mut Self::Kept);
}

/// The part with the instructions that this is compiled for, out of line.
#[inline(never)]
pub(crate) fn as_compiled<P: Part>(part: P, kept: &mut P::Kept) {
    part.run(kept);
}
