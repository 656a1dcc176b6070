//! Kernels of all contacts' rows as functions of the source file, and the texts that call them.
//!
//! Dynamics under contacts go by factors of the mass matrix (`text/contact_factored.c`). Robots whose joints
//! share coordinates have no such kernels, and take its inverse (`text/contact_inverse.c`).

use super::interface::{GIVEN, Stages};
use super::{Writer, run_time};
use crate::emit::c_family::helpers::Written;
use crate::emit::c_family::text::{extent, length, wrapped};
use crate::search::contact_rows::RowsPlan;
use crate::search::plan::Stage;
use crate::signatures::frames::ContactAt;
use crate::signatures::signature::Kind;
use crate::table::routines::knows_root;
use rbd_runtime::Model;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The kernels, as functions `ROBOT_hold_kernel_..` that take sines and cosines.
pub fn define(c: &Writer<'_>, model: &Model<f64>, rows: &[RowsPlan]) -> Written {
    let mut all =
        Written::from(String::from("/* Kernels of all contacts' rows. They leave zeros alone. */\n"));
    for plan in rows.iter().filter(|plan| is_called(rows, plan)) {
        all.push(kernel(c, model, plan));
    }
    all
}

pub fn has(rows: &[RowsPlan], name: &str) -> bool {
    rows.iter().any(|plan| plan.spec().name == name)
}

/// True if the texts call a kernel, and not one that gives more.
fn is_called(rows: &[RowsPlan], plan: &RowsPlan) -> bool {
    match plan.spec().name {
        "row_motion" => !has(rows, "row_factors"),
        "row_derivatives" => !has(rows, "row_and_torque_derivatives"),
        _ => true,
    }
}

/// True if a kernel takes parameters at run time.
fn takes_parameters(model: &Model<f64>, plan: &RowsPlan) -> bool {
    plan.spec().takes_parameters && !model.run_time.is_none()
}

fn kernel(c: &Writer<'_>, model: &Model<f64>, plan: &RowsPlan) -> Written {
    let (spec, sizes, real) = (plan.spec(), plan.sizes, c.real.name());
    let given = takes_parameters(model, plan);
    let mut parameters: Vec<String> = Vec::new();
    let mut names: Vec<&'static str> = Vec::new();
    if given {
        parameters.push(run_time::parameter(c, "RBD_RESTRICT "));
        names.push("parameters");
    }
    let array = |constant: &str, name: &str, n: usize| format!("{constant}{real} {name}[RBD_RESTRICT {n}]");
    for param in spec.params {
        parameters.push(array("const ", param.name, extent(param.kind.shape(), sizes)));
        names.push(param.name);
        if param.kind == Kind::Configuration {
            parameters.extend(GIVEN.map(|name| array("const ", name, length(sizes.nq))));
            names.extend(GIVEN);
        }
    }
    for output in spec.reads {
        parameters.push(array("const ", output.name, extent(output.shape, sizes)));
        names.push(output.name);
    }
    for output in spec.outputs {
        parameters.push(array("", output.name, extent(output.shape, sizes)));
        names.push(output.name);
    }
    let head =
        wrapped(&format!("static void {}_hold_kernel_{}({})", c.prefix, spec.name, parameters.join(", ")));
    let Stages { text, helpers, .. } = Stages::of(c, false, &names, &[plan.without_zeros()]);
    Written { text: format!("{head}\n{{\n{text}}}\n\n"), helpers }
}

/// Coordinates whose sines and cosines the kernels read.
pub fn coordinates(c: &Writer<'_>, rows: &[RowsPlan]) -> BTreeSet<u32> {
    let called = rows.iter().filter(|plan| is_called(rows, plan));
    let versions = called.flat_map(|plan| Stage::versions(&plan.stage));
    versions.flat_map(|version| c.body(false, version).coordinates().collect::<Vec<_>>()).collect()
}

/// The texts that call the kernels, and functions of the whole robot where there is no kernel.
pub fn callers(model: &Model<f64>, contacts: &[ContactAt], rows: &[RowsPlan]) -> String {
    let dynamics = match has(rows, "row_factors") {
        true => include_str!("text/contact_factored.c"),
        false => include_str!("text/contact_inverse.c"),
    };
    let inverse = match (has(rows, "row_factors"), has(rows, "inverse")) {
        (true, true) => include_str!("text/contact_inverse_by_factors.c"),
        (true, false) => include_str!("text/contact_inverse_anew.c"),
        (false, _) => "",
    };
    let by_state = match has(rows, "row_and_torque_derivatives") {
        true => include_str!("text/contact_by_state.c"),
        false => include_str!("text/contact_by_state_apart.c"),
    };
    let accelerations = match has(rows, "constrained_accelerations") {
        true => include_str!("text/contact_limbs.c"),
        false => include_str!("text/contact_without_limbs.c"),
    };
    let root = match has(rows, "row_and_torque_derivatives") && knows_root(model, contacts) {
        true => include_str!("text/contact_root.c"),
        false => include_str!("text/contact_without_root.c"),
    };
    [dynamics, accelerations, inverse, by_state, root].concat()
}

/// Text in which kernels get the parameters at run time that they take.
pub fn passed(model: &Model<f64>, rows: &[RowsPlan], text: &str) -> String {
    let mut text = text.to_owned();
    for plan in rows.iter().filter(|plan| takes_parameters(model, plan)) {
        let name = format!("ROBOT_hold_kernel_{}(", plan.spec().name);
        text = text.replace(&name, &format!("{name}parameters, "));
    }
    text
}

/// Numbers that stand for factors of the mass matrix.
pub fn factors(rows: &[RowsPlan]) -> usize {
    rows.iter().map(|plan| plan.sizes.nf).max().unwrap_or_default()
}

/// Coordinates that can move each contact, as runs.
pub fn supports(text: &mut String, prefix: &str, supports: &[Vec<(usize, usize)>]) {
    let ends = supports.iter().scan(0, |end, runs| {
        *end += runs.len();
        Some(*end)
    });
    let ends: Vec<String> = std::iter::once(0).chain(ends).map(|end| end.to_string()).collect();
    let mut runs: Vec<String> =
        supports.iter().flatten().map(|(from, to)| format!("{{{from}, {to}}}")).collect();
    if runs.is_empty() {
        runs.push("{0, 0}".into());
    }
    let _ = write!(
        text,
        "/* Coordinates of v that can move contact k: runs moved_from[k] to before moved_from[k + 1], each the first coordinate and \
         the one\n * after the last. */\n\
         static const short {prefix}_hold_moved_from[{}] = {{{}}};\n\
         static const short {prefix}_hold_moved[{}][2] = {{{}}};\n",
        ends.len(),
        ends.join(", "),
        runs.len(),
        runs.join(", ")
    );
}
