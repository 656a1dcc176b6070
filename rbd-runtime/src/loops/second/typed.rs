//! Functions of this module on vectors and matrices of a robot's sizes, for generated code.

use super::{First, Given, Hessian};
use crate::loops::Tables;
use crate::{AbaDerivatives, AbaHessian, AbaSecondDerivatives, RneaHessian, RneaSecondDerivatives, Scalar};
use core::slice::from_mut;
use nalgebra::{SMatrix, SVector};

/// Configuration, velocity, acceleration or torque, and external forces. Forces are zero if empty.
#[derive(Clone, Copy, Debug)]
pub struct At<'a, T, const NQ: usize, const NV: usize> {
    /// Configuration.
    pub q: &'a SVector<T, NQ>,
    /// Velocity.
    pub v: &'a SVector<T, NV>,
    /// Acceleration for inverse dynamics, torque for forward dynamics.
    pub a: &'a SVector<T, NV>,
    /// Force on each body, in its joint frame.
    pub fext: &'a [SVector<T, 6>],
    /// Sines and cosines of the configuration's coordinates, if they are known.
    pub turned: Option<(&'a SVector<T, NQ>, &'a SVector<T, NQ>)>,
}

impl<T: Scalar, const NQ: usize, const NV: usize> At<'_, T, NQ, NV> {
    fn given<'g>(&'g self, mu: &'g [T]) -> Given<'g, T> {
        let turned = match self.turned {
            Some((sin, cos)) => Some([sin.as_slice(), cos.as_slice()]),
            None => None,
        };
        Given {
            q: self.q.as_slice(),
            v: self.v.as_slice(),
            a: self.a.as_slice(),
            mu,
            fext: self.fext,
            turned,
        }
    }
}

/// Numbers of an array of matrices, as one slice.
fn flat<T: Scalar, const NV: usize>(matrices: &mut [SMatrix<T, NV, NV>; NV]) -> &mut [T] {
    let len = NV * NV * NV;
    // SAFETY: nalgebra's static matrix is `repr(C)` around `repr(transparent)` around `[[T; NV]; NV]`.
    // An array has no gaps between its elements. The slice therefore has NV^3 numbers.
    // They are borrowed as long as the array is.
    unsafe { core::slice::from_raw_parts_mut(matrices.as_mut_ptr().cast(), len) }
}

/// Value, gradient and Hessian of `mu . tau`. `out` is from `zeros`, or a result for the same robot.
pub fn rnea_hessian_into<T: Scalar, const NQ: usize, const NV: usize, const P: usize>(
    tables: &Tables<'_, P>,
    at: At<'_, T, NQ, NV>,
    mu: &SVector<T, NV>,
    out: &mut RneaHessian<T, NV>,
) {
    let RneaHessian { value, dq, dv, da, dqdq, dqdv, dvdv, dqda } = out;
    let out = Hessian {
        value: from_mut(value),
        gradient: [dq.as_mut_slice(), dv.as_mut_slice(), da.as_mut_slice()],
        blocks: [dqdq.as_mut_slice(), dqdv.as_mut_slice(), dvdv.as_mut_slice(), dqda.as_mut_slice()],
        leaves_zeros: true,
    };
    super::rnea_hessian(tables, at.given(mu.as_slice()), out);
}

/// Forward dynamics, its first derivatives, and value, gradient and Hessian of `lambda . ddq`.
pub fn aba_hessian_into<T: Scalar, const NQ: usize, const NV: usize, const P: usize>(
    tables: &Tables<'_, P>,
    at: At<'_, T, NQ, NV>,
    lambda: &SVector<T, NV>,
    first: &mut AbaDerivatives<T, NV>,
    out: &mut AbaHessian<T, NV>,
) {
    let AbaHessian { value, dq, dv, dtau, dqdq, dqdv, dvdv, dqdtau } = out;
    let out = Hessian {
        value: from_mut(value),
        gradient: [dq.as_mut_slice(), dv.as_mut_slice(), dtau.as_mut_slice()],
        blocks: [dqdq.as_mut_slice(), dqdv.as_mut_slice(), dvdv.as_mut_slice(), dqdtau.as_mut_slice()],
        leaves_zeros: false,
    };
    super::aba_hessian(tables, at.given(lambda.as_slice()), first_of(first), out);
}

