//! Derivatives of one body's velocity and acceleration (docs/math.md#reference-algorithms).

use super::common_frame::in_common_frame;
use super::data::Data;
use crate::spatial::{Vector6, motion_cross};
use crate::{Model, Scalar};
use nalgebra::DMatrix;

/// Derivatives of a body's spatial velocity and acceleration, in its joint frame (LOCAL), each 6 x
/// nv.
///
/// The acceleration is the spatial one, without gravity. The body's Jacobian is both the velocity's
/// derivative by v and the acceleration's derivative by a.
#[derive(Clone, Debug, PartialEq)]
pub struct KinematicsDerivatives<T: Scalar> {
    /// Derivative of the velocity by the configuration (tangent space).
    pub dv_dq: DMatrix<T>,
    /// Derivative of the velocity by the velocity: the Jacobian.
    pub dv_dv: DMatrix<T>,
    /// Derivative of the acceleration by the configuration (tangent space).
    pub da_dq: DMatrix<T>,
    /// Derivative of the acceleration by the velocity.
    pub da_dv: DMatrix<T>,
}

impl<T: Scalar> KinematicsDerivatives<T> {
    pub(super) fn zeros(nv: usize) -> Self {
        let wide = || DMatrix::zeros(6, nv);
        Self { dv_dq: wide(), dv_dv: wide(), da_dq: wide(), da_dv: wide() }
    }
}

/// Derivatives of the motion of `model.bodies[body]`.
pub fn kinematics_derivatives<'d, T: Scalar>(
    model: &Model<T>,
    data: &'d mut Data<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    body: usize,
) -> &'d KinematicsDerivatives<T> {
    in_common_frame(model, data, q, v, Some(a), Vector6::zeros());
    let world_from_body = data.world_from_body[body];
    let v_body = data.common.v[body];
    for m in [
        &mut data.kinematics_derivatives.dv_dq,
        &mut data.kinematics_derivatives.dv_dv,
        &mut data.kinematics_derivatives.da_dq,
        &mut data.kinematics_derivatives.da_dv,
    ] {
        m.fill(T::zero());
    }
    let mut on_path = Some(body);
    while let Some(i) = on_path {
        let b = &model.bodies[i];
        for (k, column) in data.columns(i).enumerate() {
            let (out, c) = (&mut data.kinematics_derivatives, b.idx_v + k);
            let world = &data.common;
            let (s, p, r, x) = (world.s[column], world.p[column], world.r[column], world.x[column]);
            let columns = [
                (&mut out.dv_dq, p),
                (&mut out.dv_dv, s),
                (&mut out.da_dq, r + motion_cross(&p, &v_body)),
                (&mut out.da_dv, x + motion_cross(&s, &v_body)),
            ];
            for (m, column) in columns {
                let mut m = m.column_mut(c);
                m += world_from_body.act_inv_motion(&column);
            }
        }
        on_path = b.parent;
    }
    &data.kinematics_derivatives
}
