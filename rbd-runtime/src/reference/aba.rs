//! Forward dynamics by the articulated body algorithm (docs/math.md#aba).

use super::crba::crba;
use super::data::{Data, add_scaled};
use super::friction;
use super::kinematics::{place_joints, velocities};
use super::linalg;
use super::rnea::newton_euler;
use crate::spatial::{Vector6, dot, force_cross, motion_cross, mul};
use crate::{Model, Scalar};
use nalgebra::{DVector, Matrix6};

/// Accelerations under the torques `tau` and the external forces.
///
/// If mimic joints share a coordinate, a joint's acceleration no longer follows from its own
/// subtree. The result is then `M^-1 (tau - bias)`, by [`crba`] and a dense factorisation.
pub fn aba<'d, T: Scalar>(
    model: &Model<T>,
    data: &'d mut Data<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    fext: Option<&[Vector6<T>]>,
) -> &'d DVector<T> {
    if data.has_mimic {
        newton_euler(model, data, q, Some(v), None, fext);
        crba(model, data, q);
        data.work.copy_from(&data.m);
        linalg::factor(data.work.as_mut_slice(), data.nv);
        for (x, (&tau, &bias)) in data.ddq.iter_mut().zip(tau.iter().zip(&data.tau)) {
            *x = tau - bias;
        }
        linalg::solve(data.work.as_slice(), data.nv, data.ddq.as_mut_slice());
    } else {
        place_joints(model, data, q);
        velocities(model, data, v);
        articulated_bodies(model, data, v, tau, fext);
    }
    &data.ddq
}

fn articulated_bodies<T: Scalar>(
    model: &Model<T>,
    data: &mut Data<T>,
    v: &[T],
    tau: &[T],
    fext: Option<&[Vector6<T>]>,
) {
    for (i, b) in model.bodies.iter().enumerate() {
        data.c[i] = motion_cross(&data.v[i], &data.joint_motion(model, i, Some(v)));
        data.articulated[i] = b.inertia.matrix();
        // `f` holds the bias force of the articulated body.
        data.f[i] = force_cross(&data.v[i], &b.inertia.apply(&data.v[i]));
        if let Some(fext) = fext {
            data.f[i] -= fext[i];
        }
    }
    for (i, b) in model.bodies.iter().enumerate().rev() {
        let n = b.nv();
        factor_joint(model, data, i);
        for (k, column) in data.columns(i).enumerate() {
            let mut u = tau[b.idx_v + k] - dot(&data.s[column], &data.f[i]);
            if model.damping_enters {
                u -= b.damping * v[b.idx_v + k];
            }
            u -= friction::torque(model, b, v[b.idx_v + k]);
            data.rhs[b.idx_v + k] = u;
        }
        if let Some(p) = b.parent {
            let reduced = reduced_inertia(data, i, n);
            let mut force = data.f[i] + mul(&reduced, &data.c[i]);
            for k in 0..n {
                force = add_scaled(&force, acceleration(data, i, n, k, b.idx_v), &data.u[i].column(k).into());
            }
            data.articulated[p] += data.parent_from_body[i].act_operator(&reduced);
            data.f[p] += data.parent_from_body[i].act_force(&force);
        }
    }
    for (i, b) in model.bodies.iter().enumerate() {
        let n = b.nv();
        let parent = b.parent.map_or(Data::minus_gravity(model), |p| data.a[p]);
        let mut a = data.parent_from_body[i].act_inv_motion(&parent) + data.c[i];
        for k in 0..n {
            data.rhs[b.idx_v + k] -= dot(&data.u[i].column(k).into(), &a);
        }
        for (k, column) in data.columns(i).enumerate() {
            let x = acceleration(data, i, n, k, b.idx_v);
            data.ddq[b.idx_v + k] = x;
            a = add_scaled(&a, x, &data.s[column]);
        }
        data.a[i] = a;
    }
}

/// Row k of `D^-1 rhs` for body i.
fn acceleration<T: Scalar>(data: &Data<T>, i: usize, n: usize, k: usize, idx_v: usize) -> T {
    let mut sum = T::zero();
    for l in 0..n {
        sum = data.d_inv[i][l * n + k].mul_add(data.rhs[idx_v + l], sum);
    }
    sum
}

/// `U = I^A S` and `D^-1 = (S^T U + armature)^-1` of body i.
pub(super) fn factor_joint<T: Scalar>(model: &Model<T>, data: &mut Data<T>, i: usize) {
    let b = &model.bodies[i];
    let n = b.nv();
    let mut d = [T::zero(); 36];
    for (k, column) in data.columns(i).enumerate() {
        let u = mul(&data.articulated[i], &data.s[column]);
        data.u[i].set_column(k, &u);
        for (r, s) in data.motion_subspace(i).iter().enumerate() {
            d[k * n + r] = dot(s, &u);
        }
        d[k * n + k] += b.armature;
    }
    linalg::factor(&mut d[..n * n], n);
    linalg::inverse(&d[..n * n], n, &mut data.d_inv[i][..n * n]);
}

/// Articulated inertia of body i as its parent feels it, `I^A - U D^-1 U^T`, in body i's frame.
pub(super) fn reduced_inertia<T: Scalar>(data: &Data<T>, i: usize, n: usize) -> Matrix6<T> {
    let mut reduced = data.articulated[i];
    let u = &data.u[i];
    for k in 0..n {
        for r in 0..6 {
            let mut ud = T::zero();
            for l in 0..n {
                ud = u[(r, l)].mul_add(data.d_inv[i][k * n + l], ud);
            }
            for c in 0..6 {
                reduced[(r, c)] -= ud * u[(c, k)];
            }
        }
    }
    reduced
}
