//! Energies of the moving bodies.

use super::data::{Data, ratio_squared};
use super::kinematics::{forward_kinematics, place_joints, velocities};
use super::kinematics_derivatives::kinematics_derivatives;
use crate::spatial::{Inertia, Vector6, dot, mul};
use crate::{Model, Scalar};
use nalgebra::{DMatrix, DVector};

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

/// Kinetic energy and its gradients.
#[derive(Clone, Debug, PartialEq)]
pub struct KineticEnergyDerivatives<T: Scalar> {
    /// Kinetic energy.
    pub energy: T,
    /// Derivative of the energy by the configuration (tangent space).
    pub denergy_dq: DVector<T>,
    /// Derivative of the energy by the velocity, `M v`.
    pub denergy_dv: DVector<T>,
}

/// Kinetic energy and its gradients: of each body, momentum times the derivatives of its velocity.
pub fn kinetic_energy_derivatives<T: Scalar>(
    model: &Model<T>,
    data: &mut Data<T>,
    q: &[T],
    v: &[T],
) -> KineticEnergyDerivatives<T> {
    let energy = kinetic_energy(model, data, q, v);
    let (mut denergy_dq, mut denergy_dv) = (DVector::zeros(model.nv), DVector::zeros(model.nv));
    let at_rest = alloc::vec![T::zero(); model.nv];
    for (i, b) in model.bodies.iter().enumerate() {
        place_joints(model, data, q);
        velocities(model, data, v);
        let momentum = b.inertia.apply(&data.v[i]);
        let of_body = kinematics_derivatives(model, data, q, v, &at_rest, i);
        for c in 0..model.nv {
            let along = |m: &DMatrix<T>| dot(&momentum, &Vector6::from_fn(|k, _| m[(k, c)]));
            denergy_dq[c] += along(&of_body.dv_dq);
            denergy_dv[c] += along(&of_body.dv_dv);
        }
        for c in b.idx_v..b.idx_v + b.kind.nv() {
            denergy_dv[c] += ratio_squared(b) * b.armature * v[c];
        }
    }
    KineticEnergyDerivatives { energy, denergy_dq, denergy_dv }
}

/// The kinetic energy's dependence on the parameters of each body, in the order of
/// [`regressor`](super::regressor); rotors have no part in it.
pub fn kinetic_energy_regressor<T: Scalar>(
    model: &Model<T>,
    data: &mut Data<T>,
    q: &[T],
    v: &[T],
) -> DVector<T> {
    place_joints(model, data, q);
    velocities(model, data, v);
    let half = T::from_f64(0.5);
    by_parameters(model, |i, unit| half * dot(&data.v[i], &unit.apply(&data.v[i])))
}

/// The potential energy's dependence on the parameters of each body.
pub fn potential_energy_regressor<T: Scalar>(model: &Model<T>, data: &mut Data<T>, q: &[T]) -> DVector<T> {
    forward_kinematics(model, data, q);
    by_parameters(model, |i, unit| {
        let x = &data.world_from_body[i];
        -dot(&model.gravity, &(mul(&x.rotation, &unit.h) + x.translation * unit.mass))
    })
}

/// Values of a quantity that is linear in the inertias, for each unit of each body's parameters.
fn by_parameters<T: Scalar>(model: &Model<T>, of: impl Fn(usize, &Inertia<T>) -> T) -> DVector<T> {
    DVector::from_fn(10 * model.bodies.len(), |k, _| {
        let mut unit = Inertia::zero();
        match k % 10 {
            0 => unit.mass = T::one(),
            h @ 1..=3 => unit.h[h - 1] = T::one(),
            j => {
                let (r, c) = [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)][j - 4];
                (unit.j[(r, c)], unit.j[(c, r)]) = (T::one(), T::one());
            }
        }
        of(k / 10, &unit)
    })
}
