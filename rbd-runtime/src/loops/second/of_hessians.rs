//! Tensors from Hessians of single outputs, for robots with parameters at run time.
//!
//! Tables are constants, so each output takes a call of a straight-line Hessian.

use crate::{AbaHessian, AbaSecondDerivatives, RneaHessian, RneaSecondDerivatives, Scalar};
use nalgebra::{ArrayStorage, SMatrix, SVector};

/// Unit vector: 1 at `at`, and 0 elsewhere.
#[must_use]
pub fn unit<T: Scalar, const NV: usize>(at: usize) -> SVector<T, NV> {
    let mut numbers = [T::zero(); NV];
    if let Some(x) = numbers.get_mut(at) {
        *x = T::one();
    }
    SVector::from_data(ArrayStorage([numbers]))
}

/// Writes entry (j, k) of a block to element `[k][(output, j)]`.
fn spread<T: Scalar, const NV: usize>(
    output: usize,
    block: &SMatrix<T, NV, NV>,
    out: &mut [SMatrix<T, NV, NV>; NV],
) {
    for (page, column) in out.iter_mut().zip(&block.data.0) {
        for (to, x) in page.data.0.iter_mut().zip(column) {
            if let Some(to) = to.get_mut(output) {
                *to = *x;
            }
        }
    }
}

/// Writes the entries of one torque, from its Hessian.
pub fn torque<T: Scalar, const NV: usize>(
    output: usize,
    of: &RneaHessian<T, NV>,
    out: &mut RneaSecondDerivatives<T, NV>,
) {
    spread(output, &of.dqdq, &mut out.d2tau_dqdq);
    spread(output, &of.dqdv, &mut out.d2tau_dqdv);
    spread(output, &of.dvdv, &mut out.d2tau_dvdv);
    spread(output, &of.dqda, &mut out.d2tau_dqda);
}

/// Writes the entries of one acceleration, from its Hessian.
pub fn acceleration<T: Scalar, const NV: usize>(
    output: usize,
    of: &AbaHessian<T, NV>,
    out: &mut AbaSecondDerivatives<T, NV>,
) {
    spread(output, &of.dqdq, &mut out.d2ddq_dqdq);
    spread(output, &of.dqdv, &mut out.d2ddq_dqdv);
    spread(output, &of.dvdv, &mut out.d2ddq_dvdv);
    spread(output, &of.dqdtau, &mut out.d2ddq_dqdtau);
}
