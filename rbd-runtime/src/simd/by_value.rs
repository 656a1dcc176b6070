//! Limbs that are numbers between operations, and in a register within each.
//!
//! A vector is passed by address. If its instructions are not in the build's target, operations are functions
//! that LLVM puts into the kernel late. Until then their operands and results are places in memory. To turn
//! ten thousand of them into values again was a third of a humanoid's compile time
//! (docs/limits.md#compile-time). Numbers are passed by value: two floats as such, four as two integers of
//! 128 bits. The moves into a register and out of it cancel.
//!
//! Operations are `#[inline]`, not `#[inline(always)]`: each is optimised before it is put into the kernel.
//! If its instructions are not in the build's target, `$allowed` allows them.
//!
//! Integers of 128 bits would be stored as halves of 64 bits. In memory, limbs are therefore registers.

/// Operations on `$limbs`, which has methods `pack` and `of` to and from a `$pack`.
macro_rules! operations {
    ($limbs:ident, $pack:ty $(, $allowed:literal)?) => {
        impl $limbs {
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
                Self::of($crate::lanes::Pack::opposite(self.pack()))
            }
            $(#[target_feature(enable = $allowed)])?
            #[inline]
            fn reciprocal_of(self) -> Self {
                let one: $pack = $crate::lanes::Pack::splat(1.0);
                Self::of(one / self.pack())
            }
            $(#[target_feature(enable = $allowed)])?
            #[inline]
            fn fused_of(self, a: Self, b: Self) -> Self {
                Self::of($crate::lanes::Pack::mul_add(self.pack(), a.pack(), b.pack()))
            }
            $(#[target_feature(enable = $allowed)])?
            #[inline]
            fn kept_in(self, slot: &mut $pack) {
                *slot = self.pack();
            }
            $(#[target_feature(enable = $allowed)])?
            #[inline]
            fn taken_from(slot: &$pack) -> Self {
                Self::of(*slot)
            }
        }

        $crate::simd::by_value::operations!(@operator $limbs, Add, add, sum_of);
        $crate::simd::by_value::operations!(@operator $limbs, Sub, sub, difference_of);
        $crate::simd::by_value::operations!(@operator $limbs, Mul, mul, product_of);

        impl core::ops::Neg for $limbs {
            type Output = Self;
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn neg(self) -> Self {
                $crate::simd::by_value::operations!(@call self.opposite_of())
            }
        }
    };
    (@operator $limbs:ident, $trait:ident, $method:ident, $operation:ident) => {
        impl core::ops::$trait for $limbs {
            type Output = Self;
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn $method(self, other: Self) -> Self {
                $crate::simd::by_value::operations!(@call self.$operation(other))
            }
        }
    };
    // Methods of `Limbs` that are operations.
    (@limbs $pack:ty) => {
        type Slot = $pack;

        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn keep(self, slot: &mut $pack) {
            $crate::simd::by_value::operations!(@call self.kept_in(slot));
        }
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn take(slot: &$pack) -> Self {
            $crate::simd::by_value::operations!(@call Self::taken_from(slot))
        }
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn empty() -> $pack {
            $crate::lanes::Pack::splat(0.0)
        }
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn recip(self) -> Self {
            $crate::simd::by_value::operations!(@call self.reciprocal_of())
        }
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn mul_add(self, a: Self, b: Self) -> Self {
            $crate::simd::by_value::operations!(@call self.fused_of(a, b))
        }
    };
    (@call $call:expr) => {{
        // SAFETY: such limbs exist only after the processor was asked for its instructions.
        #[allow(unused_unsafe, reason = "where the instructions are compiled in")]
        unsafe {
            $call
        }
    }};
}

/// Two scalars as limbs.
macro_rules! pair_of_numbers {
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
        }
        $crate::simd::by_value::operations!($pair, $pack $(, $allowed)?);

        impl $crate::limbs::Limbs<$scalar, 2> for $pair {
            $crate::simd::by_value::operations!(@limbs $pack);

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
        }
    };
}

pub(crate) use {operations, pair_of_numbers};
