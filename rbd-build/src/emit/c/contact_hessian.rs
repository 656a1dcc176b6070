//! Hessians of weighted accelerations and forces under contacts, as fixed text in `text/contact_chain.c`,
//! `text/contact_closed_points.c` and `text/contact_hessian.c`.
//!
//! That text asks for the joints on the way to each contact's frame. It follows the text of `contacts`.

use super::step::{by_default, form};
use super::{Writer, run_time};
use crate::emit::c_family::text::{length, wrapped};
use crate::search::plan::Plan;
use crate::signatures::frames::ContactAt;
use crate::signatures::signature::Sizes;
use crate::table::functions::Function;
use rbd_runtime::Model;
use rbd_runtime::contact::PathJoint;
use std::fmt::Write;

const FUNCTIONS: &str = concat!(
    include_str!("text/contact_chain.c"),
    include_str!("text/contact_closed_points.c"),
    include_str!("text/contact_hessian.c")
);
const NAME: &str = "contact_dynamics_hessian";
const WITH_FIRST: &str = "contact_dynamics_hessian_with_first";

/// Functions of the whole robot that the text calls.
const CALLED: [Function; 1] = [Function::RneaHessian];

/// Returns whether there are contacts and the Hessian of torques.
fn is_asked(model: &Model<f64>, plans: &[Plan], contacts: &[ContactAt]) -> bool {
    let has_hessian = plans.iter().any(|plan| plan.function == Function::RneaHessian);
    model.nv > 0 && !contacts.is_empty() && has_hessian
}

/// Joints on the way to each first frame, and then to each second one.
///
/// `None` if a coordinate belongs to two joints on the way to one contact.
fn paths(model: &Model<f64>, contacts: &[ContactAt]) -> Option<Vec<Vec<PathJoint>>> {
    let both: Option<Vec<_>> = contacts.iter().map(|contact| contact.paths(model)).collect();
    let (first, second): (Vec<_>, Vec<_>) = both?.into_iter().map(<[_; 2]>::into).unzip();
    Some([first, second].concat())
}

/// True if the robot has the functions.
pub fn is_there(model: &Model<f64>, plans: &[Plan], contacts: &[ContactAt]) -> bool {
    is_asked(model, plans, contacts) && paths(model, contacts).is_some()
}

/// The head of a function, with parameters at run time or without.
fn head(c: &Writer<'_>, model: &Model<f64>, sizes: Sizes, name: &str, with: bool) -> String {
    let (p, real) = (c.prefix, c.real.name());
    let (called, parameters) = if with { form(c, model, name) } else { (name.into(), None) };
    let array = |name: &str, n: usize| format!("const {real} {name}[{}]", length(n));
    let mut all: Vec<String> = parameters.into_iter().collect();
    all.extend([
        array("q", sizes.nq),
        array("v", sizes.nv),
        array("tau", sizes.nv),
        format!("const int active[{}]", sizes.nc),
        format!("const {p}_contact_settings_t *settings"),
        array("lambda", sizes.nv),
        array("kappa", sizes.nr),
    ]);
    all.extend((name == WITH_FIRST).then(|| format!("{p}_contact_dynamics_derivatives_t *first")));
    all.push(format!("{p}_contact_dynamics_hessian_t *out"));
    wrapped(&format!("void {p}_{called}({})", all.join(", ")))
}

