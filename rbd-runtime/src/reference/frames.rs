//! Placement, Jacobian, velocity and acceleration of a frame, and the derivatives of its motion: in
//! the frame itself first, then as the reference frame asks.

use super::data::Data;
use super::kinematics::{accelerations, forward_kinematics, place_joints, velocities};
use super::kinematics_derivatives::kinematics_derivatives;
use crate::spatial::{Placement, Vector6, angular, join, linear, motion_cross, mul};
use crate::{Model, ReferenceFrame, Scalar};
use nalgebra::{DMatrix, Vector3};

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

/// A motion of the frame, in the frame itself, as the reference frame asks; `at` is the frame's
/// pose in the world.
fn given<T: Scalar>(reference: ReferenceFrame, at: &Placement<T>, local: &Vector6<T>) -> Vector6<T> {
    match reference {
        ReferenceFrame::Local => *local,
        ReferenceFrame::World => at.act_motion(local),
        ReferenceFrame::LocalWorldAligned => {
            join(&mul(&at.rotation, &linear(local)), &mul(&at.rotation, &angular(local)))
        }
    }
}

/// Jacobian (6 x nv) of `model.frames[frame]`: the frame's velocity is `J v`.
pub fn frame_jacobian<'d, T: Scalar>(
    model: &Model<T>,
    data: &'d mut Data<T>,
    q: &[T],
    frame: usize,
    reference: ReferenceFrame,
) -> &'d DMatrix<T> {
    let at = frame_placement(model, data, q, frame);
    data.jacobian.fill(T::zero());
    let mut body = model.frames[frame].body;
    let mut body_from_frame = model.frames[frame].placement;
    while let Some(i) = body {
        let b = &model.bodies[i];
        for (k, column) in data.columns(i).enumerate() {
            let x = body_from_frame.act_inv_motion(&data.s[column]);
            let mut out = data.jacobian.column_mut(b.idx_v + k);
            out += given(reference, &at, &x);
        }
        body_from_frame = data.parent_from_body[i].compose(&body_from_frame);
        body = b.parent;
    }
    &data.jacobian
}

/// Velocity of `model.frames[frame]`.
pub fn frame_velocity<T: Scalar>(
    model: &Model<T>,
    data: &mut Data<T>,
    q: &[T],
    v: &[T],
    frame: usize,
    reference: ReferenceFrame,
) -> Vector6<T> {
    let at = frame_placement(model, data, q, frame);
    place_joints(model, data, q);
    velocities(model, data, v);
    let frame = &model.frames[frame];
    let local = frame.body.map_or(Vector6::zeros(), |b| frame.placement.act_inv_motion(&data.v[b]));
    given(reference, &at, &local)
}

/// Spatial acceleration of `model.frames[frame]`, without gravity: the rate of the velocity's
/// numbers in [`Local`](ReferenceFrame::Local) and in [`World`](ReferenceFrame::World), and the
/// former in the world's axes in [`LocalWorldAligned`](ReferenceFrame::LocalWorldAligned).
pub fn frame_acceleration<T: Scalar>(
    model: &Model<T>,
    data: &mut Data<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    frame: usize,
    reference: ReferenceFrame,
) -> Vector6<T> {
    let at = frame_placement(model, data, q, frame);
    accelerations(model, data, v, Some(a));
    let frame = &model.frames[frame];
    let local = frame.body.map_or(Vector6::zeros(), |b| frame.placement.act_inv_motion(&data.a[b]));
    given(reference, &at, &local)
}

/// Classical acceleration of a frame: its linear part is `dv + w x v`.
pub fn frame_classical_acceleration<T: Scalar>(
    model: &Model<T>,
    data: &mut Data<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    frame: usize,
    reference: ReferenceFrame,
) -> Vector6<T> {
    let spatial = frame_acceleration(model, data, q, v, a, frame, reference);
    let velocity = frame_velocity(model, data, q, v, frame, reference);
    let centripetal = angular(&velocity).cross(&linear(&velocity));
    spatial + join(&centripetal, &Vector3::zeros())
}

/// `dJ/dt v`: the rate of the frame's velocity, as its numbers are, at zero acceleration.
pub fn frame_bias_acceleration<T: Scalar>(
    model: &Model<T>,
    data: &mut Data<T>,
    q: &[T],
    v: &[T],
    frame: usize,
    reference: ReferenceFrame,
) -> Vector6<T> {
    let at_rest = alloc::vec![T::zero(); model.nv];
    let rate = match reference {
        ReferenceFrame::LocalWorldAligned => frame_classical_acceleration,
        ReferenceFrame::Local | ReferenceFrame::World => frame_acceleration,
    };
    rate(model, data, q, v, &at_rest, frame, reference)
}

/// A frame's velocity and acceleration with their derivatives.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameDerivatives<T: Scalar> {
    /// `[linear; angular]` velocity.
    pub velocity: Vector6<T>,
    /// Spatial acceleration, without gravity.
    pub acceleration: Vector6<T>,
    /// Derivative of the velocity by the configuration (tangent space).
    pub dv_dq: DMatrix<T>,
    /// Derivative of the velocity by the velocity, and of the acceleration by the acceleration: the Jacobian.
    pub jacobian: DMatrix<T>,
    /// Derivative of the acceleration by the configuration (tangent space).
    pub da_dq: DMatrix<T>,
    /// Derivative of the acceleration by the velocity.
    pub da_dv: DMatrix<T>,
}

/// Derivatives of [`frame_velocity`] and [`frame_acceleration`].
pub fn frame_derivatives<T: Scalar>(
    model: &Model<T>,
    data: &mut Data<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    frame: usize,
    reference: ReferenceFrame,
) -> FrameDerivatives<T> {
    let velocity = frame_velocity(model, data, q, v, frame, reference);
    let acceleration = frame_acceleration(model, data, q, v, a, frame, reference);
    let at = frame_placement(model, data, q, frame);
    let jacobian = frame_jacobian(model, data, q, frame, reference).clone();
    let zero = || DMatrix::zeros(6, model.nv);
    let (mut dv_dq, mut da_dq, mut da_dv) = (zero(), zero(), zero());
    let Some(body) = model.frames[frame].body else {
        return FrameDerivatives { velocity, acceleration, dv_dq, jacobian, da_dq, da_dv };
    };
    let of_body = kinematics_derivatives(model, data, q, v, a, body);
    let body_from_frame = model.frames[frame].placement;
    for c in 0..model.nv {
        let moved = |m: &DMatrix<T>| {
            let column = Vector6::from_fn(|k, _| m[(k, c)]);
            given(reference, &at, &body_from_frame.act_inv_motion(&column))
        };
        let s = Vector6::from_fn(|k, _| jacobian[(k, c)]);
        // The world's axes do not turn with the frame.
        let turn = |m: &Vector6<T>| match reference {
            ReferenceFrame::Local => Vector6::zeros(),
            ReferenceFrame::World => motion_cross(&s, m),
            ReferenceFrame::LocalWorldAligned => {
                join(&angular(&s).cross(&linear(m)), &angular(&s).cross(&angular(m)))
            }
        };
        dv_dq.set_column(c, &(moved(&of_body.dv_dq) + turn(&velocity)));
        da_dq.set_column(c, &(moved(&of_body.da_dq) + turn(&acceleration)));
        da_dv.set_column(c, &moved(&of_body.da_dv));
    }
    FrameDerivatives { velocity, acceleration, dv_dq, jacobian, da_dq, da_dv }
}
