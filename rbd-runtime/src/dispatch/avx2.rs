//! The choice between what was compiled for and AVX2 with FMA; for lanes that fill a register of AVX-512, with the
//! feature `avx512`, that too.
//!
//! The types here are crate-private and [`best`] alone hands them out, after asking the processor: that
//! is the proof behind every intrinsic that they use. A kernel may keep a function pointer over its `S`, but can
//! have got it only on a processor that has the instructions.

#[cfg(feature = "avx512")]
#[path = "avx512.rs"]
mod avx512;

use super::{Kernel, Recast, as_compiled, limbs_as_compiled};
use crate::lanes::avx2::{H32, H64, Two32, Two64, V32, V64};
use crate::lanes::{F32x4, F32x8, F32x16, F64x2, F64x4, F64x8, Pack, arithmetic, scalar};
use crate::limbs::{LimbScalar, Plain};
use crate::{Scalar, sincos};
#[cfg(feature = "avx512")]
pub(crate) use avx512::{Wide32x16, Wide64x8, best_wide};
#[cfg(not(feature = "avx512"))]
pub(crate) use {Fused32x16 as Wide32x16, Fused64x8 as Wide64x8};

/// `Self` is `T` for use where the processor has AVX2 and FMA.
///
/// # Safety
/// What [`Recast::new`] asks for.
pub(crate) unsafe trait Fused<T>: Scalar {}

/// Whether the processor has AVX2 and FMA.
#[inline(always)]
fn has_avx2() -> bool {
    std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma")
}

/// The kernel with AVX2 and FMA if the processor has them, otherwise as compiled.
#[inline(always)]
pub(crate) fn best<T: Scalar, S: Fused<T>, K: Kernel<T>>(kernel: K) -> K::Output {
    if has_avx2() {
        // SAFETY: the processor has both; `Fused` promises the layout.
        unsafe { with_avx2(kernel, Recast::<T, S>::new()) }
    } else {
        as_compiled(kernel)
    }
}

/// [`best`], for lanes that fill a register of AVX-512, where that is not asked for.
#[cfg(not(feature = "avx512"))]
#[allow(clippy::extra_unused_type_parameters, reason = "called alike where there is a choice")]
#[inline(always)]
pub(crate) fn best_wide<T: Scalar, W, S: Fused<T>, K: Kernel<T>>(kernel: K) -> K::Output {
    best::<T, S, K>(kernel)
}

/// A part of a kernel that runs here already.
#[inline(always)]
fn nested<S: Scalar, K: Kernel<S>>(kernel: K) -> K::Output {
    // SAFETY: `S` is one of this module's types, so the processor was asked.
    unsafe { with_avx2(kernel, Recast::<S, S>::identity()) }
}

#[target_feature(enable = "avx2,fma")]
#[inline(never)]
fn with_avx2<T: Scalar, S: Scalar, K: Kernel<T>>(kernel: K, recast: Recast<T, S>) -> K::Output {
    kernel.run(recast)
}

macro_rules! fused_float {
    ($name:ident, $float:ident, $many:ident) => {
        /// A float whose `mul_add` is one instruction.
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $name($float);

        // SAFETY: transparent.
        unsafe impl Fused<$float> for $name {}

        arithmetic!($name);

        impl Pack for $name {
            type Lane = $float;
            type Array = [$float; 1];

            #[inline(always)]
            fn chunks(lanes: &[$float]) -> (&[[$float; 1]], &[$float]) {
                lanes.as_chunks()
            }
            #[inline(always)]
            fn chunks_mut(lanes: &mut [$float]) -> (&mut [[$float; 1]], &mut [$float]) {
                lanes.as_chunks_mut()
            }
            #[inline(always)]
            fn splat(x: $float) -> Self {
                Self(x)
            }
            #[inline(always)]
            fn from_array([x]: [$float; 1]) -> Self {
                Self(x)
            }
            #[inline(always)]
            fn to_array(self) -> [$float; 1] {
                [self.0]
            }
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                Self($float::mul_add(self.0, a.0, b.0))
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                Self($float::sqrt(self.0))
            }
            #[inline(always)]
            fn select_lt(self, limit: $float, below: Self, otherwise: Self) -> Self {
                if self.0 < limit { below } else { otherwise }
            }
            #[inline(always)]
            fn all_within(self, limit: $float) -> bool {
                self.0.all_within(limit)
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                Self(self.0.xor(other.0))
            }
            #[inline(always)]
            fn bit_as_sign<const BIT: u32>(self) -> Self {
                Self(self.0.bit_as_sign::<BIT>())
            }
            #[inline(always)]
            fn choose(self, negative: Self, positive: Self) -> Self {
                Self(self.0.choose(negative.0, positive.0))
            }
        }

        impl Scalar for $name {
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn from_f64(x: f64) -> Self {
                Self(x as $float)
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
                Pack::sqrt(self)
            }
            #[inline]
            fn atan2(self, x: Self) -> Self {
                Self(self.0.atan2(x.0))
            }
            #[inline(always)]
            fn select_lt(self, limit: f64, below: Self, otherwise: Self) -> Self {
                Pack::select_lt(self, limit as $float, below, otherwise)
            }
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn sin_cos_all<const N: usize>(q: [Self; N]) -> ([Self; N], [Self; N]) {
                let (sin, cos) = sincos::of_array::<$many, N>(q.map(|q| q.0));
                (sin.map(Self), cos.map(Self))
            }
            #[inline(always)]
            fn dispatch<K: Kernel<Self>>(kernel: K) -> K::Output {
                nested_limbs::<Self, K>(kernel)
            }
        }
    };
}

