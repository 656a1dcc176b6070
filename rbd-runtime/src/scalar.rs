//! The numbers that algorithms work on.

#[cfg(feature = "num-complex")]
mod complex;
#[cfg(feature = "num-dual")]
mod dual;

use crate::dispatch::{self, Dispatched, Part};
use core::fmt::Debug;
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use num_traits::{One, Zero};

/// Number type of the dynamics: `f64`, `f32`, dual and complex numbers, SIMD lanes.
///
/// Algorithms neither compare nor branch on scalars. A lane type can therefore hold several states
/// at once, and a dual number carries its derivative through every step. The one exception is
/// [`Scalar::select_lt`], a lane-wise selection that the maps of the rotation group need near zero.
pub trait Scalar:
    nalgebra::Scalar
    + Copy
    + Debug
    + Zero
    + One
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
{
    /// The constant `x`, rounded to this type.
    fn from_f64(x: f64) -> Self;

    /// `self * a + b`: one fused instruction where the target has one, otherwise a product and a
    /// sum; never a library call.
    #[must_use]
    fn mul_add(self, a: Self, b: Self) -> Self;

    /// Sine and cosine of an angle in radians.
    fn sin_cos(self) -> (Self, Self);

    /// Square root.
    #[must_use]
    fn sqrt(self) -> Self;

    /// The angle of the point `(x, self)`, in `(-pi, pi]`.
    #[must_use]
    fn atan2(self, x: Self) -> Self;

    /// Lane by lane, `below` where the (real part of the) value is less than `limit`, else `otherwise`.
    #[must_use]
    fn select_lt(self, limit: f64, below: Self, otherwise: Self) -> Self;

    /// Sines and cosines of `N` angles in radians. Floats use [`crate::sincos`], which is some
    /// times faster than one call an angle.
    #[inline(always)]
    fn sin_cos_all<const N: usize>(q: [Self; N]) -> ([Self; N], [Self; N]) {
        let (mut sin, mut cos) = ([Self::zero(); N], [Self::zero(); N]);
        // No closure and no iterator: neither would be allowed the instructions that a dispatched body is.
        for i in 0..N {
            (sin[i], cos[i]) = q[i].sin_cos();
        }
        (sin, cos)
    }

    /// Runs `body`, out of line, with the best instructions that this processor has for this type
    /// (see [`crate::dispatch`]). Types without a choice run it as compiled.
    #[inline(always)]
    fn dispatch<K: Dispatched<Self>>(body: K) -> K::Output {
        dispatch::as_compiled(body)
    }

    /// Runs a body within another one, out of line, with the instructions of this type.
    ///
    /// The processor is not asked again, and there are no copies for other answers.
    #[doc(hidden)]
    #[inline(always)]
    fn nested<K: Dispatched<Self>>(body: K) -> K::Output {
        dispatch::as_compiled(body)
    }

    /// Runs a part of a body, out of line, with the instructions that this type stands for.
    #[doc(hidden)]
    #[inline(always)]
    fn in_part<P: Part>(part: P, kept: &mut P::Kept) {
        dispatch::part_as_compiled(part, kept);
    }
}
