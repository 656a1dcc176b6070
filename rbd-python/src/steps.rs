//! The discrete step, as functions of Python.

use crate::call::Computes;
use crate::contacts::Held;
use crate::real::Real;
use crate::rows::{By, Dims, HELD, Row};
use rbd_jit::{Error, StepsWithParameters, Workspace};

/// A function of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OfStep {
    Step,
    Derivatives,
    Hessian,
    UnderContacts,
    UnderContactsDerivatives,
}

impl OfStep {
    /// Computes one state.
    pub fn call<T: Real>(
        self,
        by: By,
        robot: &StepsWithParameters<'_, T>,
        work: &mut Workspace<T>,
        held: &Held<T>,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
    ) -> Result<(), Error> {
        let how = || (held.active(), held.settings());
        match (self, inputs, outputs) {
            (Self::Step, [q, v, u, [dt]], [next_q, next_v]) => {
                robot.step_in(work, [q, v], by.controls(u), *dt, [next_q, next_v])
            }
            (Self::Derivatives, [q, v, u, [dt]], [a, b, c, d, e, f, g, h]) => {
                robot.step_derivatives_in(work, [q, v], by.controls(u), *dt, [a, b, c, d, e, f, g, h])
            }
            (Self::Hessian, [q, v, u, [dt], of_q, of_v], [a, b, c, d, e, f, g, h, i, j]) => {
                let out = [a, b, c, d, e, f, g, h, i, j].map(|out| &mut **out);
                robot.step_hessian_in(work, [q, v], by.controls(u), *dt, [of_q, of_v], out)
            }
            (Self::UnderContacts, [q, v, u, [dt]], [a, b, c, d, e]) => {
                let (active, settings) = how();
                robot.contact_step_in(work, [q, v], by.controls(u), *dt, (active, &settings), [a, b, c, d, e])
            }
            (
                Self::UnderContactsDerivatives,
                [q, v, u, [dt]],
                [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, r],
            ) => {
                let (active, settings) = how();
                let out = [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, r].map(|out| &mut **out);
                let (state, held) = ([*q, *v], (active, &settings));
                robot.contact_step_derivatives_in(work, state, by.controls(u), *dt, held, out)
            }
            (of, ..) => unreachable!("{of:?} has other arguments"),
        }
    }
}

