//! Placements of all joint frames in the world (docs/math.md#kinematics).

use super::robot::{SymbolicRobot, constant_transform};
use super::{Draft, ExprMatrix};
use crate::algebra::{Components, Placement, Vec3};
use crate::signatures::quantities::PLACEMENTS;
use crate::tree;

/// The placements of all bodies' joint frames, as the URDF has them.
pub fn trace<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let mut out = ExprMatrix::zeros(3, 4 * robot.tree.nb);
    for (i, at) in world_placements(robot, Placement::IDENTITY).into_iter().enumerate() {
        let lanes = &robot.tree.bodies[i].lanes;
        let to_urdf: Vec<_> = lanes.iter().map(|l| tree::inverse(&l.in_urdf_frame)).collect();
        let at = at.then(&constant_transform(robot.graph, &to_urdf));
        for (lane, l) in lanes.iter().enumerate() {
            for k in 0..12 {
                out[(k % 3, 4 * l.body + k / 3)] = at.component(k).lane(lane);
            }
        }
    }
    draft.give(PLACEMENTS, out);
}

/// Each body's frame in the world, for this placement of the world.
pub fn world_placements<'g>(robot: &SymbolicRobot<'g>, world: Placement<'g>) -> Vec<Placement<'g>> {
    let mut all: Vec<Placement> = Vec::new();
    for i in robot.outward() {
        let at = robot.of_carrier(i, &all, world);
        all.push(at.then(&robot.bodies[i].transform));
    }
    all
}

/// Placements in the world's axes, from the origin of the body that carries all others, if there is
/// one. For results that do not depend on that body's place.
pub fn placements_from_root<'g>(robot: &SymbolicRobot<'g>) -> Vec<Placement<'g>> {
    if robot.only_root().is_none() {
        return world_placements(robot, Placement::IDENTITY);
    }
    let mut all: Vec<Placement> = Vec::new();
    for i in robot.outward() {
        let at = robot.of_carrier(i, &all, Placement::IDENTITY).then(&robot.bodies[i].transform);
        all.push(if robot.is_root(i) { Placement { translation: Vec3::ZERO, ..at } } else { at });
    }
    all
}
