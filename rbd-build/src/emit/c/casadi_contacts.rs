//! Dynamics under contacts for CasADi, by fixed text in `text/casadi/`: with first derivatives, and with
//! second ones of dynamics and steps if the robot has Hessians under contacts.
//!
//! Which contacts hold, and their settings, are arguments that CasADi does not differentiate by.

use super::casadi::{Quantity, describe, describe_differentiable};
use super::casadi_step::{BEND, NEXT, is_semi_implicit};
use super::{Writer, contact_hessian};
use crate::emit::c_family::text;
use crate::search::plan::Plan;
use crate::signatures::frames::ContactAt;
use crate::signatures::signature::Sizes;
use rbd_runtime::{Integrator, Model};

/// Text that reads the active contacts and their settings from arguments that are numbers.
const HELD: &str = include_str!("text/casadi/held.c");
const CONTACTS: &str = include_str!("text/casadi/contacts.c");
const SECOND: &str = include_str!("text/casadi/contact_second.c");
const STEP: &str = include_str!("text/casadi/contact_step.c");
const STEP_SECOND: &str = include_str!("text/casadi/contact_step_second.c");

/// An argument: its name, length, and whether derivatives by it are none.
type Input = (&'static str, usize, bool);

/// Numbers of contacts and of their rows, and functions that read what holds from numbers.
pub(super) fn held(c: &Writer<'_>, model: &Model<f64>, contacts: &[ContactAt]) -> String {
    let Sizes { nc, nr, .. } = Sizes::from(model).with_contacts(contacts);
    let sizes = format!("enum {{\n    ROBOT_casadi_nc = {nc},\n    ROBOT_casadi_nr = {nr}\n}};\n\n");
    text::of(&format!("{sizes}{HELD}\n"), c.prefix, c.real, model.nv)
}

/// Writes the functions and their Jacobians. Returns their shapes.
pub fn forms(
    functions: &mut String,
    c: &Writer<'_>,
    model: &Model<f64>,
    (plans, contacts): (&[Plan], &[ContactAt]),
    step: Option<Integrator>,
) -> Vec<Quantity> {
    if contacts.is_empty() || model.nv == 0 {
        return Vec::new();
    }
    let Sizes { nq, nv, nc, nr, .. } = Sizes::from(model).with_contacts(contacts);
    let mut shapes = Vec::new();
    functions.push_str(&held(c, model, contacts));
    functions.push_str(&text::of(CONTACTS, c.prefix, c.real, nv));
    let active = ("active", nc, true);
    let (settings, anchors) = (("settings", 4, true), ("anchors", 12 * nc, true));
    let of_dynamics = [("q", nq, false), ("v", nv, false), ("tau", nv, false), active, settings, anchors];
    let results = [("ddq", nv), ("forces", nr)];
    shapes.extend(describe_both(functions, c, "contact_dynamics", &of_dynamics, results, &[]));
    let has_second = contact_hessian::is_there(model, plans, contacts);
    if has_second {
        functions.push_str(&text::of(SECOND, c.prefix, c.real, nv));
        let is_zero =
            |row: &str, column: &str| column == "tau" && row != "q" || row == "tau" && column == "v";
        shapes.extend(describe_adjoint(functions, c, "contact_dynamics", &of_dynamics, results, is_zero));
    }
    shapes.extend(describe_both(
        functions,
        c,
        "contact_impulse",
        &[("q", nq, false), ("v", nv, false), active, ("restitution", 1, false), settings],
        [("v_plus", nv), ("impulses", nr)],
        &[],
    ));
    let Some(is_semi) = is_semi_implicit(step) else { return shapes };
    if !functions.contains(&format!("{}_casadi_next_by(", c.prefix)) {
        functions.push_str(&text::of(&NEXT.replace("SEMI", is_semi), c.prefix, c.real, nv));
    }
    functions.push_str(&text::of(STEP, c.prefix, c.real, nv));
    let of_step = [("x", nq + nv, false), ("u", nv, false), ("dt", 1, false), active, settings, anchors];
    let results = [("x_next", nq + nv), ("forces", nr)];
    // Forces act at the beginning of the step.
    shapes.extend(describe_both(functions, c, "contact_step", &of_step, results, &["jac_forces_dt"]));
    if has_second {
        if !functions.contains(&format!("{}_casadi_bend(", c.prefix)) {
            functions.push_str(&text::of(&BEND.replace("SEMI", is_semi), c.prefix, c.real, nv));
        }
        functions.push_str(&text::of(STEP_SECOND, c.prefix, c.real, nv));
        let is_zero = |row: &str, column: &str| row == "dt" && column == "adj_forces";
        shapes.extend(describe_adjoint(functions, c, "contact_step", &of_step, results, is_zero));
    }
    shapes
}

/// An argument as a matrix. Anchors are placements, [3 x 4] each.
fn taken(name: &str, n: usize) -> Quantity {
    if name.ends_with("anchors") { Quantity::of(name, 3, n / 3) } else { Quantity::of(name, n, 1) }
}

/// Describes a function of two results and its Jacobian. Returns the shapes.
fn describe_both(
    text: &mut String,
    c: &Writer<'_>,
    name: &str,
    inputs: &[Input],
    outputs: [(&str, usize); 2],
    zeros: &[&str],
) -> Vec<Quantity> {
    let name = format!("{}_casadi_{name}", c.prefix);
    let taken = |(name, n, _): &Input| taken(name, *n);
    let given: Vec<Quantity> = inputs.iter().map(taken).collect();
    let results =
        |begin: &'static str| outputs.map(|(name, n)| Quantity::of(&format!("{begin}{name}"), n, 1));
    let mut constant: Vec<bool> = inputs.iter().map(|input| input.2).collect();
    let own = results("");
    describe(text, c.prefix, &name, &given, &own);
    describe_differentiable(text, &name, &constant);
    let with_results: Vec<Quantity> = inputs.iter().map(taken).chain(results("out_")).collect();
    let block = |result: &Quantity, (by, n, is_constant): &Input| {
        let name = format!("jac_{}_{by}", result.name);
        let is_zero = *is_constant || zeros.contains(&name.as_str());
        Quantity { is_zero, ..Quantity::of(&name, result.rows, *n) }
    };
    let blocks: Vec<Quantity> =
        own.iter().flat_map(|result| inputs.iter().map(|input| block(result, input))).collect();
    let jacobian = format!("jac_{name}");
    describe(text, c.prefix, &jacobian, &with_results, &blocks);
    constant.extend([true, true]);
    describe_differentiable(text, &jacobian, &constant);
    given.into_iter().chain(own).chain(blocks).collect()
}

/// Describes the adjoint of a function of two results and the adjoint's Jacobian. Returns the shapes.
///
/// `is_zero` is true of second derivatives by two arguments that are none.
fn describe_adjoint(
    text: &mut String,
    c: &Writer<'_>,
    name: &str,
    inputs: &[Input],
    outputs: [(&str, usize); 2],
    is_zero: impl Fn(&str, &str) -> bool,
) -> Vec<Quantity> {
    let adjoint = format!("adj1_{}_casadi_{name}", c.prefix);
    let named = |begin: &'static str, constant: bool| {
        outputs.map(|(name, n)| (format!("{begin}{name}"), n, constant))
    };
    let own = inputs.iter().map(|(name, n, is_constant)| ((*name).to_owned(), *n, *is_constant));
    // Arguments, results and seeds.
    let all: Vec<_> = own.chain(named("out_", true)).chain(named("adj_", false)).collect();
    let given = || all.iter().map(|(name, n, _)| taken(name, *n));
    let result = |begin: &str, (name, n, is_constant): &Input| Quantity {
        is_zero: *is_constant,
        ..taken(&format!("{begin}adj_{name}"), *n)
    };
    let own: Vec<Quantity> = inputs.iter().map(|input| result("", input)).collect();
    describe(text, c.prefix, &adjoint, &given().collect::<Vec<_>>(), &own);
    let mut constant: Vec<bool> = all.iter().map(|(_, _, is_constant)| *is_constant).collect();
    describe_differentiable(text, &adjoint, &constant);
    let block = |(row, rows, is_constant): &Input, (column, columns, is_held): &(String, usize, bool)| {
        let is_zero = *is_constant || *is_held || is_zero(row, column);
        Quantity { is_zero, ..Quantity::of(&format!("jac_adj_{row}_{column}"), *rows, *columns) }
    };
    let blocks: Vec<Quantity> =
        inputs.iter().flat_map(|row| all.iter().map(move |column| block(row, column))).collect();
    let jacobian = format!("jac_{adjoint}");
    let with_results: Vec<Quantity> =
        given().chain(inputs.iter().map(|input| result("out_", input))).collect();
    describe(text, c.prefix, &jacobian, &with_results, &blocks);
    constant.extend(inputs.iter().map(|_| true));
    describe_differentiable(text, &jacobian, &constant);
    given().chain(own).chain(blocks).collect()
}
