//! Rollouts of any step of a compiled robot: many steps one after the other, their derivative along a
//! direction, and the gradient of a cost of their states.
//!
//! The caller gives the step, and what its controls `U` are beside the torques of all coordinates.

use super::{Step, StepDerivatives};
use crate::__private::zeros;
use crate::Scalar;
use nalgebra::{SMatrix, SVector};

/// Writes the state after each control.
pub(super) fn rollout<T: Scalar, U, const NQ: usize, const NV: usize>(
    first: Step<T, NQ, NV>,
    controls: &[U],
    states: &mut [Step<T, NQ, NV>],
    step: impl Fn(&Step<T, NQ, NV>, &U) -> Step<T, NQ, NV>,
) {
    let mut now = first;
    for (control, state) in controls.iter().zip(states) {
        now = step(&now, control);
        *state = now;
    }
}

/// A direction of a rollout: changes of the first configuration, the first velocity and each control.
pub(super) type Direction<'a, T, const NV: usize, U> = (&'a SVector<T, NV>, &'a SVector<T, NV>, &'a [U]);

/// Writes the state after each control, and its change along a direction.
pub(super) fn sensitivity<T: Scalar, U, const NQ: usize, const NV: usize>(
    first: Step<T, NQ, NV>,
    controls: &[U],
    direction: Direction<'_, T, NV, U>,
    states: &mut [Step<T, NQ, NV>],
    changes: &mut [(SVector<T, NV>, SVector<T, NV>)],
    derivatives: impl Fn(&Step<T, NQ, NV>, &SVector<T, NV>, &mut StepDerivatives<T, NQ, NV>),
    torques: impl Fn(&U) -> SVector<T, NV>,
) {
    let mut d = StepDerivatives::zeros();
    let (mut now, mut moved) = (first, (*direction.0, *direction.1));
    let given = controls.iter().zip(direction.2);
    for ((control, by_control), (state, change)) in given.zip(states.iter_mut().zip(changes)) {
        derivatives(&now, &torques(control), &mut d);
        let by_tau = torques(by_control);
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
pub(super) fn adjoint<T: Scalar, U, const NQ: usize, const NV: usize>(
    first: Step<T, NQ, NV>,
    controls: &[U],
    states: &[Step<T, NQ, NV>],
    gradient: &mut [(SVector<T, NV>, SVector<T, NV>)],
    by_controls: &mut [U],
    derivatives: impl Fn(&Step<T, NQ, NV>, &U, &mut StepDerivatives<T, NQ, NV>),
    of_controls: impl Fn(SVector<T, NV>) -> U,
) -> (SVector<T, NV>, SVector<T, NV>) {
    let mut d = StepDerivatives::zeros();
    let mut later = (zeros(), zeros());
    let count = controls.len().min(states.len()).min(gradient.len()).min(by_controls.len());
    let all = controls.iter().zip(gradient).zip(by_controls).take(count).enumerate();
    for (k, ((control, gradient), by_control)) in all.rev() {
        *gradient = plus(gradient, &later);
        let before = k.checked_sub(1).and_then(|before| states.get(before)).unwrap_or(&first);
        derivatives(before, control, &mut d);
        let by_torques;
        (later, by_torques) = gradient_before(&d, gradient);
        *by_control = of_controls(by_torques);
    }
    later
}

/// Gradient of a cost by a state: by the configuration, in its tangent space, and by the velocity.
type Gradient<T, const NV: usize> = (SVector<T, NV>, SVector<T, NV>);

/// The sum of gradients by a state.
pub(super) fn plus<T: Scalar, const NV: usize>(a: &Gradient<T, NV>, b: &Gradient<T, NV>) -> Gradient<T, NV> {
    let sum = |a: &SVector<T, NV>, b: &SVector<T, NV>| a.zip_map(b, |a, b| a + b);
    (sum(&a.0, &b.0), sum(&a.1, &b.1))
}

/// The gradient by the state and the torques before a step, from that by the state after it.
pub(super) fn gradient_before<T: Scalar, const NQ: usize, const NV: usize>(
    d: &StepDerivatives<T, NQ, NV>,
    after: &Gradient<T, NV>,
) -> (Gradient<T, NV>, SVector<T, NV>) {
    let back = |of_q: &SMatrix<T, NV, NV>, of_v: &SMatrix<T, NV, NV>| {
        let mut sum = crate::linalg::tr_mul(of_q, &after.0);
        crate::linalg::add_tr_mul(of_v, &after.1, &mut sum);
        sum
    };
    ((back(&d.dq_dq, &d.dv_dq), back(&d.dq_dv, &d.dv_dv)), back(&d.dq_dtau, &d.dv_dtau))
}
