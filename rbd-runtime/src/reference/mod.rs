//! Generic algorithms over [`Model`](crate::Model), one file each: the reference for tests of
//! generated code.
//!
//! Nothing is pruned or specialised here. Every scalar type works, so dual and complex numbers give
//! exact derivatives. Each function takes a workspace, [`Data`], made once for a model. Some
//! functions allocate their results: second derivatives, derivatives of frames, of centroidal
//! dynamics and of energies, regressors of energies, and dynamics under contacts. The others do not
//! allocate. Methods of [`Model`](crate::Model) of the same names allocate a workspace for each
//! call.
//!
//! # Conventions
//! - Slices `q` (nq), `v`, `a`, `tau` (nv); slices of other lengths may panic.
//! - Derivatives by q are taken in the tangent space: `d/de f(integrate(q, e * e_j))`, nv columns.
//! - `fext[i]` is the force on body i, `[force; moment]`, in its joint frame; the derivatives hold
//!   it constant there.
//! - A mimic joint's motion subspace is scaled by its multiplier, and its columns are those of the
//!   joint that it follows. This equals contracting the tree of independent joints with
//!   `dq_full/dq`. Its armature and damping therefore count with the multiplier's square.
//! - Armature is a constant on the diagonal of M, also for a joint of several coordinates, and has
//!   no velocity terms.
//! - Joint damping is part of inverse and forward dynamics if `model.damping_enters`. Smoothed
//!   Coulomb friction is part of them if `model.friction_smoothing` is set, except in second
//!   derivatives.

mod aba;
mod aba_derivatives;
mod centroidal;
mod common_frame;
mod contacts;
mod convenience;
mod coriolis;
#[cfg(feature = "std")]
mod count;
mod crba;
mod data;
mod energy;
#[cfg(feature = "num-dual")]
pub mod exact;
mod frames;
mod friction;
mod kinematics;
mod kinematics_derivatives;
mod linalg;
mod minv;
mod regressor;
mod rnea;
mod rnea_derivatives;
mod second_derivatives;

pub use crate::manifold::of_model::{DifferenceJacobians, IntegrateJacobians};
pub use aba::aba;
pub use aba_derivatives::{AbaDerivatives, aba_derivatives};
pub use centroidal::{
    CentroidalDerivatives, center_of_mass, center_of_mass_jacobian, center_of_mass_velocity,
    centroidal_derivatives, centroidal_momentum, centroidal_momentum_matrix, centroidal_momentum_rate,
};
pub use contacts::{
    ConstrainedDynamics, Contact, Holding, constrained_dynamics, constrained_impulse, contact_rows,
};
pub use coriolis::coriolis_matrix;
#[cfg(feature = "std")]
pub use count::{Count, Counted, OperationCount, dense_count, operation_count};
pub use crba::crba;
pub use data::Data;
pub use energy::{
    KineticEnergyDerivatives, kinetic_energy, kinetic_energy_derivatives, kinetic_energy_regressor,
    potential_energy, potential_energy_regressor,
};
pub use frames::{
    FrameDerivatives, frame_acceleration, frame_bias_acceleration, frame_classical_acceleration,
    frame_derivatives, frame_jacobian, frame_placement, frame_velocity,
};
pub use kinematics::forward_kinematics;
pub use kinematics_derivatives::{KinematicsDerivatives, kinematics_derivatives};
pub use minv::minv;
pub use regressor::regressor;
pub use rnea::{bias, gravity, rnea};
pub use rnea_derivatives::{RneaDerivatives, rnea_derivatives};
pub use second_derivatives::{
    AbaSecondDerivatives, RneaSecondDerivatives, aba_second_derivatives, rnea_second_derivatives,
};
