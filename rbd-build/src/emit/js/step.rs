//! The discrete step and its derivatives, as fixed text in `text/step/` (docs/math.md#discrete-step).
//!
//! That text joins `aba`, `aba_derivatives`, `aba_hessian` and `integrate`, and reads the table of joints.
//! `STEP(..)`, `DERIVATIVES(..)` and `HESSIAN(..)` stand for the heads of the functions. The Hessian is
//! written where that of accelerations is.

use super::spell::item;
use crate::emit::c_family::documentation::{equation_of_step, shown};
use crate::emit::manifold::is_flat;
use crate::search::plan::Plan;
use crate::signatures::signature::{Dim, Dims, Sizes};
use crate::table::functions::Function;
use rbd_runtime::{Integrator, Model};
use std::fmt::Write;

const RESULTS: &str = include_str!("text/step/results.js");
const JOINING: &str = include_str!("text/step/joining.js");
const PRODUCT: &str = include_str!("text/step/product.js");
const FLAT: &str = include_str!("text/step/flat.js");
const TURNING: &str = include_str!("text/step/turning.js");
const PLAIN: &str = include_str!("text/step/plain.js");
const DAMPED: &str = include_str!("text/step/damped.js");
const EULER: &str = include_str!("text/step/euler.js");
const FLAT_RATE: &str = include_str!("text/step/flat_rate.js");
const TURNING_RATE: &str = include_str!("text/step/turning_rate.js");
const RK4: &str = include_str!("text/step/rk4.js");

/// Text of the Hessian, each after the text of the same name without its end.
mod hessian {
    pub const COMMON: &str = include_str!("text/step/hessian.js");
    pub const FLAT: &str = include_str!("text/step/flat_hessian.js");
    pub const TURNING: &str = include_str!("text/step/turning_hessian.js");
    pub const PLAIN: &str = include_str!("text/step/plain_hessian.js");
    pub const DAMPED: &str = include_str!("text/step/damped_hessian.js");
    pub const EULER: &str = include_str!("text/step/euler_hessian.js");
    pub const FLAT_RATE: &str = include_str!("text/step/flat_rate_hessian.js");
    pub const TURNING_RATE: &str = include_str!("text/step/turning_rate_hessian.js");
    pub const RK4: &str = include_str!("text/step/rk4_hessian.js");
}

/// A function of steps.
struct StepFunction {
    name: &'static str,
    /// Token that stands for the function's head in fixed text.
    token: &'static str,
    /// Type of the result.
    result: &'static str,
    /// Lengths of the result, a constant of the text.
    lengths: &'static str,
    /// Weights, which are arguments after the time.
    weights: &'static [&'static str],
    doc: &'static str,
}

const STEP: StepFunction = StepFunction {
    name: "step",
    token: "STEP",
    result: "Step",
    lengths: "_OF_STEP",
    weights: &[],
    doc: "The state after a time dt, s, under torques that are constant meanwhile.",
};
const DERIVATIVES: StepFunction = StepFunction {
    name: "step_derivatives",
    token: "DERIVATIVES",
    result: "StepDerivatives",
    lengths: "_OF_DERIVATIVES",
    weights: &[],
    doc: "That state, and its derivatives in the tangent spaces of the old and the new state.",
};
const HESSIAN: StepFunction = StepFunction {
    name: "step_hessian",
    token: "HESSIAN",
    result: "StepHessian",
    lengths: "_OF_HESSIAN",
    weights: &["lambda_q", "lambda_v"],
    doc: "Value, gradient and Hessian of lambda_q . difference(at, q+) + lambda_v . v+, `at` being q+ itself. Blocks that are \
          not there are the transposed ones.",
};

/// The functions, with the Hessian or without.
fn functions(has_hessian: bool) -> impl Iterator<Item = &'static StepFunction> {
    [&STEP, &DERIVATIVES].into_iter().chain(has_hessian.then_some(&HESSIAN))
}

/// True if the weighted Hessian of a step is written: that of accelerations is.
pub fn has_hessian(plans: &[Plan]) -> bool {
    plans.iter().any(|plan| plan.function == Function::AbaHessian)
}