fn first_of<T: Scalar, const NV: usize>(first: &mut AbaDerivatives<T, NV>) -> First<'_, T> {
    let AbaDerivatives { ddq, ddq_dq, ddq_dv, ddq_dtau } = first;
    let by = [ddq_dq.as_mut_slice(), ddq_dv.as_mut_slice(), ddq_dtau.as_mut_slice()];
    First { ddq: ddq.as_mut_slice(), by }
}

/// Second derivatives of inverse dynamics. `out` is from `zeros`, or a result for the same robot.
pub fn rnea_second_derivatives_into<T: Scalar, const NQ: usize, const NV: usize, const P: usize>(
    tables: &Tables<'_, P>,
    at: At<'_, T, NQ, NV>,
    out: &mut RneaSecondDerivatives<T, NV>,
) {
    let RneaSecondDerivatives { d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, d2tau_dqda } = out;
    let out = [flat(d2tau_dqdq), flat(d2tau_dqdv), flat(d2tau_dvdv), flat(d2tau_dqda)];
    super::rnea_second_derivatives(tables, at.given(&[]), out);
}

/// Forward dynamics with its first and second derivatives.
pub fn aba_second_derivatives_into<T: Scalar, const NQ: usize, const NV: usize, const P: usize>(
    tables: &Tables<'_, P>,
    at: At<'_, T, NQ, NV>,
    first: &mut AbaDerivatives<T, NV>,
    out: &mut AbaSecondDerivatives<T, NV>,
) {
    let AbaSecondDerivatives { d2ddq_dqdq, d2ddq_dqdv, d2ddq_dvdv, d2ddq_dqdtau } = out;
    let out = [flat(d2ddq_dqdq), flat(d2ddq_dqdv), flat(d2ddq_dvdv), flat(d2ddq_dqdtau)];
    super::aba_second_derivatives(tables, at.given(&[]), first_of(first), out);
}

/// Weights `-M^-1 lambda` of torques. Their Hessian is a part of the Hessian of `lambda . ddq`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn weights_of_torques<T: Scalar, const NV: usize>(
    first: &AbaDerivatives<T, NV>,
    lambda: &SVector<T, NV>,
) -> SVector<T, NV> {
    let (inverse, lambda) = (&first.ddq_dtau.data.0, &lambda.data.0[0]);
    let mut mu = [T::zero(); NV];
    for (column, by) in inverse.iter().zip(lambda) {
        for (mu, x) in mu.iter_mut().zip(column) {
            *mu -= *x * *by;
        }
    }
    SVector::from_data(nalgebra::ArrayStorage([mu]))
}

/// Second derivatives of forward dynamics from its `first` derivatives. `at.a` is `first.ddq`.
pub fn aba_second_derivatives_of_parts<T: Scalar, const NQ: usize, const NV: usize, const P: usize>(
    tables: &Tables<'_, P>,
    at: At<'_, T, NQ, NV>,
    first: &AbaDerivatives<T, NV>,
    out: &mut AbaSecondDerivatives<T, NV>,
) {
    let AbaSecondDerivatives { d2ddq_dqdq, d2ddq_dqdv, d2ddq_dvdv, d2ddq_dqdtau } = out;
    let out = [flat(d2ddq_dqdq), flat(d2ddq_dqdv), flat(d2ddq_dvdv), flat(d2ddq_dqdtau)];
    let AbaDerivatives { ddq_dq, ddq_dv, ddq_dtau, .. } = first;
    let by = [ddq_dq.as_slice(), ddq_dv.as_slice(), ddq_dtau.as_slice()];
    super::aba_second_derivatives_of_parts(tables, at.given(&[]), by, out);
}
