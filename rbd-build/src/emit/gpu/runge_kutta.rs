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

pub const STAGES: usize = 4;
const COLUMNS: &str = "/* A column of the derivatives by q, by v or by tau. */";
/// The motion of the whole step.
pub const ALONG: Along = Along { times: None, of: "along" };

/// Names of a stage's quantities, in the memory that the kernels share.
#[derive(Clone, Copy)]
pub struct At {
    /// The motion that leads to the stage, its velocity and its configuration.
    pub motion: &'static str,
    pub velocity: &'static str,
    pub place: &'static str,
    /// Derivatives of motion, velocity and configuration, and what may be overwritten after they are read.
    pub by_motion: &'static str,
    pub by_velocity: &'static str,
    pub by_place: &'static str,
    pub moved: &'static str,
    /// Derivatives of accelerations there.
    pub by: [&'static str; 3],
}

/// One memory for all stages. Derivatives take the place of those of the stage before.
const SHARED: At = At {
    motion: "motion",
    velocity: "velocity",
    place: "place",
    by_motion: "by_rate",
    by_velocity: "by_acceleration",
    by_place: "by_place",
    moved: "by_place",
    by: ["stage_dq", "stage_dv", "stage_dtau"],
};

impl At {
    /// Fixed text of a stage.
    pub fn text(&self, text: &str) -> String {
        let [by_q, by_v, by_tau] = self.by;
        let names = [
            ("MOTION", self.motion),
            ("VELOCITY", self.velocity),
            ("BY_U", self.by_motion),
            ("BY_X", self.by_velocity),
            ("BY_PLACE", self.by_place),
            ("MOVED", self.moved),
            ("DDQ_DTAU", by_tau),
            ("DDQ_DQ", by_q),
            ("DDQ_DV", by_v),
        ];
        names.iter().fold(text.to_owned(), |text, (word, name)| text.replace(word, name))
    }

    /// The motion that leads to it.
    pub fn along(&self) -> Along {
        Along { times: None, of: self.motion }
    }

