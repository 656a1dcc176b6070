//! Parts of a body that is too large to compile in one piece.

/// A part of a kernel's body that is a function of its own. Run by
/// [`Scalar::in_part`](crate::Scalar::in_part).
///
/// Compile time grows faster than a function's size: a humanoid's derivatives in one function took
/// minutes.
pub trait Part {
    /// The values that parts hand on to one another.
    type Kept;

    /// Statements of the part. Must be `#[inline(always)]`, like
    /// [`Dispatched::run`](super::Dispatched::run).
    fn run(self, kept: &mut Self::Kept);
}

/// The part with the instructions that this is compiled for, out of line.
#[inline(never)]
pub(crate) fn as_compiled<P: Part>(part: P, kept: &mut P::Kept) {
    part.run(kept);
}
