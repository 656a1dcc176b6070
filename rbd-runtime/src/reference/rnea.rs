//! Inverse dynamics by the recursive Newton-Euler algorithm (docs/math.md#rnea).

use super::data::{Data, ratio_squared};
use super::friction;
use super::kinematics::place_joints;
use crate::spatial::{Vector6, dot, force_cross, motion_cross};
use crate::{Model, Scalar};
use nalgebra::DVector;

/// The torques that give the accelerations `a`, external forces included.
pub fn rnea<'d, T: Scalar>(
    model: &Model<T>,
    data: &'d mut Data<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    fext: Option<&[Vector6<T>]>,
) -> &'d DVector<T> {
    newton_euler(model, data, q, Some(v), Some(a), fext);
    &data.tau
}

/// Coriolis, centrifugal and gravity torques `C(q, v) v + g(q)` (and damping, where it enters).
pub fn bias<'d, T: Scalar>(model: &Model<T>, data: &'d mut Data<T>, q: &[T], v: &[T]) -> &'d DVector<T> {
    newton_euler(model, data, q, Some(v), None, None);
    &data.tau
}

/// Gravity torques `g(q)`.
pub fn gravity<'d, T: Scalar>(model: &Model<T>, data: &'d mut Data<T>, q: &[T]) -> &'d DVector<T> {
    newton_euler(model, data, q, None, None, None);
    &data.tau
}

/// Both sweeps of recursive Newton-Euler. A missing velocity or acceleration is zero.
pub(super) fn newton_euler<T: Scalar>(
    model: &Model<T>,
    data: &mut Data<T>,
    q: &[T],
    v: Option<&[T]>,
    a: Option<&[T]>,
    fext: Option<&[Vector6<T>]>,
) {
    place_joints(model, data, q);
    for (i, b) in model.bodies.iter().enumerate() {
        let x = &data.parent_from_body[i];
        let v_joint = data.joint_motion(model, i, v);
        let a_joint = data.joint_motion(model, i, a);
        let (v_i, a_parent) = match b.parent {
            Some(p) => (x.act_inv_motion(&data.v[p]) + v_joint, data.a[p]),
            None => (v_joint, Data::minus_gravity(model)),
        };
        let a_i = x.act_inv_motion(&a_parent) + a_joint + motion_cross(&v_i, &v_joint);
        let mut f = b.inertia.apply(&a_i) + force_cross(&v_i, &b.inertia.apply(&v_i));
        if let Some(fext) = fext {
            f -= fext[i];
        }
        (data.v[i], data.a[i], data.f[i]) = (v_i, a_i, f);
    }
    data.tau.fill(T::zero());
    for (i, b) in model.bodies.iter().enumerate().rev() {
        let own = ratio_squared(b);
        for (k, column) in data.columns(i).enumerate() {
            let c = b.idx_v + k;
            data.tau[c] += dot(&data.s[column], &data.f[i]);
            if let Some(a) = a {
                data.tau[c] += own * b.armature * a[c];
            }
            if let (Some(v), true) = (v, model.damping_enters) {
                data.tau[c] += own * b.damping * v[c];
            }
            if let Some(v) = v {
                data.tau[c] += friction::torque(model, b, v[c]);
            }
        }
        if let Some(p) = b.parent {
            let f = data.parent_from_body[i].act_force(&data.f[i]);
            data.f[p] += f;
        }
    }
}
