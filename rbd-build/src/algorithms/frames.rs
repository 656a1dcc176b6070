//! Placement, Jacobian, velocity and acceleration of one frame (docs/math.md#kinematics).
//!
//! Each is one pass along the path from the world to the frame, in the cheaper direction: outward,
//! from parent to child, for results in the frame's own axes; inward for results in the world's.
//! Bodies off the path are never computed.

use super::robot::{Coordinates, SymbolicRobot, constant_transform};
use super::{Draft, ExprMatrix, frames_of_bodies};
use crate::algebra::{Components, Motion, Placement, Transform, Vec3};
use crate::algorithms::strategy::Algorithm;
use crate::signatures::quantities::{ACCELERATION, JACOBIAN, PLACEMENT, VELOCITY};
use crate::signatures::signature::{A, V};
use crate::tree;
use rbd_runtime::ReferenceFrame;

/// A frame of a robot.
pub struct Frame<'r, 'g> {
    pub robot: &'r SymbolicRobot<'g>,
    /// The bodies on the path, root first.
    pub path: Vec<usize>,
    /// From the frame to the last body of the path.
    pub tip: Transform<'g>,
    pub reference: ReferenceFrame,
}

impl<'r, 'g> Frame<'r, 'g> {
    /// The frame that the draft's function is of. Limbs are no lanes here: of bodies in several,
    /// one is on the path.
    pub fn of(robot: &'r SymbolicRobot<'g>, draft: &Draft<'g>) -> Self {
        let at = draft.frame.expect("it is a function of a frame");
        let place = at.body.map(|body| robot.tree.place_of(body));
        let mut path: Vec<usize> =
            place.into_iter().flat_map(|p| robot.tree.path(p)).map(|p| p.body).collect();
        path.reverse();
        let placement = place.map_or(at.placement, |p| {
            let lane = &robot.tree.bodies[p.body].lanes[p.lane];
            tree::compose(&tree::inverse(&lane.in_urdf_frame), &at.placement)
        });
        let tip = constant_transform(robot.graph, &[placement]);
        Self { robot, path, tip, reference: at.reference }
    }

    fn transform(&self, i: usize) -> &Transform<'g> {
        &self.robot.bodies[i].transform
    }

    /// The frame's origin in each body on the path, and in the world.
    pub fn origins(&self) -> (Vec<Vec3<'g>>, Vec3<'g>) {
        let mut p = self.tip.point_to_parent(Vec3::ZERO);
        let mut all = vec![p; self.path.len()];
        for (k, &i) in self.path.iter().enumerate().rev() {
            all[k] = p;
            p = self.transform(i).point_to_parent(p);
        }
        (all, p)
    }

    /// The world's axes in each body on the path, to turn vectors of a body to the world.
    pub fn outward_placements(&self) -> Vec<Placement<'g>> {
        let next = |at: &mut Placement<'g>, &i: &usize| {
            *at = at.then(self.transform(i));
            Some(*at)
        };
        self.path.iter().scan(Placement::IDENTITY, next).collect()
    }

    /// The frame in each body on the path.
    pub fn inward_placements(&self) -> Vec<Placement<'g>> {
        let mut at = Placement::IDENTITY.within(&self.tip);
        let mut placements = vec![at; self.path.len()];
        for (k, &i) in self.path.iter().enumerate().rev() {
            placements[k] = at;
            at = at.within(self.transform(i));
        }
        placements
    }

    /// The frame in the parent of the path's `k`-th body; beyond the last one, in that one.
    pub fn placement_before(&self, k: usize) -> Placement<'g> {
        let at = Placement::IDENTITY.within(&self.tip);
        self.path[k..].iter().rev().fold(at, |at, &i| at.within(self.transform(i)))
    }

    /// Writes a column for each degree of freedom on the path; `column(k, c)` is column `c` of the
    /// `k`-th body.
    pub fn columns(&self, mut column: impl FnMut(usize, usize) -> Motion<'g>) -> ExprMatrix<'g> {
        let mut out = ExprMatrix::zeros(6, self.robot.tree.nv);
        for (k, &i) in self.path.iter().enumerate() {
            for c in 0..self.robot.bodies[i].columns.len() {
                self.robot.add_column(&mut out, (i, c), &column(k, c));
            }
        }
        out
    }
}

/// Pose of the frame in the world.
pub fn placement<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let frame = Frame::of(robot, draft);
    let at = if draft.strategy.algorithm == Algorithm::Outward {
        let last = frame.outward_placements().last().copied().unwrap_or(Placement::IDENTITY);
        last.then(&frame.tip)
    } else {
        frame.placement_before(0)
    };
    let mut out = ExprMatrix::zeros(3, 4);
    (0..12).for_each(|k| out[(k % 3, k / 3)] = at.component(k));
    draft.give(PLACEMENT, out);
}

/// Columns of the motion subspaces on the path, in the requested reference frame.
pub fn jacobian<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let frame = Frame::of(robot, draft);
    let j = jacobian_of(&frame);
    draft.give(JACOBIAN, j);
}

