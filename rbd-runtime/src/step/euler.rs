//! Euler's steps: semi-implicit, if `SEMI`, and explicit.

use super::arithmetic::{add_diagonal, add_scaled, plus_scaled, scale};
use super::jacobians::through_integrate;
use super::{Step, StepDerivatives};
use crate::__private::zeros;
use crate::dispatch::{Kernel, Recast};
use crate::{AbaDerivatives, ForwardDynamics, ForwardDynamicsDerivatives, Joint, Scalar};
use nalgebra::SVector;

pub(super) fn step<R, T: Scalar, const NQ: usize, const NV: usize, const SEMI: bool>(
    q: &SVector<T, NQ>,
    v: &SVector<T, NV>,
    tau: &SVector<T, NV>,
    dt: T,
) -> Step<T, NQ, NV>
where
    R: ForwardDynamics<NQ, NV> + ?Sized,
{
    let next = plus_scaled(v, &R::aba(q, v, tau), dt);
    let along = if SEMI { &next } else { v }.map(|x| x * dt);
    Step { q: R::integrate(q, &along), v: next }
}

/// Derivatives of a step, from those of accelerations.
///
/// It is a kernel for the registers that the processor has. It computes with the scalar itself, so that
/// values do not depend on the processor.
struct Joined<'a, T, const NQ: usize, const NV: usize, const SEMI: bool> {
    joints: &'a [Joint],
    along: &'a SVector<T, NV>,
    d: &'a AbaDerivatives<T, NV>,
    dt: T,
    out: &'a mut StepDerivatives<T, NQ, NV>,
}

impl<T: Scalar, const NQ: usize, const NV: usize, const SEMI: bool> Kernel<T>
    for Joined<'_, T, NQ, NV, SEMI>
{
    type Output = ();

    #[inline(always)]
    fn run<S: Scalar>(self, _: Recast<T, S>) {
        let Self { joints, along, d, dt, out } = self;
        scale(&mut out.dv_dq, &d.ddq_dq, dt);
        scale(&mut out.dv_dv, &d.ddq_dv, dt);
        scale(&mut out.dv_dtau, &d.ddq_dtau, dt);
        add_diagonal(&mut out.dv_dv, T::one());
        if SEMI {
            // q+ moves by dt v+: the derivatives of v+, times dt, through the Jacobian of `integrate`.
            scale(&mut out.dq_dq, &out.dv_dq, dt);
            scale(&mut out.dq_dv, &out.dv_dv, dt);
            scale(&mut out.dq_dtau, &out.dv_dtau, dt);
            through_integrate(joints, along, &mut out.dq_dq, [&mut out.dq_dv, &mut out.dq_dtau]);
        } else {
            (out.dq_dq, out.dq_dv, out.dq_dtau) = (zeros(), zeros(), zeros());
            add_diagonal(&mut out.dq_dv, dt);
            through_integrate(joints, along, &mut out.dq_dq, [&mut out.dq_dv]);
        }
    }
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
    let mut d = AbaDerivatives::zeros();
    R::aba_derivatives_into(q, v, tau, &mut d);
    out.v = *v;
    add_scaled(&mut out.v, &d.ddq, dt);
    let along = if SEMI { &out.v } else { v }.map(|x| x * dt);
    out.q = R::integrate(q, &along);
    T::dispatch(Joined::<_, _, _, SEMI> { joints: R::JOINTS, along: &along, d: &d, dt, out });
}
