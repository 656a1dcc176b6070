//! Steps under controls of the actuated joints alone.

use super::{DiscreteDynamics, Step, StepDerivatives, StepHessian, rollouts};
use crate::__private::zeros;
use crate::Scalar;
use nalgebra::{SMatrix, SVector};

/// Result of [`ActuatedSteps::actuated_step_derivatives`]: the next state and its derivatives.
///
/// With `x = [q; v]`, `A = [dq_dq dq_dv; dv_dq dv_dv]` and `B = [dq_du; dv_du]`. Tangent spaces are those of
/// [`StepDerivatives`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActuatedStepDerivatives<T, const NQ: usize, const NV: usize, const NU: usize> {
    /// Next configuration (NQ).
    pub q: SVector<T, NQ>,
    /// Next velocity (NV).
    pub v: SVector<T, NV>,
    /// Derivative of the next configuration by the configuration (NV x NV).
    pub dq_dq: SMatrix<T, NV, NV>,
    /// Derivative of the next configuration by the velocity (NV x NV), s.
    pub dq_dv: SMatrix<T, NV, NV>,
    /// Derivative of the next configuration by the controls (NV x NU).
    pub dq_du: SMatrix<T, NV, NU>,
    /// Derivative of the next velocity by the configuration (NV x NV), 1/s.
    pub dv_dq: SMatrix<T, NV, NV>,
    /// Derivative of the next velocity by the velocity (NV x NV).
    pub dv_dv: SMatrix<T, NV, NV>,
    /// Derivative of the next velocity by the controls (NV x NU).
    pub dv_du: SMatrix<T, NV, NU>,
}

/// Result of [`ActuatedSteps::actuated_step_hessian`]: a weighted sum of the next state, its gradient and its
/// Hessian. Blocks and their order are those of [`StepHessian`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActuatedStepHessian<T, const NV: usize, const NU: usize> {
    /// `lambda_q . q+ + lambda_v . v+`. Of `q+` only joints of one coordinate count.
    pub value: T,
    /// Gradient by the configuration (NV).
    pub dq: SVector<T, NV>,
    /// Gradient by the velocity (NV).
    pub dv: SVector<T, NV>,
    /// Gradient by the controls (NU).
    pub du: SVector<T, NU>,
    /// Derivative of `dq` by the configuration (NV x NV).
    pub dqdq: SMatrix<T, NV, NV>,
    /// Derivative of `dq` by the velocity (NV x NV).
    pub dqdv: SMatrix<T, NV, NV>,
    /// Derivative of `dv` by the velocity (NV x NV), symmetric.
    pub dvdv: SMatrix<T, NV, NV>,
    /// Derivative of `dq` by the controls (NV x NU).
    pub dqdu: SMatrix<T, NV, NU>,
    /// Derivative of `dv` by the controls (NV x NU).
    pub dvdu: SMatrix<T, NV, NU>,
    /// Derivative of `du` by the controls (NU x NU), symmetric.
    pub dudu: SMatrix<T, NU, NU>,
}

impl<T: Scalar, const NQ: usize, const NV: usize, const NU: usize> ActuatedStepDerivatives<T, NQ, NV, NU> {
    /// All zero: a place for a result.
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            q: zeros(),
            v: zeros(),
            dq_dq: zeros(),
            dq_dv: zeros(),
            dq_du: zeros(),
            dv_dq: zeros(),
            dv_dv: zeros(),
            dv_du: zeros(),
        }
    }
}

impl<T: Scalar, const NV: usize, const NU: usize> ActuatedStepHessian<T, NV, NU> {
    /// All zero: a place for a result.
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            value: T::zero(),
            dq: zeros(),
            dv: zeros(),
            du: zeros(),
            dqdq: zeros(),
            dqdv: zeros(),
            dvdv: zeros(),
            dqdu: zeros(),
            dvdu: zeros(),
            dudu: zeros(),
        }
    }
}

