//! Rows of contacts: Jacobians, accelerations at zero joint accelerations, and the derivatives of
//! both.

use super::closed_loop::{Second, centripetal_moved};
use super::{ContactKind, ContactSettings, ContactTable, Mechanics};
use crate::__private::zeros;
use crate::Scalar;
use crate::functions::{FrameAccelerationDerivatives, FrameVelocityDerivatives};
use crate::linalg::{self, RowBlock};
use crate::spatial::{Placement, join};
use nalgebra::{Matrix3, SMatrix, SVector, Vector3};

/// The contacts that are active, each with its number.
pub(super) fn active_ones<'a, const NC: usize>(
    contacts: &'a [ContactTable; NC],
    active: &'a [bool; NC],
) -> impl Iterator<Item = (usize, &'a ContactTable)> {
    contacts.iter().enumerate().zip(active).filter(|(_, active)| **active).map(|(contact, _)| contact)
}

/// Flags of the active rows.
pub(super) fn active_rows<const NC: usize, const NR: usize>(
    contacts: &[ContactTable; NC],
    active: &[bool; NC],
) -> [bool; NR] {
    let mut rows = [false; NR];
    for (_, contact) in active_ones(contacts, active) {
        rows.iter_mut().skip(contact.row).take(contact.kind.rows()).for_each(|row| *row = true);
    }
    rows
}

/// Rows of each contact, empty if it is inactive, with the coordinates that can move them.
pub(super) fn rows_where<'a, const NC: usize>(
    contacts: &'a [ContactTable; NC],
    active: &[bool; NC],
) -> [RowBlock<'a>; NC] {
    core::array::from_fn(|k| {
        let ContactTable { row, kind, support, .. } = contacts[k];
        RowBlock { rows: (row, if active[k] { row + kind.rows() } else { row }), terms: support }
    })
}

/// Number of active contacts.
fn count<const NC: usize>(active: &[bool; NC]) -> usize {
    active.iter().filter(|active| **active).count()
}

/// True if code for all of so many contacts at once pays.
fn are_several<const NC: usize>(contacts: usize, active: &[bool; NC]) -> bool {
    contacts == 1 || count(active) > 1
}

/// True if so many of so many contacts are active that rows of all of them pay.
pub(super) fn are_many<const NC: usize>(contacts: usize, active: &[bool; NC]) -> bool {
    let count = count(active);
    count > 0 && 4 * count >= contacts
}

/// True if some of so many contacts are not active.
pub(super) fn are_some_inactive<const NC: usize>(contacts: usize, active: &[bool; NC]) -> bool {
    count(active) < contacts
}

/// Contacts that are not active.
fn inactive_ones<'a, const NC: usize>(
    contacts: &'a [ContactTable; NC],
    active: &'a [bool; NC],
) -> impl Iterator<Item = &'a ContactTable> {
    contacts.iter().zip(active).filter(|(_, active)| !**active).map(|(contact, _)| contact)
}

/// The rows of a contact in a vector of all rows.
fn rows_of_mut<'a, T>(of_all: &'a mut [T], contact: &ContactTable) -> impl Iterator<Item = &'a mut T> {
    of_all.iter_mut().skip(contact.row).take(contact.kind.rows())
}

/// Writes the transpose of the Jacobian of all active contacts, a column a row. Elsewhere `jt` is zero.
pub(super) fn jacobian_transpose<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    active: &[bool; NC],
    jt: &mut SMatrix<T, NV, NR>,
) where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    if are_several(robot.contact_count(), active) && robot.rows(jt.as_mut_slice()) {
        for contact in inactive_ones(robot.contacts(), active) {
            rows_of_mut(&mut jt.data.0, contact).for_each(|row| *row = [T::zero(); NV]);
        }
        return;
    }
    let mut jacobian = zeros();
    for (k, contact) in active_ones(robot.contacts(), active) {
        robot.jacobian(k, &mut jacobian);
        if let Some(second) = Second::of(robot, (k, contact)) {
            second.subtract(robot, &mut jacobian);
        }
        let Some(columns) = jt.data.0.get_mut(contact.row..) else { continue };
        if contact.kind == ContactKind::Plane {
            if let Some(out) = columns.first_chunk_mut::<6>() {
                turn(&jacobian, contact.support, out);
            }
        } else if let Some(out) = columns.first_chunk_mut::<3>() {
            turn(&jacobian, contact.support, out);
        }
    }
}

