//! Derivatives of accelerations and contact forces, by the implicit function theorem.

use super::closed_loop::turned_forces;
use super::dynamics::{Held, on_bodies};
use super::rows::{derivatives as rows_of, drift};
use super::{ContactDynamicsDerivatives, ContactSettings, Mechanics};
use crate::Scalar;
use crate::functions::AbaDerivatives;
use crate::linalg;
use nalgebra::{SMatrix, SVector};

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
    let minv = robot.minv();
    let held: Held<T, NV, NR> = Held::of(robot, &minv, active, settings);
    let mut ddq = linalg::mul(&minv, &(tau - robot.bias(v)));
    let (forces, residual) = held.hold(&mut ddq, &drift(robot, v, active, settings));
    let free = robot.aba_derivatives_fext(v, tau, &on_bodies(robot, &forces));
    let AbaDerivatives { mut ddq_dq, mut ddq_dv, mut ddq_dtau, .. } = free;
    if let Some(torques) = turned_forces(robot, &forces, active) {
        linalg::add_mul(&minv, &torques, &mut ddq_dq);
    }
    let [by_q, by_v] = rows_of(robot, (v, &ddq), active, settings);
    let held_so = |moved: &mut SMatrix<T, NV, NV>, rows: &SMatrix<T, NR, NV>| {
        let rhs = -(linalg::tr_mul(&held.jt, moved) + rows);
        let forces = held.delassus.solve(&rhs);
        linalg::add_mul(&held.minv_jt, &forces, moved);
        forces
    };
    let (forces_dq, forces_dv) = (held_so(&mut ddq_dq, &by_q), held_so(&mut ddq_dv, &by_v));
    let forces_dtau = held.delassus.solve(&-held.minv_jt.transpose());
    linalg::add_mul(&held.minv_jt, &forces_dtau, &mut ddq_dtau);
    ContactDynamicsDerivatives {
        ddq,
        forces,
        residual,
        ddq_dq,
        ddq_dv,
        ddq_dtau,
        forces_dq,
        forces_dv,
        forces_dtau,
    }
}
