//! Euler's steps: semi-implicit, if `SEMI`, and explicit.

use super::blocks;
use super::{Step, StepDerivatives};
use crate::__private::zeros;
use crate::{ForwardDynamics, ForwardDynamicsDerivatives, Scalar};
use nalgebra::{SMatrix, SVector};

/// `to += from * dt`.
fn add_scaled<T: Scalar, const N: usize>(to: &mut SVector<T, N>, from: &SVector<T, N>, dt: T) {
    for (to, from) in to.data.0[0].iter_mut().zip(&from.data.0[0]) {
        *to = from.mul_add(dt, *to);
    }
}

/// `to = from * dt`. Columns are loops of their own, since the compiler makes no registers of flattened ones.
fn scaled<T: Scalar, const NV: usize>(to: &mut SMatrix<T, NV, NV>, from: &SMatrix<T, NV, NV>, dt: T) {
    for (to, from) in to.data.0.iter_mut().zip(&from.data.0) {
        for (to, from) in to.iter_mut().zip(from) {
            *to = *from * dt;
        }
    }
}

pub(super) fn step<R, T: Scalar, const NQ: usize, const NV: usize, const SEMI: bool>(
    q: &SVector<T, NQ>,
    v: &SVector<T, NV>,
    tau: &SVector<T, NV>,
    dt: T,
) -> Step<T, NQ, NV>
where
    R: ForwardDynamics<NQ, NV> + ?Sized,
{
    let ddq = R::aba(q, v, tau);
    let mut next = *v;
    add_scaled(&mut next, &ddq, dt);
    let along = if SEMI { &next } else { v }.map(|x| x * dt);
    Step { q: R::integrate(q, &along), v: next }
}

pub(super) fn derivatives<R, T: Scalar, const NQ: usize, const NV: usize, const SEMI: bool>(
    q: &SVector<T, NQ>,
    v: &SVector<T, NV>,
    tau: &SVector<T, NV>,
    dt: T,
    out: &mut StepDerivatives<T, NQ, NV>,
) where
    R: ForwardDynamicsDerivatives<NQ, NV> + ?Sized,
{
    let mut d = crate::AbaDerivatives::zeros();
    R::aba_derivatives_into(q, v, tau, &mut d);
    out.v = *v;
    add_scaled(&mut out.v, &d.ddq, dt);
    let along = if SEMI { &out.v } else { v }.map(|x| x * dt);
    out.q = R::integrate(q, &along);
    scaled(&mut out.dv_dq, &d.ddq_dq, dt);
    scaled(&mut out.dv_dv, &d.ddq_dv, dt);
    scaled(&mut out.dv_dtau, &d.ddq_dtau, dt);
    blocks::add_diagonal(&mut out.dv_dv, T::one());
    if SEMI {
        // q+ moves by dt v+: the derivatives of v+, times dt, through the Jacobian of `integrate`.
        scaled(&mut out.dq_dq, &out.dv_dq, dt);
        scaled(&mut out.dq_dv, &out.dv_dv, dt);
        scaled(&mut out.dq_dtau, &out.dv_dtau, dt);
    } else {
        (out.dq_dq, out.dq_dv, out.dq_dtau) = (zeros(), zeros(), zeros());
        blocks::add_diagonal(&mut out.dq_dv, dt);
    }
    blocks::through_integrate(
        R::JOINTS,
        &along,
        &mut out.dq_dq,
        if SEMI { [Some(&mut out.dq_dv), Some(&mut out.dq_dtau)] } else { [Some(&mut out.dq_dv), None] },
    );
}
