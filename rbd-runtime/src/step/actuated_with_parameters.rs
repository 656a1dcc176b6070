//! Steps under controls of some joints, with inertia and gravity that are given at run time.

use super::{
    ActuatedContactStepDerivatives, ActuatedStepDerivatives, ActuatedStepHessian, ActuatedSteps, ContactStep,
    ContactStepDerivatives, ContactStepsWithParameters, Step, StepDerivatives, StepHessian,
    StepsWithParameters, rollouts,
};
use crate::Scalar;
use crate::contact::ContactSettings;
use nalgebra::SVector;

/// Robots with motors on some joints that take inertia or gravity at run time: those made with the options
/// `step`, `actuated`, and `inertia` or `gravity: runtime`.
///
/// Every robot with [`ActuatedSteps`] and [`StepsWithParameters`] has it. Functions are those of
/// [`ActuatedSteps`], with inertia and gravity of `parameters`.
#[diagnostic::on_unimplemented(
    note = "a robot implements it if it is made with `step: ..`, `actuated: [..]`, and with `inertia: {{ .. }}` or `gravity: runtime`",
    note = "the sizes are the type's own: `<{{R::NQ}}, {{R::NV}}, {{R::NU}}>`"
)]
pub trait ActuatedStepsWithParameters<const NQ: usize, const NV: usize, const NU: usize>:
    ActuatedSteps<NQ, NV, NU> + StepsWithParameters<NQ, NV>
{
    /// The state after a time `dt` (s) under the controls `u`, which are constant meanwhile.
    ///
    /// [`StepsWithParameters::step_with`] with the torques `S^T u`.
    #[must_use]
    fn actuated_step_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        u: &SVector<T, NU>,
        dt: T,
    ) -> Step<T, NQ, NV> {
        Self::step_with(parameters, q, v, &Self::torques(u), dt)
    }

    /// [`Self::actuated_step_with`] with its exact derivatives by the state and the controls.
    #[must_use]
    fn actuated_step_derivatives_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        u: &SVector<T, NU>,
        dt: T,
    ) -> ActuatedStepDerivatives<T, NQ, NV, NU> {
        let mut of = StepDerivatives::zeros();
        Self::step_derivatives_with_into(parameters, q, v, &Self::torques(u), dt, &mut of);
        ActuatedStepDerivatives::by_controls_of::<Self>(of)
    }

    /// Value, gradient and Hessian of the next state, weighted with `lambda_q` and `lambda_v` (NV each).
    ///
    /// [`ActuatedSteps::actuated_step_hessian`] with inertia and gravity of `parameters`.
    #[must_use]
    fn actuated_step_hessian_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        u: &SVector<T, NU>,
        dt: T,
        lambda_q: &SVector<T, NV>,
        lambda_v: &SVector<T, NV>,
    ) -> ActuatedStepHessian<T, NV, NU> {
        let mut of = StepHessian::zeros();
        Self::step_hessian_with_into(parameters, q, v, &Self::torques(u), dt, lambda_q, lambda_v, &mut of);
        ActuatedStepHessian::by_controls_of::<Self, NQ>(of)
    }

    /// Steps through `controls`, one a step, and writes the state after each to `states`.
    fn actuated_rollout_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        controls: &[SVector<T, NU>],
        dt: T,
        states: &mut [Step<T, NQ, NV>],
    ) {
        let step = |at: &Step<T, NQ, NV>, u: &_| Self::actuated_step_with(parameters, &at.q, &at.v, u, dt);
        rollouts::rollout(Step { q: *q, v: *v }, controls, states, step);
    }

    /// [`Self::actuated_rollout_with`] with the derivative of each state along one direction.
    ///
    /// Arguments are those of [`ActuatedSteps::actuated_rollout_sensitivity`].
    #[allow(clippy::too_many_arguments, reason = "those of rollouts, and the parameters")]
    fn actuated_rollout_sensitivity_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        controls: &[SVector<T, NU>],
        dt: T,
        direction: (&SVector<T, NV>, &SVector<T, NV>, &[SVector<T, NU>]),
        states: &mut [Step<T, NQ, NV>],
        changes: &mut [(SVector<T, NV>, SVector<T, NV>)],
    ) {
        let derivatives = |at: &Step<T, NQ, NV>, tau: &_, out: &mut _| {
            Self::step_derivatives_with_into(parameters, &at.q, &at.v, tau, dt, out);
        };
        let first = Step { q: *q, v: *v };
        rollouts::sensitivity(first, controls, direction, states, changes, derivatives, Self::torques);
    }

    /// Gradient of a cost of a [rollout](Self::actuated_rollout_with) by all controls and the first state.
    ///
    /// Arguments and result are those of [`ActuatedSteps::actuated_rollout_adjoint`].
    #[must_use = "gradient by the first state"]
    #[allow(clippy::too_many_arguments, reason = "those of rollouts, and the parameters")]
    fn actuated_rollout_adjoint_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        controls: &[SVector<T, NU>],
        dt: T,
        states: &[Step<T, NQ, NV>],
        gradient: &mut [(SVector<T, NV>, SVector<T, NV>)],
        by_controls: &mut [SVector<T, NU>],
    ) -> (SVector<T, NV>, SVector<T, NV>) {
        let derivatives = |at: &Step<T, NQ, NV>, u: &_, out: &mut _| {
            Self::step_derivatives_with_into(parameters, &at.q, &at.v, &Self::torques(u), dt, out);
        };
        let of_controls = |by_tau: SVector<T, NV>| Self::of_controls(&by_tau.transpose()).transpose();
        let first = Step { q: *q, v: *v };
        rollouts::adjoint(first, controls, states, gradient, by_controls, derivatives, of_controls)
    }
}

