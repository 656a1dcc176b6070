//! The discrete step, as functions of Python: of all torques, and of the torques of some joints.

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
    UnderContactsHessian,
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
            (Self::UnderContactsHessian, [q, v, u, [dt], of_q, of_v], [a, b, c, d, e, f, g, h, i, j]) => {
                let (active, settings) = how();
                let out = [a, b, c, d, e, f, g, h, i, j].map(|out| &mut **out);
                let (state, weights, held) = ([*q, *v], [*of_q, *of_v], (active, &settings));
                robot.contact_step_hessian_in(work, state, by.controls(u), *dt, held, weights, out)
            }
            (of, ..) => unreachable!("{of:?} has other arguments"),
        }
    }
}

/// The functions of steps. `$of` begins names of those of controls and `$Of` those of their results, `$u`
/// is the argument, `$torques` says what it is and `$by` what derivatives are by. Shapes are those of a
/// vector of them, of derivatives of coordinates and of forces by them, and of second derivatives by them.
macro_rules! rows {
    (
        $kind:ident, $of:literal, $Of:literal, $u:literal, $torques:literal, $by:literal,
        $vector:ident, $matrix:ident, $of_forces:ident, $square:ident
    ) => {
        [
            Row {
                computes: Computes::Step(OfStep::Step, By::$kind),
                name: concat!($of, "step"),
                doc: concat!(
                    "The state after a time `dt` under ",
                    $torques,
                    ", constant meanwhile, by the integrator that `step=` of `rbd.load` names."
                ),
                equation: "q+, v+",
                takes: &["q", "v", $u, "dt"],
                takes_more: &[],
                gives: &[NEXT[0], NEXT[1]],
                result: Some("Step"),
                keywords: &[],
            },
            Row {
                computes: Computes::Step(OfStep::Derivatives, By::$kind),
                name: concat!($of, "step_derivatives"),
                doc: concat!(
                    "The next state, and its derivatives by the state and the ",
                    $by,
                    ", in the tangent spaces of the old and the new state."
                ),
                equation: concat!("A = [dq_dq dq_dv; dv_dq dv_dv], B = [dq_d", $u, "; dv_d", $u, "]"),
                takes: &["q", "v", $u, "dt"],
                takes_more: &[],
                gives: &[
                    NEXT[0],
                    NEXT[1],
                    BY_STATE[0],
                    BY_STATE[1],
                    (
                        concat!("dq_d", $u),
                        Dims::$matrix,
                        concat!("derivative of the next configuration by the ", $by),
                    ),
                    BY_STATE[2],
                    BY_STATE[3],
                    (concat!("dv_d", $u), Dims::$matrix, concat!("derivative of the next velocity by the ", $by)),
                ],
                result: Some(concat!($Of, "StepDerivatives")),
                keywords: &[],
            },
            Row {
                computes: Computes::Step(OfStep::Hessian, By::$kind),
                name: concat!($of, "step_hessian"),
                doc: concat!(
                    "The next state, weighted: value, gradient and Hessian by the state and the ",
                    $by,
                    ". `at` is the next configuration itself."
                ),
                equation: "lambda_q . difference(at, q+) + lambda_v . v+",
                takes: &["q", "v", $u, "dt", "lambda_q", "lambda_v"],
                takes_more: &[],
                gives: rows!(@hessian $u, $by, $vector, $matrix, $square),
                result: Some(concat!($Of, "StepHessian")),
                keywords: &[],
            },
            Row {
                computes: Computes::Step(OfStep::UnderContacts, By::$kind),
                name: concat!($of, "contact_step"),
                doc: concat!(
                    "The state after a time `dt` under ",
                    $torques,
                    ", with the active contacts held, and the accelerations and forces of `contact_dynamics` at \
                     the beginning of the step."
                ),
                equation: "q+, v+",
                takes: &["q", "v", $u, "dt"],
                takes_more: &[],
                gives: &[NEXT[0], NEXT[1], DYNAMICS[0], DYNAMICS[1], DYNAMICS[2]],
                result: Some("ContactStep"),
                keywords: HELD,
            },
            Row {
                computes: Computes::Step(OfStep::UnderContactsDerivatives, By::$kind),
                name: concat!($of, "contact_step_derivatives"),
                doc: concat!(
                    "The next state with the active contacts held, the forces at the beginning of the step, and \
                     the derivatives of all by the configuration (in its tangent space), the velocity and the ",
                    $by,
                    "."
                ),
                equation: concat!("A = [dq_dq dq_dv; dv_dq dv_dv], B = [dq_d", $u, "; dv_d", $u, "]"),
                takes: &["q", "v", $u, "dt"],
                takes_more: &[],
                gives: &[
                    NEXT[0],
                    NEXT[1],
                    BY_STATE[0],
                    BY_STATE[1],
                    (
                        concat!("dq_d", $u),
                        Dims::$matrix,
                        concat!("derivative of the next configuration by the ", $by),
                    ),
                    BY_STATE[2],
                    BY_STATE[3],
                    (concat!("dv_d", $u), Dims::$matrix, concat!("derivative of the next velocity by the ", $by)),
                    DYNAMICS[0],
                    DYNAMICS[1],
                    DYNAMICS[2],
                    ("ddq_dq", Dims::Square, "derivative of the accelerations by the configuration"),
                    ("ddq_dv", Dims::Square, "derivative of the accelerations by the velocity"),
                    (concat!("ddq_d", $u), Dims::$matrix, concat!("derivative of the accelerations by the ", $by)),
                    ("forces_dq", Dims::Wide, "derivative of the forces by the configuration"),
                    ("forces_dv", Dims::Wide, "derivative of the forces by the velocity"),
                    (concat!("forces_d", $u), Dims::$of_forces, concat!("derivative of the forces by the ", $by)),
                ],
                result: Some(concat!($Of, "ContactStepDerivatives")),
                keywords: HELD,
            },
            Row {
                computes: Computes::Step(OfStep::UnderContactsHessian, By::$kind),
                name: concat!($of, "contact_step_hessian"),
                doc: concat!(
                    "The next state with the active contacts held, weighted: value, gradient and Hessian by the \
                     state and the ",
                    $by,
                    ". `at` is the next configuration itself."
                ),
                equation: "lambda_q . difference(at, q+) + lambda_v . v+",
                takes: &["q", "v", $u, "dt", "lambda_q", "lambda_v"],
                takes_more: &[],
                gives: rows!(@hessian $u, $by, $vector, $matrix, $square),
                result: Some(concat!($Of, "StepHessian")),
                keywords: HELD,
            },
        ]
    };
    (@hessian $u:literal, $by:literal, $vector:ident, $matrix:ident, $square:ident) => {
        &[
            ("value", Dims::Scalar, "the sum; of q+ only joints of one coordinate count"),
            ("dq", Dims::Tangent, "gradient by the configuration"),
            ("dv", Dims::Tangent, "gradient by the velocity"),
            (concat!("d", $u), Dims::$vector, concat!("gradient by the ", $by)),
            ("dqdq", Dims::Square, "derivative of `dq` by the configuration"),
            ("dqdv", Dims::Square, "derivative of `dq` by the velocity"),
            ("dvdv", Dims::Square, "derivative of `dv` by the velocity"),
            (concat!("dqd", $u), Dims::$matrix, concat!("derivative of `dq` by the ", $by)),
            (concat!("dvd", $u), Dims::$matrix, concat!("derivative of `dv` by the ", $by)),
            (concat!("d", $u, "d", $u), Dims::$square, concat!("derivative of `d", $u, "` by the ", $by)),
        ]
    };
}

