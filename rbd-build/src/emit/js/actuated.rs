//! Steps under controls of some joints, as fixed text in `text/step/actuated.js`
//! (docs/step.md#controls-of-some-joints). That text calls the functions of `step` with all torques.

use super::step::{documented_weights, of_hessian};
use crate::emit::c_family::documentation::shown;
use crate::signatures::signature::{Dim, Dims, Sizes};
use rbd_runtime::Model;

const TEXT: &str = include_str!("text/step/actuated.js");
const HESSIAN: &str = include_str!("text/step/actuated_hessian.js");

/// The functions, of controls of these coordinates.
pub fn text(controls: &[usize], has_hessian: bool) -> String {
    if controls.is_empty() {
        return String::new();
    }
    let controls: Vec<String> = controls.iter().map(ToString::to_string).collect();
    let hessian = if has_hessian { HESSIAN } else { "" };
    format!("{}\n{hessian}\n", TEXT.replace("CONTROLS", &controls.join(", ")))
}

/// TypeScript declarations of steps under controls.
pub fn declarations(model: &Model<f64>, controls: &[usize], has_hessian: bool) -> String {
    if controls.is_empty() {
        return String::new();
    }
    let (sizes, nu) = (Sizes::from(model), controls.len());
    let [nq, nv] = [Dim::Nq, Dim::Nv].map(|n| shown(Dims::Vector(n), sizes));
    let square = shown(Dims::Matrix(Dim::Nv, Dim::Nv), sizes);
    let of_controls = format!("[{} x {nu}, by columns]", model.nv);
    let mut fields = String::new();
    for (row, of) in [("dq", "q+"), ("dv", "v+")] {
        for (column, shape) in [("q", &square), ("v", &square), ("u", &of_controls)] {
            fields += &format!(
                "    /** {shape} derivative of {of} by {column} */\n    {row}_d{column}: Float64Array;\n"
            );
        }
    }
    let state = format!(
        " * @param q {nq}: configuration\n * @param v {nv}: velocity\n * @param u [{nu}]: controls\n * @param dt time, s\n"
    );
    let takes = format!("{state} */\n");
    let own = format!(
        "/** Number of controls: coordinates of the actuated joints, in the order of the option. */\n\
         export const NU: number;\n\n\
         /** The torques S^T u of all coordinates, N m, N: those of the controls, and zero elsewhere. */\n\
         export function torques(u: Numbers, tau?: Float64Array): Float64Array;\n\n\
         /**\n * The state after a time dt, s, under controls that are constant meanwhile.\n *\n{takes}\
         export function actuated_step(q: Numbers, v: Numbers, u: Numbers, dt: number, out?: Step): Step;\n\n\
         export interface ActuatedStepDerivatives {{\n    \
         /** {nq} configuration after it */\n    q: Float64Array;\n    \
         /** {nv} velocity after it; rad/s, m/s */\n    v: Float64Array;\n{fields}}}\n\n\
         /**\n * That state, and its derivatives in the tangent spaces of the old and the new state.\n *\n{takes}\
         export function actuated_step_derivatives(q: Numbers, v: Numbers, u: Numbers, dt: number, out?: ActuatedStepDerivatives): ActuatedStepDerivatives;\n\n"
    );
    if !has_hessian {
        return own;
    }
    let fields: String = of_hessian(model, "u", nu)
        .into_iter()
        .map(|(name, doc)| format!("    /** {doc} */\n    {name}: Float64Array;\n"))
        .collect();
    format!(
        "{own}export interface ActuatedStepHessian {{\n{fields}}}\n\n\
         /**\n * `step_hessian` with controls in place of torques.\n *\n{state}{} */\n\
         export function actuated_step_hessian(q: Numbers, v: Numbers, u: Numbers, dt: number, lambda_q: Numbers, lambda_v: Numbers, out?: ActuatedStepHessian): ActuatedStepHessian;\n\n",
        documented_weights(&nv)
    )
}