fused_float!(Fused64, f64, V64);
fused_float!(Fused32, f32, V32);

macro_rules! fused_lanes {
    ($(#[$doc:meta])* $name:ident, $pack:ident, $float:ident, $stock:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $name($pack);

        // SAFETY: both are their lanes in order (`wide` converts by reinterpreting, and a test compares),
        // of equal size; any bits are a value of either.
        unsafe impl Fused<$stock> for $name {}

        arithmetic!($name);
        scalar!($name, $float, nested::<$name, K>);
    };
}

fused_lanes!(
    /// [`F64x2`] in half a register.
    Fused64x2, H64, f64, F64x2
);
fused_lanes!(
    /// [`F32x4`] in half a register.
    Fused32x4, H32, f32, F32x4
);
fused_lanes!(
    /// [`F64x4`] in one register.
    Fused64x4, V64, f64, F64x4
);
fused_lanes!(
    /// [`F64x8`] in two registers.
    Fused64x8, Two64, f64, F64x8
);
fused_lanes!(
    /// [`F32x8`] in one register.
    Fused32x8, V32, f32, F32x8
);
fused_lanes!(
    /// [`F32x16`] in two registers.
    Fused32x16, Two32, f32, F32x16
);

crate::limbs::pair_as_limbs!(
    /// Two [`Fused64`] as limbs.
    pub(crate) FusedPair, Fused64, H64, Fused64, inner64
);
crate::limbs::register_as_limbs!(Fused64x4, Fused64, f64, 4, Fused64, inner64);
crate::limbs::register_as_limbs!(Fused32x4, Fused32, f32, 4, Fused32, inner32);

#[inline(always)]
fn inner64(x: Fused64) -> f64 {
    x.0
}
#[inline(always)]
fn inner32(x: Fused32) -> f32 {
    x.0
}

impl LimbScalar for Fused64 {
    type X2 = FusedPair;
    type X4 = Fused64x4;
}
impl LimbScalar for Fused32 {
    type X2 = Plain<Self, 2>;
    type X4 = Fused32x4;
}

/// [`best`] for scalars that have registers for limbs.
#[inline(always)]
pub(crate) fn best_limbs<T: LimbScalar, S: Fused<T> + LimbScalar, K: Kernel<T>>(kernel: K) -> K::Output {
    if has_avx2() {
        // SAFETY: the processor has both; `Fused` promises the layout.
        unsafe { limbs_with_avx2(kernel, Recast::<T, S>::new()) }
    } else {
        limbs_as_compiled(kernel)
    }
}

/// A part of a kernel that runs here already.
#[inline(always)]
fn nested_limbs<S: LimbScalar, K: Kernel<S>>(kernel: K) -> K::Output {
    // SAFETY: `S` is one of this module's types, so the processor was asked.
    unsafe { limbs_with_avx2(kernel, Recast::<S, S>::identity()) }
}

#[target_feature(enable = "avx2,fma")]
#[inline(never)]
fn limbs_with_avx2<T: LimbScalar, S: LimbScalar, K: Kernel<T>>(kernel: K, recast: Recast<T, S>) -> K::Output {
    kernel.run_limbs(recast)
}
