//! Parameters at run time: a struct, its default value, and the forms of functions that take it.

use super::Writer;
use super::interface::{Form, signature};
use crate::emit::c_family::parameters::{defaults, numbers};
use crate::search::plan::Plan;
use crate::signatures::signature::{Signature, Sizes};
use rbd_runtime::Model;
use std::fmt::Write;

/// Type of the parameters.
fn type_name(c: &Writer<'_>) -> String {
    format!("{}_parameters_t", c.prefix)
}

/// The parameter in a function's head.
pub fn parameter(c: &Writer<'_>, restrict: &str) -> String {
    format!("const {} *{restrict}parameters", type_name(c))
}

/// Fixed text in which functions take parameters at run time and pass them on.
///
/// `TAKES ` stands for the parameter in a head, `PASSES ` for the argument in a call. `UNREAD` is where a
/// function may have no use for it.
pub fn between(model: &Model<f64>, text: &str) -> String {
    let (takes, passes, unread) = match model.run_time.is_none() {
        true => ("", "", ""),
        false => ("const ROBOT_parameters_t *parameters, ", "parameters, ", "    (void)parameters;\n"),
    };
    text.replace("TAKES ", takes).replace("PASSES ", passes).replace("    UNREAD\n", unread)
}

/// Writes the type, and the declaration of the function that returns the default.
pub fn declare(text: &mut String, c: &Writer<'_>, model: &Model<f64>) {
    let run_time = &model.run_time;
    if run_time.is_none() {
        return;
    }
    numbers(text, c.prefix, model);
    let real = c.real.name();
    text.push_str("/* What functions whose names end in _with or _with_at take. */\ntypedef struct {\n");
    if !run_time.inertias.is_empty() {
        let _ = writeln!(
            text,
            "    {real} inertia[{}]; /* of each from entry 10 k on: m, hx, hy, hz, Jxx, Jxy, Jyy, Jxz, Jyz, Jzz about the \
             origin of its\n                        frame; kg, kg m, kg m^2 */",
            10 * run_time.inertias.len()
        );
    }
    if run_time.gravity {
        let _ = writeln!(text, "    {real} gravity[3]; /* acceleration in the world; m/s^2 */");
    }
    let _ = write!(
        text,
        "}} {0};\n\n/* What the URDF and the options say, which functions use that are given nothing. */\n\
         void {1}_parameters({0} *out);\n\n",
        type_name(c),
        c.prefix
    );
}

/// Writes the default.
pub fn define(text: &mut String, c: &Writer<'_>, model: &Model<f64>) {
    if model.run_time.is_none() {
        return;
    }
    let list = |numbers: &[f64]| {
        let numbers: Vec<String> = numbers.iter().map(|x| c.real.number(*x)).collect();
        format!("    {{{}}},\n", numbers.join(", "))
    };
    let given: String = defaults(model).iter().map(|numbers| list(numbers)).collect();
    let _ = write!(
        text,
        "static const {0} {1}_given = {{\n{given}}};\n\nvoid {1}_parameters({0} *out)\n{{\n    *out = {1}_given;\n}}\n\n",
        type_name(c),
        c.prefix
    );
}

/// Writes declarations of the forms with parameters.
pub fn declarations(text: &mut String, c: &Writer<'_>, model: &Model<f64>, plan: &Plan) {
    declarations_of(text, c, model, plan, signature(model, plan));
}

/// Writes declarations of the forms with parameters, of a form with another name.
pub fn declarations_of(
    text: &mut String,
    c: &Writer<'_>,
    model: &Model<f64>,
    plan: &Plan,
    signature: Signature,
) {
    if !plan.function.takes_parameters(model) {
        return;
    }
    let sizes = Sizes::from(model);
    let name = format!("{}_{}", c.prefix, signature.name);
    for (given, end) in [(false, ""), (true, "_at")] {
        let form = Form { given, parameters: true, ..Form::default() };
        let _ = writeln!(
            text,
            "/* {name}{end} with other parameters. */\n{};\n",
            c.head(sizes, &signature, &form)
        );
    }
}
