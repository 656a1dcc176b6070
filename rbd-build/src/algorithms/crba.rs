//! The mass matrix: the composite rigid body algorithm (PAPERS 2.2).

use super::Array;
use super::joints::Robot;
use crate::algebra::{Force, SpatialInertia};
use crate::graph::Expr;

/// Inertia of each body with all that it carries, in its frame.
pub fn composite_inertias<'g>(robot: &Robot<'g>) -> Vec<SpatialInertia<'g>> {
    let mut composite: Vec<_> = robot.bodies.iter().map(|b| b.inertia).collect();
    for i in robot.inward() {
        let body = &robot.bodies[i];
        if let Some(p) = body.parent {
            let moved = body.transform.inertia_to_parent(composite[i]).map(robot.gathered(i));
            composite[p] = composite[p] + moved;
        }
    }
    composite
}

/// M(q), full and symmetric.
pub fn crba<'g>(robot: &Robot<'g>) -> Array<'g> {
    let mut m = Array::zeros(robot.tree.nv, robot.tree.nv);
    for_each_entry(robot, |row, column, x| add_symmetric(robot, &mut m, row, column, x));
    m
}

/// Visits the entries of the mass matrix: the rows of each body's columns, and as columns those of the
/// bodies on its path, itself included.
pub fn for_each_entry<'g>(
    robot: &Robot<'g>,
    mut visit: impl FnMut((usize, usize), (usize, usize), Expr<'g>),
) {
    let composite = composite_inertias(robot);
    for i in robot.inward() {
        let body = &robot.bodies[i];
        for (a, s) in body.columns.iter().enumerate() {
            let force = composite[i] * *s;
            for_each_on_path(robot, i, [force], |j, [force]| {
                for (b, s) in robot.bodies[j].columns.iter().enumerate() {
                    let rotor = if (i, a) == (j, b) { body.armature } else { Expr::ZERO };
                    visit((i, a), (j, b), s.dot(force) + rotor);
                }
            });
        }
    }
}

/// Adds an entry of the mass matrix and its mirror image.
pub fn add_symmetric<'g>(
    robot: &Robot<'g>,
    m: &mut Array<'g>,
    (i, a): (usize, usize),
    (j, b): (usize, usize),
    x: Expr<'g>,
) {
    robot.add_to_matrix(m, (i, a), (j, b), x);
    // A joint's own block is visited for every ordered pair of its columns.
    if i != j {
        robot.add_to_matrix(m, (j, b), (i, a), x);
    }
}

/// Visits body `i` and those that carry it, with forces given at `i` moved along.
pub fn for_each_on_path<'g, const N: usize>(
    robot: &Robot<'g>,
    i: usize,
    mut forces: [Force<'g>; N],
    mut visit: impl FnMut(usize, [Force<'g>; N]),
) {
    let mut j = i;
    loop {
        visit(j, forces);
        let Some(parent) = robot.bodies[j].parent else { return };
        forces = forces.map(|f| robot.bodies[j].transform.force_to_parent(f));
        j = parent;
    }
}
