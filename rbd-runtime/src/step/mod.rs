//! The discrete step: the next state, its derivatives and weighted Hessians on the manifold of
//! configurations.
//!
//! Formulas are in docs/math.md#discrete-step. The step is made of a robot's `aba`, `aba_derivatives`,
//! `aba_hessian` and `integrate`. Blocks of single joints are multiplied, never matrices that are mostly
//! zero.
//!
//! Compiled robots have [`DiscreteDynamics`]. Robots whose sizes are known at run time implement
//! [`StepRobot`], and call [`step`], [`step_derivatives`] and [`step_hessian`] on slices.

mod actuated;
mod actuated_contacts;
mod actuated_with_parameters;
mod arithmetic;
mod batches;
mod compiled;
mod contact_hessians;
mod contacts;
mod damped;
mod euler;
mod friction;
mod hessian;
mod in_place;
mod jacobians;
mod joined;
mod rate;
mod results;
mod robot;
mod rollouts;
mod runge_kutta;
mod runge_kutta_hessian;
mod sandwich;
mod slices;
mod turning;
mod under_contacts;
mod with_parameters;

pub use actuated::{ActuatedStepDerivatives, ActuatedStepHessian, ActuatedSteps};
pub use actuated_contacts::{
    ActuatedContactDynamicsDerivatives, ActuatedContactStepDerivatives, ActuatedContactSteps,
};
pub use actuated_with_parameters::{ActuatedContactStepsWithParameters, ActuatedStepsWithParameters};
pub use arithmetic::Scratch;
pub use batches::RolloutGradients;
pub use contact_hessians::ContactStepHessians;
pub use contacts::{ContactStep, ContactStepDerivatives, ContactSteps, ContactStepsWithParameters};
pub use friction::{
    FrictionContacts, FrictionStep, FrictionStepDerivatives, JointFrictionStep, JointFrictionStepDerivatives,
    all_impulses_of, impulses_of,
};
pub use hessian::{Blocks, WeightedStep};
pub use results::{Step, StepDerivatives, StepHessian};
pub use robot::{Accelerations, MovingJoint, StepRobot, Weighted};
pub use slices::{DerivativesOut, MOST_SCRATCH, State, move_on, step, step_derivatives, step_hessian};
pub use with_parameters::StepsWithParameters;

use crate::{AbaDerivatives, AbaHessian, ForwardDynamics, ForwardDynamicsDerivatives, Scalar};
use compiled::Own;
use core::marker::PhantomData;
use nalgebra::SVector;

/// Integration method of a step. `ddq(q, v, tau)` is forward dynamics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Integrator {
    /// `v+ = v + dt ddq(q, v, tau)`, `q+ = integrate(q, dt v+)`. Order 1.
    ///
    /// Energies stay near their true value.
    SemiImplicit,
    /// `v+ = v + dt ddq(q, v, tau)`, `q+ = integrate(q, dt v)`. Order 1.
    ///
    /// Oscillations gain energy.
    Explicit,
    /// Runge and Kutta's method of order 4, by Munthe-Kaas on the manifold of configurations. The torques
    /// are constant during the step.
    Rk4,
    /// `v+ = v + dt (M + dt D)^-1 (tau - b(q, v))`, `q+ = integrate(q, dt v+)`. Order 1.
    ///
    /// D is the diagonal of joint damping, and b contains `D v`: damping acts at the velocity of the
    /// step's end. It remains stable where `dt D` is much larger than M.
    ImplicitDamping,
}

