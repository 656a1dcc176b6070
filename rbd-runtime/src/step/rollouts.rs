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
        gradient.0 += later.0;
        gradient.1 += later.1;
        let before = k.checked_sub(1).and_then(|before| states.get(before)).unwrap_or(&first);
        derivatives(before, control, &mut d);
        let back = |of_q, of_v| transposed(of_q, &gradient.0) + transposed(of_v, &gradient.1);
        later = (back(&d.dq_dq, &d.dv_dq), back(&d.dq_dv, &d.dv_dv));
        *by_control = of_controls(back(&d.dq_dtau, &d.dv_dtau));
    }
    later
}

/// `matrix^T vector`.
fn transposed<T: Scalar, const N: usize>(matrix: &SMatrix<T, N, N>, vector: &SVector<T, N>) -> SVector<T, N> {
    crate::linalg::tr_mul(matrix, vector)
}