impl<T: Scalar, const NQ: usize, const NV: usize, const NU: usize> ActuatedStepDerivatives<T, NQ, NV, NU> {
    /// Derivatives by a robot's controls, from derivatives by all torques.
    pub(super) fn by_controls_of<R: ActuatedSteps<NQ, NV, NU> + ?Sized>(
        of: StepDerivatives<T, NQ, NV>,
    ) -> Self {
        let StepDerivatives { q, v, dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau } = of;
        let [dq_du, dv_du] = [&dq_dtau, &dv_dtau].map(R::of_controls);
        Self { q, v, dq_dq, dq_dv, dq_du, dv_dq, dv_dv, dv_du }
    }
}

impl<T: Scalar, const NV: usize, const NU: usize> ActuatedStepHessian<T, NV, NU> {
    /// Hessian by a robot's controls, from the Hessian by all torques.
    pub(super) fn by_controls_of<R: ActuatedSteps<NQ, NV, NU> + ?Sized, const NQ: usize>(
        of: StepHessian<T, NV>,
    ) -> Self {
        let StepHessian { value, dq, dv, dtau, dqdq, dqdv, dvdv, dqdtau, dvdtau, dtaudtau } = of;
        let [dqdu, dvdu] = [&dqdtau, &dvdtau].map(R::of_controls);
        let du = R::of_controls(&dtau.transpose()).transpose();
        let dudu = R::of_controls(&R::of_controls(&dtaudtau).transpose()).transpose();
        Self { value, dq, dv, du, dqdq, dqdv, dvdv, dqdu, dvdu, dudu }
    }
}

crate::batch::lanewise!(ActuatedStepDerivatives NQ NV NU: q v dq_dq dq_dv dq_du dv_dq dv_dv dv_du);
crate::batch::lanewise!(ActuatedStepHessian NV NU: value dq dv du dqdq dqdv dvdv dqdu dvdu dudu);

/// Robots with motors on some joints: those made with the options `step` and `actuated`.
///
/// Controls u are the torques of these joints' coordinates, in the order of the option. The torques of
/// other coordinates are zero. [`Self::torques`] and [`Self::of_controls`] serve functions that take all
/// torques, such as steps with friction. Steps under contacts are in
/// [`ActuatedContactSteps`](super::ActuatedContactSteps).
#[diagnostic::on_unimplemented(
    note = "a robot implements it if it is made with `step: ..` and `actuated: [..]`",
    note = "the sizes are the type's own: `<{{R::NQ}}, {{R::NV}}, {{R::NU}}>`"
)]
pub trait ActuatedSteps<const NQ: usize, const NV: usize, const NU: usize>: DiscreteDynamics<NQ, NV> {
    /// Velocity coordinate of each control.
    const ACTUATED: [usize; NU];

    /// The torques `S^T u` of all coordinates: N m, N.
    #[must_use]
    fn torques<T: Scalar>(u: &SVector<T, NU>) -> SVector<T, NV> {
        let mut tau = zeros();
        for (at, u) in Self::ACTUATED.iter().zip(u.iter()) {
            if let Some(tau) = SVector::get_mut(&mut tau, *at) {
                *tau = *u;
            }
        }
        tau
    }

    /// The columns of the controls, of a derivative by all torques.
    #[must_use]
    fn of_controls<T: Scalar, const R: usize>(by_torques: &SMatrix<T, R, NV>) -> SMatrix<T, R, NU> {
        let mut out = zeros();
        for (to, at) in out.data.0.iter_mut().zip(Self::ACTUATED) {
            if let Some(column) = by_torques.data.0.get(at) {
                *to = *column;
            }
        }
        out
    }

