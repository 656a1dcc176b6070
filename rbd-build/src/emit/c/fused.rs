//! Fused functions in C: refused names, and the declarations with the struct of results.

use super::header::result_struct;
use super::spell::is_word;
use super::{Real, Writer, contacts, manifold, text, zeros};
use crate::emit::c_family::documentation::{param_doc, shown};
use crate::emit::c_family::spelling::{comment, names};
use crate::emit::rust::described;
use crate::fused::{Fused, FusedFunction};
use crate::search::plan::Plan;
use crate::signatures::signature::Sizes;
use rbd_runtime::Model;
use std::fmt::Write;

/// Names of tables, types and functions that no fixed text for every robot has.
const OF_ROBOT: [&str; 13] = [
    "joints",
    "parameters",
    "given",
    "contact_settings",
    "contact_surface",
    "friction_settings",
    "friction_residuals",
    "friction_iterations",
    "joint_contacts",
    "joint_friction_step",
    "joint_friction_step_derivatives",
    "pinocchio_q",
    "pinocchio_v",
];

/// Reason why a fused function cannot have its name in C, if there is one. Rust reserves other names.
pub fn fault(real: Real, fused: &Fused) -> Option<String> {
    let method = fused.method();
    if let Some(field) = fused.entries().iter().map(|entry| entry.field()).find(|field| is_word(field)) {
        return Some(format!("`{field}` is a word of C or C++; call the result something else"));
    }
    let pieces =
        [text::HYPOT, text::ROWS, text::NEGATIVE, text::GRAM, text::FORWARD_HESSIAN, contacts::FUNCTIONS];
    let begins = ["table_", "hold_", "cones_", "joining_", "damped_", "zeros_", "casadi_"];
    let of_tables = begins.iter().any(|begin| method.starts_with(begin)) || zeros::is_name(&method);
    let own = pieces.concat() + &manifold::pieces() + text::macros(real) + &text::sines(real);
    let of_robot = OF_ROBOT.contains(&method.as_str());
    (of_robot || of_tables || names(&own, &format!("ROBOT_{method}")))
        .then(|| format!("there is another function `{method}` in C; call the result something else"))
}

/// Writes the struct and the declarations for the header.
pub fn declare(text: &mut String, c: &Writer<'_>, model: &Model<f64>, plan: &Plan<FusedFunction>) {
    let (sizes, signature) = (Sizes::from(model), plan.signature());
    let fields = plan.function.fields.iter().map(|field| {
        let shown = shown(field.output.shape, sizes);
        (field.output, format!("{shown} {}", comment(&described(field))))
    });
    result_struct(text, c, sizes, plan.function.fused.name(), fields);
    let _ = writeln!(text, "/* Several quantities at once: what they have in common is computed once.\n *");
    for param in &signature.params {
        let _ =
            writeln!(text, " * {} {}: {}", param.name, shown(param.kind.shape(), sizes), param_doc(*param));
    }
    let count = plan.count();
    let _ = writeln!(
        text,
        " *\n * {} additions, {} multiplications, {} divisions, {} angles. */",
        count.adds, count.muls, count.divs, count.sin_cos
    );
    text.push_str(&c.declarations(sizes, &signature));
}
