//! Euler's steps: semi-implicit, if `SEMI`, and explicit.

use super::arithmetic::{
    Scratch, add_diagonal, add_scaled, copy, scale, scale_columns, scale_twice, set_diagonal,
};
use super::jacobians::through_integrate;
use super::robot::{MovingJoint, StepRobot};
use super::{DerivativesOut, State};
use crate::Scalar;
use crate::dispatch::{Dispatched, Recast};

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

/// Derivatives of a step, from those of accelerations.
///
/// It is a kernel for the registers that the processor has. It computes with the scalar itself, so that
/// values do not depend on the processor.
struct Joined<'a, 'b, T, I, const SEMI: bool> {
    joints: I,
    along: &'a [T],
    by: [&'a [T]; 3],
    dt: T,
    n: usize,
    out: &'a mut [&'b mut [T]; 6],
}

impl<T: Scalar, I: Iterator<Item = MovingJoint> + Clone, const SEMI: bool> Dispatched<T>
    for Joined<'_, '_, T, I, SEMI>
{
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<S: Scalar>(self, _: Recast<T, S>) {
        let Self { joints, along, by, dt, n, out } = self;
        let [dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau] = out;
        if SEMI {
            // q+ moves by dt v+: the derivatives of v+, times dt, through the Jacobian of `integrate`.
            scale_twice([&mut *dv_dq, &mut *dq_dq], by[0], dt);
            scale_twice([&mut *dv_dv, &mut *dq_dv], by[1], dt);
            scale_twice([&mut *dv_dtau, &mut *dq_dtau], by[2], dt);
            add_diagonal(dv_dv, T::one(), n);
            set_diagonal(dq_dv, dv_dv, dt, n);
            through_integrate(joints, along, dq_dq, [dq_dv, dq_dtau], n);
        } else {
            scale_columns(dv_dq, by[0], dt, n);
            scale_columns(dv_dv, by[1], dt, n);
            scale_columns(dv_dtau, by[2], dt, n);
            add_diagonal(dv_dv, T::one(), n);
            for to in [&mut *dq_dq, &mut *dq_dv, &mut *dq_dtau] {
                to.fill(T::zero());
            }
            add_diagonal(dq_dv, dt, n);
            through_integrate(joints, along, dq_dq, [dq_dv], n);
        }
    }
}

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
