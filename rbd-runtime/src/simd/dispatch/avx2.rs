//! Run-time choice between the compiled target and AVX2 with FMA.
//!
//! With the feature `avx512`, lanes that fill a register of AVX-512 may use AVX-512 too.
//!
//! The types here are crate-private, and [`best`] alone hands them out, after asking the processor.
//! That proves every intrinsic that they use. A kernel may keep a function pointer over its `S`,
//! but it can only have got it on a processor that has the instructions.
//!
//! Code that must stay out of line goes through a function without `target_feature`. rustc 1.95
//! drops `inline(never)` next to `target_feature`, and LLVM then puts a part that is called once
//! back into the body that it was cut from.

#[cfg(feature = "avx512")]
#[path = "avx512.rs"]
mod avx512;
#[path = "four.rs"]
mod four;

use super::{Dispatched, Part, Recast, as_compiled, limbs_as_compiled};
use crate::lanes::avx2::{H32, H64, Two32, Two64, V32, V64};
use crate::lanes::avx512::Z64;
use crate::lanes::{
    F32x4, F32x8, F32x16, F64x2, F64x4, F64x8, Like, Pack, Packed, arithmetic, float_as_pack, scalar,
};
use crate::limbs::{LimbScalar, Plain};
use crate::{Scalar, sincos};
#[cfg(feature = "avx512")]
pub(crate) use avx512::{Wide32x16, Wide64x8, best_wide};
use four::FusedFour;
#[cfg(not(feature = "avx512"))]
pub(crate) use {Fused32x16 as Wide32x16, Fused64x8 as Wide64x8};

/// Returns whether the processor has AVX2 and FMA.
#[inline(always)]
fn has_avx2() -> bool {
    std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma")
}

/// Returns whether the processor has every instruction set that [`loops_with_avx512`] enables.
///
/// VL and DQ imply F, and processors with AVX-512 have AVX2. All are asked for nevertheless: it is
/// cheap, and keeps the proof in one place.
#[inline(always)]
fn has_avx512() -> bool {
    std::is_x86_feature_detected!("avx512f")
        && std::is_x86_feature_detected!("avx512vl")
        && std::is_x86_feature_detected!("avx512dq")
        && has_avx2()
}

/// The kernel with AVX2 and FMA if the processor has them, otherwise as compiled.
#[inline(always)]
pub(crate) fn best<T: Scalar, S: Scalar + Like<T>, K: Dispatched<T>>(kernel: K) -> K::Output {
    if has_avx2() {
        // SAFETY: the processor has both; `Like` promises the layout.
        unsafe { with_avx2(kernel, Recast::<T, S>::new()) }
    } else {
        as_compiled(kernel)
    }
}

/// [`best`], for lanes that fill a register of AVX-512, where that is not asked for.
#[cfg(not(feature = "avx512"))]
#[allow(clippy::extra_unused_type_parameters, reason = "called alike where there is a choice")]
#[inline(always)]
pub(crate) fn best_wide<T: Scalar, W, S: Scalar + Like<T>, K: Dispatched<T>>(kernel: K) -> K::Output {
    best::<T, S, K>(kernel)
}

/// A part of a kernel that runs here already.
#[inline(never)]
fn nested<S: Scalar, K: Dispatched<S>>(kernel: K) -> K::Output {
    // SAFETY: `S` is one of this module's types, so the processor was asked.
    unsafe { with_avx2(kernel, Recast::<S, S>::identity()) }
}

/// A part of a kernel's body that runs here already.
#[inline(never)]
fn part<P: Part>(part: P, kept: &mut P::Kept) {
    // SAFETY: one of this module's types calls it, so the processor was asked.
    unsafe { part_with_avx2(part, kept) }
}

#[target_feature(enable = "avx2,fma")]
#[inline(never)]
fn part_with_avx2<P: Part>(part: P, kept: &mut P::Kept) {
    part.run(kept);
}

#[target_feature(enable = "avx2,fma")]
#[inline(never)]
fn with_avx2<T: Scalar, S: Scalar, K: Dispatched<T>>(kernel: K, recast: Recast<T, S>) -> K::Output {
    kernel.run(recast)
}