    /// The state after a time `dt` (s) under the controls `u`, which are constant meanwhile.
    ///
    /// [`DiscreteDynamics::step`] with the torques `S^T u`.
    #[must_use]
    fn actuated_step<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        u: &SVector<T, NU>,
        dt: T,
    ) -> Step<T, NQ, NV> {
        Self::step(q, v, &Self::torques(u), dt)
    }

    /// [`Self::actuated_step`] with its exact derivatives by the state and the controls.
    #[must_use]
    fn actuated_step_derivatives<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        u: &SVector<T, NU>,
        dt: T,
    ) -> ActuatedStepDerivatives<T, NQ, NV, NU> {
        let mut of = StepDerivatives::zeros();
        Self::step_derivatives_into(q, v, &Self::torques(u), dt, &mut of);
        ActuatedStepDerivatives::by_controls_of::<Self>(of)
    }

    /// Value, gradient and Hessian of the next state, weighted with `lambda_q` and `lambda_v` (NV each).
    ///
    /// The weighted sum is that of [`DiscreteDynamics::step_hessian`], with controls in place of torques.
    #[must_use]
    fn actuated_step_hessian<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        u: &SVector<T, NU>,
        dt: T,
        lambda_q: &SVector<T, NV>,
        lambda_v: &SVector<T, NV>,
    ) -> ActuatedStepHessian<T, NV, NU> {
        let mut of = StepHessian::zeros();
        Self::step_hessian_into(q, v, &Self::torques(u), dt, lambda_q, lambda_v, &mut of);
        ActuatedStepHessian::by_controls_of::<Self, NQ>(of)
    }

    /// Steps through `controls`, one a step, and writes the state after each to `states`.
    ///
    /// [`DiscreteDynamics::rollout`] with controls in place of torques.
    fn actuated_rollout<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        controls: &[SVector<T, NU>],
        dt: T,
        states: &mut [Step<T, NQ, NV>],
    ) {
        let step = |at: &Step<T, NQ, NV>, u: &_| Self::actuated_step(&at.q, &at.v, u, dt);
        rollouts::rollout(Step { q: *q, v: *v }, controls, states, step);
    }

    /// [`Self::actuated_rollout`] with the derivative of each state along one direction.
    ///
    /// Arguments are those of [`DiscreteDynamics::rollout_sensitivity`].
    fn actuated_rollout_sensitivity<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        controls: &[SVector<T, NU>],
        dt: T,
        direction: (&SVector<T, NV>, &SVector<T, NV>, &[SVector<T, NU>]),
        states: &mut [Step<T, NQ, NV>],
        changes: &mut [(SVector<T, NV>, SVector<T, NV>)],
    ) {
        let derivatives = |at: &Step<T, NQ, NV>, tau: &_, out: &mut _| {
            Self::step_derivatives_into(&at.q, &at.v, tau, dt, out);
        };
        let first = Step { q: *q, v: *v };
        rollouts::sensitivity(first, controls, direction, states, changes, derivatives, Self::torques);
    }

    /// Gradient of a cost of a [rollout](Self::actuated_rollout) by all controls and the first state.
    ///
    /// Arguments and result are those of [`DiscreteDynamics::rollout_adjoint`].
    #[must_use = "gradient by the first state"]
    fn actuated_rollout_adjoint<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        controls: &[SVector<T, NU>],
        dt: T,
        states: &[Step<T, NQ, NV>],
        gradient: &mut [(SVector<T, NV>, SVector<T, NV>)],
        by_controls: &mut [SVector<T, NU>],
    ) -> (SVector<T, NV>, SVector<T, NV>) {
        let derivatives = |at: &Step<T, NQ, NV>, u: &_, out: &mut _| {
            Self::step_derivatives_into(&at.q, &at.v, &Self::torques(u), dt, out);
        };
        let of_controls = |by_tau: SVector<T, NV>| Self::of_controls(&by_tau.transpose()).transpose();
        let first = Step { q: *q, v: *v };
        rollouts::adjoint(first, controls, states, gradient, by_controls, derivatives, of_controls)
    }
}
