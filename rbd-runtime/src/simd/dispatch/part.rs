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

/// Memory for sixteen values between parts.
///
/// It has fields, since rustc checks an index of an array ten times as long.
#[derive(Clone, Copy, Debug)]
pub struct Slots<T>(
    pub T,
    pub T,
    pub T,
    pub T,
    pub T,
    pub T,
    pub T,
    pub T,
    pub T,
    pub T,
    pub T,
    pub T,
    pub T,
    pub T,
    pub T,
    pub T,
);

impl<T: Copy> Slots<T> {
    /// A value in every place. Inlined in every build, or memory would be on the stack twice.
    #[inline(always)]
    pub fn all(x: T) -> Self {
        Self(x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x)
    }
}

/// The part with the instructions that this is compiled for, out of line.
#[inline(never)]
pub(crate) fn as_compiled<P: Part>(part: P, kept: &mut P::Kept) {
    part.run(kept);
}
