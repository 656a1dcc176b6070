//! Runge and Kutta's method of order 4 on the manifold, by Munthe-Kaas (docs/math.md#discrete-step).
//!
//! Each of four stages has a configuration, to which a motion from q leads, and a velocity. Forward dynamics
//! there is a function of its own, which is called at each stage.

use super::Writer;
use super::function::{Callee, Step, indented, joined};
use super::interface::{callee, heading};
use super::joints::{self, Along};
use super::memory::Memory;
use super::step::Parts;
use crate::emit::c_family::helpers::Written;
use crate::search::plan::{Plan, Version};
use crate::signatures::signature::Sizes;
use crate::table::functions::Function;
use rbd_runtime::Model;

const STAGES: usize = 4;
const COLUMNS: &str = "/* A column of the derivatives by q, by v or by tau. */";
/// The motion to a stage, and that of the whole step.
const MOTION: Along = Along { times: None, of: "motion" };
const ALONG: Along = Along { times: None, of: "along" };

/// What the stages share.
pub fn memory(model: &Model<f64>) -> Memory {
    let n = model.nv;
    let vectors = ["motion", "velocity", "rate", "acceleration", "along"].map(|name| (name, n));
    Memory { pieces: vectors.to_vec() }.and([("place", model.nq)])
}

/// What they share with derivatives.
pub fn memory_of_derivatives(model: &Model<f64>) -> Memory {
    let square = model.nv * model.nv;
    let of_stage = ["stage_dq", "stage_dv", "stage_dtau"].map(|name| (name, square));
    let columns = ["by_rate", "by_acceleration", "by_place"].map(|name| (name, 3 * square));
    memory(model).and(of_stage).and(columns)
}

/// Where a stage has the arguments and results of forward dynamics.
pub fn at_stage(name: &'static str) -> &'static str {
    match name {
        "q" => "place",
        "v" => "velocity",
        "ddq" => "acceleration",
        "ddq_dq" => "stage_dq",
        "ddq_dv" => "stage_dv",
        "ddq_dtau" => "stage_dtau",
        other => other,
    }
}

/// The next state.
pub fn step(parts: &Parts<'_>) -> (Vec<Step>, Memory) {
    let (gpu, model) = (parts.gpu, parts.model);
    let aba = parts.plans.iter().find(|plan| plan.function == Function::Aba).expect("steps ask for it");
    let calls = callee(gpu, model, aba).calls(at_stage);
    let steps = match &calls[..] {
        // One thread goes through the stages.
        [Step::Parts(call)] => {
            let stage = reach(gpu, model) + &call[0].text + &gather(gpu, model);
            let text = format!(
                "RBD_NOT_UNROLLED\nfor (int stage = 0; stage < {STAGES}; stage++) {{\n{}}}\n{}",
                indented(&stage, 1),
                end(gpu, model)
            );
            vec![Step::Parts(vec![text.into()])]
        }
        _ => stages(gpu, model, |_| callee(gpu, model, aba).calls(at_stage), false),
    };
    (steps, memory(model))
}

/// Accelerations and their derivatives as a function that stages call. It leaves no zeros alone, since its
/// results are memory that the kernels share.
pub fn stage_derivatives(parts: &Parts<'_>, first: &Plan) -> (Written, Callee) {
    let (gpu, sizes) = (parts.gpu, Sizes::from(parts.model));
    let mut heading = heading(gpu, parts.model, first);
    heading.name = format!("{}_stage_derivatives", gpu.prefix);
    let stages: Vec<&Version> = first.stages.iter().map(|stage| &stage.scalar).collect();
    let steps = gpu.steps(sizes, &stages);
    let Written { text, helpers } = heading.parts(gpu, sizes, &steps);
    let text = format!("/* Accelerations at a stage, and their derivatives. */\n{text}");
    (Written { text, helpers }, heading.callee(steps.iter().map(Step::count).collect()))
}

/// The next state and its derivatives.
pub fn step_derivatives(parts: &Parts<'_>, of_stage: &Callee) -> (Vec<Step>, Memory) {
    let (gpu, model) = (parts.gpu, parts.model);
    (stages(gpu, model, |_| of_stage.calls(at_stage), true), memory_of_derivatives(model))
}

/// The stages, with derivatives or without. `dynamics` is forward dynamics at a stage.
pub fn stages(
    gpu: &Writer<'_>,
    model: &Model<f64>,
    dynamics: impl Fn(usize) -> Vec<Step>,
    has_derivatives: bool,
) -> Vec<Step> {
    let single = |text: String| Step::Parts(vec![text.into()]);
    let of_stage = |stage: usize, text: &str| single(format!("const int stage = {stage};\n{text}"));
    let mut steps = Vec::new();
    for stage in 0..STAGES {
        steps.push(of_stage(stage, &reach(gpu, model)));
        steps.extend(dynamics(stage));
        let mut columns = has_derivatives.then(|| columns(gpu, model, stage));
        // Columns of the last stage end with the motion of the whole step, those of others come before the
        // next stage.
        if stage + 1 < STAGES {
            steps.extend(columns.take());
        }
        steps.push(of_stage(stage, &gather(gpu, model)));
        if stage + 1 == STAGES {
            steps.push(single(end(gpu, model)));
        }
        steps.extend(columns);
    }
    joined(steps)
}

/// Statements before forward dynamics: where the stage is.
fn reach(gpu: &Writer<'_>, model: &Model<f64>) -> String {
    gpu.text(include_str!("text/rk4_reach.c"), model) + &joints::integrate(gpu, model, "place", MOTION)
}

/// Statements after them: what the stage adds.
fn gather(gpu: &Writer<'_>, model: &Model<f64>) -> String {
    let rates = joints::each(gpu, model, include_str!("text/rk4_rate_joint.c"));
    joints::among(gpu, model, include_str!("text/rk4_gather.c"), &[("JOINTS\n", rates)])
}

/// Statements after all stages.
fn end(gpu: &Writer<'_>, model: &Model<f64>) -> String {
    gpu.text(include_str!("text/rk4_end.c"), model) + &joints::integrate(gpu, model, "q_next", ALONG)
}

/// A column of the stage in each part.
fn columns(gpu: &Writer<'_>, model: &Model<f64>, stage: usize) -> Step {
    let place = joints::through(gpu, model, "of_place", MOTION);
    let rates = joints::each(gpu, model, include_str!("text/rk4_columns_joint.c"));
    let text = include_str!("text/rk4_columns.c");
    let text = joints::among(gpu, model, text, &[("PLACE\n", place), ("JOINTS\n", rates)]);
    let mut text = format!("const int stage = {stage};\n{text}");
    if stage + 1 == STAGES {
        text += "if (by_v) RBD_AT(of_v, column) += 1;\n";
        text += &joints::through(gpu, model, "of_q", ALONG);
    }
    Step::Alike { count: 3 * model.nv, doc: COLUMNS, text }
}
