//! Value, gradient and Hessian of the weighted step (docs/math.md#discrete-step).
//!
//! First derivatives of accelerations, the weights that the next state gives to accelerations, the Hessian
//! of accelerations under these weights, and what the joints' maps add of second order.

use super::function::{Array, Heading, Step, joined};
use super::joints::Along;
use super::memory::Memory;
use super::second_order::{after_first, first_elsewhere};
use super::step::{Parts, Q_NEXT, StepFunction, V_NEXT, along, documentation, heading, joining};
use super::{Writer, damped, joints, runge_kutta_hessian};
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
    let (called, steps, memory) = match integrator {
        Integrator::Rk4 => runge_kutta_hessian::steps(parts, plan),
        _ => steps(parts, plan),
    };
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
    let mut all = called;
    all.push(Written { text, ..definition });
    StepFunction { name: "step_hessian", text: all, callee, sizes }
}

/// The steps, and what they share.
fn steps(parts: &Parts<'_>, plan: &Plan) -> (Written, Vec<Step>, Memory) {
    let Parts { gpu, model, integrator, .. } = *parts;
    let composition = plan.composition.as_ref().expect("Hessians of accelerations are composed");
    let memory = Memory { pieces: ["weights", "by_q", "by_v"].map(|name| (name, model.nv)).to_vec() };
    let columns = Step::Alike { parts: model.nv.into(), doc: COLUMNS, text: columns(gpu, model, integrator) };
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
    (Written::default(), steps, memory)
}

/// A block of second derivatives by the variables a and b, which are q, v or tau.
pub const BLOCK: &str =
    "a == 2 ? dtaudtau : a == 1 ? (b == 1 ? dvdv : dvdtau) : b == 0 ? dqdq : b == 1 ? dqdv : dqdtau";

/// Second-order terms of a weighted configuration, to which a motion from q leads.
pub struct Curvature {
    /// The motion.
    pub along: Along,
    /// The weights.
    pub weights: &'static str,
    /// Derivatives of the motion by q, v and tau one after the other, or empty for those of accelerations.
    pub by: &'static str,
    /// True if the weights are those of a function that is held, `difference(at, ..)`. Else they move with
    /// the result.
    pub is_held: bool,
}

/// Statements for a column of each block, with `time` and `squared` declared before: the motion moves by
/// `squared` times the derivatives, and by `time` times the velocity.
pub fn curvature(gpu: &Writer<'_>, model: &Model<f64>, of: &Curvature) -> String {
    let text = include_str!("text/step_hessian_joint.c");
    let (common, own) = text.split_once("    OWN\n").expect("a place before what is of the joint's own");
    let text = if of.is_held { format!("{common}{own}") } else { format!("{common}}}\n") };
    let change = |which: &str| match (of.by, which) {
        ("", "0") => "ddq_dq".to_owned(),
        ("", k) => format!("{k} == 0 ? ddq_dq : {k} == 1 ? ddq_dv : ddq_dtau"),
        (by, "0") => by.to_owned(),
        (by, k) => format!("&RBD_AT({by}, {k} * SIZE * SIZE)"),
    };
    let (held, turns) = if of.is_held { ("(REAL)0.5", "(REAL)0.5") } else { ("0", "(REAL)1") };
    let text = text
        .replace("CHANGE_A", &change("a"))
        .replace("CHANGE_B", &change("b"))
        .replace("CHANGE_Q", &change("0"))
        .replace("BLOCK", BLOCK)
        .replace("HELD", held)
        .replace("TURNS", turns)
        .replace("ALONG", &of.along.entry("FIRST + k"))
        .replace("WEIGHTS", of.weights);
    joints::each(gpu, model, &text)
}

/// Statements that write gradients of a weighted configuration to which a motion leads, by q to `by_q` and by
/// the motion to `by_u`, of joints of several coordinates.
pub fn gradients(gpu: &Writer<'_>, model: &Model<f64>, along: Along, [weights, by_u]: [&str; 2]) -> String {
    let text = include_str!("text/step_weights_joint.c");
    let text = text.replace("ALONG", &along.entry("FIRST + k"));
    joints::each(gpu, model, &text.replace("WEIGHTS", weights).replace("BY_U", by_u))
}

/// Statements after the next state: weights of accelerations, and gradients without them.
fn weights(gpu: &Writer<'_>, model: &Model<f64>, integrator: Integrator) -> String {
    let weights = if integrator == Integrator::Explicit { LAMBDA_V.name } else { "by_v" };
    let text = include_str!("text/step_weights.c").replace("WEIGHTS", weights);
    let joints = gradients(gpu, model, along(integrator), [LAMBDA_Q.name, "by_v"]);
    joints::among(gpu, model, &text, &[("JOINTS\n", joints)])
}

fn columns(gpu: &Writer<'_>, model: &Model<f64>, integrator: Integrator) -> String {
    let mut text = gpu.text(include_str!("text/step_hessian.c"), model);
    if joints::turns(model) {
        let squared = if integrator == Integrator::Explicit { "0" } else { "time * time" };
        let _ = writeln!(text, "const {} squared = {squared};", gpu.real.name());
        let of = Curvature { along: along(integrator), weights: LAMBDA_Q.name, by: "", is_held: true };
        text += &curvature(gpu, model, &of);
    }
    text + &value(gpu, model)
}

/// Statements that write the value, in part 0. Of the configuration only joints of one coordinate count.
pub fn value(gpu: &Writer<'_>, model: &Model<f64>) -> String {
    let mut value = String::new();
    for b in owners(model).filter(|b| b.kind.nv() == 1) {
        let _ = writeln!(
            value,
            "    sum = RBD_FMA(RBD_AT(lambda_q, {}), RBD_AT(q_next, {}), sum);",
            b.idx_v, b.idx_q
        );
    }
    gpu.text(&include_str!("text/step_value.c").replace("    TERMS\n", &value), model)
}