    /// Maps an array of forward dynamics to the stage's array.
    pub fn of_dynamics(&self, name: &'static str) -> &'static str {
        match name {
            "q" => self.place,
            "v" => self.velocity,
            "ddq" => "acceleration",
            "ddq_dq" => self.by[0],
            "ddq_dv" => self.by[1],
            "ddq_dtau" => self.by[2],
            other => other,
        }
    }
}

/// Memory that the stages share.
pub fn memory(model: &Model<f64>) -> Memory {
    let n = model.nv;
    let vectors = ["motion", "velocity", "rate", "acceleration", "along"].map(|name| (name, n));
    Memory { pieces: vectors.to_vec() }.and([("place", model.nq)])
}

/// Memory that the stages share if derivatives are computed.
pub fn memory_of_derivatives(model: &Model<f64>) -> Memory {
    let square = model.nv * model.nv;
    let columns = [SHARED.by_motion, SHARED.by_velocity, SHARED.by_place].map(|name| (name, 3 * square));
    memory(model).and(SHARED.by.map(|name| (name, square))).and(columns)
}

/// Maps an array of forward dynamics to the array that the stages share.
pub fn at_stage(name: &'static str) -> &'static str {
    SHARED.of_dynamics(name)
}

/// The next state.
pub fn step(parts: &Parts<'_>) -> (Vec<Step>, Memory) {
    let (gpu, model) = (parts.gpu, parts.model);
    let aba = parts.plans.iter().find(|plan| plan.function == Function::Aba).expect("steps ask for it");
    let aba = callee(gpu, model, aba);
    let calls = aba.calls(at_stage);
    let steps = match &calls[..] {
        // One thread goes through the stages.
        [Step::Parts(call)] => {
            let stage = reach(gpu, model, &SHARED) + &call[0].text + &gather(gpu, model, &SHARED);
            let text = format!(
                "RBD_NOT_UNROLLED\nfor (int stage = 0; stage < {STAGES}; stage++) {{\n{}}}\n{}",
                indented(&stage, 1),
                end(gpu, model)
            );
            vec![single(text)]
        }
        _ => stages(gpu, model, |_| aba.calls(at_stage), false),
    };
    (steps, memory(model))
}

/// Accelerations and their derivatives as a function that stages call. It leaves no zeros alone, since its
/// results are memory that the kernels share.
pub fn stage_derivatives(parts: &Parts<'_>, first: &Plan, name: &str) -> (Written, Callee) {
    let (gpu, sizes) = (parts.gpu, Sizes::from(parts.model));
    let mut heading = heading(gpu, parts.model, first);
    heading.name = format!("{}_{name}", gpu.prefix);
    let stages: Vec<&Version> = first.stages.iter().map(|stage| &stage.scalar).collect();
    let steps = gpu.steps(sizes, &stages);
    let Written { text, helpers } = heading.parts(gpu, sizes, &steps);
    let text = format!("/* Accelerations at a stage, and their derivatives. */\n{text}");
    (Written { text, helpers }, heading.callee(steps.iter().map(Step::parts).collect()))
}

/// The next state and its derivatives.
pub fn step_derivatives(parts: &Parts<'_>, of_stage: &Callee) -> (Vec<Step>, Memory) {
    let (gpu, model) = (parts.gpu, parts.model);
    (stages(gpu, model, |_| of_stage.calls(at_stage), true), memory_of_derivatives(model))
}

/// A step of one part.
pub fn single(text: String) -> Step {
    Step::Parts(vec![text.into()])
}

/// A step of one part, of a stage.
pub fn of_stage(stage: usize, text: &str) -> Step {
    single(format!("const int stage = {stage};\n{text}"))
}

/// The stages, with derivatives or without. `dynamics` is forward dynamics at a stage.
pub fn stages(
    gpu: &Writer<'_>,
    model: &Model<f64>,
    dynamics: impl Fn(usize) -> Vec<Step>,
    has_derivatives: bool,
) -> Vec<Step> {
    let mut steps = Vec::new();
    for stage in 0..STAGES {
        steps.push(of_stage(stage, &reach(gpu, model, &SHARED)));
        steps.extend(dynamics(stage));
        let mut columns = has_derivatives.then(|| {
            let mut text = columns(gpu, model, (stage, &SHARED), [BLOCKS, SUMS]);
            if stage + 1 == STAGES {
                text += "if (by_v) RBD_AT(of_v, column) += 1;\n";
                text += &joints::through(gpu, model, "of_q", ALONG);
            }
            Step::Alike { parts: (3 * model.nv).into(), doc: COLUMNS, text }
        });
        // Columns of the last stage end with the motion of the whole step, those of others come before the
        // next stage.
        if stage + 1 < STAGES {
            steps.extend(columns.take());
        }
        steps.push(of_stage(stage, &gather(gpu, model, &SHARED)));
        if stage + 1 == STAGES {
            steps.push(single(end(gpu, model)));
        }
        steps.extend(columns);
    }
    joined(steps)
}

/// Statements before forward dynamics: where the stage is.
pub fn reach(gpu: &Writer<'_>, model: &Model<f64>, at: &At) -> String {
    let text = at.text(include_str!("text/rk4_reach.c"));
    gpu.text(&text, model) + &joints::integrate(gpu, model, at.place, at.along())
}

/// Statements after them: what the stage adds.
pub fn gather(gpu: &Writer<'_>, model: &Model<f64>, at: &At) -> String {
    let rates = joints::each(gpu, model, &at.text(include_str!("text/rk4_rate_joint.c")));
    joints::among(gpu, model, &at.text(include_str!("text/rk4_gather.c")), &[("JOINTS\n", rates)])
}

/// Statements after all stages.
pub fn end(gpu: &Writer<'_>, model: &Model<f64>) -> String {
    gpu.text(include_str!("text/rk4_end.c"), model) + &joints::integrate(gpu, model, "q_next", ALONG)
}

/// Declarations of the columns where the step's derivatives are summed up; [`SUMS`] does so.
const BLOCKS: &str = "\
    RBD_SPACE REAL *const of_v = &RBD_AT(part < SIZE ? dv_dq : by_v ? dv_dv : dv_dtau, column * SIZE);
RBD_SPACE REAL *const of_q = &RBD_AT(part < SIZE ? dq_dq : by_v ? dq_dv : dq_dtau, column * SIZE);
";
const SUMS: &str = "    if (stage == 0) RBD_AT(of_q, k) = RBD_AT(of_v, k) = 0;
    RBD_AT(of_q, k) = RBD_FMA(weight, change, RBD_AT(of_q, k));
    RBD_AT(of_v, k) = RBD_FMA(weight, changes[k], RBD_AT(of_v, k));
";

/// Statements for a column of a stage in each part. `results` declares where columns are summed up, `sums`
/// does so.
pub fn columns(
    gpu: &Writer<'_>,
    model: &Model<f64>,
    (stage, at): (usize, &At),
    [results, sums]: [&str; 2],
) -> String {
    let place = joints::through(gpu, model, "of_place", at.along());
    let rates = joints::each(gpu, model, &at.text(include_str!("text/rk4_columns_joint.c")));
    let text = at.text(include_str!("text/rk4_columns.c"));
    let text = text.replace("RESULTS\n", results).replace("    SUMS\n", sums);
    let text = joints::among(gpu, model, &text, &[("THROUGH_JOINTS\n", place), ("JOINTS\n", rates)]);
    format!("const int stage = {stage};\n{text}")
}
