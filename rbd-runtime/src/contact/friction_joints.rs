//! A step with friction at contacts and in joints, within the joints' limits: the robot's part.

use super::dynamics::Held;
use super::friction::{FrictionVelocities, Stepped};
use super::{ContactSettings, Mechanics};
use crate::__private::zeros;
use crate::friction::{
    ContactSurface, FrictionMemory, FrictionProblem, FrictionSettings, JointContacts, Real, solve_with_joints,
};
use crate::linalg;
use nalgebra::{SMatrix, SVector};

/// Row of a problem: a contact's, or a coordinate's.
#[derive(Clone, Copy)]
enum Row {
    Contact(usize),
    Joint(usize),
}

/// [`friction_step`](super::friction_step) with dry friction and limits of joints.
///
/// Returns its result, and the impulses on the coordinates, N m s or N s. `start` are impulses from which the
/// solver begins: those of contacts, then those on coordinates. `NA` is `NR + NV`, the most rows.
#[must_use]
pub fn friction_step_with_joints<
    T,
    R,
    const NV: usize,
    const NB: usize,
    const NC: usize,
    const NR: usize,
    const NA: usize,
>(
    robot: &R,
    at: (&SVector<T, NV>, &SVector<T, NV>, T),
    surfaces: &[Option<ContactSurface<T>>; NC],
    joints: &JointContacts<T, NV>,
    settings: &FrictionSettings<T>,
    start: Option<(&SVector<T, NR>, &SVector<T, NV>)>,
) -> (FrictionVelocities<T, NV, NC, NR>, SVector<T, NV>)
where
    T: Real,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    const { assert!(NA == NR + NV, "rows of contacts and of coordinates") };
    let (contacts, dt) = (robot.contacts(), at.2);
    let mut terms = Stepped::<T, NV, NC, NR>::zeros();
    let mut free = terms.begin(robot, at, surfaces, settings, start.map(|(contacts, _)| contacts));
    // Velocities by impulses on coordinates, with closed loops held.
    let (mut by_joints, mut loops_by_joints): (SMatrix<T, NV, NV>, SMatrix<T, NR, NV>) =
        (terms.minv, zeros());
    if terms.loops.is_some() {
        let closed = contacts.each_ref().map(|contact| contact.second.is_some());
        let mut loops = Held::<T, NV, NR>::zeros(1);
        loops.fill(robot, &terms.minv, &closed, ContactSettings::<T, NC>::default().mu);
        loops.hold_columns(&mut by_joints, &mut loops_by_joints);
    }
    // Rows of contacts, then those of coordinates that have friction or limits.
    let (mut rows, mut count) = ([Row::Joint(0); NA], 0);
    let of_contacts =
        terms.compact.rows_of(contacts).flat_map(|row| [row, row + 1, row + 2]).map(Row::Contact);
    let of_joints = (0..NV).filter(|k| joints.holds(*k)).map(Row::Joint);
    for (to, row) in rows.iter_mut().zip(of_contacts.chain(of_joints)) {
        (*to, count) = (row, count + 1);
    }
    let rows = rows.get(..count).unwrap_or(&[]);
    let own = terms.compact.rows();
    let mut laws = [joints.law(NV, dt, settings.correction); NV];
    let (mut velocity, mut impulses) = ([T::zero(); NA], [T::zero(); NA]);
    let own_velocity = terms.compact.problem().velocity;
    for (k, row) in rows.iter().enumerate() {
        let (mut of_velocity, mut of_impulse) = (T::zero(), T::zero());
        match row {
            Row::Contact(_) => {
                of_velocity = own_velocity.get(k).copied().unwrap_or(of_velocity);
                of_impulse = terms.compact.impulses.get(k).copied().unwrap_or(of_impulse);
            }
            Row::Joint(joint) => {
                of_velocity = free.get(*joint).copied().unwrap_or(of_velocity);
                of_impulse = start.and_then(|(_, start)| start.get(*joint).copied()).unwrap_or(of_impulse);
                if let Some(law) = k.checked_sub(own).and_then(|k| laws.get_mut(k)) {
                    *law = joints.law(*joint, dt, settings.correction);
                }
            }
        }
        if let (Some(velocity), Some(impulse)) = (velocity.get_mut(k), impulses.get_mut(k)) {
            (*velocity, *impulse) = (of_velocity, of_impulse);
        }
    }
    let mut delassus = [[T::zero(); NA]; NA];
    let entry = |a: Row, b: Row| {
        let (column, row) = match (a, b) {
            (Row::Contact(a), Row::Contact(b)) => {
                (terms.held.delassus.matrix.data.0.get(a).map(<[T; NR]>::as_slice), b)
            }
            (Row::Contact(a), Row::Joint(b)) | (Row::Joint(b), Row::Contact(a)) => {
                (terms.held.minv_jt.data.0.get(a).map(<[T; NV]>::as_slice), b)
            }
            (Row::Joint(a), Row::Joint(b)) => (by_joints.data.0.get(a).map(<[T; NV]>::as_slice), b),
        };
        column.and_then(|column| column.get(row).copied()).unwrap_or(T::zero())
    };
    for (to, a) in delassus.as_flattened_mut().chunks_exact_mut(count.max(1)).zip(rows) {
        to.iter_mut().zip(rows).for_each(|(to, b)| *to = entry(*a, *b));
    }
    let (mut matrices, mut vectors) = ([[[T::zero(); NA]; NA]; 4], [[T::zero(); NA]; 12]);
    let memory = FrictionMemory {
        matrices: matrices.as_flattened_mut().as_flattened_mut(),
        vectors: vectors.as_flattened_mut(),
    };
    let FrictionProblem { friction, compliance, .. } = terms.compact.problem();
    let problem = FrictionProblem {
        delassus: delassus.as_flattened().get(..count * count).unwrap_or(&[]),
        velocity: velocity.get(..count).unwrap_or(&[]),
        friction,
        compliance,
    };
    let laws = laws.get(..count.saturating_sub(own)).unwrap_or(&[]);
    let found = impulses.get_mut(..count).unwrap_or_default();
    let mut modes = terms.compact.modes;
    let of_contacts = modes.get_mut(..friction.len()).unwrap_or_default();
    let report = solve_with_joints(&problem, laws, settings, found, of_contacts, memory);
    terms.compact.modes = modes;
    let mut on_joints: SVector<T, NV> = zeros();
    for (k, (row, f)) in rows.iter().zip(&impulses).enumerate() {
        let to = match row {
            Row::Contact(_) => terms.compact.impulses.get_mut(k),
            Row::Joint(joint) => on_joints.get_mut(*joint),
        };
        if let Some(to) = to {
            *to = *f;
        }
    }
    linalg::add_mul(&by_joints, &on_joints, &mut free);
    let mut found = terms.conclude(contacts, dt, (free, report));
    linalg::add_mul(&loops_by_joints, &on_joints, &mut found.impulses);
    (found, on_joints)
}
