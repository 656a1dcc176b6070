//! First derivatives of forward dynamics: `d ddq/dx = -M^-1 d tau/dx`
//! (docs/math.md#derivatives-of-forward-dynamics).
//!
//! The derivatives of inverse dynamics are taken at the accelerations that forward dynamics gives.

use super::aba::aba;
use super::data::Data;
use super::minv::minv;
use super::rnea_derivatives::rnea_derivatives;
use crate::spatial::Vector6;
use crate::{Model, Scalar};
use nalgebra::{DMatrix, DVector};

/// Forward dynamics and its first derivatives. Rows are accelerations; columns are the tangent of
/// q, v and tau.
#[derive(Clone, Debug, PartialEq)]
pub struct AbaDerivatives<T: Scalar> {
    /// Joint accelerations.
    pub ddq: DVector<T>,
    /// Derivative of the accelerations by the configuration (tangent space).
    pub ddq_dq: DMatrix<T>,
    /// Derivative of the accelerations by the velocity.
    pub ddq_dv: DMatrix<T>,
    /// Derivative of the accelerations by the torques: M^-1, full and symmetric.
    pub ddq_dtau: DMatrix<T>,
}

impl<T: Scalar> AbaDerivatives<T> {
    pub(super) fn zeros(nv: usize) -> Self {
        let square = || DMatrix::zeros(nv, nv);
        Self { ddq: DVector::zeros(nv), ddq_dq: square(), ddq_dv: square(), ddq_dtau: square() }
    }
}

/// Forward dynamics and its first derivatives, with external forces that are constant in the body frames.
pub fn aba_derivatives<'d, T: Scalar>(
    model: &Model<T>,
    data: &'d mut Data<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    fext: Option<&[Vector6<T>]>,
) -> &'d AbaDerivatives<T> {
    aba(model, data, q, v, tau, fext);
    data.rhs.copy_from(&data.ddq);
    let ddq = core::mem::replace(&mut data.rhs, DVector::zeros(0));
    rnea_derivatives(model, data, q, v, ddq.as_slice(), fext);
    data.rhs = ddq;
    minv(model, data, q);
    let (inverse, out, by) = (&data.minv, &mut data.aba_derivatives, &data.rnea_derivatives);
    out.ddq.copy_from(&data.ddq);
    out.ddq_dtau.copy_from(inverse);
    minus_product(inverse, &by.dtau_dq, &mut out.ddq_dq);
    minus_product(inverse, &by.dtau_dv, &mut out.ddq_dv);
    &data.aba_derivatives
}

/// `-a b` of square matrices.
fn minus_product<T: Scalar>(a: &DMatrix<T>, b: &DMatrix<T>, out: &mut DMatrix<T>) {
    out.fill(T::zero());
    let n = a.nrows();
    for c in 0..n {
        for k in 0..n {
            let x = -b[(k, c)];
            for r in 0..n {
                out[(r, c)] = a[(r, k)].mul_add(x, out[(r, c)]);
            }
        }
    }
}