/// The functions.
pub fn text(model: &Model<f64>, integrator: Integrator, has_hessian: bool) -> String {
    let flat = is_flat(model);
    let damping = || {
        let damping: Vec<String> = model.damping().into_iter().map(item).collect();
        format!("const _damping = [{}];\n{DAMPED}", damping.join(", "))
    };
    let (joints, of_joints) = if flat { (FLAT, hessian::FLAT) } else { (TURNING, hessian::TURNING) };
    let (rate, of_rate) =
        if flat { (FLAT_RATE, hessian::FLAT_RATE) } else { (TURNING_RATE, hessian::TURNING_RATE) };
    let (first, second): (Vec<String>, Vec<&str>) = match integrator {
        Integrator::Rk4 => {
            (vec![PRODUCT.into(), rate.into(), RK4.into()], vec![of_joints, of_rate, hessian::RK4])
        }
        Integrator::ImplicitDamping => {
            (vec![damping(), EULER.into()], vec![PRODUCT, of_joints, hessian::DAMPED, hessian::EULER])
        }
        Integrator::SemiImplicit | Integrator::Explicit => {
            (vec![PLAIN.into(), EULER.into()], vec![of_joints, hessian::PLAIN, hessian::EULER])
        }
    };
    let mut pieces: Vec<&str> = vec![RESULTS, JOINING, joints];
    pieces.extend(first.iter().map(String::as_str));
    if has_hessian {
        pieces.push(hessian::COMMON);
        pieces.extend(second);
    }
    let is_semi = !matches!(integrator, Integrator::Explicit);
    let mut text = pieces.join("\n") + "\n";
    text = text.replace("SEMI", if is_semi { "true" } else { "false" });
    for StepFunction { name, token, lengths, weights, .. } in functions(has_hessian) {
        let more: String = weights.iter().map(|weight| format!(", {weight}")).collect();
        let checks: String = weights
            .iter()
            .map(|weight| format!("    _check(\"{name}: {weight}\", {weight}, NV);\n"))
            .collect();
        let head = format!(
            "export function {name}(q, v, tau, dt{more}, out = _made({lengths})) {{\n{checks}    \
             _checked(\"{name}\", q, v, tau, out, {lengths});"
        );
        text = text.replace(&format!("\n{token}(q, v, tau, dt{more}) {{"), &format!("\n{head}"));
    }
    text
}

/// A field of a result: its name, and what it is.
pub type Field = (String, String);

/// Fields of the Hessian, with this variable in place of torques, and so many of it.
pub fn of_hessian(model: &Model<f64>, by: &str, count: usize) -> Vec<Field> {
    let n = model.nv;
    let lengths = [("q", n), ("v", n), (by, count)];
    let mut fields: Vec<Field> = vec![(
        "value".into(),
        "[1] lambda_q . q+ + lambda_v . v+; of q+ only joints of one coordinate count".into(),
    )];
    fields.extend(lengths.map(|(x, n)| (format!("d{x}"), format!("[{n}] gradient by {x}"))));
    for (a, b) in [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)] {
        let ((x, rows), (y, columns)) = (lengths[a], lengths[b]);
        let odd = if b == 0 { "; with quaternions it is not symmetric" } else { "" };
        let doc = format!("[{rows} x {columns}, by columns] derivative of d{x} by {y}{odd}");
        fields.push((format!("d{x}d{y}"), doc));
    }
    fields
}

/// TypeScript declarations of the steps.
pub fn declarations(model: &Model<f64>, integrator: Integrator, has_hessian: bool) -> String {
    let sizes = Sizes::from(model);
    let shape = |dims| shown(dims, sizes);
    let (square, state) =
        (shape(Dims::Matrix(Dim::Nv, Dim::Nv)), [Dim::Nq, Dim::Nv].map(|n| shape(Dims::Vector(n))));
    let of_state = [
        ("q".to_owned(), format!("{} configuration after it", state[0])),
        ("v".to_owned(), format!("{} velocity after it; rad/s, m/s", state[1])),
    ];
    let by = [("dq", "q"), ("dv", "v"), ("dtau", "tau")];
    let of_blocks = [("dq", "q+"), ("dv", "v+")].into_iter().flat_map(|(row, of)| {
        by.map(|(column, at)| (format!("{row}_{column}"), format!("{square} derivative of {of} by {at}")))
    });
    let fields = [
        of_state.to_vec(),
        of_state.iter().cloned().chain(of_blocks).collect(),
        of_hessian(model, "tau", model.nv),
    ];
    let mut text = String::new();
    for (StepFunction { name, result, weights, doc, .. }, fields) in functions(has_hessian).zip(fields) {
        let more: String = weights.iter().map(|weight| format!(", {weight}: Numbers")).collect();
        let of_weights = if weights.is_empty() { String::new() } else { documented_weights(&state[1]) };
        let _ = writeln!(text, "export interface {result} {{");
        for (field, doc) in fields {
            let _ = writeln!(text, "    /** {doc} */\n    {field}: Float64Array;");
        }
        let _ = write!(
            text,
            "}}\n\n/**\n * {doc}\n *\n * `{0}`\n *\n * @param q {1}: configuration\n * @param v {2}: velocity\n * @param tau {2}: torques\n \
             * @param dt time, s\n{of_weights} */\n\
             export function {name}(q: Numbers, v: Numbers, tau: Numbers, dt: number{more}, out?: {result}): {result};\n\n",
            equation_of_step(integrator),
            state[0],
            state[1]
        );
    }
    text
}

/// Documentation of the weights of a Hessian.
pub fn documented_weights(shape: &str) -> String {
    format!(
        " * @param lambda_q {shape}: weights of motions in the tangent space at q+\n * @param lambda_v {shape}: weights of v+\n"
    )
}