/// Writes the first rows of a Jacobian as columns, at the given coordinates.
fn turn<T: Scalar, const NV: usize, const ROWS: usize>(
    jacobian: &SMatrix<T, 6, NV>,
    support: &[(usize, usize)],
    out: &mut [[T; NV]; ROWS],
) {
    for &(from, to) in support {
        for (joint, of_joint) in jacobian.data.0.iter().enumerate().take(to).skip(from) {
            for (row, x) in out.iter_mut().zip(of_joint) {
                if let Some(to) = row.get_mut(joint) {
                    *to = *x;
                }
            }
        }
    }
}

/// Acceleration of the active contacts' rows at zero joint accelerations, with Baumgarte's terms.
pub(super) fn drift<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    v: &SVector<T, NV>,
    active: &[bool; NC],
    settings: &ContactSettings<T, NC>,
) -> SVector<T, NR>
where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    if are_several(robot.contact_count(), active)
        && let Some(drift) = drift_at_once(robot, v, active, settings)
    {
        return drift;
    }
    // All motions are fetched first. Kernels store number by number, and a vector load right after
    // that would wait for the memory.
    let mut motions: [[SVector<T, 6>; 2]; NC] = [[zeros(); 2]; NC];
    for ((k, _), [velocity, acceleration]) in active_ones(robot.contacts(), active).zip(&mut motions) {
        robot.velocity(k, v, velocity);
        robot.bias_acceleration(k, v, acceleration);
    }
    let mut drift = zeros();
    for ((k, contact), motion) in active_ones(robot.contacts(), active).zip(motions) {
        let [mut velocity, mut acceleration] = motion;
        if contact.kind == ContactKind::Point {
            add(&mut acceleration, 0, &centripetal(&velocity));
        }
        let second = Second::of(robot, (k, contact));
        if let Some(second) = &second {
            second.subtract_motion(robot, v, (&mut velocity, &mut acceleration));
        }
        acceleration += velocity * settings.kd;
        if let Some(error) = Error::of_contact(robot, k, second.as_ref(), settings) {
            add(&mut acceleration, 0, &(error.linear * settings.kp));
            add(&mut acceleration, 3, &(error.angular() * settings.kp));
        }
        put(&mut drift, contact, &acceleration);
    }
    drift
}

/// [`drift`] by code for all contacts at once, if the robot has it.
fn drift_at_once<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    v: &SVector<T, NV>,
    active: &[bool; NC],
    settings: &ContactSettings<T, NC>,
) -> Option<SVector<T, NR>>
where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let (mut velocities, mut drift): (SVector<T, NR>, SVector<T, NR>) = (zeros(), zeros());
    if !robot.row_motion(v, velocities.as_mut_slice(), drift.as_mut_slice()) {
        return None;
    }
    add_baumgarte(robot, active, settings, &velocities, &mut drift);
    Some(drift)
}

/// Adds Baumgarte's terms to accelerations of the rows. Rows of inactive contacts become zero.
pub(super) fn add_baumgarte<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    active: &[bool; NC],
    settings: &ContactSettings<T, NC>,
    velocities: &SVector<T, NR>,
    accelerations: &mut SVector<T, NR>,
) where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let [rows] = &mut accelerations.data.0;
    for (to, velocity) in rows.iter_mut().zip(velocities) {
        *to = velocity.mul_add(settings.kd, *to);
    }
    add_pulls(robot, active, settings, rows);
    clear_inactive(robot.contacts(), active, rows);
}

/// Adds Baumgarte's pull to accelerations of the active contacts' rows.
pub(super) fn add_pulls<T, R, const NV: usize, const NB: usize, const NC: usize>(
    robot: &R,
    active: &[bool; NC],
    settings: &ContactSettings<T, NC>,
    rows: &mut [T],
) where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    for (k, contact) in active_ones(robot.contacts(), active) {
        // Poses of a closed loop are needed for its pull alone.
        if contact.second.is_some() && settings.kp == T::zero() {
            continue;
        }
        let second = Second::of(robot, (k, contact));
        if let Some(error) = Error::of_contact(robot, k, second.as_ref(), settings) {
            let parts = error.linear.iter().copied().chain(error.angular().data.0[0]);
            for (to, error) in rows_of_mut(rows, contact).zip(parts) {
                *to = error.mul_add(settings.kp, *to);
            }
        }
    }
}