/// Numbers as the plain ones that they are. `map` of an array becomes a call where there are many: a
/// quarter of the time of a humanoid's `gravity`.
#[inline(always)]
fn as_plain<S: Like<F>, F, const N: usize>(numbers: &[S; N]) -> &[F; N] {
    // `Like` lets `S` be aligned less.
    const { assert!(align_of::<S>() == align_of::<F>()) };
    // SAFETY: `Like` promises sizes and bits, and both begin at the same multiples.
    unsafe { &*(&raw const *numbers).cast() }
}

/// [`as_plain`] backwards.
#[inline(always)]
fn as_fused<S: Like<F>, F, const N: usize>(numbers: &[F; N]) -> &[S; N] {
    // SAFETY: `Like` promises sizes and bits, and that `S` is aligned no more.
    unsafe { &*(&raw const *numbers).cast() }
}

macro_rules! fused_float {
    ($(#[$doc:meta])* $name:ident, $float:ident, $many:ident, $nested:expr, $part:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $name($float);

        // SAFETY: transparent.
        unsafe impl Like<$float> for $name {}

        arithmetic!($name);

        float_as_pack!($name, $float, |x| x.0, Self, $float::mul_add);

        // An unspecified type is a plain number.
        #[diagnostic::do_not_recommend]
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
                let (sin, cos) = sincos::of_array::<$many, N>(*as_plain(&q));
                (*as_fused(&sin), *as_fused(&cos))
            }
            #[inline(always)]
            fn dispatch<K: Dispatched<Self>>(kernel: K) -> K::Output {
                $nested(kernel)
            }
            #[inline(always)]
            fn nested<K: Dispatched<Self>>(kernel: K) -> K::Output {
                $nested(kernel)
            }
            #[inline(always)]
            fn in_part<P: Part>(of: P, kept: &mut P::Kept) {
                $part(of, kept);
            }
        }
    };
}

fused_float!(
    /// A float whose `mul_add` is one instruction.
    Fused64, f64, V64, nested_limbs::<Self, Loop64, K>, part
);
fused_float!(
    /// A float whose `mul_add` is one instruction.
    Fused32, f32, V32, nested_limbs::<Self, Loop32, K>, part
);
fused_float!(
    /// An `f64` whose `mul_add` is one instruction, in loops that have AVX-512.
    Loop64, f64, V64, nested_loops::<Self, K>, part_of_loops
);
fused_float!(
    /// An `f32` whose `mul_add` is one instruction, in loops that have AVX-512.
    Loop32, f32, V32, nested_loops::<Self, K>, part_of_loops
);

