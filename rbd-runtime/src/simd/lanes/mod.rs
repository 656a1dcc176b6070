//! SIMD lane types: one number of several independent states.
//!
//! A generated function whose scalar is a lane type computes 2 to 16 states in about the time of
//! one. A lane type is one vector register if the target has registers that wide, otherwise
//! several. The number is fixed at compile time, unless
//! [`Scalar::dispatch`](crate::Scalar::dispatch) finds wider registers at run time:
//!
//! | type | SSE2 (stock x86-64), NEON | AVX2 + FMA | AVX-512 |
//! |---|---|---|---|
//! | [`F64x2`], [`F32x4`] | 1 register | 1 | 1 |
//! | [`F64x4`], [`F32x8`] | 2 | 1 | 1 |
//! | [`F64x8`] | 4 | 2 | 1 |
//! | [`F32x16`] | 4 | 2 | 1 |
//!
//! The last two columns hold for targets that have these instructions. They also hold where they are found at
//! run time; for AVX-512 that takes the feature `avx512`.
//!
//! ```
//! use rbd_runtime::{Scalar, lanes::F64x4};
//! let q = F64x4::from([0.0, 0.1, 0.2, 0.3]);
//! let (s, c) = q.sin_cos();
//! assert_eq!((s * s + c * c).to_array().map(|one| (one - 1.0).abs() < 1e-15), [true; 4]);
//! ```

#[cfg(all(
    target_arch = "x86_64",
    any(feature = "dispatch", all(target_feature = "avx2", target_feature = "fma"))
))]
#[cfg_attr(target_feature = "avx512f", allow(dead_code, reason = "some are wider there"))]
pub(crate) mod avx2;
#[cfg(all(
    target_arch = "x86_64",
    any(
        all(feature = "dispatch", not(all(target_feature = "avx2", target_feature = "fma"))),
        all(target_feature = "avx512f", target_feature = "avx512vl", target_feature = "avx512dq")
    )
))]
#[cfg_attr(not(feature = "avx512"), allow(dead_code, reason = "loops use one of the two"))]
pub(crate) mod avx512;
mod eight;
#[cfg(all(
    target_arch = "x86_64",
    any(feature = "dispatch", all(target_feature = "avx2", target_feature = "fma"))
))]
mod intrinsics;
mod newtype;
mod pack;
mod packed;
#[cfg(all(target_arch = "x86_64", not(target_feature = "avx")))]
mod sse2;

use crate::dispatch;
use crate::limbs::{LimbScalar, Plain};
pub(crate) use newtype::{arithmetic, scalar};
#[allow(unused_imports, reason = "only where there is a choice at run time")]
pub(crate) use pack::float_as_pack;
pub(crate) use pack::{Angle, Pack, lanes_in_order};
#[allow(unused_imports, reason = "only where there is a choice at run time")]
pub(crate) use packed::Like;
pub(crate) use packed::Packed;

// Where the target has AVX2, its registers without `wide` around them: sine and cosine of an array are
// almost twice as quick.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma"))]
pub(crate) use avx2::{H32 as Pack32x4, H64 as Pack64x2, V32 as Pack32x8, V64 as Pack64x4};
#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx2",
    target_feature = "fma",
    not(target_feature = "avx512f")
))]
use avx2::{Two32 as Pack32x16, Two64 as Pack64x8};
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma")))]
pub(crate) use wide::{f32x4 as Pack32x4, f32x8 as Pack32x8, f64x2 as Pack64x2, f64x4 as Pack64x4};
#[cfg(not(all(
    target_arch = "x86_64",
    target_feature = "avx2",
    target_feature = "fma",
    not(target_feature = "avx512f")
)))]
use wide::{f32x16 as Pack32x16, f64x8 as Pack64x8};

macro_rules! lanes {
    ($(#[$doc:meta])* $name:ident, $pack:ident, $float:ident, $n:literal, $best:path) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub struct $name($pack);

        impl $name {
            /// Number of lanes.
            pub const LANES: usize = $n;

            /// `x` in every lane.
            #[inline]
            #[must_use]
            pub fn splat(x: $float) -> Self {
                Self(Pack::splat(x))
            }

            /// Lane `i` is `lanes[i]`.
            #[inline]
            #[must_use]
            pub fn from_array(lanes: [$float; $n]) -> Self {
                Self(Pack::from_array(lanes))
            }

            /// Element `i` is lane `i`.
            #[inline]
            #[must_use]
            pub fn to_array(self) -> [$float; $n] {
                Pack::to_array(self.0)
            }
        }

        impl From<[$float; $n]> for $name {
            #[inline]
            fn from(lanes: [$float; $n]) -> Self {
                Self::from_array(lanes)
            }
        }

        impl From<$name> for [$float; $n] {
            #[inline]
            fn from(lanes: $name) -> Self {
                lanes.to_array()
            }
        }

        arithmetic!($name);
        scalar!(
            $name,
            $float,
            $best,
            crate::dispatch::as_compiled::<$name, K>,
            crate::dispatch::part_as_compiled::<P>
        );
    };
}

lanes!(
    /// Two `f64`.
    F64x2, Pack64x2, f64, 2, dispatch::best::<F64x2, dispatch::Fused64x2, K>
);
lanes!(
    /// Four `f32`.
    F32x4, Pack32x4, f32, 4, dispatch::best::<F32x4, dispatch::Fused32x4, K>
);
lanes!(
    /// Four `f64`.
    F64x4, Pack64x4, f64, 4, dispatch::best::<F64x4, dispatch::Fused64x4, K>
);
lanes!(
    /// Eight `f64`.
    F64x8, Pack64x8, f64, 8, dispatch::best_wide::<F64x8, dispatch::Wide64x8, dispatch::Fused64x8, K>
);
lanes!(
    /// Eight `f32`.
    F32x8, Pack32x8, f32, 8, dispatch::best::<F32x8, dispatch::Fused32x8, K>
);
lanes!(
    /// Sixteen `f32`.
    F32x16, Pack32x16, f32, 16, dispatch::best_wide::<F32x16, dispatch::Wide32x16, dispatch::Fused32x16, K>
);

/// Returns `x`: a plain float is its own lane.
#[inline(always)]
fn own<T>(x: T) -> T {
    x
}
crate::simd::by_value::pair_of_numbers!(
    /// Two `f64` as limbs.
    pub PairOf64, f64, Pack64x2, own, own
);
// Without AVX four `f64` are two registers.
#[cfg(not(all(target_arch = "x86_64", not(target_feature = "avx"))))]
type FourOf64 = Packed<f64, Pack64x4>;
#[cfg(all(target_arch = "x86_64", not(target_feature = "avx")))]
pub use sse2::FourOf64;

impl LimbScalar for f64 {
    type X2 = PairOf64;
    type X4 = FourOf64;
    type R4 = Self::X4;
    type X8 = Packed<Self, eight::Best64>;
}
impl LimbScalar for f32 {
    type X2 = Plain<Self, 2>;
    type X4 = Packed<Self, Pack32x4>;
    type R4 = Self::X4;
    type X8 = Packed<Self, Pack32x8>;
}

#[cfg(test)]
mod tests;
