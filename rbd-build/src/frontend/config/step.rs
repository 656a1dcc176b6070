//! The option for the discrete step.

use super::{Error, Robot};
use crate::table::functions::Function;
use crate::urdf::Reading;
use rbd_runtime::Integrator;

/// Functions that a step calls.
pub(super) const FUNCTIONS_OF_STEPS: [Function; 3] =
    [Function::Aba, Function::AbaDerivatives, Function::AbaHessian];

/// Methods of a robot with the option.
pub(super) const METHODS_OF_STEPS: [&str; 8] = [
    "step",
    "step_derivatives",
    "step_hessian",
    "rollout",
    "rollout_sensitivity",
    "rollout_adjoint",
    "contact_step",
    "contact_step_derivatives",
];

impl Robot {
    /// Generates the discrete step and its derivatives, by this integrator (docs/step.md).
    ///
    /// Forward dynamics, its derivatives and its Hessian are generated as well, since steps are made of them.
    #[must_use]
    pub fn step(mut self, integrator: Integrator) -> Self {
        self.rust.step = Some(integrator);
        self
    }

    /// The integrator of [`Self::step`], if that was called.
    #[must_use]
    pub fn integrator(&self) -> Option<Integrator> {
        self.rust.step
    }

    /// Checks that the robot's steps can be written.
    pub(super) fn check_step(&self, reading: &Reading) -> Result<(), Error> {
        if self.rust.step.is_some() && !reading.model.run_time.is_none() {
            let what =
                "inertia and gravity are constants in steps; leave out `step`, or what is given at run time";
            return Err(Error::Option { name: "step", what: what.into() });
        }
        Ok(())
    }
}
