//! Operations that numbers and registers have in common.

use crate::Scalar;
use core::ops::{Add, Mul, Neg, Sub};

/// A number or a register of numbers.
pub trait Lane:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// A constant in every lane.
    fn number(x: f64) -> Self;
    /// `self * a + b`, fused as the scalar's own.
    #[must_use]
    fn mul_add(self, a: Self, b: Self) -> Self;
}

impl<S: Scalar> Lane for S {
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn number(x: f64) -> Self {
        S::from_f64(x)
    }
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Scalar::mul_add(self, a, b)
    }
}