/// Sets the rows of inactive contacts to zero in a vector of all rows.
pub(super) fn clear_inactive<T: Scalar, const NC: usize>(
    contacts: &[ContactTable; NC],
    active: &[bool; NC],
    of_all: &mut [T],
) {
    for contact in inactive_ones(contacts, active) {
        rows_of_mut(of_all, contact).for_each(|row| *row = T::zero());
    }
}

/// True if an anchor pulls an active contact, or a closed loop that is active is stiff.
pub(super) fn is_pulled<T: Scalar, const NC: usize>(
    contacts: &[ContactTable; NC],
    active: &[bool; NC],
    settings: &ContactSettings<T, NC>,
) -> bool {
    let is_stiff = settings.kp != T::zero();
    active_ones(contacts, active).any(|(k, contact)| {
        settings.anchors.get(k).is_some_and(Option::is_some) || (is_stiff && contact.second.is_some())
    })
}

/// Adds Baumgarte's damping to derivatives of rows by q and v. Rows of inactive contacts become zero.
fn damp<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    active: &[bool; NC],
    (settings, jt): (&ContactSettings<T, NC>, &SMatrix<T, NV, NR>),
    velocities_by_q: &SMatrix<T, NR, NV>,
    [by_q, by_v]: [&mut SMatrix<T, NR, NV>; 2],
) where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    if settings.kd != T::zero() {
        linalg::add_multiple(settings.kd, velocities_by_q, by_q);
        linalg::add_transposed_multiple(settings.kd, jt, by_v);
    }
    if are_some_inactive(robot.contact_count(), active) {
        for column in by_q.data.0.iter_mut().chain(&mut by_v.data.0) {
            clear_inactive(robot.contacts(), active, column);
        }
    }
}

/// Writes what [`derivatives`] does, and the derivatives of inverse dynamics under these forces by q and v.
///
/// False if the robot has no code for it. `velocities_by_q` is memory.
pub(super) fn derivatives_with_torques<
    T,
    R,
    const NV: usize,
    const NB: usize,
    const NC: usize,
    const NR: usize,
>(
    robot: &R,
    (v, ddq, forces): (&SVector<T, NV>, &SVector<T, NV>, &SVector<T, NR>),
    active: &[bool; NC],
    (settings, jt): (&ContactSettings<T, NC>, &SMatrix<T, NV, NR>),
    velocities_by_q: &mut SMatrix<T, NR, NV>,
    ([by_q, by_v], [torques_by_q, torques_by_v]): (
        [&mut SMatrix<T, NR, NV>; 2],
        [&mut SMatrix<T, NV, NV>; 2],
    ),
) -> bool
where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    if !are_several(robot.contact_count(), active) || is_pulled(robot.contacts(), active, settings) {
        return false;
    }
    for out in [&mut *by_q, &mut *by_v] {
        out.data.0 = [[T::zero(); NR]; NV];
    }
    for out in [&mut *torques_by_q, &mut *torques_by_v] {
        out.data.0 = [[T::zero(); NV]; NV];
    }
    // Without damping nobody reads them; debug builds look whether they are zero.
    if settings.kd != T::zero() || cfg!(debug_assertions) {
        velocities_by_q.data.0 = [[T::zero(); NR]; NV];
    }
    let is_done = robot.row_and_torque_derivatives(
        v,
        ddq,
        forces.clone().as_mut_slice(),
        by_q.as_mut_slice(),
        by_v.as_mut_slice(),
        velocities_by_q.as_mut_slice(),
        torques_by_q.as_mut_slice(),
        torques_by_v.as_mut_slice(),
    );
    if is_done {
        damp(robot, active, (settings, jt), velocities_by_q, [by_q, by_v]);
    }
    is_done
}

