//! Value, gradient and Hessian of the weighted step (docs/math.md#discrete-step).
//!
//! First derivatives of accelerations, the weights that the next state gives to accelerations, the Hessian
//! of accelerations under these weights, and what the joints' maps add of second order.

use super::function::{Array, Heading, Step, joined};
use super::memory::Memory;
use super::second_order::{after_first, first_elsewhere};
use super::step::{Parts, Q_NEXT, StepFunction, V_NEXT, documentation, heading, joining, moves_by};
use super::{Writer, damped, joints};
use crate::emit::c_family::helpers::Written;
use crate::emit::manifold::owners;
use crate::search::plan::Plan;
use crate::signatures::second_order::{AVALUE, DQDQ, DQDTAU, DQDV, DVDV, HDQ, HDTAU, HDV};
use crate::signatures::signature::{DDQ, DDQ_DQ, DDQ_DTAU, DDQ_DV, Dim, Dims, Output, Sizes};
use rbd_runtime::{Integrator, Model};
use std::fmt::Write;

const LAMBDA_Q: Array = Array { name: "lambda_q", shape: Dims::Vector(Dim::Nv) };
const LAMBDA_V: Array = Array { name: "lambda_v", shape: Dims::Vector(Dim::Nv) };
const VALUE: Output = Output {
    doc: "lambda_q . q_next + lambda_v . v_next; of q_next only joints of one coordinate count",
    ..AVALUE
};
const GRADIENT_BY_TAU: Output = Output { doc: "derivative by tau", ..HDTAU };
const DVDTAU: Output = Output {
    name: "dvdtau",
    doc: "entry (i, j) is the derivative by tau_j of the derivative by v_i",
    ..DQDTAU
};
const DTAUDTAU: Output = Output { name: "dtaudtau", doc: "by tau twice", ..DVDV };
/// Results of the Hessian, in order.
const RESULTS: [Output; 10] = [VALUE, HDQ, HDV, GRADIENT_BY_TAU, DQDQ, DQDV, DVDV, DQDTAU, DVDTAU, DTAUDTAU];

const COLUMNS: &str = "/* A column of each block, an entry of each gradient. */";

/// The function, on the Hessian of accelerations.
pub fn definition(parts: &Parts<'_>, plan: &Plan) -> StepFunction {
    let Parts { gpu, model, integrator, .. } = *parts;
    let (n, sizes) = (model.nv, Sizes::from(model));
    let (steps, memory) = steps(parts, plan);
    let steps: Vec<Step> = steps.into_iter().map(|step| memory.in_step(gpu, step)).collect();
    let outputs: Vec<Output> = [DDQ_DQ, DDQ_DV, DDQ_DTAU].into_iter().chain(RESULTS).collect();
    let arrays = [Q_NEXT, V_NEXT, DDQ.into()].into_iter();
    let arrays = arrays.chain(outputs.iter().map(|output| (*output).into())).chain(memory.array());
    let of = heading(gpu, model, plan.function, "step_hessian", arrays.collect());
    let params = of.params.into_iter().chain([LAMBDA_Q, LAMBDA_V]).collect();
    let (definition, callee) = Heading { params, ..of }.defined(gpu, sizes, &steps);
    let what = "Value, gradient and Hessian of lambda_q . difference(at, q_next) + lambda_v . v_next, where `at` is q_next \
                itself: the state after a time dt";
    let more = format!(
        " * lambda_q [{n}]: weights of motions in the tangent space at q_next\n * lambda_v [{n}]: weights of v_next\n"
    );
    let text = format!(
        "{}{}\n *\n \
         * Blocks that are not there are the transposed ones. With quaternions dqdq is not symmetric. */\n{}{}",
        documentation(integrator, what, sizes, &more, &outputs),
        memory.documentation(gpu, "step_hessian"),
        memory.defined(gpu, "step_hessian"),
        definition.text
    );
    StepFunction { name: "step_hessian", text: Written { text, ..definition }, callee, sizes }
}

/// The steps, and what they share.
fn steps(parts: &Parts<'_>, plan: &Plan) -> (Vec<Step>, Memory) {
    let Parts { gpu, model, integrator, .. } = *parts;
    let composition = plan.composition.as_ref().expect("Hessians of accelerations are composed");
    let memory = Memory { pieces: ["weights", "by_q", "by_v"].map(|name| (name, model.nv)).to_vec() };
    let columns = Step::Alike { count: model.nv, doc: COLUMNS, text: columns(gpu, model, integrator) };
    let weights = weights(gpu, model, integrator);
    // Torques' second derivatives are taken where the first ones are, to the last bit: terms of both cancel.
    let is_damped = integrator == Integrator::ImplicitDamping;
    let second = after_first(gpu, model, composition, "weights", if is_damped { damped::LATER } else { DDQ });
    let (mut steps, memory) = if is_damped {
        let mut steps = joined(parts.to_the_next(&(weights + &damped::weights(gpu, model))));
        steps.extend(first_elsewhere(gpu, model, composition, damped::at_found));
        steps.extend(second);
        steps.extend(damped::hessian(gpu, model));
        let more = [damped::later(model), ("through", model.nv * model.nv)];
        (steps, memory.and(damped::memory(model).pieces).and(more))
    } else {
        let mut steps = first_elsewhere(gpu, model, composition, |wire| wire);
        steps.push(Step::Parts(vec![(joining(gpu, model, integrator) + &weights).into()]));
        steps.extend(second);
        (steps, memory)
    };
    steps.push(columns);
    (steps, memory)
}

/// Fixed text for each joint of several coordinates.
fn of_joints(gpu: &Writer<'_>, model: &Model<f64>, integrator: Integrator, text: &str) -> String {
    joints::each(gpu, model, &text.replace("MOVES", moves_by(integrator)))
}

/// Statements after the next state: weights of accelerations, gradients without them, and the value.
fn weights(gpu: &Writer<'_>, model: &Model<f64>, integrator: Integrator) -> String {
    let weights = if integrator == Integrator::Explicit { LAMBDA_V.name } else { "by_v" };
    let text = include_str!("text/step_weights.c").replace("WEIGHTS", weights);
    let joints = of_joints(gpu, model, integrator, include_str!("text/step_weights_joint.c"));
    joints::among(gpu, model, &text, &[("JOINTS\n", joints)])
}

fn columns(gpu: &Writer<'_>, model: &Model<f64>, integrator: Integrator) -> String {
    let mut text = gpu.text(include_str!("text/step_hessian.c"), model);
    if joints::turns(model) {
        let squared = if integrator == Integrator::Explicit { "0" } else { "time * time" };
        let _ = writeln!(text, "const {} squared = {squared};", gpu.real.name());
        text += &of_joints(gpu, model, integrator, include_str!("text/step_hessian_joint.c"));
    }
    // Of the configuration only joints of one coordinate count.
    let mut value = String::new();
    for b in owners(model).filter(|b| b.kind.nv() == 1) {
        let _ = writeln!(
            value,
            "    sum = RBD_FMA(RBD_AT(lambda_q, {}), RBD_AT(q_next, {}), sum);",
            b.idx_v, b.idx_q
        );
    }
    text + &gpu.text(&include_str!("text/step_value.c").replace("    TERMS\n", &value), model)
}
