//! Regressors: torques and energies are linear in the inertias (docs/math.md#regressors).
//!
//! The parameters of a body are m, hx, hy, hz, Jxx, Jxy, Jyy, Jxz, Jyz, Jzz, about its joint
//! frame's origin as in the URDF. Inertias of the tree do not enter. Limbs may be lanes, except for
//! the potential energy.

use super::centroidal::velocities;
use super::robot::{Coordinates, SymbolicRobot, constant_transform};
use super::{Draft, ExprMatrix};
use crate::algebra::{Components, Mat3, Motion, Step, Transform, Vec3};
use crate::signatures::quantities::{KINETIC_REGRESSOR, POTENTIAL_REGRESSOR, REGRESSOR};
use crate::signatures::signature::{A, V};
use rbd_ir::graph::Expr;

/// From a body's frame here to its frame in the URDF.
fn to_urdf<'g>(robot: &SymbolicRobot<'g>, i: usize) -> Transform<'g> {
    let lanes = &robot.tree.bodies[i].lanes;
    constant_transform(robot.graph, &lanes.iter().map(|l| l.in_urdf_frame).collect::<Vec<_>>())
}

/// A column of a joint that carries a body, in that body's frame.
#[derive(Clone, Copy)]
pub struct Carrying<'g> {
    /// Body and column.
    pub joint: (usize, usize),
    /// The column.
    pub s: Motion<'g>,
}

/// Visits the bodies, parents first, with velocity and acceleration (gravity included) and the
/// columns that carry each, all in the body's frame.
pub fn for_each_body<'g>(
    robot: &SymbolicRobot<'g>,
    v: &Coordinates<'g>,
    a: &Coordinates<'g>,
    mut visit: impl FnMut(usize, Motion<'g>, Motion<'g>, &[Carrying<'g>]),
) {
    let velocity = velocities(robot, v);
    let mut acceleration: Vec<Motion> = Vec::new();
    let mut columns: Vec<Vec<Carrying>> = Vec::new();
    for i in robot.outward() {
        let body = &robot.bodies[i];
        let world = Motion { lin: robot.minus_gravity(), ang: Vec3::ZERO };
        let carried = body.transform.motion_to_child(robot.of_carrier(i, &acceleration, world));
        let rate = velocity[i].cross(body.joint_motion(v.of(i)));
        acceleration.push(carried + body.joint_motion(a.of(i)) + rate);
        let moved = |c: Carrying<'g>| Carrying { s: body.transform.motion_to_child(c.s), ..c };
        let mut on_path: Vec<Carrying> =
            columns_of_carriers(robot, i, &columns).into_iter().map(moved).collect();
        on_path.extend(body.columns.iter().enumerate().map(|(k, s)| Carrying { joint: (i, k), s: *s }));
        visit(i, velocity[i], acceleration[i], &on_path);
        columns.push(on_path);
    }
}

/// Columns of the ancestors of a body's joint, in its lanes: zero in lanes that a column does not
/// carry.
fn columns_of_carriers<'g>(
    robot: &SymbolicRobot<'g>,
    i: usize,
    columns: &[Vec<Carrying<'g>>],
) -> Vec<Carrying<'g>> {
    let mut joints: Vec<(usize, usize)> = Vec::new();
    for c in robot.carriers(i).into_iter().flat_map(|p| &columns[p]) {
        if !joints.contains(&c.joint) {
            joints.push(c.joint);
        }
    }
    let lanes = &robot.tree.bodies[i].lanes;
    let in_lanes = |joint: (usize, usize)| {
        let of_lanes: Vec<Option<(Motion, usize)>> = lanes
            .iter()
            .map(|l| {
                let parent = l.parent?;
                columns[parent.body].iter().find(|c| c.joint == joint).map(|c| (c.s, parent.lane))
            })
            .collect();
        let s = Motion::by_components(|k| {
            let of_lane = |of: &Option<(Motion<'g>, usize)>| {
                of.map_or(Expr::ZERO, |(s, lane)| s.component(k).lane(lane))
            };
            robot.graph.gather(&of_lanes.iter().map(of_lane).collect::<Vec<_>>())
        });
        Carrying { joint, s }
    };
    joints.into_iter().map(in_lanes).collect()
}

/// Adds to columns of `out`, for each lane of body `i` from `first` on, the powers along each
/// column of the forces of unit parameters. Forces and columns are in the same frame.
pub fn add_powers<'g>(
    robot: &SymbolicRobot<'g>,
    out: &mut ExprMatrix<'g>,
    (i, first): (usize, &[usize]),
    forces: &UnitForces<'g>,
    on_path: impl Iterator<Item = Carrying<'g>>,
) {
    for Carrying { joint: (j, k), s } in on_path {
        let powers = forces.powers(s);
        for (lane, (on, first)) in robot.carrying(j, i).into_iter().zip(first).enumerate() {
            let Some(on) = on else { continue };
            let joint = &robot.tree.bodies[j].lanes[on];
            for (p, power) in powers.into_iter().enumerate() {
                out[(joint.idx_v + k, first + p)] += power.lane(lane) * Expr::constant(joint.multiplier);
            }
        }
    }
}

