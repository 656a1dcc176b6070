//! Where bodies and frames are, and how they move.

use super::data::Data;
use crate::model::Body;
use crate::spatial::{Placement, Vector6, linear, rotation_about, rotation_of_quaternion};
use crate::{JointKind, Model, Scalar};
use nalgebra::{DMatrix, Matrix3, Vector3};

/// A body's pose in its parent at `q`: the fixed placement, then the joint's motion.
fn placement<T: Scalar>(body: &Body<T>, s: &[Vector6<T>], q: &[T]) -> Placement<T> {
    let q = &q[body.idx_q..];
    let single = || match body.mimic {
        Some(m) => q[0].mul_add(T::from_f64(m.multiplier), T::from_f64(m.offset)),
        None => q[0],
    };
    let joint = match body.kind {
        JointKind::Revolute | JointKind::Continuous => {
            let (sin, cos) = single().sin_cos();
            Placement { rotation: rotation_about(&body.axis, sin, cos), translation: Vector3::zeros() }
        }
        JointKind::Prismatic => {
            Placement { rotation: Matrix3::identity(), translation: body.axis * single() }
        }
        JointKind::Planar => {
            let (sin, cos) = q[2].sin_cos();
            Placement {
                rotation: rotation_about(&body.axis, sin, cos),
                translation: linear(&s[0]) * q[0] + linear(&s[1]) * q[1],
            }
        }
        JointKind::Spherical => Placement {
            rotation: rotation_of_quaternion(&[q[0], q[1], q[2], q[3]]),
            translation: Vector3::zeros(),
        },
        JointKind::Floating => Placement {
            rotation: rotation_of_quaternion(&[q[3], q[4], q[5], q[6]]),
            translation: Vector3::new(q[0], q[1], q[2]),
        },
    };
    body.placement.compose(&joint)
}

/// Fills `parent_from_body`.
pub(super) fn place_joints<T: Scalar>(model: &Model<T>, data: &mut Data<T>, q: &[T]) {
    for (i, b) in model.bodies.iter().enumerate() {
        data.parent_from_body[i] = placement(b, data.motion_subspace(i), q);
    }
}

/// Fills `v`, the bodies' velocities, after [`place_joints`].
pub(super) fn velocities<T: Scalar>(model: &Model<T>, data: &mut Data<T>, v: &[T]) {
    for (i, b) in model.bodies.iter().enumerate() {
        let own = data.joint_motion(model, i, Some(v));
        data.v[i] = match b.parent {
            Some(p) => data.parent_from_body[i].act_inv_motion(&data.v[p]) + own,
            None => own,
        };
    }
}

/// Every body's pose in the world.
pub fn forward_kinematics<'d, T: Scalar>(
    model: &Model<T>,
    data: &'d mut Data<T>,
    q: &[T],
) -> &'d [Placement<T>] {
    place_joints(model, data, q);
    for (i, b) in model.bodies.iter().enumerate() {
        let local = data.parent_from_body[i];
        data.world_from_body[i] = b.parent.map_or(local, |p| data.world_from_body[p].compose(&local));
    }
    &data.world_from_body
}

/// The pose in the world of `model.frames[frame]`.
pub fn frame_placement<T: Scalar>(
    model: &Model<T>,
    data: &mut Data<T>,
    q: &[T],
    frame: usize,
) -> Placement<T> {
    forward_kinematics(model, data, q);
    let frame = &model.frames[frame];
    frame.body.map_or(frame.placement, |b| data.world_from_body[b].compose(&frame.placement))
}

/// LOCAL Jacobian (6 x nv) of `model.frames[frame]`: the frame's spatial velocity, in the frame itself, is `J v`.
pub fn frame_jacobian<'d, T: Scalar>(
    model: &Model<T>,
    data: &'d mut Data<T>,
    q: &[T],
    frame: usize,
) -> &'d DMatrix<T> {
    place_joints(model, data, q);
    data.jacobian.fill(T::zero());
    let mut body = model.frames[frame].body;
    let mut body_from_frame = model.frames[frame].placement;
    while let Some(i) = body {
        let b = &model.bodies[i];
        for (k, column) in data.columns(i).enumerate() {
            let x = body_from_frame.act_inv_motion(&data.s[column]);
            let mut out = data.jacobian.column_mut(b.idx_v + k);
            out += x;
        }
        body_from_frame = data.parent_from_body[i].compose(&body_from_frame);
        body = b.parent;
    }
    &data.jacobian
}

/// Spatial velocity of `model.frames[frame]`, in the frame itself.
pub fn frame_velocity<T: Scalar>(
    model: &Model<T>,
    data: &mut Data<T>,
    q: &[T],
    v: &[T],
    frame: usize,
) -> Vector6<T> {
    place_joints(model, data, q);
    velocities(model, data, v);
    let frame = &model.frames[frame];
    frame.body.map_or(Vector6::zeros(), |b| frame.placement.act_inv_motion(&data.v[b]))
}
