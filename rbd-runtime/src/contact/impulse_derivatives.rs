//! Derivatives of velocities after an impact and of impulses, by the implicit function theorem.

use super::axes::Turns;
use super::closed_loop::turn_forces;
use super::dynamics::{Held, on_bodies};
use super::factored::{impulse_by_factors, pays};
use super::rows::velocity_derivatives as rows_of;
use super::solve::unit;
use super::{ContactImpulse, ContactImpulseDerivatives, ContactSettings, Mechanics};
use crate::__private::zeros;
use crate::Scalar;
use crate::functions::RneaDerivatives;
use crate::linalg::{self, ColumnGroup, NegativeProduct, RowBlock};
use nalgebra::{SMatrix, SVector};

/// Velocities after an impact and impulses with their derivatives by q (in its tangent space), v
/// and the restitution.
///
/// Impulses are constant in the axes of their contact. The momentum change depends on q as inverse
/// dynamics do: at rest, at the accelerations `v_plus - v`, under the impulses as forces, without
/// gravity. The factored system of the impact gives all derivatives. Of the settings, only `mu` and
/// `iterations` are used.
#[must_use]
pub fn impulse_derivatives<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    v: &SVector<T, NV>,
    active: &[bool; NC],
    restitution: T,
    settings: &ContactSettings<T, NC>,
) -> ContactImpulseDerivatives<T, NV, NR>
where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let mut out = ContactImpulseDerivatives::zeros();
    impulse_derivatives_into(robot, v, active, restitution, settings, &mut out);
    out
}

/// [`impulse_derivatives`] without a copy. Every entry of `out` is written.
pub fn impulse_derivatives_into<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    v: &SVector<T, NV>,
    active: &[bool; NC],
    restitution: T,
    settings: &ContactSettings<T, NC>,
    out: &mut ContactImpulseDerivatives<T, NV, NR>,
) where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let mut minv = zeros();
    robot.minv(&mut minv);
    let mut held = Held::<T, NV, NR>::zeros(settings.iterations);
    let mut found = ContactImpulse::zeros();
    let given = (v, restitution);
    // As `impulse` does, for the same bits.
    let has_factors = pays::<T, R, NV, NB, NC>(robot, active)
        && impulse_by_factors(robot, given, active, settings, &mut found, &mut held.delassus);
    match has_factors {
        true => held.fill_rows(robot, &minv, active),
        false => held.fill(robot, &minv, active, settings.mu),
    }
    let before = linalg::tr_mul(&held.jt, v);
    if has_factors {
        (out.v_plus, out.impulses, out.residual) = (found.v_plus, found.impulses, found.residual);
    } else {
        out.v_plus = *v;
        (out.impulses, out.residual) = held.hold(&mut out.v_plus, &(before * restitution));
    }

    let momentum = momentum_derivative(robot, &(out.v_plus - v), &out.impulses);
    out.v_plus_dq = momentum;
    let turned = turn_forces(robot, &out.impulses, active, &mut out.v_plus_dq);
    // Impulses that turn couple coordinates of different paths.
    let everywhere = [RowBlock { rows: (0, NV), terms: &[(0, NV)] }];
    let full = [ColumnGroup { columns: (0, NV), blocks: &everywhere }];
    let [of_q, _] = robot.relatives();
    let groups = if turned { &full } else { of_q };
    T::dispatch(NegativeProduct { a: &minv, x: &mut out.v_plus_dq, groups });
    rows_of(robot, &(out.v_plus + v * restitution), active, &mut out.impulses_dq);
    held.hold_columns(&mut out.v_plus_dq, &mut out.impulses_dq);

    out.v_plus_dv = unit();
    linalg::transpose_into(&held.jt, &mut out.impulses_dv);
    out.impulses_dv *= restitution;
    held.hold_columns(&mut out.v_plus_dv, &mut out.impulses_dv);

    out.v_plus_drestitution = zeros();
    (out.impulses_drestitution, _) = held.hold(&mut out.v_plus_drestitution, &before);

    if let Some(turns) = Turns::of(robot, active, settings.axes) {
        let contacts = robot.contacts();
        turns.add_turning(robot, &out.impulses, &mut out.impulses_dq);
        for rows in [&mut out.impulses, &mut out.residual, &mut out.impulses_drestitution] {
            turns.to_world(contacts, rows);
        }
        for rows in [&mut out.impulses_dq, &mut out.impulses_dv] {
            turns.to_world(contacts, rows);
        }
    }
}

/// Derivative by q of `M(q) jump - J^T impulses`, at a jump of the velocities.
///
/// The impulses are constant on the bodies of first frames. The derivative is that of inverse
/// dynamics at rest, less that of gravity.
pub(super) fn momentum_derivative<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    jump: &SVector<T, NV>,
    impulses: &SVector<T, NR>,
) -> SMatrix<T, NV, NV>
where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let rest = zeros();
    let (mut all, mut gravity) = (RneaDerivatives::zeros(), RneaDerivatives::zeros());
    robot.rnea_derivatives_fext(&rest, jump, &on_bodies(robot, impulses), &mut all);
    robot.rnea_derivatives_fext(&rest, &rest, &[zeros(); NB], &mut gravity);
    all.dtau_dq - gravity.dtau_dq
}