/// Writes derivatives of the rows `J ddq + drift` by q and v, at the accelerations ddq. `jt` is the
/// transposed Jacobian.
pub(super) fn derivatives<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    (v, ddq): (&SVector<T, NV>, &SVector<T, NV>),
    active: &[bool; NC],
    (settings, jt): (&ContactSettings<T, NC>, &SMatrix<T, NV, NR>),
    [by_q, by_v]: [&mut SMatrix<T, NR, NV>; 2],
) where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    // Rows of inactive contacts stay zero.
    for out in [&mut *by_q, &mut *by_v] {
        out.data.0 = [[T::zero(); NR]; NV];
    }
    if are_several(robot.contact_count(), active) && !is_pulled(robot.contacts(), active, settings) {
        let mut velocities_by_q: SMatrix<T, NR, NV> = zeros();
        let to = [&mut *by_q, &mut *by_v, &mut velocities_by_q].map(|matrix| matrix.as_mut_slice());
        let [to_q, to_v, velocities] = to;
        if robot.row_derivatives(v, ddq, to_q, to_v, velocities) {
            damp(robot, active, (settings, jt), &velocities_by_q, [by_q, by_v]);
            return;
        }
    }
    let (mut of_velocity, mut of_acceleration) =
        (FrameVelocityDerivatives::zeros(), FrameAccelerationDerivatives::zeros());
    for (k, contact) in active_ones(robot.contacts(), active) {
        robot.velocity_derivatives(k, v, &mut of_velocity);
        robot.acceleration_derivatives(k, v, ddq, &mut of_acceleration);
        let FrameVelocityDerivatives { velocity, dv_dq, dv_dv } = &of_velocity;
        let FrameAccelerationDerivatives { da_dq, da_dv, .. } = &of_acceleration;
        let second = Second::of(robot, (k, contact));
        let error = Error::of_contact(robot, k, second.as_ref(), settings);
        let is_point = contact.kind == ContactKind::Point;
        for column in contact.support.iter().flat_map(|(from, to)| *from..(*to).min(NV)) {
            // Never true; the compiler does not see that through the iterators.
            if column >= NV {
                continue;
            }
            let [dv_dq, j, da_dq, da_dv] = [dv_dq, dv_dv, da_dq, da_dv].map(|x| &x.data.0[column]);
            if is_point && error.is_none() {
                // The commonest, in few steps: of each column three numbers.
                for (out, d, a) in [(&mut *by_q, dv_dq, da_dq), (&mut *by_v, j, da_dv)] {
                    let rows = out.data.0[column].get_mut(contact.row..);
                    if let Some(rows) = rows.and_then(<[T]>::first_chunk_mut::<3>) {
                        *rows = point_moved(velocity, settings.kd, d, a);
                    }
                }
                continue;
            }
            let [dv_dq, j, mut q, mut v] = [dv_dq, j, da_dq, da_dv].map(|x| SVector::<T, 6>::from(*x));
            if is_point {
                add(&mut q, 0, &centripetal_moved(velocity, &dv_dq));
                add(&mut v, 0, &centripetal_moved(velocity, &j));
            }
            add_multiple(settings.kd, &dv_dq, &mut q);
            add_multiple(settings.kd, &j, &mut v);
            if let (Some(error), None) = (&error, &second) {
                let (linear, angular) = error.moved(&j);
                add(&mut q, 0, &(linear * settings.kp));
                add(&mut q, 3, &(angular * settings.kp));
            }
            put_in(&mut by_q.data.0[column], contact, &q);
            put_in(&mut by_v.data.0[column], contact, &v);
        }
        if let (Some(second), Some(error)) = (&second, &error) {
            let more = second.derivatives(robot, (v, ddq), &of_velocity, error, settings);
            for (out, more) in [&mut *by_q, &mut *by_v].into_iter().zip(more) {
                for (out, more) in out.data.0.iter_mut().zip(&more.data.0) {
                    let rows = out.iter_mut().skip(contact.row).take(contact.kind.rows());
                    rows.zip(more).for_each(|(out, x)| *out += *x);
                }
            }
        }
    }
}

/// Writes the derivative by q of the rows' velocities `J u`, at the joint velocities u.
pub(super) fn velocity_derivatives<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    u: &SVector<T, NV>,
    active: &[bool; NC],
    by_q: &mut SMatrix<T, NR, NV>,
) where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    // Rows of inactive contacts stay zero.
    by_q.data.0 = [[T::zero(); NR]; NV];
    let mut of_velocity = FrameVelocityDerivatives::zeros();
    for (k, contact) in active_ones(robot.contacts(), active) {
        robot.velocity_derivatives(k, u, &mut of_velocity);
        if let Some(second) = Second::of(robot, (k, contact)) {
            of_velocity.dv_dq -= second.velocity_derivative(robot, u, &of_velocity.dv_dv);
        }
        for (out, column) in by_q.data.0.iter_mut().zip(&of_velocity.dv_dq.data.0) {
            put_in(out, contact, &SVector::from(*column));
        }
    }
}

