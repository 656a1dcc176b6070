//! A robot in a single frame, of one of its bodies or of the world: poses, the columns' rates, and
//! subtree quantities. Products of columns of any two bodies then need no change of frame.

use super::robot::{Coordinates, SymbolicRobot};
use crate::algebra::{Coriolis, Force, Motion, Placement, SpatialInertia, Vec3};
use rbd_ir::kernel::ArrayId;

/// A column of a joint's motion subspace, and its rates (docs/math.md#subspace-rates).
#[derive(Clone, Copy)]
pub struct Column<'g> {
    pub s: Motion<'g>,
    /// `p = v_parent x s`.
    pub p: Motion<'g>,
    /// `r = a_parent x s + v_parent x p`.
    pub r: Motion<'g>,
    /// `x = p + v x s`.
    pub x: Motion<'g>,
}

/// Sums over a subtree: inertia, Coriolis operator and force.
#[derive(Clone, Copy)]
pub struct Subtree<'g> {
    pub inertia: SpatialInertia<'g>,
    pub coriolis: Coriolis<'g>,
    pub force: Force<'g>,
}

/// A robot in one frame. Limbs may be lanes, if one body carries all lanes of a body.
pub struct OneFrame<'g> {
    /// The body that carries each one's joint.
    parents: Vec<Option<usize>>,
    /// For each body, its joint's columns.
    pub columns: Vec<Vec<Column<'g>>>,
    /// Quantities of each body's subtree, itself included.
    pub subtrees: Vec<Subtree<'g>>,
}

impl<'g> OneFrame<'g> {
    /// The robot in the frame of this body, which stands for no other; in the world's, without one. External
    /// forces are constant in their body's frame.
    pub fn new(
        robot: &SymbolicRobot<'g>,
        frame: Option<usize>,
        [v, a]: [&Coordinates<'g>; 2],
        fext: Option<ArrayId>,
    ) -> Self {
        let parents: Vec<Option<usize>> =
            robot.tree.bodies.iter().map(|b| b.lanes[0].parent.map(|place| place.body)).collect();
        let (world, placements) = placements(robot, &parents, frame);
        let minus_gravity = Motion { lin: robot.minus_gravity(), ang: Vec3::ZERO };
        let gravity = world.act_motion(minus_gravity);
        let (mut velocity, mut acceleration): (Vec<Motion>, Vec<Motion>) = (Vec::new(), Vec::new());
        let (mut columns, mut subtrees): (Vec<Vec<Column>>, Vec<Subtree>) = (Vec::new(), Vec::new());
        for i in robot.outward() {
            let (body, at) = (&robot.bodies[i], placements[i]);
            let v_parent = parents[i].map_or(Motion::ZERO, |p| velocity[p]);
            let a_parent = parents[i].map_or(gravity, |p| acceleration[p]);
            // Effect of the joint's own motion on its columns: zero if it has one column.
            let v_joint = body.joint_motion(v.of(i));
            let of_column = |column: &Motion<'g>| {
                let s = at.act_motion(*column);
                let p = v_parent.cross(s);
                // In its own frame, a joint that gravity does not load has zeros here.
                let felt = body.transform.motion_to_child(minus_gravity).cross(*column);
                let is_felt = parents[i].is_some() || !(felt.lin.is_zero() && felt.ang.is_zero());
                let r = if is_felt { a_parent.cross(s) + v_parent.cross(p) } else { Motion::ZERO };
                Column { s, p, r, x: p + p + at.act_motion(v_joint.cross(*column)) }
            };
            let of_body: Vec<Column> = body.columns.iter().map(of_column).collect();
            let (mut vi, mut ai) = (v_parent, a_parent);
            for ((column, qd), qdd) in of_body.iter().zip(v.of(i)).zip(a.of(i)) {
                vi += column.s * *qd;
                ai += column.s * *qdd + column.p * *qd;
            }
            let inertia = at.act_inertia(body.inertia);
            let own = inertia * ai + vi.cross_force(inertia * vi);
            let given = |array| at.act_force(robot.external_force(i, array));
            subtrees.push(Subtree {
                inertia,
                coriolis: Coriolis::new(inertia, vi),
                force: fext.map_or(own, |array| own - given(array)),
            });
            columns.push(of_body);
            velocity.push(vi);
            acceleration.push(ai);
        }
        for i in robot.inward() {
            let Subtree { inertia, coriolis, force } = subtrees[i];
            for (parent, sum) in robot.to_carriers(i) {
                let to = &mut subtrees[parent];
                to.inertia = to.inertia + inertia.map(sum);
                to.coriolis = to.coriolis + coriolis.map(sum);
                to.force += force.map(sum);
            }
        }
        Self { parents, columns, subtrees }
    }

    /// A body and those that carry it, up to the root.
    pub fn path(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(i), |&i| self.parents[i])
    }
}

/// Poses of the world and of each body in the frame of one body.
fn placements<'g>(
    robot: &SymbolicRobot<'g>,
    parents: &[Option<usize>],
    frame: Option<usize>,
) -> (Placement<'g>, Vec<Placement<'g>>) {
    let mut placements: Vec<Option<Placement>> = vec![None; parents.len()];
    let mut world = Placement::IDENTITY;
    for i in std::iter::successors(frame, |&i| parents[i]) {
        placements[i] = Some(world);
        world = world.before(&robot.bodies[i].transform);
    }
    let mut all: Vec<Placement> = Vec::new();
    for i in robot.outward() {
        let outward = || parents[i].map_or(world, |p| all[p]).then(&robot.bodies[i].transform);
        let at = placements[i].unwrap_or_else(outward);
        all.push(at);
    }
    (world, all)
}
