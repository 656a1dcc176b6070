//! The mass matrix: the composite rigid body algorithm (docs/math.md#crba).

use super::ancestors::{Ancestor, for_each_ancestor};
use super::robot::SymbolicRobot;
use super::{Draft, ExprMatrix};
use crate::algebra::{Force, SpatialInertia};
use crate::signatures::signature::M;
use rbd_ir::graph::Expr;

/// The mass matrix.
pub fn trace<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    draft.give(M, crba(robot));
}

/// Inertia of each body with all that it carries, in its frame.
pub fn composite_inertias<'g>(robot: &SymbolicRobot<'g>) -> Vec<SpatialInertia<'g>> {
    let mut composite: Vec<_> = robot.bodies.iter().map(|b| b.inertia).collect();
    for i in robot.inward() {
        let body = &robot.bodies[i];
        let moved = body.transform.inertia_to_parent(composite[i]);
        for (parent, sum) in robot.to_carriers(i) {
            composite[parent] = composite[parent] + moved.map(sum);
        }
    }
    composite
}

/// M(q), full and symmetric.
pub fn crba<'g>(robot: &SymbolicRobot<'g>) -> ExprMatrix<'g> {
    let mut m = ExprMatrix::zeros(robot.tree.nv, robot.tree.nv);
    for_each_entry(robot, |on, columns, x| add_symmetric(robot, &mut m, on, columns, x));
    m
}

/// Visits the entries of the mass matrix: for each body and those that carry it, the columns of both.
pub fn for_each_entry<'g>(
    robot: &SymbolicRobot<'g>,
    mut visit: impl FnMut(&Ancestor, (usize, usize), Expr<'g>),
) {
    let composite = composite_inertias(robot);
    let force_of = |i: usize, a: usize| composite[i] * robot.bodies[i].columns[a];
    for_each_entry_of(robot, force_of, |on, (a, b), x| {
        let is_own = (on.descendant, a) == (on.body, b);
        visit(on, (a, b), if is_own { x + robot.bodies[on.body].armature } else { x });
    });
}

/// Visits the torques of forces on bodies, one for each of a body's columns, at all columns that carry them.
pub fn for_each_entry_of<'g>(
    robot: &SymbolicRobot<'g>,
    force_of: impl Fn(usize, usize) -> Force<'g>,
    mut visit: impl FnMut(&Ancestor, (usize, usize), Expr<'g>),
) {
    for i in robot.inward() {
        for a in 0..robot.bodies[i].columns.len() {
            for_each_ancestor(robot, i, [force_of(i, a)], |on, [force]| {
                for (b, s) in robot.bodies[on.body].columns.iter().enumerate() {
                    visit(on, (a, b), s.dot(force));
                }
            });
        }
    }
}

/// Adds an entry of the mass matrix and its mirror image.
pub fn add_symmetric<'g>(
    robot: &SymbolicRobot<'g>,
    m: &mut ExprMatrix<'g>,
    on: &Ancestor,
    columns: (usize, usize),
    x: Expr<'g>,
) {
    robot.add_to_rows(m, on, columns, x);
    // A joint's own block is visited for every ordered pair of its columns.
    if on.body != on.descendant {
        robot.add_to_columns(m, on, columns, x);
    }
}
