//! Derivatives of inverse dynamics: IDSVA (docs/math.md#idsva), in link frames. There the motion
//! subspaces are unit vectors, and most products are by 0 or 1.

use super::ancestors::for_each_ancestor;
use super::crba::add_symmetric;
use super::rnea::Gyroscopic;
use super::robot::{Coordinates, SymbolicRobot};
use super::{Draft, ExprMatrix};
use crate::algebra::{Coriolis, Force, Motion, SpatialInertia, Vec3};
use crate::signatures::signature::{A, DTAU_DA, DTAU_DQ, DTAU_DV, FEXT, TAU, V};

/// Torques and their derivatives.
pub fn trace<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let (v, a, fext) = (draft.param(V), draft.param(A), draft.optional(FEXT));
    let (v, a) = (robot.coordinates(v), robot.coordinates(a));
    let d = rnea_derivatives(robot, &v, &a, |i| fext.map(|array| robot.external_force(i, array)));
    draft.give(TAU, d.tau);
    draft.give(DTAU_DQ, d.dtau_dq);
    draft.give(DTAU_DV, d.dtau_dv);
    draft.give(DTAU_DA, d.dtau_da);
}

/// tau and its derivatives; rows are torques.
pub struct RneaDerivatives<'g> {
    pub tau: ExprMatrix<'g>,
    pub dtau_dq: ExprMatrix<'g>,
    pub dtau_dv: ExprMatrix<'g>,
    pub dtau_da: ExprMatrix<'g>,
}

/// Rates of the columns of a joint's motion subspace (docs/math.md#subspace-rates).
#[derive(Clone, Copy)]
struct Rates<'g> {
    /// `p = v_parent x s`, psi-dot in [Singh-2021].
    p: Motion<'g>,
    /// `r = a_parent x s + v_parent x p`, psi-double-dot.
    r: Motion<'g>,
    /// `x = p + v x s`, psi-dot + S-dot.
    x: Motion<'g>,
}

/// `force_on` is the external force on a body, which is constant in the body's frame.
pub fn rnea_derivatives<'g>(
    robot: &SymbolicRobot<'g>,
    v: &Coordinates<'g>,
    a: &Coordinates<'g>,
    force_on: impl Fn(usize) -> Option<Force<'g>>,
) -> RneaDerivatives<'g> {
    let n = robot.tree.nv;
    let mut rates: Vec<Vec<Rates>> = Vec::new();
    let mut velocity: Vec<Motion> = Vec::new();
    let mut acceleration: Vec<Motion> = Vec::new();
    // Of each body at first, of all that it carries at last.
    let mut inertia: Vec<SpatialInertia> = Vec::new();
    let mut coriolis: Vec<Coriolis> = Vec::new();
    let mut force: Vec<Force> = Vec::new();
    for i in robot.outward() {
        let body = &robot.bodies[i];
        let world = Motion { lin: robot.minus_gravity(), ang: Vec3::ZERO };
        let v_parent = robot.of_carrier(i, &velocity, Motion::ZERO);
        let a_parent = robot.of_carrier(i, &acceleration, world);
        let [v_parent, a_parent] = [v_parent, a_parent].map(|m| body.transform.motion_to_child(m));
        let v_joint = body.joint_motion(v.of(i));
        let vi = v_parent + v_joint;
        let ai = a_parent + body.joint_motion(a.of(i)) + vi.cross(v_joint);
        let of_column = |s: &Motion<'g>| {
            let p = v_parent.cross(*s);
            Rates { p, r: a_parent.cross(*s) + v_parent.cross(p), x: p + vi.cross(*s) }
        };
        rates.push(body.columns.iter().map(of_column).collect());
        let own = body.inertia * ai + Gyroscopic::Coriolis.force(body.inertia, vi);
        force.push(force_on(i).map_or(own, |external| own - external));
        inertia.push(body.inertia);
        coriolis.push(Coriolis::new(body.inertia, vi));
        velocity.push(vi);
        acceleration.push(ai);
    }

    let mut out = RneaDerivatives {
        tau: ExprMatrix::zeros(n, 1),
        dtau_dq: ExprMatrix::zeros(n, n),
        dtau_dv: ExprMatrix::zeros(n, n),
        dtau_da: ExprMatrix::zeros(n, n),
    };
    for i in robot.inward() {
        let body = &robot.bodies[i];
        for (ka, s_a) in body.columns.iter().enumerate() {
            let of_a = rates[i][ka];
            let t1 = inertia[i] * *s_a;
            let t2 = coriolis[i] * *s_a + inertia[i] * of_a.x;
            let t3 = coriolis[i] * of_a.p + inertia[i] * of_a.r + s_a.cross_force(force[i]);
            let t4 = coriolis[i].transpose_mul(*s_a);
            for_each_ancestor(robot, i, [t1, t4], |on, [t1, t4]| {
                for (kb, s_b) in robot.bodies[on.body].columns.iter().enumerate() {
                    let (columns, of_b) = ((ka, kb), rates[on.body][kb]);
                    add_symmetric(robot, &mut out.dtau_da, on, columns, s_b.dot(t1));
                    robot.add_to_rows(&mut out.dtau_dq, on, columns, of_b.r.dot(t1) + of_b.p.dot(t4));
                    robot.add_to_rows(&mut out.dtau_dv, on, columns, of_b.x.dot(t1) + s_b.dot(t4));
                    if (on.body, ka) == (i, kb) {
                        robot.add_to_rows(&mut out.dtau_da, on, columns, body.armature);
                        robot.add_to_rows(&mut out.dtau_dv, on, columns, body.resistance_slope(v.of(i)[ka]));
                    }
                }
            });
            // One force after the other: more at a time do not fit the registers.
            for (t, out) in [(t2, &mut out.dtau_dv), (t3, &mut out.dtau_dq)] {
                for_each_ancestor(robot, i, [t], |on, [t]| {
                    for (kb, s_b) in robot.bodies[on.body].columns.iter().enumerate() {
                        // Within one joint only the first line holds (docs/math.md#idsva).
                        if on.body != i {
                            robot.add_to_columns(out, on, (ka, kb), s_b.dot(t));
                        }
                    }
                });
            }
            let (va, aa) = (v.of(i)[ka], a.of(i)[ka]);
            let torque = s_a.dot(force[i]) + body.armature * aa + body.resistance(va);
            robot.add_to_vector(&mut out.tau, (i, ka), torque);
        }
        let transform = &body.transform;
        let moved = (
            transform.inertia_to_parent(inertia[i]),
            transform.coriolis_to_parent(coriolis[i]),
            transform.force_to_parent(force[i]),
        );
        for (parent, sum) in robot.to_carriers(i) {
            inertia[parent] = inertia[parent] + moved.0.map(sum);
            coriolis[parent] = coriolis[parent] + moved.1.map(sum);
            force[parent] += moved.2.map(sum);
        }
    }
    out
}
