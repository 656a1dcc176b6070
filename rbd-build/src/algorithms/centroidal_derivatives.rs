//! Derivatives of the centroidal momentum and its rate (docs/math.md#centroidal-derivatives).
//!
//! Sums over a subtree use motions relative to its root body. A single body then contributes only
//! its inertia. The derivatives by a joint's configuration follow from the joint's effect on the
//! subtree's velocities.

use super::centroidal::{ToCom, column, motions, moves_all_along};
use super::robot::{Coordinates, SymbolicRobot};
use super::{Draft, ExprMatrix};
use crate::algebra::{Coriolis, Force, Motion, SpatialInertia, Sym3, Vec3};
use crate::signatures::quantities::{DMOMENTUM_DQ, DRATE_DA, DRATE_DQ, DRATE_DV, MOMENTUM, MOMENTUM_RATE};
use crate::signatures::signature::{A, V};
use rbd_ir::graph::Expr;

/// Momentum, rate, and their derivatives.
pub fn trace<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let v = robot.coordinates(draft.param(V));
    let a = robot.coordinates(draft.param(A));
    let part = robot.mass().recip();
    // The motion of the centre of mass comes first. It needs linear parts only, which occur again
    // below and are computed once.
    let (velocity, acceleration) = motions(robot, [&v, &a], [Motion::ZERO; 2]);
    let all = carried(robot, [&v, &a], (&velocity, &acceleration), |_, _| ());
    let inertia: Vec<SpatialInertia> = all.iter().map(|carried| carried.inertia).collect();
    let to_com = ToCom::new(robot, &inertia);
    let total = |of: &dyn Fn(usize) -> Vec3<'g>| {
        let roots = robot.outward().map(|i| to_com.vector(i, of(i)).map(|x| robot.to_world(i, x)));
        roots.fold(Vec3::ZERO, |sum, x| sum + x)
    };
    let linear = [total(&|i| all[i].momentum_of_root().lin), total(&|i| all[i].force_of_root().lin)];

    // Seen from there, changes about the centre of mass are changes about a point at rest.
    let world = linear.map(|total| Motion { lin: -total.map(|x| x * part), ang: Vec3::ZERO });
    let (velocity, acceleration) = motions(robot, [&v, &a], world);
    let n = robot.tree.nv;
    let [mut dh_dq, mut df_dq, mut df_dv, mut df_da] = [0; 4].map(|_| ExprMatrix::zeros(6, n));
    let mut moments = [Vec3::ZERO; 2];
    carried(robot, [&v, &a], (&velocity, &acceleration), |i, carried| {
        if robot.is_in_part_root(i) {
            for (moment, force) in
                moments.iter_mut().zip([carried.momentum_of_root(), carried.force_of_root()])
            {
                *moment += to_com.force(i, force).ang.map(|x| robot.to_world(i, x));
            }
        }
        for (k, s) in robot.bodies[i].columns.iter().enumerate() {
            let by_a = to_com.momentum(robot, i, carried.inertia, *s);
            let (by_q, by_v) = if robot.only_root() == Some(i) {
                // The robot turns as a whole, or moves along.
                let turn = to_com.vector(i, s.ang);
                let turned = |k: usize| Force { lin: turn.cross(linear[k]), ang: turn.cross(moments[k]) };
                let by_v = if moves_all_along(robot, i, *s) {
                    let turned = carried.velocity.ang.cross(s.lin);
                    Force { lin: to_com.vector(i, turned) * robot.mass(), ang: Vec3::ZERO }
                } else {
                    to_com.force(i, carried.df_dv_of_root(*s))
                };
                ([turned(0), turned(1)], by_v)
            } else {
                let [dh, df] = [carried.dh[k], carried.df(k, *s)].map(|f| to_com.force(i, f));
                ([dh, df], dh * Expr::constant(2.0) + to_com.force(i, carried.df_dv_beside(k, *s)))
            };
            robot.add_column(&mut dh_dq, (i, k), &by_q[0]);
            robot.add_column(&mut df_dq, (i, k), &by_q[1]);
            robot.add_column(&mut df_dv, (i, k), &by_v);
            robot.add_column(&mut df_da, (i, k), &by_a);
        }
    });
    draft.give(MOMENTUM, column(&Force { lin: linear[0], ang: moments[0] }));
    draft.give(MOMENTUM_RATE, column(&Force { lin: linear[1], ang: moments[1] }));
    draft.give(DMOMENTUM_DQ, dh_dq);
    draft.give(DRATE_DQ, df_dq);
    draft.give(DRATE_DV, df_dv);
    draft.give(DRATE_DA, df_da);
}

/// Sums over body `i` and its descendants `k`, in the frame of `i`, of motions relative to that of
/// `i`.
struct Carried<'g> {
    velocity: Motion<'g>,
    acceleration: Motion<'g>,
    /// The joint's part of the velocity, and of the acceleration at rest.
    joint: [Motion<'g>; 2],
    /// Sum of `I_k`.
    inertia: SpatialInertia<'g>,
    /// Sum of `I_k (v_k - v_i)`.
    momentum: Force<'g>,
    /// Rate of the rotational inertia by the motions `v_k - v_i`. The rate of the first moment is
    /// the momentum's linear part.
    turning: Sym3<'g>,
    /// Sum of `I_k (a_k - a_i) + (v_k - v_i) x* I_k v_k`.
    force: Force<'g>,
    /// For each column of the joint, the change of the total momentum with its configuration.
    dh: Vec<Force<'g>>,
}

