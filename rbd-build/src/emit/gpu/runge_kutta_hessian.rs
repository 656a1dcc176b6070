//! Hessian of a weighted step of Runge and Kutta's method: stages forward with their derivatives, then
//! backward with their weights (docs/math.md#discrete-step).

use super::function::{Step, joined};
use super::interface::callee;
use super::joints;
use super::memory::Memory;
use super::runge_kutta::{
    ALONG, At, STAGES, columns, end, gather, of_stage, reach, single, stage_derivatives,
};
use super::step::Parts;
use super::step_hessian::{BLOCK, Curvature, curvature, gradients, value};
use crate::emit::c_family::helpers::Written;
use crate::names::interned;
use crate::search::plan::Plan;
use crate::table::routines::Dependency;

const FORWARD: &str = "/* A column of the derivatives of a stage by q, by v or by tau. */";
const BEGIN: &str = "/* A column of each block: what the motion of the whole step has of second order. */";
const BACK: &str = "/* A column of each block: what a stage adds. */";
/// Memory for results of the Hessian of accelerations: their names, and the power of the degrees of freedom.
const SECOND: [(&str, u32); 8] = [
    ("second_value", 0),
    ("second_dq", 1),
    ("second_dv", 1),
    ("second_dtau", 1),
    ("second_dqdq", 2),
    ("second_dqdv", 2),
    ("second_dvdv", 2),
    ("second_dqdtau", 2),
];
/// Columns of the motion of the whole step.
const RESULTS: &str = "RBD_SPACE REAL *const of_along = &RBD_AT(by_along, part * SIZE);\n";
const SUMS: &str =
    "    RBD_AT(of_along, k) = RBD_FMA(weight, change, stage == 0 ? (REAL)0 : RBD_AT(of_along, k));\n";

/// Names of a stage's quantities: each stage keeps its own.
fn at(stage: usize) -> At {
    let name = |of: &str| interned(&format!("{of}{stage}"));
    At {
        motion: name("motion"),
        velocity: name("velocity"),
        place: name("place"),
        by_motion: name("by_motion"),
        by_velocity: name("by_velocity"),
        by_place: name("by_place"),
        moved: "by_rate",
        by: ["ddq_dq", "ddq_dv", "ddq_dtau"],
    }
}

fn memory(parts: &Parts<'_>) -> Memory {
    let (n, nq) = (parts.model.nv, parts.model.nq);
    let vectors = ["rate", "acceleration", "along", "by_q", "by_u"].into_iter();
    let weights =
        ["along_weights", "rate_weights", "acceleration_weights", "motion_weights", "velocity_weights"];
    let columns = ["by_rate", "by_acceleration", "by_along"].map(|name| (name, 3 * n * n));
    let of_stage = |stage: usize| {
        let at = at(stage);
        let columns = [at.by_motion, at.by_velocity, at.by_place].map(|name| (name, 3 * n * n));
        [(at.motion, n), (at.velocity, n), (at.place, nq)].into_iter().chain(columns)
    };
    Memory { pieces: vectors.chain(weights).map(|name| (name, n)).collect() }
        .and(columns)
        .and((0..STAGES).flat_map(of_stage))
        .and(SECOND.map(|(name, power)| (name, n.pow(power))))
}

/// The function that stages call forward, the steps, and what they share.
pub fn steps(parts: &Parts<'_>, plan: &Plan) -> (Written, Vec<Step>, Memory) {
    let (gpu, model, n) = (parts.gpu, parts.model, parts.model.nv);
    let composition = plan.composition.as_ref().expect("Hessians of accelerations are composed");
    let first = composition.dependency(Dependency::First).expect("first derivatives are a dependency");
    let (called, first) = stage_derivatives(parts, first, "hessian_stage");
    let mut steps = Vec::new();
    for stage in 0..STAGES {
        let at = at(stage);
        steps.push(of_stage(stage, &reach(gpu, model, &at)));
        steps.extend(first.calls(|name| at.of_dynamics(name)));
        let text = columns(gpu, model, (stage, &at), [RESULTS, SUMS]);
        steps.push(Step::Alike { parts: (3 * n).into(), doc: FORWARD, text });
        steps.push(of_stage(stage, &gather(gpu, model, &at)));
    }
    steps.push(single(end(gpu, model) + &begin(parts)));
    let of_along = Curvature { along: ALONG, weights: "lambda_q", by: "by_along", is_held: true };
    let text = gpu.text(include_str!("text/rk4_clear.c"), model) + &of_motion(parts, &of_along);
    steps.push(Step::Alike { parts: n.into(), doc: BEGIN, text });
    let second = callee(gpu, model, plan);
    for stage in (0..STAGES).rev() {
        let at = at(stage);
        steps.push(of_stage(stage, &weights(parts, &at)));
        steps.extend(second.calls(|name| match name {
            "lambda" => "acceleration_weights",
            "value" | "dq" | "dv" | "dtau" | "dqdq" | "dqdv" | "dvdv" | "dqdtau" => {
                interned(&format!("second_{name}"))
            }
            other => at.of_dynamics(other),
        }));
        steps.push(Step::Alike { parts: n.into(), doc: BACK, text: back(parts, &at) });
        let joints = gradients(gpu, model, at.along(), ["second_dq", "by_u"]);
        let text = include_str!("text/rk4_gradients.c");
        steps.push(of_stage(stage, &joints::among(gpu, model, text, &[("JOINTS\n", joints)])));
    }
    (called, joined(steps), memory(parts))
}

/// Statements after the next state: its gradients, and the value.
fn begin(parts: &Parts<'_>) -> String {
    let (gpu, model) = (parts.gpu, parts.model);
    let joints = gradients(gpu, model, ALONG, ["lambda_q", "by_u"]);
    let text = include_str!("text/rk4_hessian_begin.c");
    joints::among(gpu, model, text, &[("JOINTS\n", joints)]) + &value(gpu, model)
}

/// Second-order terms of a weighted motion, by derivatives of the motion.
fn of_motion(parts: &Parts<'_>, of: &Curvature) -> String {
    let text = curvature(parts.gpu, parts.model, of);
    if text.is_empty() {
        return text;
    }
    let real = parts.gpu.real.name();
    format!(
        "{{\n/* The motion moves with its derivatives alone. */\nconst {real} time = 0, squared = 1;\n{text}}}\n"
    )
}

/// Statements before the Hessian of accelerations: their weights.
fn weights(parts: &Parts<'_>, at: &At) -> String {
    let (gpu, model) = (parts.gpu, parts.model);
    let joints = joints::each(gpu, model, &at.text(include_str!("text/rk4_weights_joint.c")));
    joints::among(gpu, model, include_str!("text/rk4_weights.c"), &[("JOINTS\n", joints)])
}

/// Statements after it, for a column of each block.
fn back(parts: &Parts<'_>, at: &At) -> String {
    let (gpu, model) = (parts.gpu, parts.model);
    let spelled = |text: &str| at.text(&text.replace("BLOCK", BLOCK));
    let of_place = Curvature { along: at.along(), weights: "second_dq", by: at.by_motion, is_held: false };
    gpu.text(&spelled(include_str!("text/rk4_hessian_columns.c")), model)
        + &joints::each(gpu, model, &spelled(include_str!("text/rk4_rate_hessian_joint.c")))
        + &of_motion(parts, &of_place)
}
