//! GPUs as a target: options and capabilities.

use super::contacts::Contacts;
use super::step::Steps;
use super::{Writer, fused, most_alive};
use crate::emit::c_family::spelling::Real;
use crate::emit::c_family::{names, spelling};
use crate::emit::error::Error;
use crate::emit::generated::Generated;
use crate::emit::{Asked, Capabilities, SecondDerivatives, StepForms, Target};
use crate::search::cost::CostModel;

/// One header for CUDA C++, HIP, OpenCL C and C: device functions, and kernels for many states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gpu {
    /// `float` instead of `double`.
    pub float: bool,
}

/// Operations of a Hessian above which its values fit no thread's registers, in any number of parts.
/// Quadrupeds have about 8000 and fit. Humanoids have more than 20000 and do not (docs/gpu.md#registers).
const LONGEST_HESSIAN: usize = 12_000;

impl Target for Gpu {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            contacts: true,
            actuated: true,
            fused: true,
            step: Some(StepForms::Asked),
            parameters: true,
            second_derivatives: Some(SecondDerivatives {
                tensors: false,
                parameters: false,
                longest: LONGEST_HESSIAN,
                calls_parts: false,
            }),
            most_alive: Some(most_alive(Real::of(self.float))),
            ..Capabilities::straight_lines("for GPUs")
        }
    }

    /// A `double` takes two registers.
    fn costs(&self) -> CostModel {
        let registers = if self.float { 1 } else { 2 };
        CostModel { straight_line_budget: Self::COSTS.straight_line_budget / registers, ..Self::COSTS }
    }

    fn name_of(&self, stem: &str) -> String {
        spelling::prefix(stem)
    }

    fn check(&self, asked: &Asked<'_>) -> Result<(), Error> {
        if !asked.contacts.is_empty() && asked.model.bodies.iter().any(|body| body.mimic.is_some()) {
            let what = "contacts of robots with mimic joints are not written for GPUs yet; lock these joints, or leave out \
                        `contacts`";
            return Err(Error::Option { name: "contacts", what: what.into() });
        }
        names::check(asked, "for GPUs", fused::fault)
    }

    fn files(&self, robot: &Generated) -> Vec<(String, String)> {
        let real = Real::of(self.float);
        let (prefix, origin) = (&robot.name, &robot.origin());
        let writer = Writer { prefix, real, origin, most_alive: most_alive(real) };
        let Generated { model, functions, fused, .. } = robot;
        let contacts = Contacts::of(robot);
        let controls = robot.controls();
        let steps = robot.integrator().map(|integrator| Steps { integrator, controls: &controls });
        let text = writer.robot_under(model, functions, fused, &contacts, steps);
        vec![(format!("{prefix}.cuh"), text)]
    }
}