/// Robots with a discrete step: those made with the option `step`.
///
/// A solver for any robot and any integrator is written
/// `fn solve<R: DiscreteDynamics<NQ, NV>, const NQ: usize, const NV: usize>(..)`. Functions are also
/// associated functions of the generated type.
#[diagnostic::on_unimplemented(
    note = "a robot implements it if it is made with the option `step`, such as `step: semi_implicit`",
    note = "NQ and NV are the type's own: `<{{R::NQ}}, {{R::NV}}>`"
)]
pub trait DiscreteDynamics<const NQ: usize, const NV: usize>:
    ForwardDynamics<NQ, NV> + ForwardDynamicsDerivatives<NQ, NV>
{
    /// The integrator that the option names.
    const INTEGRATOR: Integrator;

    /// The state after a time `dt` (s) under the torques `tau`, which are constant meanwhile.
    ///
    /// `dt` may be any number: a negative one steps back, and NaN gives NaN.
    #[must_use]
    fn step<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
    ) -> Step<T, NQ, NV> {
        compiled::step(Own::<Self>(PhantomData), q, v, tau, dt)
    }

    /// The state after a time `dt`, and its exact derivatives by the state and the torques.
    ///
    /// Column j of a derivative by `q` is that along `integrate(q, e * unit(j))`. Rows of `q` are in
    /// the tangent space at the next configuration.
    #[must_use]
    fn step_derivatives<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
    ) -> StepDerivatives<T, NQ, NV> {
        let mut out = StepDerivatives::zeros();
        Self::step_derivatives_into(q, v, tau, dt, &mut out);
        out
    }

    /// [`Self::step_derivatives`] without a copy. Writes every entry of `out`.
    fn step_derivatives_into<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        out: &mut StepDerivatives<T, NQ, NV>,
    ) {
        compiled::derivatives(Own::<Self>(PhantomData), q, v, tau, dt, out);
    }

    /// Value, gradient and Hessian of the next state, weighted with `lambda_q` and `lambda_v`.
    ///
    /// They are those of `lambda_q . difference(at, q+) + lambda_v . v+` as a function of the old state and
    /// the torques, `at` being the next configuration itself. `lambda_q` (NV) weights motions in the tangent
    /// space there. A Lagrangian's terms of the dynamics are this sum, with multipliers for weights.
    #[must_use]
    fn step_hessian<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        lambda_q: &SVector<T, NV>,
        lambda_v: &SVector<T, NV>,
    ) -> StepHessian<T, NV> {
        let mut out = StepHessian::zeros();
        Self::step_hessian_into(q, v, tau, dt, lambda_q, lambda_v, &mut out);
        out
    }

    /// [`Self::step_hessian`] without a copy. Writes every entry of `out`.
    fn step_hessian_into<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        lambda_q: &SVector<T, NV>,
        lambda_v: &SVector<T, NV>,
        out: &mut StepHessian<T, NV>,
    ) {
        compiled::hessian(Own::<Self>(PhantomData), q, [v, tau], dt, [lambda_q, lambda_v], out);
    }

    /// Damping of each velocity coordinate, N m s/rad or N s/m, for [`Integrator::ImplicitDamping`].
    #[doc(hidden)]
    const DAMPING: &'static [f64] = &[];

    /// Accelerations, and their derivatives by the torques. Other fields of `out` hold anything afterwards.
    #[doc(hidden)]
    fn accelerations_by_torques<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        out: &mut AbaDerivatives<T, NV>,
    ) {
        Self::aba_derivatives_into(q, v, tau, out);
    }

    /// First derivatives of accelerations, and the Hessian of their sum weighted with `lambda`.
    #[doc(hidden)]
    fn weighted_accelerations<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        lambda: &SVector<T, NV>,
        first: &mut AbaDerivatives<T, NV>,
        out: &mut AbaHessian<T, NV>,
    );

    /// Steps through `controls`, one a step, and writes the state after each to `states`.
    ///
    /// The shorter of both slices ends it. Nothing is allocated.
    fn rollout<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        controls: &[SVector<T, NV>],
        dt: T,
        states: &mut [Step<T, NQ, NV>],
    ) {
        let step = |at: &Step<T, NQ, NV>, tau: &_| Self::step(&at.q, &at.v, tau, dt);
        rollouts::rollout(Step { q: *q, v: *v }, controls, states, step);
    }

    /// [`Self::rollout`] with the derivative of each state along one direction.
    ///
    /// - `direction`: change of the first configuration in its tangent space, of the first velocity, and of
    ///   each control.
    /// - `changes[k]`: receives the change of the state after step k, that of `q` in the tangent space there.
    ///
    /// The shortest slice ends it. Each step is linearised once, and nothing is allocated.
    fn rollout_sensitivity<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        controls: &[SVector<T, NV>],
        dt: T,
        direction: (&SVector<T, NV>, &SVector<T, NV>, &[SVector<T, NV>]),
        states: &mut [Step<T, NQ, NV>],
        changes: &mut [(SVector<T, NV>, SVector<T, NV>)],
    ) {
        let derivatives = |at: &Step<T, NQ, NV>, tau: &_, out: &mut _| {
            Self::step_derivatives_into(&at.q, &at.v, tau, dt, out);
        };
        let first = Step { q: *q, v: *v };
        rollouts::sensitivity(first, controls, direction, states, changes, derivatives, |tau| *tau);
    }

    /// Gradient of a cost of a [rollout](Self::rollout) by all controls and the first state.
    ///
    /// - `states`: written by [`Self::rollout`] for the same `controls`.
    /// - `gradient[k]`: gradient of the cost by the state after step k alone, that by `q` in the tangent
    ///   space there. It is overwritten with the gradient of the whole cost by that state.
    /// - `by_controls[k]`: receives the gradient by control k of all costs of states.
    ///
    /// The result is the gradient by the first state, in its tangent space.
    ///
    /// The shortest slice ends it. Only the states are stored, and each step is linearised once.
    #[must_use = "gradient by the first state"]
    fn rollout_adjoint<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        controls: &[SVector<T, NV>],
        dt: T,
        states: &[Step<T, NQ, NV>],
        gradient: &mut [(SVector<T, NV>, SVector<T, NV>)],
        by_controls: &mut [SVector<T, NV>],
    ) -> (SVector<T, NV>, SVector<T, NV>) {
        let derivatives = |at: &Step<T, NQ, NV>, tau: &_, out: &mut _| {
            Self::step_derivatives_into(&at.q, &at.v, tau, dt, out);
        };
        let first = Step { q: *q, v: *v };
        rollouts::adjoint(first, controls, states, gradient, by_controls, derivatives, |by_tau| by_tau)
    }
}
