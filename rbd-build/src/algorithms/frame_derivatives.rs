//! Derivatives of a frame's velocity and acceleration (docs/math.md#kinematics-derivatives).
//!
//! They are computed in the frame of the body whose joint moves, where its columns s are unit
//! vectors. Each result is then moved to the requested reference frame.

use super::frames::{Frame, column, motion};
use super::robot::{Coordinates, SymbolicRobot};
use super::{Draft, ExprMatrix};
use crate::algebra::{Motion, Placement, Vec3};
use crate::signatures::quantities::{
    ACCELERATION, DACCELERATION_DA, DACCELERATION_DQ, DACCELERATION_DV, DVELOCITY_DQ, DVELOCITY_DV, VELOCITY,
};
use crate::signatures::signature::{A, V};
use rbd_runtime::ReferenceFrame;

/// Velocity and its derivatives.
pub fn velocity<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let v = robot.coordinates(draft.param(V));
    let frame = Frame::of(robot, draft);
    let (velocity, _) = motion(&frame, &v, None);
    let d = Derivatives::of(&frame, &v, None);
    draft.give(VELOCITY, column(&velocity));
    draft.give(DVELOCITY_DQ, d.velocity_dq);
    draft.give(DVELOCITY_DV, d.jacobian);
}

/// Spatial acceleration and its derivatives.
pub fn acceleration<'g>(robot: &SymbolicRobot<'g>, draft: &mut Draft<'g>) {
    let v = robot.coordinates(draft.param(V));
    let a = robot.coordinates(draft.param(A));
    let frame = Frame::of(robot, draft);
    let (_, acceleration) = motion(&frame, &v, Some(&a));
    let d = Derivatives::of(&frame, &v, Some(&a));
    draft.give(ACCELERATION, column(&acceleration));
    draft.give(DACCELERATION_DQ, d.acceleration_dq);
    draft.give(DACCELERATION_DV, d.acceleration_dv);
    draft.give(DACCELERATION_DA, d.jacobian);
}

/// A joint's column, and the changes of the frame's motion that it causes.
#[derive(Clone, Copy)]
pub(super) struct Columns<'g> {
    pub s: Motion<'g>,
    pub velocity_dq: Motion<'g>,
    pub acceleration_dq: Motion<'g>,
    pub acceleration_dv: Motion<'g>,
}

impl Columns<'_> {
    /// Columns of a joint that is not on the path.
    pub const ZERO: Self = Self {
        s: Motion::ZERO,
        velocity_dq: Motion::ZERO,
        acceleration_dq: Motion::ZERO,
        acceleration_dv: Motion::ZERO,
    };
}

/// Derivatives of a frame's motion, six rows each.
struct Derivatives<'g> {
    jacobian: ExprMatrix<'g>,
    velocity_dq: ExprMatrix<'g>,
    acceleration_dq: ExprMatrix<'g>,
    acceleration_dv: ExprMatrix<'g>,
}

impl<'g> Derivatives<'g> {
    fn of(frame: &Frame<'_, 'g>, v: &Coordinates<'g>, a: Option<&Coordinates<'g>>) -> Self {
        let columns = columns_on_path(frame, v, a);
        let moved = moves(frame);
        let give =
            |of: &dyn Fn(&Columns<'g>) -> Motion<'g>| frame.columns(|k, c| moved(k, of(&columns[k][c])));
        Self {
            jacobian: give(&|c| c.s),
            velocity_dq: give(&|c| c.velocity_dq),
            acceleration_dq: give(&|c| c.acceleration_dq),
            acceleration_dv: give(&|c| c.acceleration_dv),
        }
    }
}

/// Columns of the joints on the path, in the requested reference frame.
pub(super) fn columns<'g>(
    frame: &Frame<'_, 'g>,
    v: &Coordinates<'g>,
    a: Option<&Coordinates<'g>>,
) -> Vec<Vec<Columns<'g>>> {
    let moved = moves(frame);
    let of_column = |k: usize, c: Columns<'g>| Columns {
        s: moved(k, c.s),
        velocity_dq: moved(k, c.velocity_dq),
        acceleration_dq: moved(k, c.acceleration_dq),
        acceleration_dv: moved(k, c.acceleration_dv),
    };
    let of_bodies = columns_on_path(frame, v, a).into_iter().enumerate();
    of_bodies.map(|(k, of_body)| of_body.into_iter().map(|c| of_column(k, c)).collect()).collect()
}

