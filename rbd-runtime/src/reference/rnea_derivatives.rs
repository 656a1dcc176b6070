//! First derivatives of inverse dynamics: the chain rule on the recursive Newton-Euler algorithm,
//! in body frames (docs/math.md#reference-algorithms).

use super::crba::crba;
use super::data::{Data, ratio_squared};
use super::friction;
use super::rnea::newton_euler;
use crate::spatial::{Vector6, dot, force_cross, motion_cross};
use crate::{Model, Scalar};
use nalgebra::{DMatrix, DVector};

/// Inverse dynamics and its first derivatives. Rows are torques; columns are the tangent of q, v and a.
#[derive(Clone, Debug, PartialEq)]
pub struct RneaDerivatives<T: Scalar> {
    /// Joint torques, N m or N.
    pub tau: DVector<T>,
    /// Derivative of the torques by the configuration (tangent space).
    pub dtau_dq: DMatrix<T>,
    /// Derivative of the torques by the velocity.
    pub dtau_dv: DMatrix<T>,
    /// Derivative of the torques by the acceleration: the mass matrix M, full and symmetric.
    pub dtau_da: DMatrix<T>,
}

impl<T: Scalar> RneaDerivatives<T> {
    pub(super) fn zeros(nv: usize) -> Self {
        let square = || DMatrix::zeros(nv, nv);
        Self { tau: DVector::zeros(nv), dtau_dq: square(), dtau_dv: square(), dtau_da: square() }
    }
}

/// The argument to differentiate by in a sweep.
#[derive(Clone, Copy, PartialEq)]
enum By {
    Configuration,
    Velocity,
}

/// Inverse dynamics and its first derivatives, with external forces that are constant in the body frames.
pub fn rnea_derivatives<'d, T: Scalar>(
    model: &Model<T>,
    data: &'d mut Data<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    fext: Option<&[Vector6<T>]>,
) -> &'d RneaDerivatives<T> {
    newton_euler(model, data, q, Some(v), Some(a), fext);
    data.rnea_derivatives.tau.copy_from(&data.tau);
    for by in [By::Configuration, By::Velocity] {
        forward(model, data, v, by);
        backward(model, data, by);
    }
    if model.damping_enters {
        for b in &model.bodies {
            for c in b.idx_v..b.idx_v + b.kind.nv() {
                data.rnea_derivatives.dtau_dv[(c, c)] += ratio_squared(b) * b.damping;
            }
        }
    }
    for b in &model.bodies {
        for (c, v) in v.iter().enumerate().skip(b.idx_v).take(b.kind.nv()) {
            data.rnea_derivatives.dtau_dv[(c, c)] += friction::slope(model, b, *v);
        }
    }
    crba(model, data, q);
    data.rnea_derivatives.dtau_da.copy_from(&data.m);
    &data.rnea_derivatives
}

/// Derivatives of each body's velocity, acceleration and own force into `sets`, for the columns on its path.
fn forward<T: Scalar>(model: &Model<T>, data: &mut Data<T>, v: &[T], by: By) {
    let nv = data.nv;
    for (i, b) in model.bodies.iter().enumerate() {
        let x = data.parent_from_body[i];
        let (v_i, v_joint) = (data.v[i], data.joint_motion(model, i, Some(v)));
        let (v_parent, a_parent) = match b.parent {
            Some(p) => (x.act_inv_motion(&data.v[p]), x.act_inv_motion(&data.a[p])),
            None => (Vector6::zeros(), x.act_inv_motion(&Data::minus_gravity(model))),
        };
        let momentum = b.inertia.apply(&v_i);
        for c in 0..nv {
            let at = i * nv + c;
            data.sets[2][at] = Vector6::zeros();
            if !data.on_path(i, c) {
                continue;
            }
            let inherited = b.parent.filter(|&p| data.on_path(p, c));
            let of_parent = |set: &[Vector6<T>]| match inherited {
                Some(p) => x.act_inv_motion(&set[p * nv + c]),
                None => Vector6::zeros(),
            };
            let (mut dv, mut da) = (of_parent(&data.sets[0]), of_parent(&data.sets[1]));
            if (b.idx_v..b.idx_v + b.kind.nv()).contains(&c) {
                let s = &data.motion_subspace(i)[c - b.idx_v];
                match by {
                    By::Configuration => {
                        dv += motion_cross(&v_parent, s);
                        da += motion_cross(&a_parent, s);
                    }
                    By::Velocity => {
                        dv += s;
                        da += motion_cross(&v_i, s);
                    }
                }
            }
            da += motion_cross(&dv, &v_joint);
            let df =
                b.inertia.apply(&da) + force_cross(&dv, &momentum) + force_cross(&v_i, &b.inertia.apply(&dv));
            (data.sets[0][at], data.sets[1][at], data.sets[2][at]) = (dv, da, df);
        }
    }
}

/// Accumulates the forces' derivatives towards the root and projects them on the joints.
fn backward<T: Scalar>(model: &Model<T>, data: &mut Data<T>, by: By) {
    let nv = data.nv;
    let out = match by {
        By::Configuration => &mut data.rnea_derivatives.dtau_dq,
        By::Velocity => &mut data.rnea_derivatives.dtau_dv,
    };
    out.fill(T::zero());
    for (i, b) in model.bodies.iter().enumerate().rev() {
        for c in (0..nv).filter(|&c| data.related[i * nv + c]) {
            let df = data.sets[2][i * nv + c];
            let own = c.checked_sub(b.idx_v).filter(|&k| k < b.kind.nv());
            for (k, s) in data.s[data.first[i]..data.first[i + 1]].iter().enumerate() {
                out[(b.idx_v + k, c)] += dot(s, &df);
            }
            if let Some(p) = b.parent {
                let mut f = df;
                if let (Some(k), By::Configuration) = (own, by) {
                    f += force_cross(&data.s[data.first[i] + k], &data.f[i]);
                }
                data.sets[2][p * nv + c] += data.parent_from_body[i].act_force(&f);
            }
        }
    }
}
