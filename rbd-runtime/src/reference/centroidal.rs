//! Centre of mass and momentum of the moving bodies. As in Pinocchio, what is fixed to the world does not count.

use super::common_frame::composite_in_world;
use super::data::Data;
use super::kinematics::forward_kinematics;
use crate::spatial::{Inertia, angular, join, linear};
use crate::{Model, Scalar};
use nalgebra::{DMatrix, Vector3};

/// Mass and first moment of all moving bodies in the world, after `composite_in_world`.
fn total<T: Scalar>(model: &Model<T>, data: &Data<T>) -> Inertia<T> {
    let mut sum = Inertia::zero();
    for (composite, b) in data.composite.iter().zip(&model.bodies) {
        if b.parent.is_none() {
            sum += *composite;
        }
    }
    sum
}

/// Centre of mass of the moving bodies in the world, metres.
pub fn center_of_mass<T: Scalar>(model: &Model<T>, data: &mut Data<T>, q: &[T]) -> Vector3<T> {
    forward_kinematics(model, data, q);
    composite_in_world(model, data);
    total(model, data).com()
}

/// The map A_g (6 x nv) from v to the momentum `[linear; angular]` about the centre of mass, in world axes
/// (docs/math.md#reference-algorithms).
pub fn centroidal_momentum_matrix<'d, T: Scalar>(
    model: &Model<T>,
    data: &'d mut Data<T>,
    q: &[T],
) -> &'d DMatrix<T> {
    let com = center_of_mass(model, data, q);
    data.centroidal.fill(T::zero());
    for (i, b) in model.bodies.iter().enumerate() {
        for (k, column) in data.columns(i).enumerate() {
            let s = data.world_from_body[i].act_motion(&data.s[column]);
            let momentum = data.composite[i].apply(&s);
            let about_com = angular(&momentum) - com.cross(&linear(&momentum));
            let mut out = data.centroidal.column_mut(b.idx_v + k);
            out += join(&linear(&momentum), &about_com);
        }
    }
    &data.centroidal
}