/// All functions of steps.
pub static ROWS: [Row; 5] = [
    Row {
        computes: Computes::Step(OfStep::Step, By::Torques),
        name: "step",
        doc: "The state after a time `dt` under torques that are constant meanwhile, by the integrator that \
              `step=` of `rbd.load` names.",
        equation: "q+, v+",
        takes: &["q", "v", "tau", "dt"],
        takes_more: &[],
        gives: &[
            ("q", Dims::Configuration, "next configuration; rad, m"),
            ("v", Dims::Tangent, "next velocity; rad/s, m/s"),
        ],
        result: Some("Step"),
        keywords: &[],
    },
    Row {
        computes: Computes::Step(OfStep::Derivatives, By::Torques),
        name: "step_derivatives",
        doc: "The next state, and its derivatives in the tangent spaces of the old and the new state.",
        equation: "A = [dq_dq dq_dv; dv_dq dv_dv], B = [dq_dtau; dv_dtau]",
        takes: &["q", "v", "tau", "dt"],
        takes_more: &[],
        gives: &[
            ("q", Dims::Configuration, "next configuration; rad, m"),
            ("v", Dims::Tangent, "next velocity; rad/s, m/s"),
            ("dq_dq", Dims::Square, "derivative of the next configuration by the configuration"),
            ("dq_dv", Dims::Square, "derivative of the next configuration by the velocity; s"),
            ("dq_dtau", Dims::Square, "derivative of the next configuration by the torques"),
            ("dv_dq", Dims::Square, "derivative of the next velocity by the configuration; 1/s"),
            ("dv_dv", Dims::Square, "derivative of the next velocity by the velocity"),
            ("dv_dtau", Dims::Square, "derivative of the next velocity by the torques"),
        ],
        result: Some("StepDerivatives"),
        keywords: &[],
    },
    Row {
        computes: Computes::Step(OfStep::Hessian, By::Torques),
        name: "step_hessian",
        doc: "The next state, weighted: value, gradient and Hessian by the state and the torques. `at` is the \
              next configuration itself.",
        equation: "lambda_q . difference(at, q+) + lambda_v . v+",
        takes: &["q", "v", "tau", "dt", "lambda_q", "lambda_v"],
        takes_more: &[],
        gives: &[
            ("value", Dims::Scalar, "the sum; of q+ only joints of one coordinate count"),
            ("dq", Dims::Tangent, "gradient by the configuration"),
            ("dv", Dims::Tangent, "gradient by the velocity"),
            ("dtau", Dims::Tangent, "gradient by the torques"),
            ("dqdq", Dims::Square, "derivative of `dq` by the configuration"),
            ("dqdv", Dims::Square, "derivative of `dq` by the velocity"),
            ("dvdv", Dims::Square, "derivative of `dv` by the velocity"),
            ("dqdtau", Dims::Square, "derivative of `dq` by the torques"),
            ("dvdtau", Dims::Square, "derivative of `dv` by the torques"),
            ("dtaudtau", Dims::Square, "derivative of `dtau` by the torques"),
        ],
        result: Some("StepHessian"),
        keywords: &[],
    },
    Row {
        computes: Computes::Step(OfStep::UnderContacts, By::Torques),
        name: "contact_step",
        doc: "The state after a time `dt` with the active contacts held, and the accelerations and forces of \
              `contact_dynamics` at the beginning of the step.",
        equation: "q+, v+",
        takes: &["q", "v", "tau", "dt"],
        takes_more: &[],
        gives: &[
            ("q", Dims::Configuration, "next configuration; rad, m"),
            ("v", Dims::Tangent, "next velocity; rad/s, m/s"),
            ("ddq", Dims::Tangent, "joint accelerations; rad/s^2, m/s^2"),
            ("forces", Dims::Rows, "contact forces, row by row; N, N m"),
            ("residual", Dims::Rows, "what is left of the contacts' equations, row by row"),
        ],
        result: Some("ContactStep"),
        keywords: HELD,
    },
    Row {
        computes: Computes::Step(OfStep::UnderContactsDerivatives, By::Torques),
        name: "contact_step_derivatives",
        doc: "The next state with the active contacts held, the forces at the beginning of the step, and the \
              derivatives of all by the configuration (in its tangent space), the velocity and the torques.",
        equation: "A = [dq_dq dq_dv; dv_dq dv_dv], B = [dq_dtau; dv_dtau]",
        takes: &["q", "v", "tau", "dt"],
        takes_more: &[],
        gives: &[
            ("q", Dims::Configuration, "next configuration; rad, m"),
            ("v", Dims::Tangent, "next velocity; rad/s, m/s"),
            ("dq_dq", Dims::Square, "derivative of the next configuration by the configuration"),
            ("dq_dv", Dims::Square, "derivative of the next configuration by the velocity; s"),
            ("dq_dtau", Dims::Square, "derivative of the next configuration by the torques"),
            ("dv_dq", Dims::Square, "derivative of the next velocity by the configuration; 1/s"),
            ("dv_dv", Dims::Square, "derivative of the next velocity by the velocity"),
            ("dv_dtau", Dims::Square, "derivative of the next velocity by the torques"),
            ("ddq", Dims::Tangent, "joint accelerations; rad/s^2, m/s^2"),
            ("forces", Dims::Rows, "contact forces, row by row; N, N m"),
            ("residual", Dims::Rows, "what is left of the contacts' equations, row by row"),
            ("ddq_dq", Dims::Square, "derivative of the accelerations by the configuration"),
            ("ddq_dv", Dims::Square, "derivative of the accelerations by the velocity"),
            ("ddq_dtau", Dims::Square, "derivative of the accelerations by the torques"),
            ("forces_dq", Dims::Wide, "derivative of the forces by the configuration"),
            ("forces_dv", Dims::Wide, "derivative of the forces by the velocity"),
            ("forces_dtau", Dims::Wide, "derivative of the forces by the torques"),
        ],
        result: Some("ContactStepDerivatives"),
        keywords: HELD,
    },
];
