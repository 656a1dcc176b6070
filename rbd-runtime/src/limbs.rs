//! Limbs of the same shape, one a lane: registers of a few scalars of the same state.
//!
//! The four legs of a quadruped go through the same operations with other numbers. Generated code puts
//! them side by side: one instruction works on all legs, which is both less work and less code.

use crate::Scalar;
use core::ops::{Add, Mul, Neg, Sub};

/// A scalar that has registers of two and four of it.
pub trait LimbScalar: Scalar {
    /// Two scalars.
    type X2: Limbs<Self, 2>;
    /// Four scalars.
    type X4: Limbs<Self, 4>;
}

/// `N` scalars that undergo the same operation.
pub trait Limbs<S, const N: usize>:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// These scalars side by side.
    fn gather(x: [S; N]) -> Self;
    /// These constants side by side.
    fn constant(x: [f64; N]) -> Self;
    /// The same scalar in every lane.
    fn splat(x: S) -> Self;
    /// The scalars, lane by lane.
    fn lanes(self) -> [S; N];
    /// The sum of the lanes.
    fn sum(self) -> S;
    /// `1 / self`.
    #[must_use]
    fn recip(self) -> Self;
    /// `self * a + b`, fused as the scalar's own.
    #[must_use]
    fn mul_add(self, a: Self, b: Self) -> Self;
}

/// `N` scalars one after the other, for targets or types without a register of that many.
#[derive(Clone, Copy, Debug)]
pub struct Plain<S, const N: usize>([S; N]);

macro_rules! lane_by_lane {
    ($($trait:ident $method:ident),*) => {$(
        impl<S: Scalar, const N: usize> $trait for Plain<S, N> {
            type Output = Self;
            #[inline(always)]
            fn $method(mut self, other: Self) -> Self {
                // No closure and no iterator: neither would be allowed the instructions that a kernel is.
                for i in 0..N {
                    self.0[i] = $trait::$method(self.0[i], other.0[i]);
                }
                self
            }
        }
    )*};
}
lane_by_lane!(Add add, Sub sub, Mul mul);

impl<S: Scalar, const N: usize> Neg for Plain<S, N> {
    type Output = Self;
    #[inline(always)]
    fn neg(mut self) -> Self {
        for i in 0..N {
            self.0[i] = -self.0[i];
        }
        self
    }
}

impl<S: Scalar, const N: usize> Limbs<S, N> for Plain<S, N> {
    #[inline(always)]
    fn gather(x: [S; N]) -> Self {
        Self(x)
    }
    #[inline(always)]
    fn constant(x: [f64; N]) -> Self {
        let mut lanes = [S::zero(); N];
        for i in 0..N {
            lanes[i] = S::from_f64(x[i]);
        }
        Self(lanes)
    }
    #[inline(always)]
    fn splat(x: S) -> Self {
        Self([x; N])
    }
    #[inline(always)]
    fn lanes(self) -> [S; N] {
        self.0
    }
    #[inline(always)]
    fn sum(self) -> S {
        let mut sum = self.0[0];
        for i in 1..N {
            sum += self.0[i];
        }
        sum
    }
    #[inline(always)]
    fn recip(mut self) -> Self {
        for i in 0..N {
            self.0[i] = S::one() / self.0[i];
        }
        self
    }
    #[inline(always)]
    fn mul_add(mut self, a: Self, b: Self) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i].mul_add(a.0[i], b.0[i]);
        }
        self
    }
}

/// A register type as limbs of a scalar whose single lane is `$float`.
macro_rules! register_as_limbs {
    ($register:ident, $scalar:ident, $float:ident, $n:literal, $wrap:path, $unwrap:expr) => {
        impl $crate::limbs::Limbs<$scalar, $n> for $register {
            #[inline(always)]
            fn gather(x: [$scalar; $n]) -> Self {
                let mut lanes = [0.0; $n];
                for i in 0..$n {
                    lanes[i] = $unwrap(x[i]);
                }
                Self(Pack::from_array(lanes))
            }
            #[inline(always)]
            fn constant(x: [f64; $n]) -> Self {
                let mut lanes = [0.0; $n];
                for i in 0..$n {
                    lanes[i] = x[i] as $float;
                }
                Self(Pack::from_array(lanes))
            }
            #[inline(always)]
            fn splat(x: $scalar) -> Self {
                Self(Pack::splat($unwrap(x)))
            }
            #[inline(always)]
            fn lanes(self) -> [$scalar; $n] {
                let x = Pack::to_array(self.0);
                let mut lanes = [$wrap(0.0); $n];
                for i in 0..$n {
                    lanes[i] = $wrap(x[i]);
                }
                lanes
            }
            #[inline(always)]
            fn sum(self) -> $scalar {
                let x = Pack::to_array(self.0);
                let mut halves = [0.0; $n / 2];
                for i in 0..$n / 2 {
                    halves[i] = x[i] + x[i + $n / 2];
                }
                let mut sum = halves[0];
                for i in 1..$n / 2 {
                    sum += halves[i];
                }
                $wrap(sum)
            }
            #[inline(always)]
            fn recip(self) -> Self {
                let one = Self(Pack::from_array([1.0; $n]));
                one / self
            }
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                Self(Pack::mul_add(self.0, a.0, b.0))
            }
        }
    };
}
pub(crate) use register_as_limbs;
