//! Energies of the moving bodies.

use super::data::{Data, ratio_squared};
use super::kinematics::{forward_kinematics, place_joints, velocities};
use crate::spatial::{dot, mul};
use crate::{Model, Scalar};

/// Kinetic energy `v^T M v / 2`, joules. Armature is part of M, and so of the energy.
pub fn kinetic_energy<T: Scalar>(model: &Model<T>, data: &mut Data<T>, q: &[T], v: &[T]) -> T {
    place_joints(model, data, q);
    velocities(model, data, v);
    let mut twice = T::zero();
    for (b, v_i) in model.bodies.iter().zip(&data.v) {
        twice += dot(v_i, &b.inertia.apply(v_i));
        let rotor = ratio_squared(b) * b.armature;
        for &v in &v[b.idx_v..b.idx_v + b.kind.nv()] {
            twice += rotor * v * v;
        }
    }
    twice * T::from_f64(0.5)
}

/// Potential energy in the field of gravity, joules; zero for a point at the world's origin.
pub fn potential_energy<T: Scalar>(model: &Model<T>, data: &mut Data<T>, q: &[T]) -> T {
    forward_kinematics(model, data, q);
    let mut sum = T::zero();
    for (b, x) in model.bodies.iter().zip(&data.world_from_body) {
        let moment = mul(&x.rotation, &b.inertia.h) + x.translation * b.inertia.mass;
        sum -= dot(&model.gravity, &moment);
    }
    sum
}
