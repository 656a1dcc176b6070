//! Steps under controls of some joints, as fixed text in `text/step/actuated.c`
//! (docs/step.md#controls-of-some-joints).
//!
//! That text calls the functions of `step` with all torques, and takes the columns of the controls.

use super::Writer;
use super::step::{DERIVATIVES, Field, HESSIAN, by_default, fields, form, passing};
use crate::emit::c_family::text::{length, wrapped};
use crate::signatures::signature::{Dims, Sizes};
use rbd_runtime::Model;
use std::fmt::Write;

const TEXT: &str = include_str!("text/step/actuated.c");

const NAMES: [&str; 5] =
    ["torques", "of_controls", "actuated_step", "actuated_step_derivatives", "actuated_step_hessian"];

/// Functions among them that take parameters at run time.
const OF_STEPS: [&str; 3] = ["actuated_step", "actuated_step_derivatives", "actuated_step_hessian"];

/// The head of a function, with parameters at run time or without.
fn head(c: &Writer<'_>, model: &Model<f64>, nu: usize, name: &str, with: bool) -> String {
    let (p, real, sizes) = (c.prefix, c.real.name(), Sizes::from(model));
    let takes = with && OF_STEPS.contains(&name);
    let (called, parameters) = if takes { form(c, model, name) } else { (name.into(), None) };
    let array = |name: &str, n: usize| format!("const {real} {name}[{}]", length(n));
    let state = || vec![array("q", sizes.nq), array("v", sizes.nv), array("u", nu), format!("{real} dt")];
    let weights = || ["lambda_q", "lambda_v"].map(|name| array(name, sizes.nv));
    let all = match name {
        "torques" => vec![array("u", nu), format!("{real} tau[{}]", length(sizes.nv))],
        "of_controls" => {
            vec![format!("const {real} *by_torques"), "int rows".into(), format!("{real} *by_controls")]
        }
        "actuated_step" => [state(), vec![format!("{p}_step_t *out")]].concat(),
        "actuated_step_derivatives" => [state(), vec![format!("{p}_{name}_t *out")]].concat(),
        _ => [state(), weights().to_vec(), vec![format!("{p}_{name}_t *out")]].concat(),
    };
    let all: Vec<String> = parameters.into_iter().chain(all).collect();
    wrapped(&format!("void {p}_{called}({})", all.join(", ")))
}

/// A field of a result by torques, with controls in their place.
fn field(c: &Writer<'_>, sizes: Sizes, nu: usize, of: &Field) -> String {
    let (name, shape, doc) = of;
    let (n, shown) = match (name.matches("tau").count(), shape) {
        (0, _) => return fields(c, sizes, std::slice::from_ref(of)),
        (1, Dims::Matrix(..)) => (sizes.nv * nu, format!("[{} x {nu}]", sizes.nv)),
        (1, _) => (nu, format!("[{nu}]")),
        _ => (nu * nu, format!("[{nu} x {nu}]")),
    };
    let [name, doc] = [name, doc].map(|text| text.replace("tau", "u"));
    format!("    {} {name}[{n}]; /* {shown} {doc} */\n", c.real.name())
}

/// Writes structs and declarations for the header, after those of steps.
pub fn declare(text: &mut String, c: &Writer<'_>, model: &Model<f64>, controls: &[usize]) {
    if controls.is_empty() {
        return;
    }
    let (p, nu, sizes) = (c.prefix, controls.len(), Sizes::from(model));
    let of = |all: &[Field]| all.iter().map(|of| field(c, sizes, nu, of)).collect::<String>();
    let [derivatives, hessian] = [of(&DERIVATIVES), of(&HESSIAN)];
    let [torques, of_controls, step, of_derivatives, of_hessian] =
        NAMES.map(|name| head(c, model, nu, name, false));
    let _ = write!(
        text,
        "#define {}_NU {nu} /* controls: coordinates of the actuated joints, in the order of the option */\n\n\
         /* The torques S^T u (N m, N) of all coordinates: those of the controls, and zero elsewhere. */\n\
         {torques};\n\n\
         /* The columns of the controls, of a derivative of so many rows by all torques. */\n\
         {of_controls};\n\n\
         /* {p}_step with the torques S^T u. */\n\
         {step};\n\n\
         typedef struct {{\n{derivatives}}} {p}_actuated_step_derivatives_t;\n\n\
         /* {p}_actuated_step with derivatives in the tangent spaces of the old and the new state:\n \
         * A = [dq_dq dq_dv; dv_dq dv_dv], B = [dq_du; dv_du]. */\n\
         {of_derivatives};\n\n\
         typedef struct {{\n{hessian}}} {p}_actuated_step_hessian_t;\n\n\
         /* {p}_step_hessian with controls in place of torques. */\n\
         {of_hessian};\n\n",
        p.to_uppercase(),
    );
    if !model.run_time.is_none() {
        for name in OF_STEPS {
            let head = head(c, model, nu, name, true);
            let _ = write!(text, "/* {p}_{name} with other parameters. */\n{head};\n\n");
        }
    }
}

/// Definitions of the functions. `text` makes a robot's text of fixed text.
pub fn define(
    c: &Writer<'_>,
    model: &Model<f64>,
    controls: &[usize],
    text: impl Fn(&str) -> String,
) -> String {
    if controls.is_empty() {
        return String::new();
    }
    let (p, nu) = (c.prefix, controls.len());
    let numbers: Vec<String> = controls.iter().map(usize::to_string).collect();
    let table = format!("static const short {p}_joining_controls[{nu}] = {{{}}};", numbers.join(", "));
    let mut functions = text(&passing(TEXT, model));
    for name in NAMES {
        functions = functions.replace(&format!("HEAD({name})"), &head(c, model, nu, name, true));
    }
    if !model.run_time.is_none() {
        for name in OF_STEPS {
            let weights = if name == "actuated_step_hessian" { "lambda_q, lambda_v, " } else { "" };
            let (head, arguments) = (head(c, model, nu, name, false), format!("q, v, u, dt, {weights}out"));
            functions.push_str(&by_default(c, &head, name, &arguments));
        }
    }
    format!(
        "\nenum {{\n    {p}_joining_nu = {nu}\n}};\n\n/* The velocity coordinate of each control. */\n{}\n{functions}\n",
        wrapped(&table)
    )
}
