//! Derivatives of accelerations and contact forces, by the implicit function theorem.

use super::closed_loop::turned_forces;
use super::dynamics::{Held, on_bodies};
use super::rows::{derivatives as rows_of, drift};
use super::{ContactDynamicsDerivatives, ContactSettings, Mechanics};
use crate::Scalar;
use crate::functions::AbaDerivatives;
use crate::linalg;
use nalgebra::SVector;

/// Accelerations and contact forces with their derivatives by q (in its tangent space), v and tau.
///
/// Forces are constant in the axes of their contact while the robot is moved, and so in those of the body that carries it:
/// what forward dynamics alone changes by is its derivative under constant external forces, and what the forces change by
/// holds the rows. On the second body of a closed loop they turn, which is added. Where rows are redundant, the derivative of the accelerations is unique, and that of the forces is one of
/// those that give it.
#[must_use]
pub fn derivatives<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    v: &SVector<T, NV>,
    tau: &SVector<T, NV>,
    active: &[bool; NC],
    settings: &ContactSettings<T, NC>,
) -> ContactDynamicsDerivatives<T, NV, NR>
where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let mut out = ContactDynamicsDerivatives::zeros();
    derivatives_into(robot, v, tau, active, settings, &mut out);
    out
}

/// [`derivatives`] without a copy. Every entry of `out` is written.
pub fn derivatives_into<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    v: &SVector<T, NV>,
    tau: &SVector<T, NV>,
    active: &[bool; NC],
    settings: &ContactSettings<T, NC>,
    out: &mut ContactDynamicsDerivatives<T, NV, NR>,
) where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let minv = robot.minv();
    let held: Held<T, NV, NR> = Held::of(robot, &minv, active, settings);
    linalg::mul_into(&minv, &(tau - robot.bias(v)), &mut out.ddq);
    (out.forces, out.residual) = held.hold(&mut out.ddq, &drift(robot, v, active, settings));
    let mut free = AbaDerivatives::zeros();
    robot.aba_derivatives_fext(v, tau, &on_bodies(robot, &out.forces), &mut free);
    if let Some(torques) = turned_forces(robot, &out.forces, active) {
        linalg::add_mul(&minv, &torques, &mut free.ddq_dq);
    }
    rows_of(robot, (v, &out.ddq), active, settings, [&mut out.forces_dq, &mut out.forces_dv]);
    // What is there are the rows' derivatives by themselves.
    held.hold_columns(&free.ddq_dq, &mut out.forces_dq, &mut out.ddq_dq);
    held.hold_columns(&free.ddq_dv, &mut out.forces_dv, &mut out.ddq_dv);
    linalg::transpose_into(&held.minv_jt, &mut out.forces_dtau);
    held.delassus.solve_negative_in_place(&mut out.forces_dtau);
    linalg::sum_mul_into(&free.ddq_dtau, &held.minv_jt, &out.forces_dtau, &mut out.ddq_dtau);
}
