//! Steps under contacts, under controls of the actuated joints alone.

use super::{ActuatedStepDerivatives, ActuatedSteps, ContactStep, ContactStepDerivatives, ContactSteps};
use crate::__private::zeros;
use crate::contact::ContactDynamicsDerivatives;
use crate::{ContactSettings, Scalar};
use nalgebra::{SMatrix, SVector};

/// Accelerations and contact forces with their derivatives by the state and the controls.
///
/// Fields are those of [`ContactDynamicsDerivatives`], with controls in place of torques.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActuatedContactDynamicsDerivatives<T, const NV: usize, const NU: usize, const NR: usize> {
    /// Joint accelerations (NV); rad/s², m/s².
    pub ddq: SVector<T, NV>,
    /// Forces of all contacts, row by row (NR); N, N m.
    pub forces: SVector<T, NR>,
    /// Residual of the contacts' equations, row by row (NR).
    pub residual: SVector<T, NR>,
    /// Derivative of the accelerations by the configuration (NV x NV).
    pub ddq_dq: SMatrix<T, NV, NV>,
    /// Derivative of the accelerations by the velocity (NV x NV).
    pub ddq_dv: SMatrix<T, NV, NV>,
    /// Derivative of the accelerations by the controls (NV x NU).
    pub ddq_du: SMatrix<T, NV, NU>,
    /// Derivative of the forces by the configuration (NR x NV).
    pub forces_dq: SMatrix<T, NR, NV>,
    /// Derivative of the forces by the velocity (NR x NV).
    pub forces_dv: SMatrix<T, NR, NV>,
    /// Derivative of the forces by the controls (NR x NU).
    pub forces_du: SMatrix<T, NR, NU>,
}

/// Result of [`ActuatedContactSteps::actuated_contact_step_derivatives`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActuatedContactStepDerivatives<
    T,
    const NQ: usize,
    const NV: usize,
    const NU: usize,
    const NR: usize,
> {
    /// The next state and its derivatives.
    pub step: ActuatedStepDerivatives<T, NQ, NV, NU>,
    /// Accelerations and contact forces at the beginning of the step, with their derivatives.
    pub dynamics: ActuatedContactDynamicsDerivatives<T, NV, NU, NR>,
}

impl<T: Scalar, const NV: usize, const NU: usize, const NR: usize>
    ActuatedContactDynamicsDerivatives<T, NV, NU, NR>
{
    /// All zero: a place for a result.
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            ddq: zeros(),
            forces: zeros(),
            residual: zeros(),
            ddq_dq: zeros(),
            ddq_dv: zeros(),
            ddq_du: zeros(),
            forces_dq: zeros(),
            forces_dv: zeros(),
            forces_du: zeros(),
        }
    }
}

impl<T: Scalar, const NQ: usize, const NV: usize, const NU: usize, const NR: usize>
    ActuatedContactStepDerivatives<T, NQ, NV, NU, NR>
{
    /// All zero: a place for a result.
    #[must_use]
    pub fn zeros() -> Self {
        Self { step: ActuatedStepDerivatives::zeros(), dynamics: ActuatedContactDynamicsDerivatives::zeros() }
    }
}

impl<T: Scalar, const NQ: usize, const NV: usize, const NU: usize, const NR: usize>
    ActuatedContactStepDerivatives<T, NQ, NV, NU, NR>
{
    /// Derivatives by a robot's controls, from derivatives by all torques.
    pub(super) fn by_controls_of<R: ActuatedSteps<NQ, NV, NU> + ?Sized>(
        of: ContactStepDerivatives<T, NQ, NV, NR>,
    ) -> Self {
        let ContactDynamicsDerivatives {
            ddq,
            forces,
            residual,
            ddq_dq,
            ddq_dv,
            ddq_dtau,
            forces_dq,
            forces_dv,
            forces_dtau,
        } = of.dynamics;
        let (ddq_du, forces_du) = (R::of_controls(&ddq_dtau), R::of_controls(&forces_dtau));
        let dynamics = ActuatedContactDynamicsDerivatives {
            ddq,
            forces,
            residual,
            ddq_dq,
            ddq_dv,
            ddq_du,
            forces_dq,
            forces_dv,
            forces_du,
        };
        Self { step: ActuatedStepDerivatives::by_controls_of::<R>(of.step), dynamics }
    }
}

/// Robots with motors on some joints and a discrete step under contacts: those made with the options `step`,
/// `actuated`, and `contacts` or `closed_loops`.
///
/// Every robot with [`ActuatedSteps`] and [`ContactSteps`] has it.
#[diagnostic::on_unimplemented(
    note = "a robot implements it if it is made with `step: ..`, `actuated: [..]`, and with `contacts: [..]` or `closed_loops: {{ .. }}`",
    note = "the sizes are the type's own: `<{{R::NQ}}, {{R::NV}}, {{R::NU}}, {{R::NC}}, {{R::CONTACT_ROWS}}>`"
)]
pub trait ActuatedContactSteps<
    const NQ: usize,
    const NV: usize,
    const NU: usize,
    const NC: usize,
    const NR: usize,
>: ActuatedSteps<NQ, NV, NU> + ContactSteps<NQ, NV, NC, NR>
{
    /// The state after a time `dt` (s) under the controls `u`, with the active contacts held.
    ///
    /// [`ContactSteps::contact_step`] with the torques `S^T u`.
    #[must_use]
    fn actuated_contact_step<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        u: &SVector<T, NU>,
        dt: T,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
    ) -> ContactStep<T, NQ, NV, NR> {
        Self::contact_step(q, v, &Self::torques(u), dt, active, settings)
    }

    /// [`Self::actuated_contact_step`] with exact derivatives by the state and the controls.
    #[must_use]
    fn actuated_contact_step_derivatives<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        u: &SVector<T, NU>,
        dt: T,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
    ) -> ActuatedContactStepDerivatives<T, NQ, NV, NU, NR> {
        let mut of = ContactStepDerivatives::zeros();
        Self::contact_step_derivatives_into(q, v, &Self::torques(u), dt, active, settings, &mut of);
        ActuatedContactStepDerivatives::by_controls_of::<Self>(of)
    }
}

impl<R, const NQ: usize, const NV: usize, const NU: usize, const NC: usize, const NR: usize>
    ActuatedContactSteps<NQ, NV, NU, NC, NR> for R
where
    R: ActuatedSteps<NQ, NV, NU> + ContactSteps<NQ, NV, NC, NR> + ?Sized,
{
}
