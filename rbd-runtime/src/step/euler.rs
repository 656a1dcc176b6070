//! Euler's steps: semi-implicit, if `SEMI`, and explicit.

use super::arithmetic::{Scratch, add_scaled, copy, scale};
use super::joined::{Joined, JoinedArrays};
use super::robot::StepRobot;
use super::{DerivativesOut, DiscreteDynamics, Integrator, State, StepDerivatives};
use crate::{Joint, Scalar};
use nalgebra::{SMatrix, SVector};

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn step<R: StepRobot<T>, T: Scalar, const SEMI: bool>(
    robot: &mut R,
    at: &State<'_, T>,
    mut scratch: Scratch<'_, T>,
    [q, v]: [&mut [T]; 2],
) {
    let n = at.v.len();
    let [ddq, along] = core::array::from_fn(|_| scratch.vector(n));
    robot.aba(at.q, at.v, at.tau, ddq);
    copy(v, at.v);
    add_scaled(v, ddq, at.dt);
    scale(along, if SEMI { v } else { at.v }, at.dt);
    robot.integrate(at.q, along, q);
}

/// Writes the next state and its derivatives.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn derivatives<R: StepRobot<T>, T: Scalar, const SEMI: bool>(
    robot: &mut R,
    at: &State<'_, T>,
    mut scratch: Scratch<'_, T>,
    out: &mut DerivativesOut<'_, T>,
) {
    let (n, dt) = (at.v.len(), at.dt);
    let along = scratch.vector(n);
    let joints = robot.joints();
    let first = robot.aba_derivatives(at.q, at.v, at.tau);
    copy(out.v, at.v);
    add_scaled(out.v, first.ddq, dt);
    scale(along, if SEMI { &*out.v } else { at.v }, dt);
    T::dispatch(Joined::<_, _, SEMI> { joints, along, by: first.by, dt, n, out: &mut out.blocks });
    robot.integrate(at.q, along, out.q);
}

/// True if any joint has several coordinates.
const fn any_turns(joints: &[Joint]) -> bool {
    let mut k = 0;
    while k < joints.len() {
        if joints[k].nv > 1 {
            return true;
        }
        k += 1;
    }
    false
}

/// Accelerations, and their derivatives by q, v and tau.
pub(super) type Accelerated<'a, T, const NV: usize> = (&'a SVector<T, NV>, [&'a SMatrix<T, NV, NV>; 3]);

/// [`derivatives`] of a compiled robot by its integrator, which is not `rk4`. If no accelerations are given,
/// `out` has them in the place of the next velocity.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn derivatives_from<R, T: Scalar, const NQ: usize, const NV: usize>(
    (q, v): (&SVector<T, NQ>, &SVector<T, NV>),
    dt: T,
    accelerations: Option<Accelerated<'_, T, NV>>,
    out: &mut StepDerivatives<T, NQ, NV>,
) where
    R: DiscreteDynamics<NQ, NV> + ?Sized,
{
    if let Some((ddq, _)) = accelerations {
        out.v = *ddq;
    }
    for (next, before) in out.v.iter_mut().zip(v) {
        *next = next.mul_add(dt, *before);
    }
    let is_semi_implicit = R::INTEGRATOR != Integrator::Explicit;
    let along = if is_semi_implicit { out.v } else { *v }.map(|v| v * dt);
    out.q = R::integrate(q, &along);
    let StepDerivatives { dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau, .. } = out;
    let joints = if const { any_turns(R::JOINTS) } { Some(R::JOINTS) } else { None };
    let (along, by) = (&along.data.0[0], accelerations.map(|(_, by)| by));
    let out = [dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau];
    if is_semi_implicit {
        T::dispatch(JoinedArrays::<_, NV, true> { joints, along, by, dt, out });
    } else {
        T::dispatch(JoinedArrays::<_, NV, false> { joints, along, by, dt, out });
    }
}
