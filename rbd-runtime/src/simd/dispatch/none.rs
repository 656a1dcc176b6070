//! Builds that have no choice of instructions.

use super::{Dispatched, as_compiled};
use crate::Scalar;
use crate::lanes::{F32x4, F32x8, F32x16, F64x2, F64x4, F64x8};

pub(crate) type Fused64 = f64;
pub(crate) type Fused32 = f32;
pub(crate) type Fused64x2 = F64x2;
pub(crate) type Fused32x4 = F32x4;
pub(crate) type Fused64x4 = F64x4;
pub(crate) type Fused64x8 = F64x8;
pub(crate) type Fused32x8 = F32x8;
pub(crate) type Fused32x16 = F32x16;
pub(crate) type Loop64 = f64;
pub(crate) type Loop32 = f32;
pub(crate) type Wide64x8 = F64x8;
pub(crate) type Wide32x16 = F32x16;

/// The kernel as compiled.
#[allow(clippy::extra_unused_type_parameters, reason = "called alike where there is a choice")]
#[inline(always)]
pub(crate) fn best<T: Scalar, S, K: Dispatched<T>>(kernel: K) -> K::Output {
    as_compiled(kernel)
}

/// The kernel as compiled.
#[allow(clippy::extra_unused_type_parameters, reason = "called alike where there is a choice")]
#[inline(always)]
pub(crate) fn best_wide<T: Scalar, W, S, K: Dispatched<T>>(kernel: K) -> K::Output {
    as_compiled(kernel)
}

/// The kernel as compiled.
#[allow(clippy::extra_unused_type_parameters, reason = "called alike where there is a choice")]
#[inline(always)]
pub(crate) fn best_limbs<T: crate::limbs::LimbScalar, S, W, K: Dispatched<T>>(kernel: K) -> K::Output {
    super::limbs_as_compiled(kernel)
}
