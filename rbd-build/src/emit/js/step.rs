//! The discrete step and its first derivatives, as fixed text in `text/step/` (docs/math.md#discrete-step).
//!
//! That text joins `aba`, `aba_derivatives` and `integrate`, and reads the table of joints. `STEP(..)` and
//! `DERIVATIVES(..)` stand for the heads of the two functions.

use super::spell::item;
use crate::emit::c_family::documentation::{equation_of_step, shown};
use crate::emit::manifold::is_flat;
use crate::signatures::signature::{Dim, Dims, Sizes};
use rbd_runtime::{Integrator, Model};
use std::fmt::Write;

const RESULTS: &str = include_str!("text/step/results.js");
const JOINING: &str = include_str!("text/step/joining.js");
const FLAT: &str = include_str!("text/step/flat.js");
const TURNING: &str = include_str!("text/step/turning.js");
const PLAIN: &str = include_str!("text/step/plain.js");
const DAMPED: &str = include_str!("text/step/damped.js");
const EULER: &str = include_str!("text/step/euler.js");
const FLAT_RATE: &str = include_str!("text/step/flat_rate.js");
const TURNING_RATE: &str = include_str!("text/step/turning_rate.js");
const RK4: &str = include_str!("text/step/rk4.js");

/// The functions: name, type and lengths of the result, and documentation.
const FUNCTIONS: [(&str, &str, &str, &str); 2] = [
    ("step", "Step", "_OF_STEP", "The state after a time dt, s, under torques that are constant meanwhile."),
    (
        "step_derivatives",
        "StepDerivatives",
        "_OF_DERIVATIVES",
        "That state, and its derivatives in the tangent spaces of the old and the new state.",
    ),
];

/// The functions.
pub fn text(model: &Model<f64>, integrator: Integrator) -> String {
    let flat = is_flat(model);
    let one_of = |is_first, [first, second]: [&'static str; 2]| if is_first { first } else { second };
    let joints = one_of(flat, [FLAT, TURNING]);
    let is_semi = !matches!(integrator, Integrator::Explicit);
    let functions = match integrator {
        Integrator::Rk4 => format!("{}\n{RK4}", one_of(flat, [FLAT_RATE, TURNING_RATE])),
        Integrator::ImplicitDamping => {
            let damping: Vec<String> = model.damping().into_iter().map(item).collect();
            format!("const _damping = [{}];\n{DAMPED}\n{EULER}", damping.join(", "))
        }
        Integrator::SemiImplicit | Integrator::Explicit => format!("{PLAIN}\n{EULER}"),
    };
    let mut text = format!("{RESULTS}\n{JOINING}\n{joints}\n{functions}\n");
    text = text.replace("SEMI", if is_semi { "true" } else { "false" });
    for ((name, _, lengths, _), token) in FUNCTIONS.into_iter().zip(["STEP", "DERIVATIVES"]) {
        let head = format!(
            "export function {name}(q, v, tau, dt, out = _made({lengths})) {{\n    _checked(\"{name}\", q, v, tau, out, {lengths});"
        );
        text = text.replace(&format!("\n{token}(q, v, tau, dt) {{"), &format!("\n{head}"));
    }
    text
}

/// Their types.
pub fn declarations(model: &Model<f64>, integrator: Integrator) -> String {
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
    let fields = [of_state.to_vec(), of_state.iter().cloned().chain(of_blocks).collect()];
    let mut text = String::new();
    for ((name, result, _, doc), fields) in FUNCTIONS.into_iter().zip(fields) {
        let _ = writeln!(text, "export interface {result} {{");
        for (field, doc) in fields {
            let _ = writeln!(text, "    /** {doc} */\n    {field}: Float64Array;");
        }
        let _ = write!(
            text,
            "}}\n\n/**\n * {doc}\n *\n * `{0}`\n *\n * @param q {1}: configuration\n * @param v {2}: velocity\n * @param tau {2}: torques\n \
             * @param dt time, s\n */\n\
             export function {name}(q: Numbers, v: Numbers, tau: Numbers, dt: number, out?: {result}): {result};\n\n",
            equation_of_step(integrator),
            state[0],
            state[1]
        );
    }
    text
}
