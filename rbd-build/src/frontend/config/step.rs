//! The option for the discrete step.

use super::{Error, Robot};
use crate::emit::{StepForms, coordinates};
use crate::table::functions::Function;
use crate::urdf::Reading;
use rbd_runtime::Integrator;

/// Functions that these forms of a step by an integrator call.
pub(super) fn functions_of_steps(integrator: Integrator, forms: Option<StepForms>) -> &'static [Function] {
    match integrator {
        Integrator::ImplicitDamping if forms == Some(StepForms::Asked) => &[Function::Aba, Function::Minv],
        _ if forms == Some(StepForms::Asked) => &[Function::Aba],
        Integrator::ImplicitDamping if forms == Some(StepForms::Derivatives) => {
            &[Function::Aba, Function::Minv, Function::AbaDerivatives]
        }
        _ if forms == Some(StepForms::Derivatives) => &[Function::Aba, Function::AbaDerivatives],
        Integrator::ImplicitDamping => {
            &[Function::Aba, Function::Minv, Function::AbaDerivatives, Function::AbaHessian]
        }
        _ => &[Function::Aba, Function::AbaDerivatives, Function::AbaHessian],
    }
}

/// Methods of a robot with the option.
pub(super) const METHODS_OF_STEPS: [&str; 27] = [
    "step",
    "step_derivatives",
    "step_hessian",
    "rollout",
    "rollout_sensitivity",
    "rollout_adjoint",
    "contact_step",
    "contact_step_derivatives",
    "actuated_step",
    "actuated_step_derivatives",
    "actuated_step_hessian",
    "torques",
    "of_controls",
    "step_with",
    "step_derivatives_with",
    "step_hessian_with",
    "contact_step_hessian",
    "contact_step_with",
    "contact_step_derivatives_with",
    "actuated_contact_step",
    "actuated_contact_step_derivatives",
    "actuated_rollout",
    "actuated_rollout_sensitivity",
    "actuated_rollout_adjoint",
    "rollout_with",
    "rollout_sensitivity_with",
    "rollout_adjoint_with",
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

    /// Names joints with motors, whose torques become the controls of further functions of steps
    /// (docs/step.md#controls-of-some-joints).
    ///
    /// Controls have the order of the names. The option needs [`Self::step`].
    #[must_use]
    pub fn actuated(mut self, joints: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.rust.actuated.extend(joints.into_iter().map(Into::into));
        self
    }

    /// The joints of [`Self::actuated`].
    #[must_use]
    pub fn actuated_joints(&self) -> &[String] {
        &self.rust.actuated
    }

    /// The integrator of [`Self::step`], if that was called.
    #[must_use]
    pub fn integrator(&self) -> Option<Integrator> {
        self.rust.step
    }

    /// Checks that the robot's steps can be written.
    pub(super) fn check_step(&self, reading: &Reading) -> Result<(), Error> {
        if !self.rust.actuated.is_empty() {
            let refused = |what: String| Error::Option { name: "actuated", what };
            if self.rust.step.is_none() {
                return Err(refused(
                    "it names the controls of steps; write `step` too, such as `step: semi_implicit`".into(),
                ));
            }
            coordinates(&reading.model, &self.rust.actuated).map_err(refused)?;
        }
        if self.rust.step == Some(Integrator::ImplicitDamping) {
            let refused = |what: &str| Err(Error::Option { name: "step", what: what.into() });
            if !reading.model.damping_enters {
                return refused(
                    "`implicit_damping` takes the URDF's joint damping at the end of a step, and the dynamics have none; \
                     write `damping: true`, or another integrator",
                );
            }
        }
        Ok(())
    }
}