/// Position errors of the active contacts; zero for a contact with the world that has no anchor.
pub(super) fn errors<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    active: &[bool; NC],
    settings: &ContactSettings<T, NC>,
) -> SVector<T, NR>
where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let mut errors = zeros();
    for (k, contact) in active_ones(robot.contacts(), active) {
        let second = Second::of(robot, (k, contact));
        if let Some(error) = Error::of_contact(robot, k, second.as_ref(), settings) {
            let mut both = zeros();
            add(&mut both, 0, &error.linear);
            add(&mut both, 3, &error.angular());
            put(&mut errors, contact, &both);
        }
    }
    errors
}

/// Error of a frame's pose relative to its anchor or to a closed loop's second frame, in the
/// frame's own axes.
pub(super) struct Error<T> {
    pub(super) linear: Vector3<T>,
    /// The frame's axes in the anchor's.
    turned: Matrix3<T>,
}

impl<T: Scalar> Error<T> {
    /// `None` of a contact with the world that has no anchor.
    pub(super) fn of_contact<R, const NV: usize, const NB: usize, const NC: usize>(
        robot: &R,
        k: usize,
        second: Option<&Second<T>>,
        settings: &ContactSettings<T, NC>,
    ) -> Option<Self>
    where
        R: Mechanics<T, NV, NB, NC> + ?Sized,
    {
        let anchor = match second {
            Some(second) => Some(&second.at),
            None => settings.anchors.get(k).and_then(Option::as_ref),
        };
        anchor.map(|anchor| Self::of(&robot.placement(k), anchor))
    }

    pub(super) fn of(at: &Placement<T>, anchor: &Placement<T>) -> Self {
        let apart = at.translation - anchor.translation;
        let turned = Matrix3::from_fn(|r, c| sum3(|k| anchor.rotation[(k, r)] * at.rotation[(k, c)]));
        Self { linear: Vector3::from_fn(|r, _| sum3(|k| at.rotation[(k, r)] * apart[k])), turned }
    }

    /// The sine of the angle times the axis: the axis of E's skew part.
    fn angular(&self) -> Vector3<T> {
        let (e, half) = (&self.turned, T::from_f64(0.5));
        Vector3::new(e[(2, 1)] - e[(1, 2)], e[(0, 2)] - e[(2, 0)], e[(1, 0)] - e[(0, 1)]) * half
    }

    /// Change of the error's linear and angular part when the frame moves by `j`, in its own axes.
    pub(super) fn moved(&self, j: &SVector<T, 6>) -> (Vector3<T>, Vector3<T>) {
        let (e, turn, half) = (&self.turned, part(j, 3), T::from_f64(0.5));
        let trace = sum3(|k| e[(k, k)]);
        // (tr(E) 1 - E^T) turn / 2.
        let angular = Vector3::from_fn(|r, _| (trace * turn[r] - sum3(|k| e[(k, r)] * turn[k])) * half);
        (part(j, 0) + cross(&self.linear, &turn), angular)
    }

    /// The force whose power on the frame's motion is the change of `linear . error + angular . turn`.
    pub(super) fn weights(&self, linear: &Vector3<T>, angular: &Vector3<T>) -> SVector<T, 6> {
        let (e, half) = (&self.turned, T::from_f64(0.5));
        let trace = sum3(|k| e[(k, k)]);
        let of_turn = Vector3::from_fn(|r, _| (trace * angular[r] - sum3(|k| e[(r, k)] * angular[k])) * half);
        join(linear, &(cross(linear, &self.linear) + of_turn))
    }

    /// The change of the moment of [`Self::weights`] when the frame moves by `j`. The force is constant.
    pub(super) fn weights_moved(
        &self,
        linear: &Vector3<T>,
        angular: &Vector3<T>,
        j: &SVector<T, 6>,
    ) -> Vector3<T> {
        let (e, turn, half) = (&self.turned, part(j, 3), T::from_f64(0.5));
        let (apart, turned) = (self.moved(j).0, cross(&turn, angular));
        let along = sum3(|k| self.angular()[k] * turn[k]);
        let of_turn = Vector3::from_fn(|r, _| -along * angular[r] - sum3(|k| e[(r, k)] * turned[k]) * half);
        cross(linear, &apart) + of_turn
    }
}

fn sum3<T: Scalar>(term: impl Fn(usize) -> T) -> T {
    term(0) + term(1) + term(2)
}

