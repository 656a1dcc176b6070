//! The step under contacts: the same integrators, on the accelerations of `contact_dynamics`.
//!
//! With implicit damping, accelerations and forces are those under the torques `tau - D (v+ - v)`: contacts
//! hold what damping at the end of the step leaves (docs/math.md#implicit-damping).

use super::compiled::Own;
use super::under_contacts::{Given, derivatives_under_contacts, step_under_contacts};
use super::{DiscreteDynamics, StepDerivatives};
use crate::__private::zeros;
use crate::contact::{ContactDynamics, ContactDynamicsDerivatives, Contacts, ContactsWithParameters};
use crate::{ContactSettings, Scalar};
use core::marker::PhantomData;
use nalgebra::SVector;

/// Result of [`ContactSteps::contact_step`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactStep<T, const NQ: usize, const NV: usize, const NR: usize> {
    /// Next configuration (NQ); rad, m, unit quaternions x, y, z, w.
    pub q: SVector<T, NQ>,
    /// Next velocity (NV); rad/s, m/s.
    pub v: SVector<T, NV>,
    /// Accelerations and contact forces at the beginning of the step.
    pub dynamics: ContactDynamics<T, NV, NR>,
}

/// Result of [`ContactSteps::contact_step_derivatives`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactStepDerivatives<T, const NQ: usize, const NV: usize, const NR: usize> {
    /// The next state and its derivatives.
    pub step: StepDerivatives<T, NQ, NV>,
    /// Accelerations and contact forces at the beginning of the step, with their derivatives.
    pub dynamics: ContactDynamicsDerivatives<T, NV, NR>,
}

impl<T: Scalar, const NQ: usize, const NV: usize, const NR: usize> ContactStep<T, NQ, NV, NR> {
    /// All zero: a place for a result, and no state of a robot with quaternions.
    #[must_use]
    pub fn zeros() -> Self {
        Self { q: zeros(), v: zeros(), dynamics: ContactDynamics::zeros() }
    }
}

impl<T: Scalar, const NQ: usize, const NV: usize, const NR: usize> ContactStepDerivatives<T, NQ, NV, NR> {
    /// All zero: a place for a result.
    #[must_use]
    pub fn zeros() -> Self {
        Self { step: StepDerivatives::zeros(), dynamics: ContactDynamicsDerivatives::zeros() }
    }
}

/// Robots with a discrete step under contacts: those made with the options `step`, and `contacts` or
/// `closed_loops`.
///
/// `active` says for each contact and closed loop whether it holds during the step, as in [`Contacts`]. A
/// contact that is made within the step takes an impact first:
/// [`contact_impulse`](Contacts::contact_impulse).
#[diagnostic::on_unimplemented(
    note = "a robot implements it if it is made with `step: ..`, and with `contacts: [..]` or `closed_loops: {{ .. }}`",
    note = "the sizes are the type's own: `<{{R::NQ}}, {{R::NV}}, {{R::NC}}, {{R::CONTACT_ROWS}}>`"
)]
pub trait ContactSteps<const NQ: usize, const NV: usize, const NC: usize, const NR: usize>:
    DiscreteDynamics<NQ, NV> + Contacts<NQ, NV, NC, NR>
{
    /// The state after a time `dt` (s) under the torques `tau`, with the active contacts held.
    ///
    /// The integrator is the robot's own, on the accelerations of [`contact_dynamics`]. With no active
    /// contact it is [`DiscreteDynamics::step`]. With implicit damping, the forces of the result are those
    /// that act during the step.
    ///
    /// [`contact_dynamics`]: Contacts::contact_dynamics
    #[must_use]
    fn contact_step<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
    ) -> ContactStep<T, NQ, NV, NR> {
        step_under_contacts(Own::<Self>(PhantomData), (q, v, tau), dt, active, settings)
    }

    /// [`Self::contact_step`] with exact derivatives by the state and the torques.
    ///
    /// Tangent spaces are those of [`DiscreteDynamics::step_derivatives`].
    #[must_use]
    fn contact_step_derivatives<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
    ) -> ContactStepDerivatives<T, NQ, NV, NR> {
        let mut out = ContactStepDerivatives::zeros();
        Self::contact_step_derivatives_into(q, v, tau, dt, active, settings, &mut out);
        out
    }

    /// [`Self::contact_step_derivatives`] without a copy. Writes every entry of `out`.
    fn contact_step_derivatives_into<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
        out: &mut ContactStepDerivatives<T, NQ, NV, NR>,
    ) {
        derivatives_under_contacts(Own::<Self>(PhantomData), (q, v, tau), dt, active, settings, out);
    }
}

/// Robots with a discrete step under contacts that take inertia or gravity at run time.
///
/// Those made with the options `step`, `contacts` or `closed_loops`, and `inertia` or `gravity: runtime`.
#[diagnostic::on_unimplemented(
    note = "a robot implements it if it is made with `step: ..`, with `contacts: [..]` or `closed_loops: {{ .. }}`, and with `inertia: {{ .. }}` or `gravity: runtime`",
    note = "the sizes are the type's own: `<{{R::NQ}}, {{R::NV}}, {{R::NC}}, {{R::CONTACT_ROWS}}>`"
)]
pub trait ContactStepsWithParameters<const NQ: usize, const NV: usize, const NC: usize, const NR: usize>:
    ContactSteps<NQ, NV, NC, NR> + ContactsWithParameters<NQ, NV, NC, NR>
{
    /// [`ContactSteps::contact_step`] with inertia and gravity of `parameters`.
    #[must_use]
    fn contact_step_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
    ) -> ContactStep<T, NQ, NV, NR> {
        step_under_contacts(Given::<Self, T>(parameters), (q, v, tau), dt, active, settings)
    }

    /// [`ContactSteps::contact_step_derivatives`] with inertia and gravity of `parameters`.
    #[must_use]
    fn contact_step_derivatives_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
    ) -> ContactStepDerivatives<T, NQ, NV, NR> {
        let mut out = ContactStepDerivatives::zeros();
        Self::contact_step_derivatives_with_into(parameters, q, v, tau, dt, active, settings, &mut out);
        out
    }

    /// [`Self::contact_step_derivatives_with`] without a copy. Writes every entry of `out`.
    #[allow(clippy::too_many_arguments, reason = "those of steps under contacts, and the parameters")]
    fn contact_step_derivatives_with_into<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
        out: &mut ContactStepDerivatives<T, NQ, NV, NR>,
    ) {
        let source = Given::<Self, T>(parameters);
        derivatives_under_contacts(source, (q, v, tau), dt, active, settings, out);
    }
}
