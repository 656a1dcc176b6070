//! Derivatives of a step with friction: the robot's part. The problem's part is in [`crate::friction`].

use super::closed_loop::{add_error_derivatives, turn_forces};
use super::dynamics::{Held, on_bodies};
use super::friction::{
    Axes, FrictionVelocities, Stepped, dot, rows, rows_mut, seen, share_of_errors, to_world,
};
use super::friction_problem::Memory;
use super::impulse_derivatives::momentum_derivative;
use super::rows::{cross, part, velocity_derivatives as rows_of};
use super::{ContactSettings, ContactTable, Mechanics};
use crate::__private::zeros;
use crate::Scalar;
use crate::friction::{ContactSurface, FrictionSettings, Linearised, Real};
use crate::functions::{FrameVelocityDerivatives, RneaDerivatives};
use crate::linalg::{self, ColumnGroup, NegativeProduct, RowBlock};
use nalgebra::{SMatrix, SVector, Vector3};

/// Destinations of derivatives of the velocities and impulses after a step.
///
/// The derivatives are by q (in its tangent space), v and tau.
#[derive(Debug)]
pub struct FrictionDerivativesOut<'a, T, const NV: usize, const NR: usize> {
    /// Derivatives of the velocities (NV x NV).
    pub v: [&'a mut SMatrix<T, NV, NV>; 3],
    /// Derivatives of the impulses, in the axes of [`FrictionVelocities::impulses`] (NR x NV).
    pub impulses: [&'a mut SMatrix<T, NR, NV>; 3],
}

/// [`friction_step`](super::friction_step) with derivatives. Every entry of `out` is written.
///
/// Returns its result, and the margin of [`impulse_derivatives`](crate::friction::impulse_derivatives).
///
/// Impulses are constant in the world's axes and turn in the bodies'. The change of the momentum is that of
/// inverse dynamics, at the accelerations `(v+ - v) / dt` under the impulses over dt as forces. Surfaces are
/// planes that do not move: a distance changes with q along its normal, and the normal does not change.
#[must_use]
pub fn friction_step_derivatives<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    (v, tau, dt): (&SVector<T, NV>, &SVector<T, NV>, T),
    surfaces: &[Option<ContactSurface<T>>; NC],
    settings: &FrictionSettings<T>,
    start: Option<&SVector<T, NR>>,
    out: FrictionDerivativesOut<'_, T, NV, NR>,
) -> (FrictionVelocities<T, NV, NC, NR>, T)
where
    T: Real,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let mut terms = Stepped::<T, NV, NC, NR>::zeros();
    let found = terms.step(robot, (v, tau, dt), surfaces, settings, start);
    let (compact, mut memory) = (&terms.touching.compact, Memory::<T, NR>::zeros());
    let mut solution = compact.linearised(memory.all());
    derivatives_of(robot, (v, dt), (&terms, &found), settings, out, |_, Changes { contacts, .. }| {
        // If nothing touches, rows and derivatives of impulses are zero.
        if let Ok(solution) = &mut solution {
            compact.derivatives(robot.contacts(), solution, contacts);
        }
    });
    (found, margin_of(&solution))
}

/// Distance of the nearest contact or coordinate from another mode.
pub(super) fn margin_of<T: Real>(solution: &Result<Linearised<'_, T>, T>) -> T {
    match solution {
        Ok(solution) => solution.margin(),
        Err(margin) => *margin,
    }
}

/// Derivatives by one of q, v and tau, at the problem's solution.
pub(super) struct Changes<'a, T, const NV: usize, const NR: usize> {
    /// Derivative of the velocities at constant impulses of contacts, with closed loops held.
    pub v: &'a mut SMatrix<T, NV, NV>,
    /// Derivative of the contacts' velocities at constant impulses, in the surfaces' axes.
    /// Receives the derivative of the impulses.
    pub contacts: &'a mut SMatrix<T, NR, NV>,
    /// Derivative of the impulses of closed loops.
    pub loops: &'a mut SMatrix<T, NR, NV>,
}