/// Subtree sums of every body, from velocities and accelerations. `visit` is called for each body
/// once its sums are complete, children first.
fn carried<'g>(
    robot: &SymbolicRobot<'g>,
    [v, a]: [&Coordinates<'g>; 2],
    (velocity, acceleration): (&[Motion<'g>], &[Motion<'g>]),
    mut visit: impl FnMut(usize, &Carried<'g>),
) -> Vec<Carried<'g>> {
    let alone = |i: usize| {
        let body = &robot.bodies[i];
        Carried {
            velocity: velocity[i],
            acceleration: acceleration[i],
            joint: [v, a].map(|x| body.joint_motion(x.of(i))),
            inertia: body.inertia,
            momentum: Force::ZERO,
            turning: Sym3::ZERO,
            force: Force::ZERO,
            dh: Vec::new(),
        }
    };
    let mut all: Vec<Carried> = robot.outward().map(alone).collect();
    for i in robot.inward() {
        let body = &robot.bodies[i];
        all[i].dh = body.columns.iter().map(|s| all[i].dh(*s)).collect();
        let (transform, carried) = (&body.transform, &all[i]);
        visit(i, carried);
        // Relative to the parent body, the joint's motion is part of the sums.
        let momentum = carried.momentum + carried.inertia * carried.joint[0];
        let (mut turning, mut force) = (carried.turning, carried.force + carried.inertia * carried.joint[1]);
        for ((s, dh), v) in body.columns.iter().zip(&carried.dh).zip(v.of(i)) {
            turning = turning + carried.inertia.variation(*s).j.map(|x| x * *v);
            force += *dh * *v;
        }
        let rate = SpatialInertia { m: Expr::ZERO, h: momentum.lin, j: turning };
        let inertia = transform.inertia_to_parent(carried.inertia);
        let turning = transform.inertia_to_parent(rate).j;
        let [momentum, force] = [momentum, force].map(|f| transform.force_to_parent(f));
        for (parent, sum) in robot.to_carriers(i) {
            let parent = &mut all[parent];
            parent.inertia = parent.inertia + inertia.map(sum);
            parent.turning = parent.turning + turning.map(sum);
            parent.momentum += momentum.map(sum);
            parent.force += force.map(sum);
        }
    }
    all
}

impl<'g> Carried<'g> {
    /// Sum of `I_k v_k` for a root, since the world rests.
    fn momentum_of_root(&self) -> Force<'g> {
        self.momentum + self.inertia * self.joint[0]
    }

    /// Sum of `I_k a_k + v_k x* I_k v_k` for a root, without the force due to the world's velocity.
    fn force_of_root(&self) -> Force<'g> {
        let world = self.velocity - self.joint[0];
        self.force - self.rate() * world
            + self.inertia * self.joint[1]
            + self.joint[0].cross_force(self.momentum_of_root())
    }

    /// Rate of the inertia by the motions `v_k - v_i`.
    fn rate(&self) -> SpatialInertia<'g> {
        SpatialInertia { m: Expr::ZERO, h: self.momentum.lin, j: self.turning }
    }

    /// Change of the momentum with the column `s`: `s x* H + I p` with `p = v_parent x s`.
    ///
    /// Here and below, terms of `among` vanish if the joint has one column.
    fn dh(&self, s: Motion<'g>) -> Force<'g> {
        let among = self.joint[0].cross(s);
        s.cross_force(self.momentum) + self.inertia.variation(s) * self.velocity - self.inertia * among
    }

    /// Change of the force with the `k`-th column `s`: `s x* F + I r + B p`.
    fn df(&self, k: usize, s: Motion<'g>) -> Force<'g> {
        let among = self.joint[0].cross(s);
        let p = self.velocity.cross(s) - among;
        let v_parent = self.velocity - self.joint[0];
        let momentum = self.momentum + self.inertia * self.velocity;
        s.cross_force(self.force)
            + self.inertia.variation(s) * self.acceleration
            + self.velocity.cross_force(self.dh[k])
            + self.rate() * p
            - self.inertia * (self.joint[1].cross(s) + v_parent.cross(among))
            - among.cross_force(momentum)
    }

    /// Change of the force with the velocity of the `k`-th column `s`, less `2 dh`: `B s + I x`,
    /// mostly a pure moment.
    fn df_dv_beside(&self, k: usize, s: Motion<'g>) -> Force<'g> {
        let lin = (self.inertia * self.joint[0].cross(s)).lin;
        let turned = self.rate() * s + self.velocity.cross_force(self.inertia * s);
        Force { lin, ang: turned.ang - self.dh[k].ang }
    }

    /// Complete change of the force with the velocity of a root's column, whose `p` is zero.
    fn df_dv_of_root(&self, s: Motion<'g>) -> Force<'g> {
        let (velocity, momentum) = (self.joint[0], self.momentum_of_root());
        let turning = self.turning + self.inertia.variation(velocity).j;
        // B is the rate of the inertia plus the part that turns the momentum.
        let l = momentum.lin.map(|x| x * -2.0);
        let b = Coriolis { l, n: turning.to_mat3() - momentum.ang.skew() };
        b * s + self.inertia * velocity.cross(s)
    }
}
