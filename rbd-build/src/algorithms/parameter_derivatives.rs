//! Derivatives of torques and accelerations by parameters at run time
//! (docs/math.md#parameters-at-run-time).
//!
//! Torques are linear in inertias and in gravity. Their derivatives by inertias are columns of the
//! regressor, and by gravity first moments. The derivatives of accelerations are `-M^-1` times
//! these, at the resulting accelerations.

use super::mass_matrix::MassFactors;
use super::placements::world_placements;
use super::regressor::{Carrying, UnitForces, add_powers, for_each_body};
use super::robot::{Coordinates, SymbolicRobot};
use super::{Draft, ExprMatrix, rnea};
use crate::algebra::{Placement, Vec3};
use crate::signatures::quantities::{DDQ_DGRAVITY, DDQ_DINERTIA, DTAU_DGRAVITY, DTAU_DINERTIA};
use crate::signatures::signature::{A, DDQ, TAU, TAU_GIVEN, V};
use rbd_ir::graph::Expr;

/// Torques, and their derivatives by inertias and gravity.
pub fn inverse<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let v = robot.coordinates(draft.param(V));
    let a = robot.coordinates(draft.param(A));
    let tau = rnea::newton_euler(robot, rnea::Terms { v: Some(&v), a: Some(&a), fext: None });
    draft.give(TAU, robot.collect(&tau));
    draft.give(DTAU_DINERTIA, by_inertia(robot, &v, &a));
    draft.give(DTAU_DGRAVITY, by_gravity(robot));
}

/// Accelerations, and their derivatives by inertias and gravity.
pub fn forward<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let (v, tau) = (draft.param(V), draft.param(TAU_GIVEN));
    let v = robot.coordinates(v);
    let factors = MassFactors::new(robot);
    let bias = rnea::newton_euler(robot, rnea::Terms { v: Some(&v), a: None, fext: None });
    let a = factors.acceleration_coordinates(robot, tau, &bias);
    let solve = |d: &ExprMatrix<'g>| factors.solve(robot, d).map(|x: Expr| -x);
    draft.give(DDQ, factors.accelerations(robot, tau, &bias));
    draft.give(DDQ_DINERTIA, solve(&by_inertia(robot, &v, &a)));
    draft.give(DDQ_DGRAVITY, solve(&by_gravity(robot)));
}

/// Columns of the regressor for each inertia, about its own frame.
fn by_inertia<'g>(robot: &SymbolicRobot<'g>, v: &Coordinates<'g>, a: &Coordinates<'g>) -> ExprMatrix<'g> {
    let mut out = ExprMatrix::zeros(robot.tree.nv, 10 * robot.tree.np);
    for_each_body(robot, v, a, |i, velocity, acceleration, on_path| {
        for (k, to_body) in robot.given_of(i) {
            let there = |m| to_body.motion_to_child(m);
            let forces = UnitForces::new(there(velocity), there(acceleration));
            let on_path = on_path.iter().map(|c| Carrying { s: there(c.s), ..*c });
            add_powers(robot, &mut out, (i, &[10 * k]), &forces, on_path);
        }
    });
    out
}

/// Derivative of the torques by gravity.
/// Each row is minus the product of a column's motion with the first moment, in the world, of the
/// bodies that it moves.
fn by_gravity<'g>(robot: &SymbolicRobot<'g>) -> ExprMatrix<'g> {
    let mut moments: Vec<(Expr, Vec3)> = robot.bodies.iter().map(|b| (b.inertia.m, b.inertia.h)).collect();
    for i in robot.inward() {
        let moved = robot.bodies[i].transform.moment_to_parent(moments[i]);
        for (parent, sum) in robot.to_carriers(i) {
            let (m, h) = &mut moments[parent];
            (*m, *h) = (*m + sum(moved.0), *h + moved.1.map(sum));
        }
    }
    let placements = world_placements(robot, Placement::IDENTITY);
    let mut by_column = ExprMatrix::zeros(3, robot.tree.nv);
    for i in robot.outward() {
        let (m, h) = moments[i];
        for (k, s) in robot.bodies[i].columns.iter().enumerate() {
            let column = placements[i].rotation * (s.lin * m + s.ang.cross(h));
            robot.add_column(&mut by_column, (i, k), &column);
        }
    }
    let mut out = ExprMatrix::zeros(robot.tree.nv, 3);
    (0..robot.tree.nv).for_each(|dof| (0..3).for_each(|axis| out[(dof, axis)] = -by_column[(axis, dof)]));
    out
}
