//! Derivatives of the centroidal momentum and its rate (docs/math.md#centroidal-derivatives).

use super::center_of_mass::Moments;
use super::centroidal::{ToCom, column, motions, sums};
use super::robot::SymbolicRobot;
use super::{Draft, ExprMatrix};
use crate::algebra::{Coriolis, Force, Motion, SpatialInertia};
use crate::quantities::{DMOMENTUM_DQ, DRATE_DA, DRATE_DQ, DRATE_DV, MOMENTUM, MOMENTUM_RATE};
use crate::signature::{A, V};

/// Momentum, rate, and their derivatives.
pub fn trace<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let v = robot.coordinates(draft.param(V));
    let a = robot.coordinates(draft.param(A));
    let (velocity, acceleration, forces) = motions(robot, &v, &a);
    let momenta = robot.outward().map(|i| robot.bodies[i].inertia * velocity[i]).collect();
    let (momentum, _) = sums(robot, momenta);
    let (force, _) = sums(robot, forces);
    let (inertia, coriolis) = composites(robot, &velocity);
    let moments = Moments::new(robot);
    let to_com = ToCom::new(robot, &moments);

    // Of the roots, each given about the centre of mass.
    let total = |of: &[Force<'g>]| {
        let roots = robot.outward().map(|i| to_com.force(i, of[i]).map(|x| robot.to_world(i, x)));
        roots.fold(Force::ZERO, |sum, f| sum + f)
    };
    let (momentum_now, rate_now) = (total(&momentum), total(&force));

    let n = robot.tree.nv;
    let [mut dh_dq, mut df_dq, mut df_dv, mut df_da] = [0; 4].map(|_| ExprMatrix::zeros(6, n));
    for i in robot.outward() {
        let body = &robot.bodies[i];
        let v_parent = body.transform.motion_to_child(robot.of_carrier(i, &velocity, Motion::ZERO));
        let a_parent = body.transform.motion_to_child(robot.of_carrier(i, &acceleration, Motion::ZERO));
        for (k, s) in body.columns.iter().enumerate() {
            let p = v_parent.cross(*s);
            let r = a_parent.cross(*s) + v_parent.cross(p);
            let x = p + velocity[i].cross(*s);
            let (m, h) = moments.of[i];
            // The centre of mass moves, and what is about it changes by that.
            let shift = to_com.vector(i, s.lin * m + s.ang.cross(h));
            let about = |f: Force<'g>, whole: Force<'g>| {
                let f = to_com.force(i, f);
                Force { lin: f.lin, ang: f.ang - shift.cross(whole.lin) }
            };
            let dh = s.cross_force(momentum[i]) + inertia[i] * p;
            let df = s.cross_force(force[i]) + inertia[i] * r + coriolis[i] * p;
            robot.add_column(&mut dh_dq, (i, k), &about(dh, momentum_now));
            robot.add_column(&mut df_dq, (i, k), &about(df, rate_now));
            robot.add_column(&mut df_dv, (i, k), &to_com.force(i, coriolis[i] * *s + inertia[i] * x));
            robot.add_column(&mut df_da, (i, k), &to_com.force(i, inertia[i] * *s));
        }
    }
    draft.give(MOMENTUM, column(&momentum_now));
    draft.give(MOMENTUM_RATE, column(&rate_now));
    draft.give(DMOMENTUM_DQ, dh_dq);
    draft.give(DRATE_DQ, df_dq);
    draft.give(DRATE_DV, df_dv);
    draft.give(DRATE_DA, df_da);
}

/// Inertias and Coriolis operators of each body with all that it carries, in its frame.
pub fn composites<'g>(
    robot: &SymbolicRobot<'g>,
    velocity: &[Motion<'g>],
) -> (Vec<SpatialInertia<'g>>, Vec<Coriolis<'g>>) {
    let mut inertia: Vec<_> = robot.bodies.iter().map(|b| b.inertia).collect();
    let mut coriolis: Vec<_> =
        robot.bodies.iter().zip(velocity).map(|(b, v)| Coriolis::new(b.inertia, *v)).collect();
    for i in robot.inward() {
        let transform = &robot.bodies[i].transform;
        let moved = (transform.inertia_to_parent(inertia[i]), transform.coriolis_to_parent(coriolis[i]));
        for (parent, sum) in robot.to_carriers(i) {
            inertia[parent] = inertia[parent] + moved.0.map(sum);
            coriolis[parent] = coriolis[parent] + moved.1.map(sum);
        }
    }
    (inertia, coriolis)
}