/// Lanes in registers. `$nested` and `$part` run kernels and parts with the registers' instructions.
macro_rules! fused_lanes {
    ($(#[$doc:meta])* $name:ident, $pack:ident, $float:ident, $stock:ident, $nested:ident, $part:path) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $name($pack);

        // SAFETY: both are their lanes in order (`wide` converts by reinterpreting, and a test compares),
        // of equal size; any bits are a value of either.
        unsafe impl Like<$stock> for $name {}

        arithmetic!($name);
        scalar!($name, $float, $nested::<$name, K>, $nested::<$name, K>, $part);
    };
}

#[cfg(feature = "avx512")]
use fused_lanes;

fused_lanes!(
    /// [`F64x2`] in half a register.
    Fused64x2, H64, f64, F64x2, nested, part::<P>
);
fused_lanes!(
    /// [`F32x4`] in half a register.
    Fused32x4, H32, f32, F32x4, nested, part::<P>
);
fused_lanes!(
    /// [`F64x4`] in one register.
    Fused64x4, V64, f64, F64x4, nested, part::<P>
);
fused_lanes!(
    /// [`F64x8`] in two registers.
    Fused64x8, Two64, f64, F64x8, nested, part::<P>
);
fused_lanes!(
    /// [`F32x8`] in one register.
    Fused32x8, V32, f32, F32x8, nested, part::<P>
);
fused_lanes!(
    /// [`F32x16`] in two registers.
    Fused32x16, Two32, f32, F32x16, nested, part::<P>
);

crate::simd::by_value::pair_of_numbers!(
    /// Two [`Fused64`] as limbs.
    pub(crate) FusedPair, Fused64, H64, Fused64, inner64, "avx2,fma"
);
#[inline(always)]
fn inner64(x: Fused64) -> f64 {
    x.0
}
impl LimbScalar for Fused64 {
    type X2 = FusedPair;
    type X4 = FusedFour;
    type R4 = Packed<Self, V64>;
    type X8 = Packed<Self, Two64>;
}
impl LimbScalar for Fused32 {
    type X2 = Plain<Self, 2>;
    type X4 = Packed<Self, H32>;
    type R4 = Self::X4;
    type X8 = Packed<Self, V32>;
}
impl LimbScalar for Loop64 {
    type X2 = Plain<Self, 2>;
    type X4 = Packed<Self, V64>;
    type R4 = Self::X4;
    type X8 = Packed<Self, Z64>;
}
impl LimbScalar for Loop32 {
    type X2 = Plain<Self, 2>;
    type X4 = Packed<Self, H32>;
    type R4 = Self::X4;
    type X8 = Packed<Self, V32>;
}

/// [`best`] for scalars that have registers for limbs; with AVX-512, where the kernel is made for
/// it ([`Dispatched::WIDE`]).
#[inline(always)]
pub(crate) fn best_limbs<T, S, W, K>(kernel: K) -> K::Output
where
    T: LimbScalar,
    S: LimbScalar + Like<T>,
    W: LimbScalar + Like<T>,
    K: Dispatched<T>,
{
    if K::WIDE && has_avx512() {
        // SAFETY: the processor has all these instruction sets; `Like` promises the layout.
        unsafe { loops_with_avx512(kernel, Recast::<T, W>::new()) }
    } else if has_avx2() {
        // SAFETY: the processor has both; `Like` promises the layout.
        unsafe { limbs_with_avx2(kernel, Recast::<T, S>::new()) }
    } else {
        limbs_as_compiled(kernel)
    }
}

/// A part of a kernel that runs here already.
#[inline(never)]
fn nested_limbs<S: LimbScalar, W: LimbScalar, K: Dispatched<S>>(kernel: K) -> K::Output {
    if K::WIDE && has_avx512() {
        // SAFETY: the processor has all these instruction sets; both are transparent around one float.
        return unsafe { loops_with_avx512(kernel, Recast::<S, W>::new()) };
    }
    // SAFETY: `S` is one of this module's types, so the processor was asked.
    unsafe { limbs_with_avx2(kernel, Recast::<S, S>::identity()) }
}

/// A part of a kernel that runs with AVX-512 already.
#[inline(never)]
fn nested_loops<S: LimbScalar, K: Dispatched<S>>(kernel: K) -> K::Output {
    // SAFETY: `S` is `Loop64` or `Loop32`, so the processor was asked.
    unsafe { loops_with_avx512(kernel, Recast::<S, S>::identity()) }
}

#[target_feature(enable = "avx2,fma")]
#[inline(never)]
fn limbs_with_avx2<T: LimbScalar, S: LimbScalar, K: Dispatched<T>>(
    kernel: K,
    recast: Recast<T, S>,
) -> K::Output {
    kernel.run_limbs(recast)
}

/// A part of a kernel's body that runs with AVX-512 already.
#[inline(never)]
fn part_of_loops<P: Part>(part: P, kept: &mut P::Kept) {
    // SAFETY: `Loop64` or `Loop32` calls it, so the processor was asked.
    unsafe { part_with_avx512(part, kept) }
}

#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma")]
#[inline(never)]
fn part_with_avx512<P: Part>(part: P, kept: &mut P::Kept) {
    part.run(kept);
}

#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma")]
#[inline(never)]
fn loops_with_avx512<T: LimbScalar, S: LimbScalar, K: Dispatched<T>>(
    kernel: K,
    recast: Recast<T, S>,
) -> K::Output {
    kernel.run_limbs(recast)
}