/// Classical less spatial acceleration of a point: `w x v`.
pub(super) fn centripetal<T: Scalar>(velocity: &SVector<T, 6>) -> Vector3<T> {
    cross(&part(velocity, 3), &part(velocity, 0))
}

pub(super) fn cross<T: Scalar>(a: &Vector3<T>, b: &Vector3<T>) -> Vector3<T> {
    Vector3::new(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
}

/// Three numbers from this one on.
pub(super) fn part<T: Scalar>(x: &SVector<T, 6>, from: usize) -> Vector3<T> {
    let [x0, x1, x2, x3, x4, x5] = x.data.0[0];
    if from == 0 { Vector3::new(x0, x1, x2) } else { Vector3::new(x3, x4, x5) }
}

/// Adds to the linear part, or with 3 to the angular one.
#[inline]
pub(super) fn add<T: Scalar>(x: &mut SVector<T, 6>, from: usize, more: &Vector3<T>) {
    let ([x0, x1, x2, x3, x4, x5], [a, b, c]) = (&mut x.data.0[0], more.data.0[0]);
    let (x, y, z) = if from == 0 { (x0, x1, x2) } else { (x3, x4, x5) };
    (*x, *y, *z) = (*x + a, *y + b, *z + c);
}

/// Change of a point's acceleration, with Baumgarte's damping, for changes `d` of its frame's
/// velocity and `a` of its spatial acceleration.
///
/// It fuses [`centripetal_moved`] with the other terms.
#[cfg_attr(not(debug_assertions), inline(always))]
fn point_moved<T: Scalar>(velocity: &SVector<T, 6>, kd: T, d: &[T; 6], a: &[T; 6]) -> [T; 3] {
    let [[x, y, z, wx, wy, wz]] = velocity.data.0;
    let [dx, dy, dz, dwx, dwy, dwz] = *d;
    let sum = |a: T, [(b, c), (d, e), (f, g), (h, i)]: [(T, T); 4], own: T| {
        let turned = b.mul_add(c, (-d).mul_add(e, a));
        own.mul_add(kd, f.mul_add(g, (-h).mul_add(i, turned)))
    };
    [
        sum(a[0], [(z, dwy), (y, dwz), (wy, dz), (wz, dy)], dx),
        sum(a[1], [(x, dwz), (z, dwx), (wz, dx), (wx, dz)], dy),
        sum(a[2], [(y, dwx), (x, dwy), (wx, dy), (wy, dx)], dz),
    ]
}

/// `x += k a`, fused.
fn add_multiple<T: Scalar>(k: T, a: &SVector<T, 6>, x: &mut SVector<T, 6>) {
    for (x, a) in x.iter_mut().zip(a) {
        *x = a.mul_add(k, *x);
    }
}

/// Writes a contact's rows.
fn put<T: Scalar, const NR: usize>(out: &mut SVector<T, NR>, contact: &ContactTable, x: &SVector<T, 6>) {
    let [out] = &mut out.data.0;
    put_in(out, contact, x);
}

fn put_in<T: Scalar, const NR: usize>(out: &mut [T; NR], contact: &ContactTable, x: &SVector<T, 6>) {
    let [x] = &x.data.0;
    let Some(out) = out.get_mut(contact.row..) else { return };
    // Of a length that is known, so that it is a move or two.
    match contact.kind {
        ContactKind::Point => {
            if let (Some(out), Some(x)) = (out.first_chunk_mut::<3>(), x.first_chunk()) {
                *out = *x;
            }
        }
        ContactKind::Plane => {
            if let Some(out) = out.first_chunk_mut() {
                *out = *x;
            }
        }
    }
}

/// Reads a contact's rows, as six numbers.
pub(super) fn wrench<T: Scalar, const NR: usize>(
    forces: &SVector<T, NR>,
    contact: &ContactTable,
) -> SVector<T, 6> {
    let mut out: SVector<T, 6> = zeros();
    let ([forces], [to]) = (&forces.data.0, &mut out.data.0);
    let forces = forces.get(contact.row..).unwrap_or(&[]);
    match contact.kind {
        ContactKind::Point => {
            if let (Some(to), Some(of)) = (to.first_chunk_mut::<3>(), forces.first_chunk()) {
                *to = *of;
            }
        }
        ContactKind::Plane => {
            if let Some(of) = forces.first_chunk() {
                *to = *of;
            }
        }
    }
    out
}
