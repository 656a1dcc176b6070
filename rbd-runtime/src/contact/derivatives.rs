//! Derivatives of accelerations and contact forces, by the implicit function theorem.

use super::axes::Turns;
use super::closed_loop::turn_forces;
use super::dynamics::{Held, on_bodies};
use super::factored::{Factored, pays};
use super::rows::{
    active_ones, active_rows, derivatives as rows_of, derivatives_with_torques, drift, is_pulled, rows_where,
};
use super::{ContactDynamicsDerivatives, ContactSettings, Mechanics};
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
    own_axes_into(robot, (v, tau), active, settings, out, |_, _| ());
    turn(robot, active, settings, out);
}

/// [`derivatives_into`] with forces in the contacts' own axes, whatever the settings say.
///
/// `between` is called once accelerations and forces are known: with what all problems of these contacts
/// share, and with the inverse of the mass matrix.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn own_axes_into<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    (v, tau): (&SVector<T, NV>, &SVector<T, NV>),
    active: &[bool; NC],
    settings: &ContactSettings<T, NC>,
    out: &mut ContactDynamicsDerivatives<T, NV, NR>,
    between: impl FnOnce(&Held<T, NV, NR>, &SMatrix<T, NV, NV>),
) where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let mut held = Held::<T, NV, NR>::zeros(settings.iterations);
    let mut factored = Factored::<T, _, NV, NR>::zeros::<R, NB, NC>();
    // Inverses leave zeros alone, and the result has the numbers of an earlier call.
    out.ddq_dtau = zeros();
    // The whole Delassus matrix is needed here, so constrained bodies are not. The inverse of the mass matrix
    // is made where the derivatives by the torques will be.
    if pays::<T, R, NV, NB, NC>(robot, active) && factored.make(robot, v, tau) {
        let found = (&mut out.ddq, &mut out.forces, &mut out.residual);
        factored.dynamics(robot, active, settings, found, &mut held.delassus);
        factored.inverse(robot, &mut out.ddq_dtau);
        held.fill_rows(robot, &out.ddq_dtau, active);
    } else {
        robot.minv(&mut out.ddq_dtau);
        held.fill(robot, &out.ddq_dtau, active, settings.mu);
        linalg::mul_into(&out.ddq_dtau, &(tau - robot.bias(v)), &mut out.ddq);
        (out.forces, out.residual) = held.hold(&mut out.ddq, &drift(robot, v, active, settings));
    }
    between(&held, &out.ddq_dtau);
    let [of_q, of_v] = robot.relatives();
    // Forces that turn couple coordinates of different paths. A pull to an anchor depends on all of q.
    let everywhere = [RowBlock { rows: (0, NV), terms: &[(0, NV)] }];
    let full = [ColumnGroup { columns: (0, NV), blocks: &everywhere }];
    let is_closed = active_ones(robot.contacts(), active).any(|(_, contact)| contact.second.is_some());
    let of_q = match (is_closed, is_pulled(robot.contacts(), active, settings)) {
        (true, _) => &full,
        (false, true) => of_v,
        (false, false) => of_q,
    };
    let is_at_once = derivatives_with_torques(
        robot,
        (v, &out.ddq, &out.forces),
        active,
        (settings, &held.jt),
        &mut out.forces_dtau,
        ([&mut out.forces_dq, &mut out.forces_dv], [&mut out.ddq_dq, &mut out.ddq_dv]),
    );
    if is_at_once {
        // `ddq_dq` and `ddq_dv` hold the derivatives of the torques, `forces_dq` and `forces_dv` those of
        // the rows.
        let (root, beside) = match robot.beside_root() {
            Some(beside) => (KnownColumns::take(out), beside),
            None => (None, [of_q, of_v]),
        };
        let torques = Torques { stored: None, groups: [of_q, of_v], beside };
        solve(robot, &mut held, active, settings, torques, out);
        if let Some(root) = root {
            root.add_to(out);
        }
    } else {
        let mut torques = RneaDerivatives::zeros();
        robot.rnea_derivatives_fext(v, &out.ddq, &on_bodies(robot, &out.forces), &mut torques);
        turn_forces(robot, &out.forces, active, &mut torques.dtau_dq);
        let by = [&mut out.forces_dq, &mut out.forces_dv];
        rows_of(robot, (v, &out.ddq), active, (settings, &held.jt), by);
        let stored = Some([&torques.dtau_dq, &torques.dtau_dv]);
        let groups = [of_q, of_v];
        solve(robot, &mut held, active, settings, Torques { stored, groups, beside: groups }, out);
    }
}

/// Turns forces, residual and their derivatives from the contacts' own axes to those of the settings.
pub(super) fn turn<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    active: &[bool; NC],
    settings: &ContactSettings<T, NC>,
    out: &mut ContactDynamicsDerivatives<T, NV, NR>,
) where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
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

/// Derivatives of the torques by q and v.
struct Torques<'a, T, const NV: usize> {
    /// The derivatives, unless they are stored in the result.
    stored: Option<[&'a SMatrix<T, NV, NV>; 2]>,
    /// Where they may be nonzero.
    groups: [&'a [ColumnGroup<'a>]; 2],
    /// As `groups`, without terms in known columns.
    beside: [&'a [ColumnGroup<'a>]; 2],
}

