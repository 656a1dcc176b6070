//! The numbers that algorithms work on.

#[cfg(feature = "num-complex")]
mod complex;
#[cfg(feature = "num-dual")]
mod dual;

use core::fmt::Debug;
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use num_traits::{One, Zero};

/// A number that the dynamics can be computed with: `f64`, `f32`, dual and complex numbers, SIMD lanes.
///
/// Algorithms neither compare nor branch on scalars, so that a lane type can hold several states at
/// once and a dual number carries its derivative through every step. The one exception is
/// [`Scalar::select_lt`], a lane-wise choice, which the maps of the rotation group need near zero.
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
}

/// `f32` and `f64`. The elementary functions are the standard library's, or libm's without `std`.
macro_rules! float {
    ($t:ty) => {
        impl Scalar for $t {
            #[inline]
            fn from_f64(x: f64) -> Self {
                x as Self
            }

            // The standard library's `mul_add` is one instruction where the target has it and a slow
            // library call where it has not; `core` has none at all. Hence the condition.
            #[cfg(all(
                feature = "std",
                any(all(target_arch = "x86_64", target_feature = "fma"), target_arch = "aarch64")
            ))]
            #[inline]
            fn mul_add(self, a: Self, b: Self) -> Self {
                <$t>::mul_add(self, a, b)
            }

            #[cfg(not(all(
                feature = "std",
                any(all(target_arch = "x86_64", target_feature = "fma"), target_arch = "aarch64")
            )))]
            #[inline]
            fn mul_add(self, a: Self, b: Self) -> Self {
                self * a + b
            }

            #[inline]
            fn sin_cos(self) -> (Self, Self) {
                num_traits::Float::sin_cos(self)
            }

            #[inline]
            fn sqrt(self) -> Self {
                num_traits::Float::sqrt(self)
            }

            #[inline]
            fn atan2(self, x: Self) -> Self {
                num_traits::Float::atan2(self, x)
            }

            #[inline]
            fn select_lt(self, limit: f64, below: Self, otherwise: Self) -> Self {
                if self < limit as Self { below } else { otherwise }
            }
        }
    };
}
float!(f32);
float!(f64);
