//! Derivatives by the coordinates of q, for CasADi, which adds them: fixed text in `text/casadi/`.
//!
//! Of robots without planar, spherical and floating joints they are derivatives by tangent vectors.
//! The rule is in docs/math.md#derivatives-by-coordinates.

use super::Writer;
use super::casadi::{Quantity, describe};
use crate::emit::c_family::text::{self, length};
use crate::emit::manifold::{is_flat, owners};
use rbd_runtime::{JointKind, Model};
use std::fmt::Write;

const POSES: &str = include_str!("text/casadi/poses.c");
const COORDINATES: &str = include_str!("text/casadi/coordinates.c");
const RATES: &str = include_str!("text/casadi/rates.c");
const MANIFOLD: &str = include_str!("text/casadi/manifold.c");

/// A joint's number in the fixed text.
fn kind(kind: JointKind) -> u8 {
    match kind {
        JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic => 0,
        JointKind::Planar => 1,
        JointKind::Spherical => 2,
        JointKind::Floating => 3,
    }
}

/// The table of the joints and the functions that read it, as many as these functions for CasADi call.
pub fn define(c: &Writer<'_>, model: &Model<f64>, functions: &str) -> String {
    let joints: Vec<String> =
        owners(model).map(|b| format!("    {{{}, {}, {}}}", kind(b.kind), b.idx_q, b.idx_v)).collect();
    let mut all = String::new();
    let _ = write!(
        all,
        "enum {{\n    ROBOT_casadi_nq = {},\n    ROBOT_casadi_nv = {},\n    ROBOT_casadi_joints = {}\n}};\n\n\
         /* Each joint: of one coordinate 0, planar 1, spherical 2, floating 3; the first of its coordinates and of its velocities. */\n\
         static const struct {{\n    int kind, q, v;\n}} ROBOT_casadi_joint[{}] = {{\n{}\n}};\n\n",
        length(model.nq),
        length(model.nv),
        joints.len(),
        length(joints.len()),
        if joints.is_empty() { "    {0, 0, 0}".into() } else { joints.join(",\n") },
    );
    all.push_str(POSES);
    if functions.contains("_casadi_by_coordinates(") {
        all.push_str(COORDINATES);
    }
    if functions.contains("_casadi_in_coordinates(") {
        all.push_str(RATES);
    }
    all.push('\n');
    text::of(&all, c.prefix, c.real, model.nv)
}

/// Writes `integrate` and `difference` with their Jacobians, of robots for which they are no sums.
///
/// Returns their shapes.
pub fn forms(functions: &mut String, c: &Writer<'_>, model: &Model<f64>) -> Vec<Quantity> {
    if is_flat(model) {
        return Vec::new();
    }
    let (nq, nv) = (model.nq, model.nv);
    functions.push_str(&text::of(MANIFOLD, c.prefix, c.real, nv));
    let mut shapes = Vec::new();
    for (name, inputs, (result, rows)) in [
        ("integrate", [("q", nq), ("dv", nv)], ("q_next", nq)),
        ("difference", [("q0", nq), ("q1", nq)], ("dv", nv)),
    ] {
        let given = || inputs.map(|(name, n)| Quantity::of(name, n, 1));
        let own = [Quantity::of(result, rows, 1)];
        let out = Quantity::of(&format!("out_{result}"), rows, 1);
        let blocks = inputs.map(|(by, n)| Quantity::of(&format!("jac_{result}_{by}"), rows, n));
        let name = format!("{}_casadi_{name}", c.prefix);
        describe(functions, c.prefix, &name, &given(), &own);
        let with_result: Vec<Quantity> = given().into_iter().chain([out]).collect();
        describe(functions, c.prefix, &format!("jac_{name}"), &with_result, &blocks);
        shapes.extend(given().into_iter().chain(own).chain(blocks));
    }
    shapes
}
