//! The Coriolis matrix (docs/math.md#coriolis-matrix).

use super::ancestors::for_each_ancestor;
use super::centroidal::velocities;
use super::robot::SymbolicRobot;
use super::{Draft, ExprMatrix};
use crate::algebra::{Coriolis, SpatialInertia};
use crate::signatures::quantities::CORIOLIS;
use crate::signatures::signature::V;
use rbd_ir::graph::Expr;

/// C(q, v), with C v the Coriolis and centrifugal torques and `dM/dt = C + C^T`.
pub fn trace<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let v = robot.coordinates(draft.param(V));
    let velocity = velocities(robot, &v);
    let half = Expr::constant(0.5);
    let mut inertia: Vec<SpatialInertia> = robot.bodies.iter().map(|b| b.inertia).collect();
    // Half of B, by half of the inertia.
    let own = robot.outward().map(|i| Coriolis::new(robot.bodies[i].inertia.map(|x| x * half), velocity[i]));
    let mut coriolis: Vec<Coriolis> = own.collect();
    let mut out = ExprMatrix::zeros(robot.tree.nv, robot.tree.nv);
    for i in robot.inward() {
        let body = &robot.bodies[i];
        for (ka, s_a) in body.columns.iter().enumerate() {
            let t1 = inertia[i] * *s_a;
            let t2 = coriolis[i] * *s_a + inertia[i] * velocity[i].cross(*s_a);
            let t4 = coriolis[i].transpose_mul(*s_a);
            for_each_ancestor(robot, i, [t1, t2, t4], |on, [t1, t2, t4]| {
                for (kb, s_b) in robot.bodies[on.body].columns.iter().enumerate() {
                    robot.add_to_columns(&mut out, on, (ka, kb), s_b.dot(t2));
                    if on.body != i {
                        let rate = velocity[on.body].cross(*s_b);
                        robot.add_to_rows(&mut out, on, (ka, kb), s_b.dot(t4) + rate.dot(t1));
                    }
                }
            });
        }
        let transform = &body.transform;
        let moved = (transform.inertia_to_parent(inertia[i]), transform.coriolis_to_parent(coriolis[i]));
        for (parent, sum) in robot.to_carriers(i) {
            inertia[parent] = inertia[parent] + moved.0.map(sum);
            coriolis[parent] = coriolis[parent] + moved.1.map(sum);
        }
    }
    draft.give(CORIOLIS, out);
}