impl<R, const NQ: usize, const NV: usize, const NU: usize> ActuatedStepsWithParameters<NQ, NV, NU> for R where
    R: ActuatedSteps<NQ, NV, NU> + StepsWithParameters<NQ, NV> + ?Sized
{
}

/// Robots with motors on some joints and a discrete step under contacts that take inertia or gravity at run
/// time.
///
/// Every robot with [`ActuatedSteps`] and [`ContactStepsWithParameters`] has it.
#[diagnostic::on_unimplemented(
    note = "a robot implements it if it is made with `step: ..`, `actuated: [..]`, `contacts: [..]` or `closed_loops: {{ .. }}`, and with `inertia: {{ .. }}` or `gravity: runtime`",
    note = "the sizes are the type's own: `<{{R::NQ}}, {{R::NV}}, {{R::NU}}, {{R::NC}}, {{R::CONTACT_ROWS}}>`"
)]
pub trait ActuatedContactStepsWithParameters<
    const NQ: usize,
    const NV: usize,
    const NU: usize,
    const NC: usize,
    const NR: usize,
>: ActuatedSteps<NQ, NV, NU> + ContactStepsWithParameters<NQ, NV, NC, NR>
{
    /// The state after a time `dt` (s) under the controls `u`, with the active contacts held.
    ///
    /// [`ContactStepsWithParameters::contact_step_with`] with the torques `S^T u`.
    #[must_use]
    fn actuated_contact_step_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        u: &SVector<T, NU>,
        dt: T,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
    ) -> ContactStep<T, NQ, NV, NR> {
        Self::contact_step_with(parameters, q, v, &Self::torques(u), dt, active, settings)
    }

    /// [`Self::actuated_contact_step_with`] with exact derivatives by the state and the controls.
    #[must_use]
    fn actuated_contact_step_derivatives_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        u: &SVector<T, NU>,
        dt: T,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
    ) -> ActuatedContactStepDerivatives<T, NQ, NV, NU, NR> {
        let (mut of, tau) = (ContactStepDerivatives::zeros(), Self::torques(u));
        Self::contact_step_derivatives_with_into(parameters, q, v, &tau, dt, active, settings, &mut of);
        ActuatedContactStepDerivatives::by_controls_of::<Self>(of)
    }
}

impl<R, const NQ: usize, const NV: usize, const NU: usize, const NC: usize, const NR: usize>
    ActuatedContactStepsWithParameters<NQ, NV, NU, NC, NR> for R
where
    R: ActuatedSteps<NQ, NV, NU> + ContactStepsWithParameters<NQ, NV, NC, NR> + ?Sized,
{
}
