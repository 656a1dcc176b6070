//! Poses and motions of the bodies.

use super::data::Data;
use crate::model::Body;
use crate::spatial::{Placement, Vector6, linear, motion_cross, rotation_about, rotation_of_quaternion};
use crate::{JointKind, Model, Scalar};
use nalgebra::{Matrix3, Vector3};

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

/// Fills `v` and `a`, the bodies' velocities and accelerations, without gravity, after [`place_joints`].
pub(super) fn accelerations<T: Scalar>(model: &Model<T>, data: &mut Data<T>, v: &[T], a: Option<&[T]>) {
    velocities(model, data, v);
    for (i, b) in model.bodies.iter().enumerate() {
        let rate = motion_cross(&data.v[i], &data.joint_motion(model, i, Some(v)));
        let own = data.joint_motion(model, i, a) + rate;
        data.a[i] = match b.parent {
            Some(p) => data.parent_from_body[i].act_inv_motion(&data.a[p]) + own,
            None => own,
        };
    }
}
