//! Results of steps under contacts.

use crate::results::Results;
use crate::{ActuatedStepDerivatives, StepDerivatives};

/// Accelerations and contact forces, as `contact_dynamics` has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactDynamics<T = f64> {
    /// Accelerations (nv).
    pub ddq: Vec<T>,
    /// Forces of all contacts, row by row (nr), N, N m.
    pub forces: Vec<T>,
    /// Residual of the contacts' equations, row by row (nr).
    pub residual: Vec<T>,
}

/// Accelerations and contact forces with their derivatives, as `contact_dynamics_derivatives` has them.
/// Matrices are by columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactDynamicsDerivatives<T = f64> {
    /// Accelerations (nv).
    pub ddq: Vec<T>,
    /// Forces of all contacts, row by row (nr), N, N m.
    pub forces: Vec<T>,
    /// Residual of the contacts' equations, row by row (nr).
    pub residual: Vec<T>,
    /// Derivative of the accelerations by the configuration (nv x nv).
    pub ddq_dq: Vec<T>,
    /// Derivative of the accelerations by the velocity (nv x nv).
    pub ddq_dv: Vec<T>,
    /// Derivative of the accelerations by the torques (nv x nv).
    pub ddq_dtau: Vec<T>,
    /// Derivative of the forces by the configuration (nr x nv).
    pub forces_dq: Vec<T>,
    /// Derivative of the forces by the velocity (nr x nv).
    pub forces_dv: Vec<T>,
    /// Derivative of the forces by the torques (nr x nv).
    pub forces_dtau: Vec<T>,
}

/// Results of `contact_step`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactStep<T = f64> {
    /// Next configuration (nq).
    pub q: Vec<T>,
    /// Next velocity (nv).
    pub v: Vec<T>,
    /// Accelerations and contact forces at the beginning of the step. With implicit damping, those that act
    /// during the step.
    pub dynamics: ContactDynamics<T>,
}

/// Results of `contact_step_derivatives`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactStepDerivatives<T = f64> {
    /// The next state and its derivatives.
    pub step: StepDerivatives<T>,
    /// Accelerations and contact forces at the beginning of the step, with their derivatives. With implicit
    /// damping, those that act during the step.
    pub dynamics: ContactDynamicsDerivatives<T>,
}

/// Accelerations and contact forces with their derivatives by the state and the controls. Matrices are by
/// columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActuatedContactDynamicsDerivatives<T = f64> {
    /// Accelerations (nv).
    pub ddq: Vec<T>,
    /// Forces of all contacts, row by row (nr), N, N m.
    pub forces: Vec<T>,
    /// Residual of the contacts' equations, row by row (nr).
    pub residual: Vec<T>,
    /// Derivative of the accelerations by the configuration (nv x nv).
    pub ddq_dq: Vec<T>,
    /// Derivative of the accelerations by the velocity (nv x nv).
    pub ddq_dv: Vec<T>,
    /// Derivative of the accelerations by the controls (nv x nu).
    pub ddq_du: Vec<T>,
    /// Derivative of the forces by the configuration (nr x nv).
    pub forces_dq: Vec<T>,
    /// Derivative of the forces by the velocity (nr x nv).
    pub forces_dv: Vec<T>,
    /// Derivative of the forces by the controls (nr x nu).
    pub forces_du: Vec<T>,
}

/// Results of `actuated_contact_step_derivatives`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActuatedContactStepDerivatives<T = f64> {
    /// The next state and its derivatives.
    pub step: ActuatedStepDerivatives<T>,
    /// Accelerations and contact forces, with their derivatives, as [`ContactStepDerivatives`] has them.
    pub dynamics: ActuatedContactDynamicsDerivatives<T>,
}

impl<T> Results<T, 5> for ContactStep<T> {
    fn all(&mut self) -> [&mut Vec<T>; 5] {
        let Self { q, v, dynamics: ContactDynamics { ddq, forces, residual } } = self;
        [q, v, ddq, forces, residual]
    }
}

impl<T> Results<T, 17> for ContactStepDerivatives<T> {
    fn all(&mut self) -> [&mut Vec<T>; 17] {
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
        } = &mut self.dynamics;
        let StepDerivatives { q, v, dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau } = &mut self.step;
        let (by, forces_by) = ([ddq_dq, ddq_dv, ddq_dtau], [forces_dq, forces_dv, forces_dtau]);
        let ([a, b, c], [d, e, f]) = (by, forces_by);
        [q, v, dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau, ddq, forces, residual, a, b, c, d, e, f]
    }
}

impl<T> Results<T, 17> for ActuatedContactStepDerivatives<T> {
    fn all(&mut self) -> [&mut Vec<T>; 17] {
        let ActuatedContactDynamicsDerivatives {
            ddq,
            forces,
            residual,
            ddq_dq,
            ddq_dv,
            ddq_du,
            forces_dq,
            forces_dv,
            forces_du,
        } = &mut self.dynamics;
        let ActuatedStepDerivatives { q, v, dq_dq, dq_dv, dq_du, dv_dq, dv_dv, dv_du } = &mut self.step;
        let (by, forces_by) = ([ddq_dq, ddq_dv, ddq_du], [forces_dq, forces_dv, forces_du]);
        let ([a, b, c], [d, e, f]) = (by, forces_by);
        [q, v, dq_dq, dq_dv, dq_du, dv_dq, dv_dv, dv_du, ddq, forces, residual, a, b, c, d, e, f]
    }
}
