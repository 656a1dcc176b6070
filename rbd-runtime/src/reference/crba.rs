//! The mass matrix by the composite rigid body algorithm (docs/math.md#crba).

use super::data::{Data, ratio_squared};
use super::kinematics::place_joints;
use crate::spatial::dot;
use crate::{Model, Scalar};
use nalgebra::DMatrix;

/// The mass matrix, both triangles.
pub fn crba<'d, T: Scalar>(model: &Model<T>, data: &'d mut Data<T>, q: &[T]) -> &'d DMatrix<T> {
    place_joints(model, data, q);
    composite_inertias(model, data);
    data.m.fill(T::zero());
    for (i, b) in model.bodies.iter().enumerate().rev() {
        for (k, column) in data.columns(i).enumerate() {
            let c = b.idx_v + k;
            data.m[(c, c)] += ratio_squared(b) * b.armature;
            let mut f = data.composite[i].apply(&data.s[column]);
            for (r, row) in data.columns(i).enumerate() {
                data.m[(b.idx_v + r, c)] += dot(&data.s[row], &f);
            }
            let mut j = i;
            while let Some(p) = model.bodies[j].parent {
                f = data.parent_from_body[j].act_force(&f);
                j = p;
                let first = model.bodies[j].idx_v;
                for (r, row) in data.columns(j).enumerate() {
                    // Twice on the diagonal, where a mimic joint and an ancestor share the coordinate.
                    let x = dot(&data.s[row], &f);
                    data.m[(first + r, c)] += x;
                    data.m[(c, first + r)] += x;
                }
            }
        }
    }
    &data.m
}

/// Sums of the inertias of each subtree, in the joint frame of its root, after `place_joints`.
pub(super) fn composite_inertias<T: Scalar>(model: &Model<T>, data: &mut Data<T>) {
    for (composite, b) in data.composite.iter_mut().zip(&model.bodies) {
        *composite = b.inertia;
    }
    for (i, b) in model.bodies.iter().enumerate().rev() {
        if let Some(p) = b.parent {
            let moved = data.composite[i].transformed(&data.parent_from_body[i]);
            data.composite[p] += moved;
        }
    }
}
