//! The discrete step while contacts hold: dynamics under contacts, then that of free steps on their
//! accelerations (docs/step.md#under-contacts).

use super::contacts::{Made, heading, spelled};
use super::function::{Step, joined};
use super::memory::Memory;
use super::step::{DT, Q_NEXT, StepFunction, V_NEXT, blocks, columns, documentation, in_blocks, joining};
use super::{Writer, damped, runge_kutta};
use crate::emit::c_family::helpers::Written;
use crate::names::interned;
use crate::signatures::signature::{DDQ, Output};
use rbd_runtime::{Integrator, Model};

/// Memory of the dynamics, in that of the step.
const INNER: &str = "inner";
const FORCES: &str =
    "/* A column of the derivatives of forces by q, and after those by v: the torques move with v_next. */";
const FORCES_BY_TORQUES: &str = "/* A row of the derivatives of forces by tau. */";

/// True for derivatives of accelerations.
fn is_square(output: &Output) -> bool {
    in_blocks(*output) != *output
}

/// The steps on these dynamics, the second of which have derivatives.
pub fn definitions(
    gpu: &Writer<'_>,
    model: &Model<f64>,
    integrator: Integrator,
    all: &[Made],
) -> Vec<StepFunction> {
    let mut functions = Vec::new();
    for made in all {
        let has_derivatives = made.spec.outputs.iter().any(is_square);
        let (steps, memory) = match integrator {
            Integrator::Rk4 => by_stages(gpu, model, made, has_derivatives),
            Integrator::ImplicitDamping => {
                // Torques are found by derivatives.
                let Some(first) = all.iter().find(|made| made.spec.outputs.iter().any(is_square)) else {
                    continue;
                };
                under_damping(gpu, model, [first, made], has_derivatives)
            }
            _ => {
                let mut steps = made.callee.calls(in_step);
                steps.push(Step::Parts(vec![joining(gpu, model, integrator).into()]));
                steps.extend(has_derivatives.then(|| columns(gpu, model, integrator)));
                (steps, Memory { pieces: vec![(INNER, made.work())] })
            }
        };
        functions.push(definition(gpu, model, integrator, made, (steps, memory)));
    }
    functions
}

/// Documentation, device function and kernels.
fn definition(
    gpu: &Writer<'_>,
    model: &Model<f64>,
    integrator: Integrator,
    made: &Made,
    (steps, memory): (Vec<Step>, Memory),
) -> StepFunction {
    let has_derivatives = made.spec.outputs.iter().any(is_square);
    let (name, what) = match has_derivatives {
        true => {
            ("contact_step_derivatives", "The state after a time dt while contacts hold, and its derivatives")
        }
        false => ("contact_step", "The state after a time dt while contacts hold"),
    };
    // Forces and what they leave, and derivatives of forces after the blocks.
    let own = made.spec.outputs.iter().copied().filter(|output| *output != DDQ && !is_square(output));
    let (mut outputs, of_forces): (Vec<Output>, Vec<Output>) =
        own.partition(|output| ["forces", "residual"].contains(&output.name));
    outputs.extend(has_derivatives.then(blocks).into_iter().flatten().chain(of_forces));
    let arrays =
        [Q_NEXT, V_NEXT, DDQ.into()].into_iter().chain(outputs.iter().map(|output| (*output).into()));
    let heading = heading(gpu, model, made.spec, name, Some(DT), arrays.chain(memory.array()));
    let steps: Vec<Step> = steps.into_iter().map(|step| memory.in_step(gpu, step)).collect();
    let (definition, callee) = heading.defined(gpu, made.sizes, &steps);
    let text = documentation(integrator, what, made.sizes, &made.about_contacts(), &outputs);
    let text = format!("{text}{}{}", Made::about_work(&memory, gpu, name), definition.text);
    StepFunction { name, text: Written { text, ..definition }, callee, sizes: made.sizes }
}

/// Maps an array of dynamics to the array that Euler's steps use for it.
fn in_step(name: &'static str) -> &'static str {
    match name {
        "work" => INNER,
        "ddq_dq" => "dv_dq",
        "ddq_dv" => "dv_dv",
        "ddq_dtau" => "dv_dtau",
        other => other,
    }
}

/// A name for results that are not the step's.
fn later(name: &str) -> &'static str {
    interned(&format!("later_{name}"))
}

/// Memory for results of a function that are not the step's.
fn later_pieces(made: &Made, of: impl Fn(&Output) -> bool) -> impl Iterator<Item = (&'static str, usize)> {
    let pieces = made.spec.outputs.iter().filter(move |output| of(output));
    pieces.map(|output| {
        let (rows, columns) = output.shape.extent(made.sizes);
        (later(output.name), rows * columns)
    })
}

/// Runge and Kutta's method. Forces are those at the beginning.
fn by_stages(
    gpu: &Writer<'_>,
    model: &Model<f64>,
    made: &Made,
    has_derivatives: bool,
) -> (Vec<Step>, Memory) {
    let dynamics = |stage: usize| {
        made.callee.calls(|name| match name {
            "work" => INNER,
            _ if stage > 0 && is_of_forces(name) => later(name),
            _ => runge_kutta::at_stage(name),
        })
    };
    let steps = runge_kutta::stages(gpu, model, dynamics, has_derivatives);
    let memory = match has_derivatives {
        true => runge_kutta::memory_of_derivatives(model),
        false => runge_kutta::memory(model),
    };
    let more = later_pieces(made, |output| is_of_forces(output.name));
    (steps, memory.and(more).and([(INNER, made.work())]))
}

/// True for forces, what they leave, and derivatives of forces.
fn is_of_forces(name: &str) -> bool {
    name.starts_with("forces") || name == "residual"
}

/// Implicit damping. Forces are those under the torques that act during the step, `tau - D (v_next - v)`.
/// `first` finds them.
fn under_damping(
    gpu: &Writer<'_>,
    model: &Model<f64>,
    [first, made]: [&Made; 2],
    has_derivatives: bool,
) -> (Vec<Step>, Memory) {
    let integrator = Integrator::ImplicitDamping;
    // Of the first call the accelerations remain, and their derivatives by torques.
    let mut steps = first.callee.calls(|name| match name {
        "ddq_dtau" => damped::FACTORS.name,
        "q" | "v" | "tau" | "active" | "settings" | "ddq" => name,
        _ if has_derivatives || name == "work" || ["forces", "residual"].contains(&name) => in_step(name),
        other => later(other),
    });
    let text = damped::find(gpu, model);
    let next = joining(gpu, model, integrator);
    steps.extend(joined([text, next].map(|text| Step::Parts(vec![text.into()])).into()));
    steps.extend(made.callee.calls(|name| match name {
        "tau" => damped::AT.name,
        "ddq" => damped::LATER.name,
        other => in_step(other),
    }));
    let memory = damped::memory(model).and([damped::later(model), (INNER, first.work().max(made.work()))]);
    if !has_derivatives {
        let is_later = |output: &Output| !["ddq", "ddq_dtau", "forces", "residual"].contains(&output.name);
        return (steps, memory.and(later_pieces(first, is_later)));
    }
    steps.push(columns(gpu, model, integrator));
    let alike = |count: usize, doc, text| Step::Alike {
        parts: count.into(),
        doc,
        text: spelled(gpu, model, made.sizes, text),
    };
    steps.push(alike(2 * model.nv, FORCES, include_str!("text/damped_forces.c")));
    steps.push(alike(made.sizes.nr, FORCES_BY_TORQUES, include_str!("text/damped_forces_by_torques.c")));
    (steps, memory)
}
