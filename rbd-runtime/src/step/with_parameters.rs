//! Steps with inertia and gravity that are given at run time.

use super::compiled::{self, Source, source};
use super::{DiscreteDynamics, Step, StepDerivatives, StepHessian, rollouts};
use crate::{AbaDerivatives, AbaHessian, HasParameters, Scalar};
use nalgebra::SVector;

/// Robots with a discrete step that take inertia or gravity at run time.
///
/// Those made with the option `step`, and `inertia` or `gravity: runtime`. Functions without parameters use
/// the default ones.
///
/// Functions are generic over the scalar. Parameters with dual parts give the derivative of a step by
/// parameters.
#[diagnostic::on_unimplemented(
    note = "a robot implements it if it is made with `step: ..`, and with `inertia: {{ .. }}` or `gravity: runtime`",
    note = "NQ and NV are the type's own: `<{{R::NQ}}, {{R::NV}}>`"
)]
pub trait StepsWithParameters<const NQ: usize, const NV: usize>:
    DiscreteDynamics<NQ, NV> + HasParameters
{
    /// The state after a time `dt` (s) under the torques `tau`, with inertia and gravity of `parameters`.
    #[must_use]
    fn step_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
    ) -> Step<T, NQ, NV> {
        compiled::step(Given::<Self, T>(parameters), q, v, tau, dt)
    }

    /// [`Self::step_with`] with exact derivatives by the state and the torques.
    #[must_use]
    fn step_derivatives_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
    ) -> StepDerivatives<T, NQ, NV> {
        let mut out = StepDerivatives::zeros();
        Self::step_derivatives_with_into(parameters, q, v, tau, dt, &mut out);
        out
    }

    /// [`Self::step_derivatives_with`] without a copy. Writes every entry of `out`.
    fn step_derivatives_with_into<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        out: &mut StepDerivatives<T, NQ, NV>,
    ) {
        compiled::derivatives(Given::<Self, T>(parameters), q, v, tau, dt, out);
    }

    /// [`DiscreteDynamics::step_hessian`] with inertia and gravity of `parameters`.
    #[must_use]
    fn step_hessian_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        lambda_q: &SVector<T, NV>,
        lambda_v: &SVector<T, NV>,
    ) -> StepHessian<T, NV> {
        let mut out = StepHessian::zeros();
        Self::step_hessian_with_into(parameters, q, v, tau, dt, lambda_q, lambda_v, &mut out);
        out
    }

    /// [`Self::step_hessian_with`] without a copy. Writes every entry of `out`.
    #[allow(clippy::too_many_arguments, reason = "those of `step_hessian_into`, and the parameters")]
    fn step_hessian_with_into<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        lambda_q: &SVector<T, NV>,
        lambda_v: &SVector<T, NV>,
        out: &mut StepHessian<T, NV>,
    ) {
        let source = Given::<Self, T>(parameters);
        compiled::hessian(source, q, [v, tau], dt, [lambda_q, lambda_v], out);
    }

    /// Steps through `controls`, one a step, and writes the state after each to `states`.
    ///
    /// [`DiscreteDynamics::rollout`] with inertia and gravity of `parameters`.
    fn rollout_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        controls: &[SVector<T, NV>],
        dt: T,
        states: &mut [Step<T, NQ, NV>],
    ) {
        let step = |at: &Step<T, NQ, NV>, tau: &_| Self::step_with(parameters, &at.q, &at.v, tau, dt);
        rollouts::rollout(Step { q: *q, v: *v }, controls, states, step);
    }

    /// [`Self::rollout_with`] with the derivative of each state along one direction.
    ///
    /// Arguments are those of [`DiscreteDynamics::rollout_sensitivity`].
    #[allow(clippy::too_many_arguments, reason = "those of rollouts, and the parameters")]
    fn rollout_sensitivity_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        controls: &[SVector<T, NV>],
        dt: T,
        direction: (&SVector<T, NV>, &SVector<T, NV>, &[SVector<T, NV>]),
        states: &mut [Step<T, NQ, NV>],
        changes: &mut [(SVector<T, NV>, SVector<T, NV>)],
    ) {
        let derivatives = |at: &Step<T, NQ, NV>, tau: &_, out: &mut _| {
            Self::step_derivatives_with_into(parameters, &at.q, &at.v, tau, dt, out);
        };
        let first = Step { q: *q, v: *v };
        rollouts::sensitivity(first, controls, direction, states, changes, derivatives, |tau| *tau);
    }

    /// Gradient of a cost of a [rollout](Self::rollout_with) by all controls and the first state.
    ///
    /// Arguments and result are those of [`DiscreteDynamics::rollout_adjoint`].
    #[must_use = "gradient by the first state"]
    #[allow(clippy::too_many_arguments, reason = "those of rollouts, and the parameters")]
    fn rollout_adjoint_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        controls: &[SVector<T, NV>],
        dt: T,
        states: &[Step<T, NQ, NV>],
        gradient: &mut [(SVector<T, NV>, SVector<T, NV>)],
        by_controls: &mut [SVector<T, NV>],
    ) -> (SVector<T, NV>, SVector<T, NV>) {
        let derivatives = |at: &Step<T, NQ, NV>, tau: &_, out: &mut _| {
            Self::step_derivatives_with_into(parameters, &at.q, &at.v, tau, dt, out);
        };
        let first = Step { q: *q, v: *v };
        rollouts::adjoint(first, controls, states, gradient, by_controls, derivatives, |by_tau| by_tau)
    }

    /// Accelerations.
    #[doc(hidden)]
    fn accelerations_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
    ) -> SVector<T, NV>;

    /// First derivatives of accelerations.
    #[doc(hidden)]
    fn accelerations_derivatives_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        out: &mut AbaDerivatives<T, NV>,
    );

    /// Accelerations, and their derivatives by the torques. Other fields of `out` hold anything afterwards.
    #[doc(hidden)]
    fn accelerations_by_torques_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        out: &mut AbaDerivatives<T, NV>,
    ) {
        Self::accelerations_derivatives_with(parameters, q, v, tau, out);
    }

    /// First derivatives of accelerations, and the Hessian of their sum weighted with `lambda`.
    #[doc(hidden)]
    fn weighted_accelerations_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        lambda: &SVector<T, NV>,
        first: &mut AbaDerivatives<T, NV>,
        out: &mut AbaHessian<T, NV>,
    );
}

/// A robot's functions with these parameters.
struct Given<'p, R: HasParameters + ?Sized, T: Scalar>(&'p R::Parameters<T>);

source!(
    Given<'_, R, T> where R: StepsWithParameters, self: (self.0,),
    accelerations_with, accelerations_by_torques_with, accelerations_derivatives_with,
    weighted_accelerations_with
);