/// Columns of a floating root that are known: of `ddq_dq` the turns, of `ddq_dv` the linear velocities, each
/// with the three rows of linear accelerations.
struct KnownColumns<T>([[[T; 3]; 3]; 2]);

impl<T: Scalar> KnownColumns<T> {
    /// First column of each side.
    const FIRST: [usize; 2] = [3, 0];

    /// Takes them from where the derivatives of the torques are, and leaves zeros there. `None` without a
    /// floating root.
    fn take<const NV: usize, const NR: usize>(
        out: &mut ContactDynamicsDerivatives<T, NV, NR>,
    ) -> Option<Self> {
        let mut all = [[[T::zero(); 3]; 3]; 2];
        for (taken, columns) in all.iter_mut().zip(Self::columns(out)) {
            for (to, from) in taken.iter_mut().zip(columns?) {
                let rows = from.first_chunk_mut::<3>()?;
                (*to, *rows) = (*rows, [T::zero(); 3]);
            }
        }
        Some(Self(all))
    }

    /// Adds them to the derivatives of the accelerations.
    fn add_to<const NV: usize, const NR: usize>(&self, out: &mut ContactDynamicsDerivatives<T, NV, NR>) {
        for (known, columns) in self.0.iter().zip(Self::columns(out)) {
            for (of, to) in known.iter().zip(columns.into_iter().flatten()) {
                for (x, to) in of.iter().zip(to) {
                    *to += *x;
                }
            }
        }
    }

    /// The columns of both sides.
    fn columns<const NV: usize, const NR: usize>(
        out: &mut ContactDynamicsDerivatives<T, NV, NR>,
    ) -> [Option<&mut [[T; NV]; 3]>; 2] {
        let [q, v] = Self::FIRST;
        [
            out.ddq_dq.data.0.get_mut(q..).and_then(<[_]>::first_chunk_mut),
            out.ddq_dv.data.0.get_mut(v..).and_then(<[_]>::first_chunk_mut),
        ]
    }
}

/// Derivatives of accelerations and forces, from those of the torques and of the rows. The inverse of the
/// mass matrix is stored in the result, as are the derivatives of the rows.
fn solve<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    held: &mut Held<T, NV, NR>,
    active: &[bool; NC],
    settings: &ContactSettings<T, NC>,
    torques: Torques<'_, T, NV>,
    out: &mut ContactDynamicsDerivatives<T, NV, NR>,
) where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    if held.any && held.delassus.is_regular(&active_rows(robot.contacts(), active), settings.mu) {
        by_inverse(held, &rows_where(robot.contacts(), active), torques, out);
    } else {
        by_solutions(held, torques, out);
    }
}

/// Derivatives of accelerations and forces by the KKT inverse.
fn by_inverse<T: Scalar, const NV: usize, const NR: usize, const NC: usize>(
    held: &mut Held<T, NV, NR>,
    rows: &[RowBlock<'_>; NC],
    torques: Torques<'_, T, NV>,
    out: &mut ContactDynamicsDerivatives<T, NV, NR>,
) {
    // The Jacobian is of no more use, and its memory is warm.
    let (s, k) = (held.delassus.inverse(), &mut held.jt);
    let ContactDynamicsDerivatives { ddq_dq, ddq_dv, ddq_dtau, forces_dq, forces_dv, forces_dtau, .. } = out;
    let blocks = KktInverse {
        minv_jt: &held.minv_jt,
        s: &s,
        k: &mut *k,
        minus_kt: &mut *forces_dtau,
        p: &mut *ddq_dtau,
    };
    blocks.make();
    T::dispatch(KktProduct {
        p: ddq_dtau,
        k: &*k,
        minus_kt: forces_dtau,
        s: &s,
        t: torques.stored,
        groups: torques.beside,
        rows,
        x: [ddq_dq, ddq_dv],
        f: [forces_dq, forces_dv],
    });
}

/// Derivatives of accelerations and forces by solving for each column. Used if rows are (nearly)
/// redundant.
fn by_solutions<T: Scalar, const NV: usize, const NR: usize>(
    held: &Held<T, NV, NR>,
    Torques { stored, groups, .. }: Torques<'_, T, NV>,
    out: &mut ContactDynamicsDerivatives<T, NV, NR>,
) {
    let products = [&mut out.ddq_dq, &mut out.ddq_dv].into_iter().zip(groups);
    for (k, (x, groups)) in products.enumerate() {
        match stored.and_then(|t| t.get(k).copied()) {
            Some(t) => *x = *t,
            None => clear_beyond(groups, x),
        }
        T::dispatch(NegativeProduct { a: &out.ddq_dtau, x, groups });
    }
    out.forces_dtau = zeros();
    held.hold_columns(&mut out.ddq_dq, &mut out.forces_dq);
    held.hold_columns(&mut out.ddq_dv, &mut out.forces_dv);
    held.hold_columns(&mut out.ddq_dtau, &mut out.forces_dtau);
}

/// Sets columns that are in no group to zero.
fn clear_beyond<T: Scalar, const NV: usize>(groups: &[ColumnGroup<'_>], x: &mut SMatrix<T, NV, NV>) {
    for (k, column) in x.data.0.iter_mut().enumerate() {
        if !groups.iter().any(|group| (group.columns.0..group.columns.1).contains(&k)) {
            *column = [T::zero(); NV];
        }
    }
}
