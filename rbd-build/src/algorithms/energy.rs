//! Kinetic and potential energy, and the gradient of the kinetic one (docs/math.md#energies).

use super::center_of_mass::Moments;
use super::centroidal::{sums, velocities};
use super::robot::{Coordinates, SymbolicRobot};
use super::{Draft, ExprMatrix};
use crate::algebra::Motion;
use crate::signatures::quantities::{DKINETIC_DQ, DKINETIC_DV, KINETIC_ENERGY, POTENTIAL_ENERGY};
use crate::signatures::signature::V;
use rbd_ir::graph::Expr;

/// A number as an array.
pub fn number(x: Expr<'_>) -> ExprMatrix<'_> {
    let mut out = ExprMatrix::zeros(1, 1);
    out[(0, 0)] = x;
    out
}

/// Kinetic energy of bodies and rotors.
pub fn kinetic<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let v = robot.coordinates(draft.param(V));
    let velocity = velocities(robot, &v);
    draft.give(KINETIC_ENERGY, number(kinetic_energy(robot, &v, &velocity)));
}

fn kinetic_energy<'g>(robot: &SymbolicRobot<'g>, v: &Coordinates<'g>, velocity: &[Motion<'g>]) -> Expr<'g> {
    let half = Expr::constant(0.5);
    let of_body = |i: usize| {
        let body = &robot.bodies[i];
        let inertia = body.inertia.map(|x| x * half);
        let rotors: Expr = v.of(i).iter().map(|v| body.armature * half * v.square()).sum();
        (velocity[i].dot(inertia * velocity[i]) + rotors).horizontal_sum(body.lanes)
    };
    robot.outward().map(of_body).sum()
}

/// The kinetic energy and its gradients: `p . H` by the configuration, `s . H` by the velocity,
/// with H the momentum of all that a joint moves.
pub fn kinetic_derivatives<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let v = robot.coordinates(draft.param(V));
    let velocity = velocities(robot, &v);
    let (momentum, _) = sums(robot, robot.outward().map(|i| robot.bodies[i].inertia * velocity[i]).collect());
    let (mut by_q, mut by_v) = (ExprMatrix::zeros(robot.tree.nv, 1), ExprMatrix::zeros(robot.tree.nv, 1));
    for i in robot.outward() {
        let body = &robot.bodies[i];
        let v_parent = body.transform.motion_to_child(robot.of_carrier(i, &velocity, Motion::ZERO));
        for (k, s) in body.columns.iter().enumerate() {
            robot.add_to_vector(&mut by_q, (i, k), v_parent.cross(*s).dot(momentum[i]));
            robot.add_to_vector(&mut by_v, (i, k), s.dot(momentum[i]) + body.armature * v.of(i)[k]);
        }
    }
    draft.give(KINETIC_ENERGY, number(kinetic_energy(robot, &v, &velocity)));
    draft.give(DKINETIC_DQ, by_q);
    draft.give(DKINETIC_DV, by_v);
}

/// Potential energy in the field of gravity; zero for a point at the world's origin.
pub fn potential<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let Moments { com, mass, .. } = Moments::new(robot);
    let weight = robot.minus_gravity() * mass;
    draft.give(POTENTIAL_ENERGY, number(weight.dot(com)));
}
