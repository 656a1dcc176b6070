//! Limbs of equal shape as SIMD lanes: registers of a few scalars of one state.
//!
//! The four legs of a quadruped go through the same operations with different numbers. Generated
//! code puts the legs side by side. One instruction then works on all legs, which takes less time
//! and less code.
//!
//! Straight lines have [`X2`](LimbScalar::X2) and [`X4`](LimbScalar::X4), which compile fast in functions of
//! thousands of operations (`by_value`). Loops have [`R4`](LimbScalar::R4), a register in memory, too.

use crate::Scalar;
use crate::simd::Register;
use core::ops::{Add, Mul, Neg, Sub};

/// A scalar that has registers of two and of four.
pub trait LimbScalar: Scalar {
    /// Two scalars, in straight lines.
    type X2: Limbs<Self, 2>;
    /// Four scalars, in straight lines.
    type X4: Limbs<Self, 4>;
    /// Four scalars, in loops.
    type R4: Limbs<Self, 4>;
    /// Eight scalars, for loops over the degrees of freedom ([`crate::loops`]).
    type X8: Register<Of = Self>;
}

/// `N` scalars that undergo the same operation.
pub trait Limbs<S, const N: usize>:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// A value in memory, where one part of a kernel leaves it to a later one.
    type Slot: Copy;

    /// Writes the value to memory.
    fn keep(self, slot: &mut Self::Slot);
    /// The value in memory.
    fn take(slot: &Self::Slot) -> Self;
    /// Memory with zeros.
    fn empty() -> Self::Slot;
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

/// The slot of [`Limbs`] that are in memory as they are between operations.
macro_rules! kept_as_it_is {
    ($scalar:ident, $n:literal) => {
        type Slot = Self;

        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn keep(self, slot: &mut Self) {
            *slot = self;
        }
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn take(slot: &Self) -> Self {
            *slot
        }
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn empty() -> Self {
            <Self as $crate::limbs::Limbs<$scalar, $n>>::constant(&[0.0; $n])
        }
    };
}
pub(crate) use kept_as_it_is;

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
            $crate::limbs::kept_as_it_is!(S, $n);

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
