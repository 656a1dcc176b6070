//! Weighted torques `mu . tau`, their gradient and their Hessians without any tensor
//! (docs/math.md#contracted-second-derivatives), in link frames as
//! [`rnea_derivatives`](super::rnea_derivatives).

use super::ancestors::for_each_ancestor;
use super::crba::add_symmetric;
use super::rnea::Gyroscopic;
use super::robot::{Coordinates, SymbolicRobot};
use super::{Draft, ExprMatrix};
use crate::algebra::{Coriolis, Force, Motion, SpatialInertia, Vec3};
use crate::signatures::second_order::{DQDA, DQDQ, DQDV, DVDV, HDA, HDQ, HDV, MU, VALUE};
use crate::signatures::signature::{A, FEXT, V};
use rbd_ir::graph::Expr;
use rbd_ir::kernel::ArrayId;

/// Value, gradient and Hessians.
pub fn trace<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let (v, a, fext, mu) = (draft.param(V), draft.param(A), draft.optional(FEXT), draft.param(MU));
    let [v, a, mu] = [v, a, mu].map(|x| robot.coordinates(x));
    let of = hessian(robot, [&v, &a, &mu], fext);
    draft.give(VALUE, of.value);
    draft.give(HDQ, of.dq);
    draft.give(HDV, of.dv);
    draft.give(HDA, of.da);
    draft.give(DQDQ, of.dqdq);
    draft.give(DQDV, of.dqdv);
    draft.give(DVDV, of.dvdv);
    draft.give(DQDA, of.dqda);
}

/// `mu . tau` and its derivatives: entry (i, j) of a block is by the first variable's i and the
/// second one's j.
pub struct Hessian<'g> {
    pub value: ExprMatrix<'g>,
    pub dq: ExprMatrix<'g>,
    pub dv: ExprMatrix<'g>,
    pub da: ExprMatrix<'g>,
    pub dqdq: ExprMatrix<'g>,
    pub dqdv: ExprMatrix<'g>,
    pub dvdv: ExprMatrix<'g>,
    pub dqda: ExprMatrix<'g>,
}

/// Rates of a column of a joint's motion subspace (docs/math.md#subspace-rates), and
/// `o = w_parent x s`, where w is the motion given by the weights.
#[derive(Clone, Copy)]
struct Rates<'g> {
    p: Motion<'g>,
    r: Motion<'g>,
    x: Motion<'g>,
    o: Motion<'g>,
}

/// Quantities of a subtree: its inertia, Coriolis operator and force, and its sums with the
/// weights' motion w.
///
/// The sums are `sum I w`, the moment of `sum B^T w`, whose force is zero, and `sum B(I, w)`.
#[derive(Clone, Copy)]
struct Subtree<'g> {
    inertia: SpatialInertia<'g>,
    coriolis: Coriolis<'g>,
    force: Force<'g>,
    momentum: Force<'g>,
    moment: Vec3<'g>,
    operator: Coriolis<'g>,
}

