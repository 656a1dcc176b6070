//! `f64` and `f32` as scalars.

use crate::dispatch::{self, Dispatched};
use crate::lanes::{Pack, Pack32x8, Pack64x4};
use crate::{Scalar, sincos};
use num_traits::Float;

macro_rules! float_is_a_scalar {
    ($float:ident, $fused:ident, $wide:ident, $many:ident) => {
        impl Scalar for $float {
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn from_f64(x: f64) -> Self {
                x as $float
            }
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn mul_add(self, a: Self, b: Self) -> Self {
                Pack::mul_add(self, a, b)
            }
            #[inline(always)]
            fn sin_cos(self) -> (Self, Self) {
                sincos::of_pack(self)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                Float::sqrt(self)
            }
            #[inline]
            fn atan2(self, x: Self) -> Self {
                Float::atan2(self, x)
            }
            #[inline(always)]
            fn select_lt(self, limit: f64, below: Self, otherwise: Self) -> Self {
                Pack::select_lt(self, limit as $float, below, otherwise)
            }
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn sin_cos_all<const N: usize>(q: [Self; N]) -> ([Self; N], [Self; N]) {
                sincos::of_array::<$many, N>(q)
            }
            #[inline(always)]
            fn dispatch<K: Dispatched<Self>>(kernel: K) -> K::Output {
                dispatch::best_limbs::<Self, dispatch::$fused, dispatch::$wide, K>(kernel)
            }
            #[inline(always)]
            fn nested<K: Dispatched<Self>>(kernel: K) -> K::Output {
                dispatch::limbs_as_compiled(kernel)
            }
        }
    };
}

float_is_a_scalar!(f64, Fused64, Loop64, Pack64x4);
float_is_a_scalar!(f32, Fused32, Loop32, Pack32x8);