/// A result: its name, its shape, and what it is.
type Gives = (&'static str, Dims, &'static str);

const NEXT: [Gives; 2] = [
    ("q", Dims::Configuration, "next configuration; rad, m"),
    ("v", Dims::Tangent, "next velocity; rad/s, m/s"),
];

const BY_STATE: [Gives; 4] = [
    ("dq_dq", Dims::Square, "derivative of the next configuration by the configuration"),
    ("dq_dv", Dims::Square, "derivative of the next configuration by the velocity; s"),
    ("dv_dq", Dims::Square, "derivative of the next velocity by the configuration; 1/s"),
    ("dv_dv", Dims::Square, "derivative of the next velocity by the velocity"),
];

const DYNAMICS: [Gives; 3] = [
    ("ddq", Dims::Tangent, "joint accelerations; rad/s^2, m/s^2"),
    ("forces", Dims::Rows, "contact forces, row by row; N, N m"),
    ("residual", Dims::Rows, "what is left of the contacts' equations, row by row"),
];

/// Functions of all torques.
pub static OF_TORQUES: [Row; 6] =
    rows!(Torques, "", "", "tau", "torques", "torques", Tangent, Square, Wide, Square);

/// Functions of the torques of the option `actuated`.
pub static OF_CONTROLS: [Row; 6] = rows!(
    Controls,
    "actuated_",
    "Actuated",
    "u",
    "the torques `u` of the actuated joints alone, those of `actuated=` of `rbd.load` in this order",
    "controls",
    Control,
    ByControl,
    RowsByControl,
    ControlByControl
);