/// Writes derivatives of a step that was taken. Every entry of `out` is written.
///
/// `solve` gives those of the problem's solution by q, v and tau, which are 0, 1 and 2.
pub(super) fn derivatives_of<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    (v, dt): (&SVector<T, NV>, T),
    (terms, found): (&Stepped<T, NV, NC, NR>, &FrictionVelocities<T, NV, NC, NR>),
    settings: &FrictionSettings<T>,
    out: FrictionDerivativesOut<'_, T, NV, NR>,
    mut solve: impl FnMut(usize, Changes<'_, T, NV, NR>),
) where
    T: Real,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let FrictionDerivativesOut { v: [v_dq, v_dv, v_dtau], impulses: [f_dq, f_dv, f_dtau] } = out;
    // First `v_dq` and `v_dv` are what the change of the momentum lacks, and `f_dq` and `f_dv` the
    // contacts' velocities at constant joint velocities.
    for rows in [&mut *f_dq, &mut *f_dv, &mut *f_dtau] {
        rows.data.0 = [[T::zero(); NR]; NV];
    }
    let forces = in_own_axes(robot, &terms.touching.axes, &found.impulses);
    momentum(robot, (v, dt), &(found.v - v), &forces, [&mut *v_dq, &mut *v_dv]);
    let closed = robot.contacts().each_ref().map(|contact| contact.second.is_some());
    let turned = turn_forces(robot, &forces, &closed, v_dq);
    move_contacts(robot, (v, &found.v), terms, &forces, (v_dq, f_dq, f_dv));
    let everywhere = [RowBlock { rows: (0, NV), terms: &[(0, NV)] }];
    let full = [ColumnGroup { columns: (0, NV), blocks: &everywhere }];
    let [of_q, of_v] = robot.relatives();
    // Impulses of loops couple coordinates of different paths.
    let groups = if turned { &full } else { of_q };
    T::dispatch(NegativeProduct { a: &terms.minv, x: &mut *v_dq, groups });
    T::dispatch(NegativeProduct { a: &terms.minv, x: &mut *v_dv, groups: of_v });
    for (k, column) in v_dv.data.0.iter_mut().enumerate() {
        if let Some(x) = column.get_mut(k) {
            *x += T::one();
        }
    }
    times(dt, &terms.minv, v_dtau);

    let of_loops = terms.loops.as_ref().map(|_| {
        let mut of_loops = Held::<T, NV, NR>::zeros(1);
        of_loops.fill(robot, &terms.minv, &closed, ContactSettings::<T, NC>::default().mu);
        of_loops
    });
    // Stays zero without closed loops.
    let mut of_loops_by = zeros();
    let by = [(v_dq, f_dq), (v_dv, f_dv), (v_dtau, f_dtau)];
    for (k, (by_v, by_f)) in by.into_iter().enumerate() {
        if let Some(of_loops) = &of_loops {
            of_loops_by = zeros();
            if k == 0 {
                rows_of(robot, &found.v, &closed, &mut of_loops_by);
                add_error_derivatives(robot, share_of_errors(dt, settings), &mut of_loops_by);
            }
            of_loops.hold_columns(by_v, &mut of_loops_by);
        }
        if k == 2 {
            // J M^-1, which is there.
            linalg::add_transposed_multiple(dt, &terms.held.minv_jt, by_f);
        } else {
            linalg::add_tr_mul(&terms.held.jt, by_v, by_f);
        }
        solve(k, Changes { v: by_v, contacts: by_f, loops: &mut of_loops_by });
        linalg::add_mul(&terms.held.minv_jt, by_f, by_v);
        if let Some(loops) = &terms.loops {
            linalg::add_mul(&loops.by_contacts, by_f, &mut of_loops_by);
        }
        for (contact, axes) in robot.contacts().iter().zip(&terms.touching.axes) {
            let Some(axes) = axes.filter(|axes| !are_of_the_world(axes)) else { continue };
            for column in &mut by_f.data.0 {
                if let Some(own) = rows_mut(column, contact) {
                    *own = to_world(&axes, *own);
                }
            }
        }
        if terms.loops.is_some() {
            *by_f += of_loops_by;
        }
    }
}

/// Writes a multiple of a matrix.
fn times<T: Real, const NV: usize>(k: T, of: &SMatrix<T, NV, NV>, to: &mut SMatrix<T, NV, NV>) {
    for (to, x) in to.as_mut_slice().iter_mut().zip(of.as_slice()) {
        *to = *x * k;
    }
}

/// True if a surface has the axes of the world, as level ground has.
fn are_of_the_world<T: Real>(axes: &Axes<T>) -> bool {
    axes.iter().enumerate().all(|(k, axis)| {
        axis.iter().enumerate().all(|(r, x)| *x == if r == k { T::one() } else { T::zero() })
    })
}

/// Impulses in the axes of their frames, from those in the world's; of closed loops as they are.
fn in_own_axes<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    axes: &[Option<Axes<T>>; NC],
    impulses: &SVector<T, NR>,
) -> SVector<T, NR>
where
    T: Real,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let mut forces = *impulses;
    for (k, (contact, _)) in
        robot.contacts().iter().zip(axes).enumerate().filter(|(_, (_, axes))| axes.is_some())
    {
        let (frame, world) = (robot.placement(k).rotation.data.0, rows(impulses, contact));
        if let Some(own) = rows_mut(forces.as_mut_slice(), contact) {
            *own = frame.map(|axis| dot(&Vector3::from(axis), &world));
        }
    }
    forces
}