/// A moment without a force.
fn pure(moment: Vec3<'_>) -> Force<'_> {
    Force { lin: Vec3::ZERO, ang: moment }
}

/// External forces are constant in their body's frame.
pub fn hessian<'g>(
    robot: &SymbolicRobot<'g>,
    [v, a, mu]: [&Coordinates<'g>; 3],
    fext: Option<ArrayId>,
) -> Hessian<'g> {
    let n = robot.tree.nv;
    let (rates, mut subtrees) = outward(robot, [v, a, mu], fext);
    let vector = || ExprMatrix::zeros(n, 1);
    let square = || ExprMatrix::zeros(n, n);
    let mut out = Hessian {
        value: ExprMatrix::zeros(1, 1),
        dq: vector(),
        dv: vector(),
        da: vector(),
        dqdq: square(),
        dqdv: square(),
        dvdv: square(),
        dqda: square(),
    };
    let two = Expr::constant(2.0);
    for i in robot.inward() {
        let body = &robot.bodies[i];
        let of = subtrees[i];
        for (kc, s) in body.columns.iter().enumerate() {
            let Rates { p, r, x, o } = rates[i][kc];
            // Value and gradient.
            let (vc, ac, muc) = (v.of(i)[kc], a.of(i)[kc], mu.of(i)[kc]);
            let torque = s.dot(of.force) + body.armature * ac + body.resistance(vc);
            let weighted = muc * torque;
            for lane in 0..robot.tree.bodies[i].lanes.len() {
                out.value[(0, 0)] += weighted.lane(lane);
            }
            let dq = o.dot(of.force) + r.dot(of.momentum) + p.ang.dot(of.moment);
            let dv = s.ang.dot(of.moment) + x.dot(of.momentum) + body.resistance_slope(vc) * muc;
            let da = s.dot(of.momentum) + body.armature * muc;
            for (to, x) in [(&mut out.dq, dq), (&mut out.dv, dv), (&mut out.da, da)] {
                robot.add_to_vector(to, (i, kc), x);
            }
            // Factor of products with shallower columns.
            let turned = s.cross_force(of.momentum);
            let g0 = s.cross_force(of.force) + of.inertia * r + of.coriolis * p;
            let g1 = of.inertia * o + turned;
            // Its force is zero.
            let twice = p.cross_force(of.momentum).ang * two;
            let g2 =
                of.coriolis.transpose_mul(o).ang + s.ang.cross(of.moment) + twice - of.operator.n * p.ang;
            let h0 = of.coriolis * *s + of.inertia * x;
            let h1 = -of.operator.transpose_mul(*s).ang;
            let hv = turned - of.operator * *s;
            // Factor for columns of other bodies: its force is zero.
            let beyond = hv.ang + turned.ang;
            let e = of.inertia * *s;
            for_each_ancestor(robot, i, [g1, pure(g2)], |on, [g1, g2]| {
                for (kd, s_d) in robot.bodies[on.body].columns.iter().enumerate() {
                    let (columns, of_d) = ((kc, kd), rates[on.body][kd]);
                    if on.body != i {
                        let qv = of_d.x.dot(g1) + s_d.ang.dot(g2.ang);
                        robot.add_to_rows(&mut out.dqdv, on, columns, qv);
                        robot.add_to_rows(&mut out.dqda, on, columns, s_d.dot(g1));
                    }
                }
            });
            for_each_ancestor(robot, i, [g0, g1, pure(g2)], |on, [g0, g1, g2]| {
                for (kd, of_d) in rates[on.body].iter().enumerate() {
                    let columns = (kc, kd);
                    let qq = of_d.o.dot(g0) + of_d.r.dot(g1) + of_d.p.ang.dot(g2.ang);
                    add_symmetric(robot, &mut out.dqdq, on, columns, qq);
                }
            });
            for_each_ancestor(robot, i, [h0, pure(h1), e, pure(beyond)], |on, [h0, h1, e, beyond]| {
                for (kd, s_d) in robot.bodies[on.body].columns.iter().enumerate() {
                    let (columns, of_d) = ((kc, kd), rates[on.body][kd]);
                    let qv = of_d.o.dot(h0) + of_d.p.ang.dot(h1.ang);
                    robot.add_to_columns(&mut out.dqdv, on, columns, qv);
                    robot.add_to_columns(&mut out.dqda, on, columns, of_d.o.dot(e));
                    let vv = match on.body == i {
                        // Joint friction is of one velocity.
                        true if kd == kc => s_d.dot(hv) + body.resistance_curvature(vc) * muc,
                        true => s_d.dot(hv),
                        false => s_d.ang.dot(beyond.ang),
                    };
                    add_symmetric(robot, &mut out.dvdv, on, columns, vv);
                }
            });
        }
        let t = &body.transform;
        let moved = (
            t.inertia_to_parent(of.inertia),
            t.coriolis_to_parent(of.coriolis),
            t.force_to_parent(of.force),
            t.force_to_parent(of.momentum),
            t.vector_to_parent(of.moment),
            t.coriolis_to_parent(of.operator),
        );
        for (parent, sum) in robot.to_carriers(i) {
            let to = &mut subtrees[parent];
            to.inertia = to.inertia + moved.0.map(&sum);
            to.coriolis = to.coriolis + moved.1.map(&sum);
            to.force += moved.2.map(&sum);
            to.momentum += moved.3.map(&sum);
            to.moment += moved.4.map(&sum);
            to.operator = to.operator + moved.5.map(&sum);
        }
    }
    out
}

/// Rates of all columns, and quantities of the single bodies.
fn outward<'g>(
    robot: &SymbolicRobot<'g>,
    [v, a, mu]: [&Coordinates<'g>; 3],
    fext: Option<ArrayId>,
) -> (Vec<Vec<Rates<'g>>>, Vec<Subtree<'g>>) {
    let (mut rates, mut bodies): (Vec<Vec<Rates>>, Vec<Subtree>) = (Vec::new(), Vec::new());
    let (mut velocity, mut acceleration, mut weight): (Vec<Motion>, Vec<Motion>, Vec<Motion>) =
        (Vec::new(), Vec::new(), Vec::new());
    for i in robot.outward() {
        let body = &robot.bodies[i];
        let world = Motion { lin: robot.minus_gravity(), ang: Vec3::ZERO };
        let v_parent = robot.of_carrier(i, &velocity, Motion::ZERO);
        let a_parent = robot.of_carrier(i, &acceleration, world);
        let w_parent = robot.of_carrier(i, &weight, Motion::ZERO);
        let [v_parent, a_parent, w_parent] =
            [v_parent, a_parent, w_parent].map(|m| body.transform.motion_to_child(m));
        let v_joint = body.joint_motion(v.of(i));
        let vi = v_parent + v_joint;
        let ai = a_parent + body.joint_motion(a.of(i)) + vi.cross(v_joint);
        let wi = w_parent + body.joint_motion(mu.of(i));
        let of_column = |s: &Motion<'g>| {
            let p = v_parent.cross(*s);
            let (r, x) = (a_parent.cross(*s) + v_parent.cross(p), p + vi.cross(*s));
            Rates { p, r, x, o: w_parent.cross(*s) }
        };
        rates.push(body.columns.iter().map(of_column).collect());
        let own = body.inertia * ai + Gyroscopic::Coriolis.force(body.inertia, vi);
        let coriolis = Coriolis::new(body.inertia, vi);
        bodies.push(Subtree {
            inertia: body.inertia,
            coriolis,
            force: fext.map_or(own, |array| own - robot.external_force(i, array)),
            momentum: body.inertia * wi,
            moment: coriolis.transpose_mul(wi).ang,
            operator: Coriolis::new(body.inertia, wi),
        });
        velocity.push(vi);
        acceleration.push(ai);
        weight.push(wi);
    }
    (rates, bodies)
}
