//! Rollouts of any step of a compiled robot: many steps one after the other, their derivative along a
//! direction, and the gradient of a cost of their states.

use super::compiled::Own;
use super::{ActuatedSteps, DiscreteDynamics, Step, StepDerivatives};
use crate::__private::zeros;
use crate::Scalar;
use core::marker::PhantomData;
use nalgebra::{SMatrix, SVector};

/// Steps of a robot, and what their controls are.
pub(super) trait Steps<T: Scalar, const NQ: usize, const NV: usize> {
    /// What a step takes beside the state.
    type Control;

    /// The torques of all coordinates.
    fn torques(&self, control: &Self::Control) -> SVector<T, NV>;

    /// The entries of controls, of a gradient by all torques.
    fn of_controls(&self, by_torques: &SVector<T, NV>) -> Self::Control;

    fn step(&self, q: &SVector<T, NQ>, v: &SVector<T, NV>, tau: &SVector<T, NV>, dt: T) -> Step<T, NQ, NV>;

    fn derivatives(
        &self,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        out: &mut StepDerivatives<T, NQ, NV>,
    );
}

impl<R, T: Scalar, const NQ: usize, const NV: usize> Steps<T, NQ, NV> for Own<R>
where
    R: DiscreteDynamics<NQ, NV> + ?Sized,
{
    type Control = SVector<T, NV>;

    #[inline(always)]
    fn torques(&self, control: &SVector<T, NV>) -> SVector<T, NV> {
        *control
    }

    #[inline(always)]
    fn of_controls(&self, by_torques: &SVector<T, NV>) -> SVector<T, NV> {
        *by_torques
    }

    #[inline(always)]
    fn step(&self, q: &SVector<T, NQ>, v: &SVector<T, NV>, tau: &SVector<T, NV>, dt: T) -> Step<T, NQ, NV> {
        R::step(q, v, tau, dt)
    }

    #[inline(always)]
    fn derivatives(
        &self,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        out: &mut StepDerivatives<T, NQ, NV>,
    ) {
        R::step_derivatives_into(q, v, tau, dt, out);
    }
}

/// A robot whose controls are the torques of some joints.
pub(super) struct OfControls<R: ?Sized, const NU: usize>(pub(super) PhantomData<fn() -> R>);

impl<R, T: Scalar, const NQ: usize, const NV: usize, const NU: usize> Steps<T, NQ, NV> for OfControls<R, NU>
where
    R: ActuatedSteps<NQ, NV, NU> + ?Sized,
{
    type Control = SVector<T, NU>;

    #[inline(always)]
    fn torques(&self, control: &SVector<T, NU>) -> SVector<T, NV> {
        R::torques(control)
    }

    #[inline(always)]
    fn of_controls(&self, by_torques: &SVector<T, NV>) -> SVector<T, NU> {
        let mut out = zeros();
        for (to, at) in SVector::iter_mut(&mut out).zip(R::ACTUATED) {
            if let Some(x) = by_torques.get(at) {
                *to = *x;
            }
        }
        out
    }

    #[inline(always)]
    fn step(&self, q: &SVector<T, NQ>, v: &SVector<T, NV>, tau: &SVector<T, NV>, dt: T) -> Step<T, NQ, NV> {
        R::step(q, v, tau, dt)
    }

    #[inline(always)]
    fn derivatives(
        &self,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        out: &mut StepDerivatives<T, NQ, NV>,
    ) {
        R::step_derivatives_into(q, v, tau, dt, out);
    }
}

/// Writes the state after each control.
pub(super) fn rollout<S, T: Scalar, const NQ: usize, const NV: usize>(
    steps: &S,
    (q, v): (&SVector<T, NQ>, &SVector<T, NV>),
    controls: &[S::Control],
    dt: T,
    states: &mut [Step<T, NQ, NV>],
) where
    S: Steps<T, NQ, NV>,
{
    let mut now = Step { q: *q, v: *v };
    for (control, state) in controls.iter().zip(states) {
        now = steps.step(&now.q, &now.v, &steps.torques(control), dt);
        *state = now;
    }
}

/// A direction of a rollout: changes of the first configuration, the first velocity and each control.
pub(super) type Direction<'a, T, const NV: usize, U> = (&'a SVector<T, NV>, &'a SVector<T, NV>, &'a [U]);

/// Writes the state after each control, and its change along a direction.
pub(super) fn sensitivity<S, T: Scalar, const NQ: usize, const NV: usize>(
    steps: &S,
    (q, v): (&SVector<T, NQ>, &SVector<T, NV>),
    controls: &[S::Control],
    dt: T,
    direction: Direction<'_, T, NV, S::Control>,
    states: &mut [Step<T, NQ, NV>],
    changes: &mut [(SVector<T, NV>, SVector<T, NV>)],
) where
    S: Steps<T, NQ, NV>,
{
    let mut d = StepDerivatives::zeros();
    let (mut now, mut moved) = (Step { q: *q, v: *v }, (*direction.0, *direction.1));
    let given = controls.iter().zip(direction.2);
    for ((control, by_control), (state, change)) in given.zip(states.iter_mut().zip(changes)) {
        steps.derivatives(&now.q, &now.v, &steps.torques(control), dt, &mut d);
        let by_tau = steps.torques(by_control);
        let along = |of_q, of_v, of_tau| {
            let mut sum = crate::linalg::mul(of_q, &moved.0);
            crate::linalg::add_mul(of_v, &moved.1, &mut sum);
            crate::linalg::add_mul(of_tau, &by_tau, &mut sum);
            sum
        };
        moved = (along(&d.dq_dq, &d.dq_dv, &d.dq_dtau), along(&d.dv_dq, &d.dv_dv, &d.dv_dtau));
        now = Step { q: d.q, v: d.v };
        (*state, *change) = (now, moved);
    }
}

/// Writes the gradient by each control, adds later costs to the gradients by states, and gives the gradient
/// by the first state.
pub(super) fn adjoint<S, T: Scalar, const NQ: usize, const NV: usize>(
    steps: &S,
    (q, v): (&SVector<T, NQ>, &SVector<T, NV>),
    controls: &[S::Control],
    dt: T,
    states: &[Step<T, NQ, NV>],
    gradient: &mut [(SVector<T, NV>, SVector<T, NV>)],
    by_controls: &mut [S::Control],
) -> (SVector<T, NV>, SVector<T, NV>)
where
    S: Steps<T, NQ, NV>,
{
    let mut d = StepDerivatives::zeros();
    let mut later = (zeros(), zeros());
    let count = controls.len().min(states.len()).min(gradient.len()).min(by_controls.len());
    let all = controls.iter().zip(gradient).zip(by_controls).take(count).enumerate();
    for (k, ((control, gradient), by_control)) in all.rev() {
        gradient.0 += later.0;
        gradient.1 += later.1;
        let (q, v) = match k.checked_sub(1).and_then(|before| states.get(before)) {
            Some(state) => (&state.q, &state.v),
            None => (q, v),
        };
        steps.derivatives(q, v, &steps.torques(control), dt, &mut d);
        let back = |of_q, of_v| transposed(of_q, &gradient.0) + transposed(of_v, &gradient.1);
        later = (back(&d.dq_dq, &d.dv_dq), back(&d.dq_dv, &d.dv_dv));
        *by_control = steps.of_controls(&back(&d.dq_dtau, &d.dv_dtau));
    }
    later
}

/// `matrix^T vector`.
fn transposed<T: Scalar, const N: usize>(matrix: &SMatrix<T, N, N>, vector: &SVector<T, N>) -> SVector<T, N> {
    crate::linalg::tr_mul(matrix, vector)
}
