//! Momentum about the centre of mass, its map from velocities, and its rate
//! (docs/math.md#centroidal-momentum).

use super::center_of_mass::{Moments, com_in_whole, com_of, to_whole};
use super::crba::composite_inertias;
use super::placements::placements_from_root;
use super::robot::{Coordinates, SymbolicRobot};
use super::{Draft, ExprMatrix};
use crate::algebra::{Components, Force, Motion, Placement, SpatialInertia, Vec3};
use crate::signatures::quantities::{MOMENTUM, MOMENTUM_MATRIX, MOMENTUM_RATE};
use crate::signatures::signature::{A, V};

/// The momentum.
pub fn momentum<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let v = robot.coordinates(draft.param(V));
    let momenta = robot.outward().zip(velocities(robot, &v)).map(|(i, v)| robot.bodies[i].inertia * v);
    let total = about_com(robot, &Moments::new(robot), momenta.collect());
    draft.give(MOMENTUM, column(&total));
}

/// Rate of the centroidal momentum: the forces of all bodies, without gravity.
pub fn rate<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let v = robot.coordinates(draft.param(V));
    let a = robot.coordinates(draft.param(A));
    let (velocity, acceleration) = motions(robot, [&v, &a], [Motion::ZERO; 2]);
    let force = |i: usize| {
        let (inertia, v) = (robot.bodies[i].inertia, velocity[i]);
        inertia * acceleration[i] + v.cross_force(inertia * v)
    };
    let forces = robot.outward().map(force).collect();
    let total = about_com(robot, &Moments::new(robot), forces);
    draft.give(MOMENTUM_RATE, column(&total));
}

/// Centroidal momentum matrix: of each column, the momentum of all that it moves.
pub fn matrix<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    draft.give(MOMENTUM_MATRIX, matrix_of(robot));
}

pub fn matrix_of<'g>(robot: &SymbolicRobot<'g>) -> ExprMatrix<'g> {
    let composite = composite_inertias(robot);
    let to_com = ToCom::new(robot, &composite);
    let mut out = ExprMatrix::zeros(6, robot.tree.nv);
    for i in robot.outward() {
        for (k, s) in robot.bodies[i].columns.iter().enumerate() {
            robot.add_column(&mut out, (i, k), &to_com.momentum(robot, i, composite[i], *s));
        }
    }
    out
}

/// A 6-vector as an array.
pub fn column<'g>(f: &Force<'g>) -> ExprMatrix<'g> {
    let mut out = ExprMatrix::zeros(6, 1);
    (0..6).for_each(|k| out[(k, 0)] = f.component(k));
    out
}

/// Velocities of the bodies, each in its frame.
pub fn velocities<'g>(robot: &SymbolicRobot<'g>, v: &Coordinates<'g>) -> Vec<Motion<'g>> {
    velocities_from(robot, v, Motion::ZERO)
}

/// Velocities of the bodies if the world moves.
fn velocities_from<'g>(robot: &SymbolicRobot<'g>, v: &Coordinates<'g>, world: Motion<'g>) -> Vec<Motion<'g>> {
    let mut all: Vec<Motion> = Vec::new();
    for i in robot.outward() {
        let body = &robot.bodies[i];
        let carried = body.transform.motion_to_child(robot.of_carrier(i, &all, world));
        all.push(carried + body.joint_motion(v.of(i)));
    }
    all
}

/// Velocities and accelerations of the bodies, without gravity, for these motions of the world.
pub fn motions<'g>(
    robot: &SymbolicRobot<'g>,
    [v, a]: [&Coordinates<'g>; 2],
    world: [Motion<'g>; 2],
) -> (Vec<Motion<'g>>, Vec<Motion<'g>>) {
    let velocity = velocities_from(robot, v, world[0]);
    let mut acceleration: Vec<Motion> = Vec::new();
    for i in robot.outward() {
        let body = &robot.bodies[i];
        let carried = body.transform.motion_to_child(robot.of_carrier(i, &acceleration, world[1]));
        let rate = velocity[i].cross(body.joint_motion(v.of(i)));
        acceleration.push(carried + body.joint_motion(a.of(i)) + rate);
    }
    (velocity, acceleration)
}

/// The sum of forces, each in its body's frame: about the centre of mass, in the world's axes.
fn about_com<'g>(robot: &SymbolicRobot<'g>, moments: &Moments<'g>, forces: Vec<Force<'g>>) -> Force<'g> {
    let (composite, total) = sums(robot, forces);
    let com = com_in_whole(robot, moments);
    match (robot.only_root(), to_whole(robot)) {
        (Some(root), Some(transform)) => transform.turn_force_to_parent(composite[root].about(com)),
        _ => total.about(com),
    }
}

/// Sums of forces over each body's subtree, in its frame, and over all bodies, in the world.
pub fn sums<'g>(robot: &SymbolicRobot<'g>, mut f: Vec<Force<'g>>) -> (Vec<Force<'g>>, Force<'g>) {
    let mut total = Force::ZERO;
    for i in robot.inward() {
        let moved = robot.bodies[i].transform.force_to_parent(f[i]);
        for (parent, sum) in robot.to_carriers(i) {
            f[parent] += moved.map(sum);
        }
        total += moved.map(|x| robot.to_world(i, x));
    }
    (f, total)
}

/// Returns whether `s` translates the whole robot without rotation, which gives no momentum about
/// its centre of mass.
pub fn moves_all_along(robot: &SymbolicRobot<'_>, i: usize, s: Motion<'_>) -> bool {
    robot.only_root() == Some(i) && s.ang.is_zero()
}

/// Moves forces from the bodies' frames to the world's axes and the centre of mass.
pub struct ToCom<'g> {
    placements: Vec<Placement<'g>>,
    /// Centre of mass, from the same origin.
    pub com: Vec3<'g>,
}

impl<'g> ToCom<'g> {
    /// From composite inertias.
    pub fn new(robot: &SymbolicRobot<'g>, composite: &[SpatialInertia<'g>]) -> Self {
        let com = com_of(robot, composite);
        let com = to_whole(robot).map_or(com, |transform| transform.vector_to_parent(com));
        Self { placements: placements_from_root(robot), com }
    }

    /// Momentum of body i's subtree, with this composite inertia, for the motion `s`.
    pub fn momentum(
        &self,
        robot: &SymbolicRobot<'g>,
        i: usize,
        composite: SpatialInertia<'g>,
        s: Motion<'g>,
    ) -> Force<'g> {
        if moves_all_along(robot, i, s) {
            return Force { lin: self.vector(i, s.lin) * robot.mass(), ang: Vec3::ZERO };
        }
        self.force(i, composite * s)
    }

    /// A force in body i's frame, in the world's axes and about the centre of mass.
    pub fn force(&self, i: usize, f: Force<'g>) -> Force<'g> {
        let Placement { rotation, translation } = self.placements[i];
        // In lanes, if body i is: the centre of mass is one for all.
        Placement { rotation, translation: translation - self.com }.act_force(f)
    }

    /// A vector in body i's axes, in the world's.
    pub fn vector(&self, i: usize, x: Vec3<'g>) -> Vec3<'g> {
        self.placements[i].rotation * x
    }
}
