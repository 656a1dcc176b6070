//! AVX-512 for lanes that fill one of its registers.
//!
//! It takes half the instructions of AVX2 and has twice the registers. Nothing else gains from it
//! (measured, see `docs/avx512.md`). As for AVX2, the types are crate-private and handed out only
//! after asking the processor.

use super::{Dispatched, Recast, best, fused_lanes, has_avx512};
use crate::Scalar;
use crate::lanes::avx512::{Z32, Z64};
use crate::lanes::{F32x16, F64x8, Like, arithmetic, scalar};

/// The kernel with AVX-512 if the processor has it, otherwise the best below that.
#[inline(always)]
pub(crate) fn best_wide<T: Scalar, W: Scalar + Like<T>, S: Scalar + Like<T>, K: Dispatched<T>>(
    kernel: K,
) -> K::Output {
    if has_avx512() {
        // SAFETY: the processor has all these instruction sets; `Like` promises the layout.
        unsafe { with_avx512(kernel, Recast::<T, W>::new()) }
    } else {
        best::<T, S, K>(kernel)
    }
}

/// A part of a kernel that runs here already.
#[inline(never)]
fn nested<S: Scalar, K: Dispatched<S>>(kernel: K) -> K::Output {
    // SAFETY: `S` is one of this module's types, so the processor was asked.
    unsafe { with_avx512(kernel, Recast::<S, S>::identity()) }
}

#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma")]
#[inline(never)]
fn with_avx512<T: Scalar, S: Scalar, K: Dispatched<T>>(kernel: K, recast: Recast<T, S>) -> K::Output {
    kernel.run(recast)
}

fused_lanes!(
    /// [`F64x8`] in one register.
    Wide64x8, Z64, f64, F64x8, nested, super::part_of_loops::<P>
);
fused_lanes!(
    /// [`F32x16`] in one register.
    Wide32x16, Z32, f32, F32x16, nested, super::part_of_loops::<P>
);
