//! The Coriolis matrix (docs/math.md#reference-algorithms).

use super::common_frame::{composite_in_world, in_common_frame};
use super::data::Data;
use crate::spatial::{Inertia, Vector6, angular, dot, join, linear, motion_cross, mul, mul3, skew};
use crate::{Model, Scalar};
use nalgebra::{DMatrix, Matrix3, Vector3};

/// Half of the operator `B(I, x) y = x x* I y - I (x x y) + y x* I x`.
///
/// With x = [nu; w] it is `-[l x y_w; K y_w]`, where `l = m nu + w x h` and
/// `K = [w] (tr(J)/2 1 - J) + [h] [nu]`: twelve numbers, which may be summed over the bodies of a
/// subtree.
#[derive(Clone, Copy, Debug)]
pub(super) struct HalfB<T> {
    l: Vector3<T>,
    k: Matrix3<T>,
}

impl<T: Scalar> HalfB<T> {
    pub fn zero() -> Self {
        Self { l: Vector3::zeros(), k: Matrix3::zeros() }
    }

    fn new(i: &Inertia<T>, x: &Vector6<T>) -> Self {
        let (nu, w) = (linear(x), angular(x));
        let trace = (i.j.m11 + i.j.m22 + i.j.m33) * T::from_f64(0.5);
        let sigma = Matrix3::from_diagonal_element(trace) - i.j;
        Self { l: nu * i.mass + w.cross(&i.h), k: mul3(&skew(&w), &sigma) + mul3(&skew(&i.h), &skew(&nu)) }
    }

    fn apply(&self, y: &Vector6<T>) -> Vector6<T> {
        let y = angular(y);
        join(&y.cross(&self.l), &-mul(&self.k, &y))
    }
}

/// Coriolis matrix C: `C v` are the Coriolis and centrifugal torques, and `dM/dt = C + C^T`.
///
/// Of the matrices with these properties it is Pinocchio's. If every joint has one coordinate, it
/// is the one of the Christoffel symbols.
pub fn coriolis_matrix<'d, T: Scalar>(
    model: &Model<T>,
    data: &'d mut Data<T>,
    q: &[T],
    v: &[T],
) -> &'d DMatrix<T> {
    in_common_frame(model, data, q, v, None, Vector6::zeros());
    for (i, b) in model.bodies.iter().enumerate() {
        let inertia = b.inertia.transformed(&data.world_from_body[i]);
        data.half_b[i] = HalfB::new(&inertia, &data.common.v[i]);
    }
    for (i, b) in model.bodies.iter().enumerate().rev() {
        if let Some(p) = b.parent {
            let HalfB { l, k } = data.half_b[i];
            data.half_b[p].l += l;
            data.half_b[p].k += k;
        }
    }
    composite_in_world(model, data);
    data.coriolis.fill(T::zero());
    for (i, b) in model.bodies.iter().enumerate() {
        // The force on the subtree of body i per velocity along s, a column of a joint of velocity v.
        let force = |s: &Vector6<T>, v: &Vector6<T>| {
            data.half_b[i].apply(s) + data.composite[i].apply(&motion_cross(v, s))
        };
        for (k, deep) in data.columns(i).enumerate() {
            let (s, c) = (data.common.s[deep], b.idx_v + k);
            let f = force(&s, &data.common.v[i]);
            let mut on_path = Some(i);
            while let Some(j) = on_path {
                let first = model.bodies[j].idx_v;
                for (r, column) in data.columns(j).enumerate() {
                    let t = data.common.s[column];
                    data.coriolis[(first + r, c)] += dot(&t, &f);
                    if j != i {
                        data.coriolis[(c, first + r)] += dot(&s, &force(&t, &data.common.v[j]));
                    }
                }
                on_path = model.bodies[j].parent;
            }
        }
    }
    &data.coriolis
}
