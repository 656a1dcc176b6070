//! Coulomb's friction of joints, smoothed (docs/math.md#joint-friction).

use crate::Scalar;
use crate::model::{Body, Model};

/// The ratio of the joint's velocity to the coordinate's, its friction, its velocity and the square
/// of the smoothing's.
fn sliding<T: Scalar>(model: &Model<T>, body: &Body<T>, v: T) -> Option<[T; 4]> {
    let smoothing = model.friction_smoothing?;
    let ratio = body.mimic.map_or(T::one(), |m| T::from_f64(m.multiplier));
    Some([ratio, body.friction, ratio * v, smoothing * smoothing])
}

/// Friction torque at velocity v of a coordinate: `F v / sqrt(v^2 + smoothing^2)`.
pub(super) fn torque<T: Scalar>(model: &Model<T>, body: &Body<T>, v: T) -> T {
    let Some([ratio, friction, v, square]) = sliding(model, body, v) else { return T::zero() };
    ratio * friction * v / (v * v + square).sqrt()
}

/// Derivative of the friction torque by the velocity: `F smoothing^2 / (v^2 + smoothing^2)^(3/2)`.
pub(super) fn slope<T: Scalar>(model: &Model<T>, body: &Body<T>, v: T) -> T {
    let Some([ratio, friction, v, square]) = sliding(model, body, v) else { return T::zero() };
    let length = v * v + square;
    ratio * ratio * friction * square / (length * length.sqrt())
}

/// Second derivative of the friction torque by v: `-3 F smoothing^2 v / (v^2 + smoothing^2)^(5/2)`.
pub(super) fn curvature<T: Scalar>(model: &Model<T>, body: &Body<T>, v: T) -> T {
    let Some([ratio, friction, v, square]) = sliding(model, body, v) else { return T::zero() };
    let length = v * v + square;
    let of_joint = -T::from_f64(3.0) * friction * square * v / (length * length * length.sqrt());
    ratio * ratio * ratio * of_joint
}
