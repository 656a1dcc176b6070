//! Regressor of the torques, which are linear in the inertias (docs/math.md#reference-algorithms).

use super::data::Data;
use super::rnea::newton_euler;
use crate::spatial::{Vector6, angular, dot, join, linear, mul3, skew};
use crate::{Model, Scalar};
use nalgebra::{DMatrix, Matrix3, Vector3};

/// Torque regressor `Y` (nv x 10 NB) with `Y pi = tau`, less the torques of armature and damping.
///
/// The parameters of each body, body after body, are Pinocchio's:
/// `m, hx, hy, hz, Jxx, Jxy, Jyy, Jxz, Jyz, Jzz`, about its joint frame's origin.
pub fn regressor<'d, T: Scalar>(
    model: &Model<T>,
    data: &'d mut Data<T>,
    q: &[T],
    v: &[T],
    a: &[T],
) -> &'d DMatrix<T> {
    newton_euler(model, data, q, Some(v), Some(a), None);
    data.regressor.fill(T::zero());
    for i in 0..model.bodies.len() {
        let mut forces = unit_forces(&data.v[i], &data.a[i]);
        let mut on_path = Some(i);
        while let Some(j) = on_path {
            let b = &model.bodies[j];
            for (k, column) in data.columns(j).enumerate() {
                for (p, f) in forces.iter().enumerate() {
                    data.regressor[(b.idx_v + k, 10 * i + p)] += dot(&data.s[column], f);
                }
            }
            for f in &mut forces {
                *f = data.parent_from_body[j].act_force(f);
            }
            on_path = b.parent;
        }
    }
    &data.regressor
}

/// The force that a body of velocity v and acceleration a needs for each unit of its ten parameters.
fn unit_forces<T: Scalar>(v: &Vector6<T>, a: &Vector6<T>) -> [Vector6<T>; 10] {
    let (w, al) = (angular(v), angular(a));
    // the classical acceleration of the origin
    let dd = linear(a) + w.cross(&linear(v));
    let zero = Vector3::zeros();
    let of_h = skew(&al) + mul3(&skew(&w), &skew(&w));
    let mut out = [join(&dd, &zero); 10];
    for k in 0..3 {
        let e = Vector3::ith(k, T::one());
        out[1 + k] = join(&of_h.column(k).into_owned(), &e.cross(&dd));
    }
    for (p, (r, c)) in [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)].into_iter().enumerate() {
        let mut j = Matrix3::zeros();
        (j[(r, c)], j[(c, r)]) = (T::one(), T::one());
        let times_j = |x: &Vector3<T>| crate::spatial::mul(&j, x);
        out[4 + p] = join(&zero, &(times_j(&al) + w.cross(&times_j(&w))));
    }
    out
}