/// Writes the struct and declarations for the header, after those of contacts.
pub fn declare(
    text: &mut String,
    c: &Writer<'_>,
    model: &Model<f64>,
    plans: &[Plan],
    contacts: &[ContactAt],
) {
    if !is_asked(model, plans, contacts) {
        return;
    }
    let (p, real) = (c.prefix, c.real.name());
    if paths(model, contacts).is_none() {
        let _ = write!(
            text,
            "/* There is no {p}_{NAME}: a mimic joint and the joint that it follows are both on the way to one contact.\n \
             * Leave that contact out. */\n\n"
        );
        return;
    }
    let sizes = Sizes::from(model).with_contacts(contacts);
    let (nv, square) = (sizes.nv, sizes.nv * sizes.nv);
    let [own, with_first] = [NAME, WITH_FIRST].map(|name| head(c, model, sizes, name, false));
    let _ = write!(
        text,
        "/* The sum lambda . ddq + kappa . forces, and its derivatives. Units are those of the sum over those of the variables. */\n\
         typedef struct {{\n    \
         {real} value[1]; /* the sum */\n    \
         {real} dq[{nv}]; /* derivative in the tangent space of q */\n    \
         {real} dv[{nv}]; /* derivative by v */\n    \
         {real} dtau[{nv}]; /* derivative by tau */\n    \
         {real} dqdq[{square}]; /* [{nv} x {nv}] entry (i, j): derivative along q_j of that along q_i. Not symmetric within one joint */\n    \
         {real} dqdv[{square}]; /* [{nv} x {nv}] entry (i, j): derivative by v_j of that along q_i */\n    \
         {real} dvdv[{square}]; /* [{nv} x {nv}] by v twice */\n    \
         {real} dqdtau[{square}]; /* [{nv} x {nv}] entry (i, j): derivative by tau_j of that along q_i */\n\
         }} {p}_{NAME}_t;\n\n\
         /* Value, gradient and Hessian of the sum of weighted accelerations and forces of {p}_contact_dynamics:\n \
         * value = lambda . ddq + kappa . forces.\n \
         *\n \
         * lambda weights the accelerations. kappa weights the rows of all contacts, in the axes of the settings. Those of\n \
         * inactive contacts do not count. Derivatives by v and tau, and by tau twice, are zero. With several iterations of the\n \
         * settings the second derivatives are those of the limit, for accelerations.\n \
         * Source: docs/math.md#second-derivatives-under-contacts. */\n\
         {own};\n\n\
         /* {p}_{NAME}, and the result of {p}_contact_dynamics_derivatives, from which it is made. */\n\
         {with_first};\n\n",
    );
    if !model.run_time.is_none() {
        for name in [NAME, WITH_FIRST] {
            let head = head(c, model, sizes, name, true);
            let _ = write!(text, "/* {p}_{name} with other parameters. */\n{head};\n\n");
        }
    }
}

/// Definitions of the functions, with the joints on the way to each frame. Empty if the robot has none.
pub fn define(c: &Writer<'_>, model: &Model<f64>, plans: &[Plan], contacts: &[ContactAt]) -> String {
    let paths = if is_asked(model, plans, contacts) { paths(model, contacts) } else { None };
    let Some(paths) = paths else { return String::new() };
    let sizes = Sizes::from(model).with_contacts(contacts);
    // Placeholder of the prefix, which replaces it last in all fixed text.
    let c = &Writer { prefix: "ROBOT", ..*c };
    let ends = paths.iter().scan(0, |end, path| {
        *end += path.len();
        Some(*end)
    });
    let ends: Vec<String> = std::iter::once(0).chain(ends).map(|end| end.to_string()).collect();
    let joint = |joint: &PathJoint| format!("{{{}, {}}}", joint.first, joint.end);
    let mut joints: Vec<String> = paths.iter().flatten().map(joint).collect();
    if joints.is_empty() {
        joints.push("{0, 0}".into());
    }
    let mut text = format!(
        "\n/* Joints from the root to each frame: the first coordinate of v, and the one after the last. The path to frame k begins\n \
         * with entry path[k]. */\n\
         static const short ROBOT_hold_path[{}] = {{{}}};\n\
         static const short ROBOT_hold_joint[{}][2] = {{{}}};\n{FUNCTIONS}",
        ends.len(),
        ends.join(", "),
        joints.len(),
        joints.join(", "),
    );
    let takes = !model.run_time.is_none();
    text = run_time::between(model, &text);
    for function in CALLED.into_iter().filter(|function| function.takes_parameters(model)) {
        let name = format!("ROBOT_{}", function.name());
        text = text.replace(&format!("{name}_at("), &format!("{name}_with_at(parameters, "));
    }
    if takes {
        let call = format!("ROBOT_{WITH_FIRST}(q");
        text = text.replace(&call, &format!("ROBOT_{WITH_FIRST}_with(parameters, q"));
    }
    for name in [WITH_FIRST, NAME] {
        text = text.replace(&format!("HEAD({name})"), &head(c, model, sizes, name, true));
    }
    if takes {
        for (name, first) in [(WITH_FIRST, "first, "), (NAME, "")] {
            let arguments = format!("q, v, tau, active, settings, lambda, kappa, {first}out");
            text.push_str(&by_default(c, &head(c, model, sizes, name, false), name, &arguments));
        }
    }
    text
}
