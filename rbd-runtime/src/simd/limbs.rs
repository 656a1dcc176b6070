//! Limbs of equal shape as SIMD lanes: registers of a few scalars of one state.
//!
//! The four legs of a quadruped go through the same operations with different numbers. Generated
//! code puts the legs side by side. One instruction then works on all legs, which takes less time
//! and less code.

use crate::Scalar;
use crate::simd::Register;
use core::ops::{Add, Mul, Neg, Sub};

/// A scalar that has registers of two and of four.
pub trait LimbScalar: Scalar {
    /// Two scalars.
    type X2: Limbs<Self, 2>;
    /// Four scalars.
    type X4: Limbs<Self, 4>;
    /// Eight scalars, for loops over the degrees of freedom ([`crate::loops`]).
    type X8: Register<Of = Self>;
}

/// `N` scalars that undergo the same operation.
pub trait Limbs<S, const N: usize>:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// `N` scalars side by side.
    fn gather(x: [S; N]) -> Self;
    /// `N` constants side by side.
    fn constant(x: &[f64; N]) -> Self;
    /// One scalar in every lane.
    fn splat(x: S) -> Self;
    /// The scalars, lane by lane.
    fn lanes(self) -> [S; N];
    /// One of them.
    fn lane(self, lane: usize) -> S;
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
pub struct Plain<S, const N: usize>(pub(crate) [S; N]);

// Limbs as plain scalars.
//
// Operations are written out lane by lane. They end up a thousandfold in one function: a closure
// there would not be allowed the kernel's instructions, and a loop would cost the compiler minutes.
macro_rules! plain {
    ($n:literal: $($i:literal)*, sum of $x:ident: $sum:expr) => {
        plain!(@operator $n: Add add, $($i)*);
        plain!(@operator $n: Sub sub, $($i)*);
        plain!(@operator $n: Mul mul, $($i)*);

        impl<S: Scalar> Neg for Plain<S, $n> {
            type Output = Self;
            #[cfg_attr(debug_assertions, inline(never))]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn neg(self) -> Self {
                Self([$(-self.0[$i]),*])
            }
        }

        impl<S: Scalar> Limbs<S, $n> for Plain<S, $n> {
            #[cfg_attr(debug_assertions, inline(never))]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn gather(x: [S; $n]) -> Self {
                Self(x)
            }
            #[cfg_attr(debug_assertions, inline(never))]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn constant(x: &[f64; $n]) -> Self {
                Self([$(S::from_f64(x[$i])),*])
            }
            #[cfg_attr(debug_assertions, inline(never))]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn splat(x: S) -> Self {
                Self([x; $n])
            }
            #[cfg_attr(debug_assertions, inline(never))]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn lanes(self) -> [S; $n] {
                self.0
            }
            #[cfg_attr(debug_assertions, inline(never))]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn lane(self, lane: usize) -> S {
                self.0[lane]
            }
            #[cfg_attr(debug_assertions, inline(never))]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn sum(self) -> S {
                let $x = self.0;
                $sum
            }
            #[cfg_attr(debug_assertions, inline(never))]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn recip(self) -> Self {
                Self([$(S::one() / self.0[$i]),*])
            }
            #[cfg_attr(debug_assertions, inline(never))]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn mul_add(self, a: Self, b: Self) -> Self {
                Self([$(self.0[$i].mul_add(a.0[$i], b.0[$i])),*])
            }
        }
    };
    (@operator $n:literal: $trait:ident $method:ident, $($i:literal)*) => {
        impl<S: Scalar> $trait for Plain<S, $n> {
            type Output = Self;
            #[cfg_attr(debug_assertions, inline(never))]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn $method(self, other: Self) -> Self {
                Self([$($trait::$method(self.0[$i], other.0[$i])),*])
            }
        }
    };
}
plain!(2: 0 1, sum of x: x[0] + x[1]);
plain!(4: 0 1 2 3, sum of x: (x[0] + x[2]) + (x[1] + x[3]));
plain!(8: 0 1 2 3 4 5 6 7, sum of x: ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7])));

