//! Motion of a frame from the motion of its body, which inverse dynamics compute anyway
//! (docs/math.md#fused-functions). Without inverse dynamics, a pass along the path is cheaper.

use super::frames::Frame;
use super::rnea::Moving;
use super::robot::Coordinates;
use crate::algebra::{Motion, Placement, Vec3};
use rbd_runtime::ReferenceFrame;

/// Velocity and spatial acceleration, as `rnea::spatial` forms them.
pub fn motion<'g>(
    frame: &Frame<'_, 'g>,
    v: &Coordinates<'g>,
    a: Option<&Coordinates<'g>>,
) -> (Motion<'g>, Motion<'g>) {
    let world = Motion { lin: frame.robot.minus_gravity(), ang: Vec3::ZERO };
    let (mut vel, mut acc) = (Motion::ZERO, world);
    for &i in &frame.path {
        let body = &frame.robot.bodies[i];
        let v_joint = body.joint_motion(v.of(i));
        vel = body.transform.motion_to_child(vel) + v_joint;
        acc = body.transform.motion_to_child(acc)
            + a.map_or(Motion::ZERO, |a| body.joint_motion(a.of(i)))
            + vel.cross(v_joint);
    }
    let at = last(frame);
    let given = |m: Motion<'g>| match frame.reference {
        ReferenceFrame::Local => frame.tip.motion_to_child(m),
        ReferenceFrame::World => at.act_motion(m),
        ReferenceFrame::LocalWorldAligned => turned(at).act_motion(m.of_point(origin(frame))),
    };
    (given(vel), without_gravity(frame, given(acc)))
}

/// Angular velocity and acceleration, and the classical acceleration of the frame's origin, from
/// the bodies' motions of `rnea::newton_euler`.
///
/// Returned as a velocity without linear part, and an acceleration. Not for the point at the
/// world's origin.
pub fn classical<'g>(frame: &Frame<'_, 'g>, v: &Coordinates<'g>, a: Option<&Coordinates<'g>>) -> Motion<'g> {
    let joint = |i: usize, x: &Coordinates<'g>| frame.robot.bodies[i].joint_motion(x.of(i));
    let beyond = |moving: Moving<'g>, &i: &usize| {
        let a_joint = a.map_or(Motion::ZERO, |a| joint(i, a));
        moving.beyond(&frame.robot.bodies[i].transform, joint(i, v), a_joint)
    };
    let moving = frame.path.iter().fold(Moving::world(frame.robot), beyond);
    let here = Motion { lin: moving.dd + moving.wide * origin(frame), ang: moving.al };
    let given = match frame.reference {
        ReferenceFrame::Local => {
            Motion { lin: frame.tip.vector_to_child(here.lin), ang: frame.tip.vector_to_child(here.ang) }
        }
        _ => turned(last(frame)).act_motion(here),
    };
    without_gravity(frame, given)
}

/// Pose of the body that carries the frame.
fn last<'g>(frame: &Frame<'_, 'g>) -> Placement<'g> {
    frame.outward_placements().last().copied().unwrap_or(Placement::IDENTITY)
}

fn turned(at: Placement<'_>) -> Placement<'_> {
    Placement { translation: Vec3::ZERO, ..at }
}

/// The frame's origin in its body.
fn origin<'g>(frame: &Frame<'_, 'g>) -> Vec3<'g> {
    frame.tip.point_to_parent(Vec3::ZERO)
}

/// Without the acceleration of the world that stands for gravity.
fn without_gravity<'g>(frame: &Frame<'_, 'g>, m: Motion<'g>) -> Motion<'g> {
    let gravity = frame.robot.minus_gravity();
    let gravity = match frame.reference {
        ReferenceFrame::Local => frame.tip.vector_to_child(last(frame).rotation.transpose_mul(gravity)),
        _ => gravity,
    };
    Motion { lin: m.lin - gravity, ..m }
}
