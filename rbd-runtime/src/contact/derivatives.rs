//! Derivatives of accelerations and contact forces, by the implicit function theorem.

use super::axes::Turns;
use super::closed_loop::turn_forces;
use super::dynamics::{Held, on_bodies};
use super::factored::{dynamics_by_factors, pays};
use super::rows::{active_rows, derivatives as rows_of, drift, rows_where};
use super::{ContactDynamics, ContactDynamicsDerivatives, ContactSettings, Mechanics};
use crate::__private::zeros;
use crate::Scalar;
use crate::functions::RneaDerivatives;
use crate::linalg::{self, ColumnGroup, KktInverse, KktProduct, NegativeProduct, RowBlock};
use nalgebra::{SMatrix, SVector};

/// Accelerations and contact forces with their derivatives by q (in its tangent space), v and tau.
///
/// Forces are constant in the axes of their contact, and thus in the axes of the body that carries
/// it. The change of inverse dynamics is then its derivative under constant external forces, at
/// these accelerations. The inverse of the KKT matrix maps this change, and the change of the rows,
/// to the changes of accelerations and forces.
///
/// On the second body of a closed loop the forces turn; that term is added. If rows are redundant,
/// the derivative of the accelerations is unique. That of the forces is then one of several that
/// give it.
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
    let mut minv = zeros();
    robot.minv(&mut minv);
    let mut held = Held::<T, NV, NR>::zeros(settings.iterations);
    let mut found = ContactDynamics::zeros();
    // As `dynamics` does, for the same bits.
    if pays::<T, R, NV, NB, NC>(active)
        && dynamics_by_factors(robot, (v, tau), active, settings, &mut found, &mut held.delassus)
    {
        held.fill_rows(robot, &minv, active);
        (out.ddq, out.forces, out.residual) = (found.ddq, found.forces, found.residual);
    } else {
        held.fill(robot, &minv, active, settings.mu);
        linalg::mul_into(&minv, &(tau - robot.bias(v)), &mut out.ddq);
        (out.forces, out.residual) = held.hold(&mut out.ddq, &drift(robot, v, active, settings));
    }
    let mut torques = RneaDerivatives::zeros();
    robot.rnea_derivatives_fext(v, &out.ddq, &on_bodies(robot, &out.forces), &mut torques);
    let turned = turn_forces(robot, &out.forces, active, &mut torques.dtau_dq);
    let [of_q, of_v] = robot.relatives();
    // Forces that turn couple coordinates of different paths. A pull to an anchor depends on all of
    // q.
    let everywhere = [RowBlock { rows: (0, NV), terms: &[(0, NV)] }];
    let full = [ColumnGroup { columns: (0, NV), blocks: &everywhere }];
    let is_pulled = active.iter().zip(&settings.anchors).any(|(active, anchor)| *active && anchor.is_some());
    let of_q = match (turned, is_pulled) {
        (true, _) => &full,
        (false, true) => of_v,
        (false, false) => of_q,
    };
    let by = [&mut out.forces_dq, &mut out.forces_dv];
    rows_of(robot, (v, &out.ddq), active, (settings, &held.jt), by);
    // `forces_dq` and `forces_dv` now hold the derivatives of the rows.
    if held.any && held.delassus.is_regular(&active_rows(robot.contacts(), active), settings.mu) {
        by_inverse(&minv, &held, &rows_where(robot.contacts(), active), (&torques, [of_q, of_v]), out);
    } else {
        by_solutions(&minv, &held, (&torques, [of_q, of_v]), out);
    }
    if let Some(turns) = Turns::of(robot, active, settings.axes) {
        let (contacts, forces) = (robot.contacts(), &mut out.forces);
        turns.add_turning(robot, forces, &mut out.forces_dq);
        turns.to_world(contacts, forces);
        turns.to_world(contacts, &mut out.residual);
        for rows in [&mut out.forces_dq, &mut out.forces_dv, &mut out.forces_dtau] {
            turns.to_world(contacts, rows);
        }
    }
}

/// Derivatives of accelerations and forces by the KKT inverse, from those of the torques and of the
/// rows. The torques' derivatives are nonzero in the given groups only.
fn by_inverse<T: Scalar, const NV: usize, const NR: usize, const NC: usize>(
    minv: &SMatrix<T, NV, NV>,
    held: &Held<T, NV, NR>,
    rows: &[RowBlock<'_>; NC],
    (torques, [of_q, of_v]): (&RneaDerivatives<T, NV>, [&[ColumnGroup<'_>]; 2]),
    out: &mut ContactDynamicsDerivatives<T, NV, NR>,
) {
    let (s, mut k) = (held.delassus.inverse(), zeros());
    let ContactDynamicsDerivatives { ddq_dq, ddq_dv, ddq_dtau, forces_dq, forces_dv, forces_dtau, .. } = out;
    let blocks = KktInverse {
        minv,
        minv_jt: &held.minv_jt,
        s: &s,
        k: &mut k,
        minus_kt: &mut *forces_dtau,
        p: &mut *ddq_dtau,
    };
    blocks.make();
    let (p, minus_kt) = (&*ddq_dtau, &*forces_dtau);
    let by_q = (&torques.dtau_dq, of_q, ddq_dq, forces_dq);
    let by_v = (&torques.dtau_dv, of_v, ddq_dv, forces_dv);
    for (t, groups, x, f) in [by_q, by_v] {
        T::dispatch(KktProduct { p, k: &k, minus_kt, s: &s, t, groups, rows, x, f });
    }
}

/// Derivatives of accelerations and forces by solving for each column. Used if rows are (nearly)
/// redundant.
fn by_solutions<T: Scalar, const NV: usize, const NR: usize>(
    minv: &SMatrix<T, NV, NV>,
    held: &Held<T, NV, NR>,
    (torques, [of_q, of_v]): (&RneaDerivatives<T, NV>, [&[ColumnGroup<'_>]; 2]),
    out: &mut ContactDynamicsDerivatives<T, NV, NR>,
) {
    (out.ddq_dq, out.ddq_dv, out.ddq_dtau) = (torques.dtau_dq, torques.dtau_dv, *minv);
    T::dispatch(NegativeProduct { a: minv, x: &mut out.ddq_dq, groups: of_q });
    T::dispatch(NegativeProduct { a: minv, x: &mut out.ddq_dv, groups: of_v });
    out.forces_dtau = zeros();
    held.hold_columns(&mut out.ddq_dq, &mut out.forces_dq);
    held.hold_columns(&mut out.ddq_dv, &mut out.forces_dv);
    held.hold_columns(&mut out.ddq_dtau, &mut out.forces_dtau);
}