/// The torques' regressor: each entry is the power, along one column, of the force that one
/// parameter's unit needs.
pub fn torques<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let v = robot.coordinates(draft.param(V));
    let a = robot.coordinates(draft.param(A));
    let mut out = ExprMatrix::zeros(robot.tree.nv, 10 * robot.tree.nb);
    for_each_body(robot, &v, &a, |i, velocity, acceleration, on_path| {
        let to_urdf = to_urdf(robot, i);
        let forces =
            UnitForces::new(to_urdf.motion_to_parent(velocity), to_urdf.motion_to_parent(acceleration));
        let on_path = on_path.iter().map(|c| Carrying { s: to_urdf.motion_to_parent(c.s), ..*c });
        let first: Vec<usize> = robot.tree.bodies[i].lanes.iter().map(|l| 10 * l.body).collect();
        add_powers(robot, &mut out, (i, &first), &forces, on_path);
    });
    draft.give(REGRESSOR, out);
}

/// The forces on a body for each unit of its parameters.
pub struct UnitForces<'g> {
    /// For the mass: the acceleration of the origin.
    of_mass: Vec3<'g>,
    /// Forces of first moments: [al] + [w][w].
    of_moment: Mat3<'g>,
    /// Moments of Jxx, Jxy, Jyy, Jxz, Jyz, Jzz.
    of_inertia: [Vec3<'g>; 6],
}

impl<'g> UnitForces<'g> {
    pub fn new(v: Motion<'g>, a: Motion<'g>) -> Self {
        let w = v.ang;
        let unit = |r: usize, c: usize| {
            // J x, for J with ones at (r, c) and (c, r).
            let times = |x: Vec3<'g>| {
                let mut y = Vec3::ZERO;
                y.0[r] = x[c];
                y.0[c] = x[r];
                y
            };
            times(a.ang) + w.cross(times(w))
        };
        Self {
            of_mass: a.lin + w.cross(v.lin),
            of_moment: super::rnea::acceleration_field(a.ang, w),
            of_inertia: PAIRS.map(|(r, c)| unit(r, c)),
        }
    }

    /// Powers of the unit forces along a motion.
    fn powers(&self, s: Motion<'g>) -> [Expr<'g>; 10] {
        let h = self.of_moment.transpose_mul(s.lin) + self.of_mass.cross(s.ang);
        let mut out = [Expr::ZERO; 10];
        out[0] = s.lin.dot(self.of_mass);
        out[1..4].copy_from_slice(&h.0);
        (0..6).for_each(|p| out[4 + p] = s.ang.dot(self.of_inertia[p]));
        out
    }
}

/// Rows and columns of an inertia's six numbers, in order.
const PAIRS: [(usize, usize); 6] = [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)];

fn give_row<'g>(robot: &SymbolicRobot<'g>, of_body: impl Fn(usize) -> [Expr<'g>; 10]) -> ExprMatrix<'g> {
    let mut out = ExprMatrix::zeros(1, 10 * robot.tree.nb);
    for i in robot.outward() {
        for (p, x) in of_body(i).into_iter().enumerate() {
            for (lane, l) in robot.tree.bodies[i].lanes.iter().enumerate() {
                out[(0, 10 * l.body + p)] = x.lane(lane);
            }
        }
    }
    out
}

/// The kinetic energy's regressor; rotors have no part in it.
pub fn kinetic_energy<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let v = robot.coordinates(draft.param(V));
    let velocity = velocities(robot, &v);
    let row = give_row(robot, |i| {
        let Motion { lin, ang: w } = to_urdf(robot, i).motion_to_parent(velocity[i]);
        let mut out = [Expr::ZERO; 10];
        out[0] = lin.dot(lin) * 0.5;
        out[1..4].copy_from_slice(&lin.cross(w).0);
        for (p, (r, c)) in PAIRS.into_iter().enumerate() {
            out[4 + p] = if r == c { w[r].square() * 0.5 } else { w[r] * w[c] };
        }
        out
    });
    draft.give(KINETIC_REGRESSOR, row);
}

/// The potential energy's regressor: minus the potential of gravity at the origin, and minus
/// gravity in the body's axes.
pub fn potential_energy<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let mut fields: Vec<Field> = Vec::new();
    let world = Field { minus_gravity: robot.minus_gravity(), height: Expr::ZERO };
    for i in robot.outward() {
        let parent = robot.carriers(i).first().map_or(world, |&p| fields[p]);
        fields.push(parent.in_child(&robot.bodies[i].transform));
    }
    let row = give_row(robot, |i| {
        let from_urdf = tree_in_urdf_inverse(robot, i);
        let Field { minus_gravity, height } = fields[i].in_child(&from_urdf);
        let mut out = [Expr::ZERO; 10];
        out[0] = height;
        out[1..4].copy_from_slice(&minus_gravity.0);
        out
    });
    draft.give(POTENTIAL_REGRESSOR, row);
}

/// From the URDF's frame of a body to the one here.
fn tree_in_urdf_inverse<'g>(robot: &SymbolicRobot<'g>, i: usize) -> Transform<'g> {
    constant_transform(robot.graph, &[crate::tree::inverse(&robot.tree.bodies[i].lanes[0].in_urdf_frame)])
}

/// Gravity in a frame, with opposite sign, and its potential per mass at the frame's origin.
#[derive(Clone, Copy)]
struct Field<'g> {
    minus_gravity: Vec3<'g>,
    height: Expr<'g>,
}

impl<'g> Field<'g> {
    fn in_child(self, transform: &Transform<'g>) -> Self {
        transform.steps().iter().rev().fold(self, |field, step| match step {
            Step::Rotate(r) => Field { minus_gravity: r.transpose_mul(field.minus_gravity), ..field },
            Step::Translate(p) => Field { height: field.height + field.minus_gravity.dot(*p), ..field },
        })
    }
}