/// Returns the map of motions in the `k`-th body's frame to the requested reference frame. If the
/// origin of the frame is requested, motions are those of the frame's origin already.
fn moves<'g>(frame: &Frame<'_, 'g>) -> impl Fn(usize, Motion<'g>) -> Motion<'g> {
    let mut placements = frame.outward_placements();
    if frame.reference == ReferenceFrame::Local {
        placements = frame.inward_placements();
    }
    let reference = frame.reference;
    move |k, m| {
        let at = placements[k];
        let axes = Placement { translation: Vec3::ZERO, ..at };
        match reference {
            ReferenceFrame::Local => axes.act_inv_motion(m),
            ReferenceFrame::World => at.act_motion(m),
            ReferenceFrame::LocalWorldAligned => axes.act_motion(m),
        }
    }
}

fn columns_on_path<'g>(
    frame: &Frame<'_, 'g>,
    v: &Coordinates<'g>,
    a: Option<&Coordinates<'g>>,
) -> Vec<Vec<Columns<'g>>> {
    let (robot, n) = (frame.robot, frame.path.len());
    let of_origin = frame.reference != ReferenceFrame::World;
    let (origins, _) = frame.origins();
    // Of each body and of its parent, in the body's frame.
    let (mut vel, mut acc) = (Motion::ZERO, Motion::ZERO);
    let mut carried = Vec::with_capacity(n);
    for &i in &frame.path {
        let body = &robot.bodies[i];
        let (v_parent, a_parent) = (body.transform.motion_to_child(vel), body.transform.motion_to_child(acc));
        let v_joint = body.joint_motion(v.of(i));
        vel = v_parent + v_joint;
        acc = a_parent + vel.cross(v_joint) + a.map_or(Motion::ZERO, |a| body.joint_motion(a.of(i)));
        carried.push((v_parent, a_parent, vel));
    }
    // Of the last body, in the frame of each; and relative to the parent of each.
    let mut relative = Motion::ZERO;
    let mut out = Vec::with_capacity(n);
    for (k, &i) in frame.path.iter().enumerate().rev() {
        let body = &robot.bodies[i];
        relative += body.joint_motion(v.of(i));
        let (v_parent, a_parent, v_here) = carried[k];
        let v_last = v_parent + relative;
        let of_column = |s: &Motion<'g>| {
            let point = |m: Motion<'g>| if of_origin { m.of_point(origins[k]) } else { m };
            // p, r, x as in docs/math.md.
            let p = v_parent.cross(*s);
            let r = a_parent.cross(*s) + v_parent.cross(p);
            let x = p + v_here.cross(*s);
            let (dv_dq, da_dq, da_dv) = (p, r + p.cross(v_last), x + s.cross(v_last));
            let turn = Motion { lin: Vec3::ZERO, ang: s.ang };
            let with_axes = |d: Motion<'g>, m: Motion<'g>| match frame.reference {
                ReferenceFrame::Local => point(d),
                ReferenceFrame::World => d + s.cross(m),
                ReferenceFrame::LocalWorldAligned => point(d) + turn.cross(point(m)),
            };
            Columns {
                s: point(*s),
                velocity_dq: with_axes(dv_dq, v_last),
                acceleration_dq: with_axes(da_dq, acc),
                acceleration_dv: match frame.reference {
                    ReferenceFrame::World => da_dv,
                    _ => point(da_dv),
                },
            }
        };
        out.push(body.columns.iter().map(of_column).collect());
        relative = body.transform.motion_to_parent(relative);
        acc = body.transform.motion_to_parent(acc);
    }
    out.reverse();
    out
}