/// Writes derivatives by q and v of `M (v+ - v) + dt b - J^T f`, with the jump `v+ - v` and impulses that
/// are constant on their bodies; by v, those of `dt b` alone.
fn momentum<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    (v, dt): (&SVector<T, NV>, T),
    jump: &SVector<T, NV>,
    forces: &SVector<T, NR>,
    [by_q, by_v]: [&mut SMatrix<T, NV, NV>; 2],
) where
    T: Real,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    if dt == T::zero() {
        *by_q = momentum_derivative(robot, jump, forces);
        by_v.data.0 = [[T::zero(); NV]; NV];
        return;
    }
    let mut torques = RneaDerivatives::zeros();
    let per_time = |x: T| x / dt;
    robot.rnea_derivatives_fext(
        v,
        &jump.map(per_time),
        &on_bodies(robot, &forces.map(per_time)),
        &mut torques,
    );
    times(dt, &torques.dtau_dq, by_q);
    times(dt, &torques.dtau_dv, by_v);
}

/// Adds what contacts do as they move with q: their impulses turn in the bodies, and their velocities and
/// offsets change.
fn move_contacts<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    (before, after): (&SVector<T, NV>, &SVector<T, NV>),
    terms: &Stepped<T, NV, NC, NR>,
    forces: &SVector<T, NR>,
    (momentum, by_q, by_v): (&mut SMatrix<T, NV, NV>, &mut SMatrix<T, NR, NV>, &mut SMatrix<T, NR, NV>),
) where
    T: Real,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let (mut motion, mut rebound) = (FrameVelocityDerivatives::zeros(), FrameVelocityDerivatives::zeros());
    let all = robot.contacts().iter().zip(terms.touching.axes.iter().zip(&terms.touching.offsets));
    for (k, (contact, (axes, offset))) in all.enumerate() {
        let (Some(axes), Some(offset)) = (axes, offset) else { continue };
        robot.velocity_derivatives(k, after, &mut motion);
        let rebounds = offset.by_velocity > T::zero();
        if rebounds {
            robot.velocity_derivatives(k, before, &mut rebound);
        }
        let (by, force) = (seen(axes, &robot.placement(k).rotation.data.0), rows(forces, contact));
        let normals = terms.held.jt.data.0.get(contact.row + 2);
        for column in columns_of::<NV>(contact) {
            let moved = moved(&motion, column);
            let mut own = by.map(|axis| dot(&axis, &moved));
            // Of the normal's row, by this coordinate.
            let normal = normals.and_then(|row| row.get(column)).copied().unwrap_or(T::zero());
            own[2] = normal.mul_add(offset.by_distance, own[2]);
            if rebounds {
                let before = dot(&by[2], &self::moved(&rebound, column));
                own[2] = before.mul_add(offset.by_velocity, own[2]);
                let rows = by_v.data.0.get_mut(column);
                if let Some(to) = rows.and_then(|rows| rows.get_mut(contact.row + 2)) {
                    *to = normal * offset.by_velocity;
                }
            }
            let rows = by_q.data.0.get_mut(column).and_then(|rows| rows.get_mut(contact.row..));
            if let Some(to) = rows.and_then(<[T]>::first_chunk_mut::<3>) {
                *to = own;
            }
            let turned = cross(&part(&of_column(&motion.dv_dv, column), 3), &force);
            let Some(momentum) = momentum.data.0.get_mut(column) else { continue };
            for &(from, to) in contact.support {
                let rows = momentum.iter_mut().zip(&motion.dv_dv.data.0).take(to).skip(from);
                for (to, [x, y, z, ..]) in rows {
                    *to += x.mul_add(turned.x, y.mul_add(turned.y, *z * turned.z));
                }
            }
        }
    }
}

/// Coordinates that move a contact.
fn columns_of<const NV: usize>(contact: &ContactTable) -> impl Iterator<Item = usize> {
    contact.support.iter().flat_map(|(from, to)| *from..(*to).min(NV))
}

/// A column; zero beyond the matrix, so that the compiler sees no panic.
fn of_column<T: Scalar, const NV: usize>(of: &SMatrix<T, 6, NV>, column: usize) -> SVector<T, 6> {
    of.data.0.get(column).copied().unwrap_or([T::zero(); 6]).into()
}

/// Change of a point's velocity with a coordinate, in axes that do not turn, as its frame sees them.
fn moved<T: Scalar, const NV: usize>(of: &FrameVelocityDerivatives<T, NV>, column: usize) -> Vector3<T> {
    let (dv_dq, j) = (of_column(&of.dv_dq, column), of_column(&of.dv_dv, column));
    part(&dv_dq, 0) + cross(&part(&j, 3), &part(&of.velocity, 0))
}
