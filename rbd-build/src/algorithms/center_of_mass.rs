//! Centre of mass, its velocity and its Jacobian (docs/math.md#centre-of-mass).
//!
//! First moments are summed inward, from the leaves to the world. Masses are constants, so a
//! subtree's moment moves to its parent by a rotation and the addition of constants. Moments are
//! relative to the mass of the whole robot from the start.

use super::placements::world_placements;
use super::robot::SymbolicRobot;
use super::{Draft, ExprMatrix};
use crate::algebra::{Motion, Placement, SpatialInertia, Transform, Vec3};
use crate::signatures::quantities::{COM, COM_JACOBIAN, COM_VELOCITY};
use crate::signatures::signature::V;
use rbd_ir::graph::Expr;

/// Mass and first moment, of a body at first and of all that it carries at last; as parts of the
/// robot's mass.
pub struct Moments<'g> {
    /// Mass and first moment of each body, in its frame.
    pub of: Vec<(Expr<'g>, Vec3<'g>)>,
    /// The robot's first moment about the world's origin: its centre of mass.
    pub com: Vec3<'g>,
    /// The mass of the robot.
    pub mass: Expr<'g>,
}

impl<'g> Moments<'g> {
    pub fn new(robot: &SymbolicRobot<'g>) -> Self {
        let mass = robot.mass();
        let per_mass = mass.recip();
        let own = |i: usize| {
            let body = &robot.bodies[i];
            let part = |x: Expr<'g>| x * per_mass;
            let whole = body.inertia + body.unfelt;
            (part(whole.m), whole.h.map(part))
        };
        let mut of: Vec<_> = robot.outward().map(own).collect();
        let mut com = Vec3::ZERO;
        for i in robot.inward() {
            let moved = robot.bodies[i].transform.moment_to_parent(of[i]);
            for (parent, sum) in robot.to_carriers(i) {
                let (m, h) = &mut of[parent];
                (*m, *h) = (*m + sum(moved.0), *h + moved.1.map(sum));
            }
            com += moved.1.map(|x| robot.to_world(i, x));
        }
        Self { of, com, mass }
    }
}

/// The centre of mass.
pub fn trace<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    draft.give(COM, column(Moments::new(robot).com));
}

fn column<'g>(x: Vec3<'g>) -> ExprMatrix<'g> {
    let mut out = ExprMatrix::zeros(3, 1);
    (0..3).for_each(|k| out[(k, 0)] = x[k]);
    out
}

/// Velocity of the centre of mass: the rates of the first moments, each by the motion beyond its
/// joint, are summed inward with the moments.
pub fn velocity<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let v = robot.coordinates(draft.param(V));
    let moments = Moments::new(robot);
    let mut rates = vec![Vec3::ZERO; robot.bodies.len()];
    let mut com_velocity = Vec3::ZERO;
    for i in robot.inward() {
        let body = &robot.bodies[i];
        let rate = rates[i] + moved_by(body.joint_motion(v.of(i)), moments.of[i]);
        let turned = body.transform.vector_to_parent(rate);
        for (parent, sum) in robot.to_carriers(i) {
            rates[parent] += turned.map(sum);
        }
        com_velocity += turned.map(|x| robot.to_world(i, x));
    }
    draft.give(COM_VELOCITY, column(com_velocity));
}

/// The rate of a first moment that is carried by this motion.
fn moved_by<'g>(s: Motion<'g>, (m, h): (Expr<'g>, Vec3<'g>)) -> Vec3<'g> {
    s.lin * m + s.ang.cross(h)
}

/// Jacobian of the centre of mass: the derivative by the configuration.
pub fn jacobian<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    draft.give(COM_JACOBIAN, jacobian_of(robot));
}

pub fn jacobian_of<'g>(robot: &SymbolicRobot<'g>) -> ExprMatrix<'g> {
    let moments = Moments::new(robot);
    let placements = world_placements(robot, Placement::IDENTITY);
    let mut out = ExprMatrix::zeros(3, robot.tree.nv);
    for i in robot.outward() {
        for (k, s) in robot.bodies[i].columns.iter().enumerate() {
            let column = placements[i].rotation * moved_by(*s, moments.of[i]);
            robot.add_column(&mut out, (i, k), &column);
        }
    }
    out
}

/// Centre of mass in the axes and from the origin in which forces on the whole robot are summed:
/// see [`to_whole`].
pub fn com_in_whole<'g>(robot: &SymbolicRobot<'g>, moments: &Moments<'g>) -> Vec3<'g> {
    robot.only_root().map_or(moments.com, |root| moments.of[root].1)
}

/// Centre of mass from composite inertias.
pub fn com_of<'g>(robot: &SymbolicRobot<'g>, composite: &[SpatialInertia<'g>]) -> Vec3<'g> {
    let part = robot.mass().recip();
    let whole = |i: usize| composite[i] + robot.bodies[i].unfelt;
    if let Some(root) = robot.only_root() {
        return whole(root).h.map(|x| x * part);
    }
    let moment = |i: usize| {
        let SpatialInertia { m, h, .. } = whole(i);
        robot.bodies[i].transform.moment_to_parent((m, h)).1.map(|x| robot.to_world(i, x) * part)
    };
    robot.outward().map(moment).fold(Vec3::ZERO, |sum, h| sum + h)
}

/// The root frame, turned to the world's axes, if one body carries all others. Quantities about the
/// centre of mass do not depend on its place.
pub fn to_whole<'r, 'g>(robot: &'r SymbolicRobot<'g>) -> Option<&'r Transform<'g>> {
    robot.only_root().map(|root| &robot.bodies[root].transform)
}
