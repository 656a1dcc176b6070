//! Dynamics under contacts for CasADi, by fixed text in `text/casadi/`: with first derivatives.
//!
//! Which contacts hold, and their settings, are arguments that CasADi does not differentiate by.

use super::Writer;
use super::casadi::{Quantity, describe, describe_differentiable};
use super::casadi_step::{NEXT, is_semi_implicit};
use crate::emit::c_family::text;
use crate::signatures::frames::ContactAt;
use crate::signatures::signature::Sizes;
use rbd_runtime::{Integrator, Model};

const CONTACTS: &str = include_str!("text/casadi/contacts.c");
const STEP: &str = include_str!("text/casadi/contact_step.c");

/// An argument: its name, length, and whether derivatives by it are none.
type Input = (&'static str, usize, bool);

/// Writes the functions and their Jacobians. Returns their shapes.
pub fn forms(
    functions: &mut String,
    c: &Writer<'_>,
    model: &Model<f64>,
    contacts: &[ContactAt],
    step: Option<Integrator>,
) -> Vec<Quantity> {
    if contacts.is_empty() || model.nv == 0 {
        return Vec::new();
    }
    let Sizes { nq, nv, nc, nr, .. } = Sizes::from(model).with_contacts(contacts);
    let mut shapes = Vec::new();
    functions.push_str(&format!(
        "enum {{\n    {p}_casadi_nc = {nc},\n    {p}_casadi_nr = {nr}\n}};\n\n",
        p = c.prefix
    ));
    functions.push_str(&text::of(CONTACTS, c.prefix, c.real, nv));
    let active = ("active", nc, true);
    let (settings, anchors) = (("settings", 4, true), ("anchors", 12 * nc, true));
    shapes.extend(describe_both(
        functions,
        c,
        "contact_dynamics",
        &[("q", nq, false), ("v", nv, false), ("tau", nv, false), active, settings, anchors],
        [("ddq", nv), ("forces", nr)],
        &[],
    ));
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
    shapes.extend(describe_both(
        functions,
        c,
        "contact_step",
        &[("x", nq + nv, false), ("u", nv, false), ("dt", 1, false), active, settings, anchors],
        [("x_next", nq + nv), ("forces", nr)],
        // Forces act at the beginning of the step.
        &["jac_forces_dt"],
    ));
    shapes
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
    // Anchors are placements, [3 x 4] each.
    let taken = |(name, n, _): &Input| match *name {
        "anchors" => Quantity::of(name, 3, n / 3),
        _ => Quantity::of(name, *n, 1),
    };
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