/// Two scalars that are put into a register for each operation.
///
/// Between operations the compiler sees two numbers. A vector would be passed by address, which
/// over a humanoid's thousands of values takes the compiler minutes. The moves in and out cancel.
///
/// Operations are `#[inline]`, not `#[inline(always)]`: each is optimised before it is put into the
/// kernel. The intrinsics take vectors by address, and four intrinsics in each of thousands of
/// operations were most of a humanoid's compile time (docs/limits.md#compile-time). If the
/// instructions are not in the build's target, the operation is a function with `$allowed`.
macro_rules! pair_as_limbs {
    ($(#[$doc:meta])* $visibility:vis $pair:ident, $scalar:ident, $pack:ident, $wrap:path, $unwrap:expr $(, $allowed:literal)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        $visibility struct $pair($scalar, $scalar);

        impl $pair {
            #[inline(always)]
            fn pack(self) -> $pack {
                Pack::from_array([$unwrap(self.0), $unwrap(self.1)])
            }
            #[inline(always)]
            fn of(pack: $pack) -> Self {
                let [first, second] = Pack::to_array(pack);
                Self($wrap(first), $wrap(second))
            }
            $(#[target_feature(enable = $allowed)])?
            #[inline]
            fn sum_of(self, other: Self) -> Self {
                Self::of(self.pack() + other.pack())
            }
            $(#[target_feature(enable = $allowed)])?
            #[inline]
            fn difference_of(self, other: Self) -> Self {
                Self::of(self.pack() - other.pack())
            }
            $(#[target_feature(enable = $allowed)])?
            #[inline]
            fn product_of(self, other: Self) -> Self {
                Self::of(self.pack() * other.pack())
            }
            $(#[target_feature(enable = $allowed)])?
            #[inline]
            fn opposite_of(self) -> Self {
                Self::of(self.pack().opposite())
            }
            $(#[target_feature(enable = $allowed)])?
            #[inline]
            fn reciprocal_of(self) -> Self {
                let one: $pack = Pack::splat(1.0);
                Self::of(one / self.pack())
            }
            $(#[target_feature(enable = $allowed)])?
            #[inline]
            fn fused_of(self, a: Self, b: Self) -> Self {
                Self::of(Pack::mul_add(self.pack(), a.pack(), b.pack()))
            }
        }

        $crate::limbs::pair_as_limbs!(@operator $pair, Add, add, sum_of);
        $crate::limbs::pair_as_limbs!(@operator $pair, Sub, sub, difference_of);
        $crate::limbs::pair_as_limbs!(@operator $pair, Mul, mul, product_of);

        impl core::ops::Neg for $pair {
            type Output = Self;
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn neg(self) -> Self {
                $crate::limbs::pair_as_limbs!(@call self.opposite_of())
            }
        }

        impl $crate::limbs::Limbs<$scalar, 2> for $pair {
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn gather([first, second]: [$scalar; 2]) -> Self {
                Self(first, second)
            }
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn constant([first, second]: &[f64; 2]) -> Self {
                Self($wrap(*first), $wrap(*second))
            }
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn splat(x: $scalar) -> Self {
                Self(x, x)
            }
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn lanes(self) -> [$scalar; 2] {
                [self.0, self.1]
            }
            // Not `inline(always)`: that would split the kernel in four at each call.
            #[inline]
            fn lane(self, lane: usize) -> $scalar {
                if lane == 0 { self.0 } else { self.1 }
            }
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn sum(self) -> $scalar {
                self.0 + self.1
            }
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn recip(self) -> Self {
                $crate::limbs::pair_as_limbs!(@call self.reciprocal_of())
            }
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn mul_add(self, a: Self, b: Self) -> Self {
                $crate::limbs::pair_as_limbs!(@call self.fused_of(a, b))
            }
        }
    };
    (@operator $pair:ident, $trait:ident, $method:ident, $operation:ident) => {
        impl core::ops::$trait for $pair {
            type Output = Self;
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn $method(self, other: Self) -> Self {
                $crate::limbs::pair_as_limbs!(@call self.$operation(other))
            }
        }
    };
    (@call $call:expr) => {{
        // SAFETY: such a pair exists only after the processor was asked for its instructions.
        #[allow(unused_unsafe, reason = "where the instructions are compiled in")]
        unsafe {
            $call
        }
    }};
}
pub(crate) use pair_as_limbs;
