//! The inverse of the mass matrix without the mass matrix (docs/math.md#reference-algorithms).

use super::aba::{factor_joint, reduced_inertia};
use super::crba::crba;
use super::data::{Data, add_scaled};
use super::kinematics::place_joints;
use super::linalg;
use crate::spatial::{Vector6, dot};
use crate::{Model, Scalar};
use nalgebra::DMatrix;

/// `M^-1`, both triangles.
///
/// With mimic joints, where bodies share a coordinate, M itself is computed and inverted.
pub fn minv<'d, T: Scalar>(model: &Model<T>, data: &'d mut Data<T>, q: &[T]) -> &'d DMatrix<T> {
    let nv = data.nv;
    if data.has_mimic {
        crba(model, data, q);
        data.work.copy_from(&data.m);
        linalg::factor(data.work.as_mut_slice(), nv);
        linalg::inverse(data.work.as_slice(), nv, data.minv.as_mut_slice());
        return &data.minv;
    }
    place_joints(model, data, q);
    backward(model, data);
    forward(model, data);
    for c in 0..nv {
        for r in 0..c {
            data.minv[(c, r)] = data.minv[(r, c)];
        }
    }
    &data.minv
}

/// Rows of `M^-1` from each joint's own subtree; `sets[0]` holds the forces that unit torques make
/// on each body.
fn backward<T: Scalar>(model: &Model<T>, data: &mut Data<T>) {
    let nv = data.nv;
    data.minv.fill(T::zero());
    data.sets[0].fill(Vector6::zeros());
    for (articulated, b) in data.articulated.iter_mut().zip(&model.bodies) {
        *articulated = b.inertia.matrix();
    }
    for (i, b) in model.bodies.iter().enumerate().rev() {
        let (n, first) = (b.nv(), b.idx_v);
        factor_joint(model, data, i);
        let d_inv = data.d_inv[i];
        for c in first..nv {
            if !data.related(i, c) {
                continue;
            }
            let mut sf = [T::zero(); 6];
            for (sf, s) in sf.iter_mut().zip(data.motion_subspace(i)) {
                *sf = dot(s, &data.sets[0][i * nv + c]);
            }
            for r in 0..n {
                data.minv[(first + r, c)] = if c < first + n {
                    d_inv[(c - first) * n + r]
                } else {
                    -(0..n).fold(T::zero(), |sum, l| d_inv[l * n + r].mul_add(sf[l], sum))
                };
            }
            if let Some(p) = b.parent {
                let mut f = data.sets[0][i * nv + c];
                for r in 0..n {
                    f = add_scaled(&f, data.minv[(first + r, c)], &data.u[i].column(r).into());
                }
                let f = data.parent_from_body[i].act_force(&f);
                data.sets[0][p * nv + c] += f;
            }
        }
        if let Some(p) = b.parent {
            let reduced = reduced_inertia(data, i, n);
            data.articulated[p] += data.parent_from_body[i].act_operator(&reduced);
        }
    }
}

/// Adds the effect of the parent's motion; `sets[1]` holds the accelerations of each body under
/// unit torques.
fn forward<T: Scalar>(model: &Model<T>, data: &mut Data<T>) {
    let nv = data.nv;
    for (i, b) in model.bodies.iter().enumerate() {
        let (n, first) = (b.nv(), b.idx_v);
        for c in first..nv {
            let mut a = Vector6::zeros();
            if let Some(p) = b.parent {
                a = data.parent_from_body[i].act_inv_motion(&data.sets[1][p * nv + c]);
                let mut ua = [T::zero(); 6];
                for (k, ua) in ua.iter_mut().enumerate().take(n) {
                    *ua = dot(&data.u[i].column(k).into(), &a);
                }
                for r in 0..n {
                    let x = (0..n).fold(T::zero(), |sum, l| data.d_inv[i][l * n + r].mul_add(ua[l], sum));
                    data.minv[(first + r, c)] -= x;
                }
            }
            for (k, column) in data.columns(i).enumerate() {
                a = add_scaled(&a, data.minv[(first + k, c)], &data.s[column]);
            }
            data.sets[1][i * nv + c] = a;
        }
    }
}