/// The frame's Jacobian, six rows.
pub fn jacobian_of<'g>(frame: &Frame<'_, 'g>) -> ExprMatrix<'g> {
    let column = |k: usize, c: usize| frame.robot.bodies[frame.path[k]].columns[c];
    match frame.reference {
        ReferenceFrame::Local => {
            let placements = frame.inward_placements();
            frame.columns(|k, c| placements[k].act_inv_motion(column(k, c)))
        }
        ReferenceFrame::World => {
            let placements = frame.outward_placements();
            frame.columns(|k, c| placements[k].act_motion(column(k, c)))
        }
        ReferenceFrame::LocalWorldAligned => {
            let (placements, (origins, _)) = (frame.outward_placements(), frame.origins());
            frame.columns(|k, c| {
                let turned = Placement { translation: Vec3::ZERO, ..placements[k] };
                turned.act_motion(column(k, c).of_point(origins[k]))
            })
        }
    }
}

/// The frame's velocity.
pub fn velocity<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let v = robot.coordinates(draft.param(V));
    let frame = Frame::of(robot, draft);
    let (velocity, _) = match draft.strategy.algorithm {
        Algorithm::Spatial => frames_of_bodies::motion(&frame, &v, None),
        _ => motion(&frame, &v, None),
    };
    draft.give(VELOCITY, column(&velocity));
}

/// The frame's spatial acceleration, without gravity; at rest of all accelerations, where the
/// function takes none.
pub fn acceleration<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let (_, acceleration) = motion_of(robot, draft);
    draft.give(ACCELERATION, column(&acceleration));
}

/// Classical acceleration: the linear part is the rate of the origin's linear velocity.
pub fn classical_acceleration<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    if draft.strategy.algorithm == Algorithm::NewtonEuler {
        return classical_of_body(robot, draft);
    }
    let (velocity, acceleration) = motion_of(robot, draft);
    draft.give(ACCELERATION, column(&classical(&velocity, &acceleration)));
}

/// The rate of the frame's velocity, as its numbers are, at zero acceleration: `dJ/dt v`.
pub fn bias_acceleration<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    if draft.strategy.algorithm == Algorithm::NewtonEuler {
        return classical_of_body(robot, draft);
    }
    let (velocity, acceleration) = motion_of(robot, draft);
    let is_point = draft.frame.is_some_and(|f| f.reference == ReferenceFrame::LocalWorldAligned);
    let rate = if is_point { classical(&velocity, &acceleration) } else { acceleration };
    draft.give(ACCELERATION, column(&rate));
}

fn motion_of<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) -> (Motion<'g>, Motion<'g>) {
    let v = robot.coordinates(draft.param(V));
    let a = draft.optional(A).map(|a| robot.coordinates(a));
    let frame = Frame::of(robot, draft);
    match draft.strategy.algorithm {
        Algorithm::Spatial => frames_of_bodies::motion(&frame, &v, a.as_ref()),
        _ => motion(&frame, &v, a.as_ref()),
    }
}

fn classical_of_body<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let v = robot.coordinates(draft.param(V));
    let a = draft.optional(A).map(|a| robot.coordinates(a));
    let acceleration = frames_of_bodies::classical(&Frame::of(robot, draft), &v, a.as_ref());
    draft.give(ACCELERATION, column(&acceleration));
}

/// The acceleration of the point from the spatial one.
fn classical<'g>(velocity: &Motion<'g>, acceleration: &Motion<'g>) -> Motion<'g> {
    Motion { lin: acceleration.lin + velocity.ang.cross(velocity.lin), ..*acceleration }
}

/// A motion as an array.
pub fn column<'g>(m: &Motion<'g>) -> ExprMatrix<'g> {
    let mut out = ExprMatrix::zeros(6, 1);
    (0..6).for_each(|k| out[(k, 0)] = m.component(k));
    out
}

/// Velocity and spatial acceleration of the frame.
pub fn motion<'g>(
    frame: &Frame<'_, 'g>,
    v: &Coordinates<'g>,
    a: Option<&Coordinates<'g>>,
) -> (Motion<'g>, Motion<'g>) {
    let joint = |i: usize, x: &Coordinates<'g>| frame.robot.bodies[i].joint_motion(x.of(i));
    let (mut vel, mut acc) = (Motion::ZERO, Motion::ZERO);
    if frame.reference == ReferenceFrame::Local {
        for &i in &frame.path {
            let v_joint = joint(i, v);
            vel = frame.transform(i).motion_to_child(vel) + v_joint;
            acc = frame.transform(i).motion_to_child(acc) + vel.cross(v_joint);
            acc += a.map_or(Motion::ZERO, |a| joint(i, a));
        }
        return (frame.tip.motion_to_child(vel), frame.tip.motion_to_child(acc));
    }
    // For the frame's origin in the world's axes, motions are only rotated, all the way. Otherwise
    // they refer to the origin of each frame in turn.
    let of_origin = frame.reference == ReferenceFrame::LocalWorldAligned;
    let (origins, _) = frame.origins();
    for (k, &i) in frame.path.iter().enumerate().rev() {
        let here = |m: Motion<'g>| if of_origin { m.of_point(origins[k]) } else { m };
        let v_joint = here(joint(i, v));
        // Acceleration of the bodies beyond, relative to this body: sum of v_i x S_i v_i, summed by
        // the joints on the way.
        acc += v_joint.cross(vel);
        acc += a.map_or(Motion::ZERO, |a| here(joint(i, a)));
        vel += v_joint;
        let to_parent = |m: Motion<'g>| {
            let transform = frame.transform(i);
            if of_origin { transform.turn_to_parent(m) } else { transform.motion_to_parent(m) }
        };
        (vel, acc) = (to_parent(vel), to_parent(acc));
    }
    (vel, acc)
}
