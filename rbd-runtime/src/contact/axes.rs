//! Axes of contact rows: the contacts' own, or the world's.

use super::rows::{active_ones, cross, part};
use super::{ContactTable, Mechanics};
use crate::__private::zeros;
use crate::Scalar;
use nalgebra::{Matrix3, SMatrix, SVector, Vector3};

/// Axes of the rows of contacts: of forces, impulses, residuals, errors and Jacobians.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ContactAxes {
    /// The contact frame's own axes; for a closed loop, the axes of its first frame.
    #[default]
    Local,
    /// The world's axes.
    ///
    /// Moments are about the origin of the contact's frame. Velocities are those of that origin, as
    /// in [`ReferenceFrame::LocalWorldAligned`](crate::ReferenceFrame::LocalWorldAligned).
    LocalWorldAligned,
}

impl ContactAxes {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Local, Self::LocalWorldAligned];
}

/// The axes of active contacts in the world.
pub(super) struct Turns<T, const NC: usize> {
    active: [bool; NC],
    rotations: [Matrix3<T>; NC],
}

impl<T: Scalar, const NC: usize> Turns<T, NC> {
    /// `None` where rows are in the contacts' own axes.
    pub fn of<R, const NV: usize, const NB: usize>(
        robot: &R,
        active: &[bool; NC],
        axes: ContactAxes,
    ) -> Option<Self>
    where
        R: Mechanics<T, NV, NB, NC> + ?Sized,
    {
        if axes == ContactAxes::Local {
            return None;
        }
        let mut rotations = [zeros(); NC];
        for (k, (to, _)) in rotations.iter_mut().zip(active).enumerate().filter(|(_, (_, active))| **active) {
            *to = robot.placement(k).rotation;
        }
        Some(Self { active: *active, rotations })
    }

    /// Rows in the contacts' own axes become rows in the world's.
    pub fn to_world<const NR: usize, const C: usize>(
        &self,
        contacts: &[ContactTable; NC],
        rows: &mut SMatrix<T, NR, C>,
    ) {
        self.turn(contacts, rows, |rotation| *rotation);
    }

    /// Rows in the world's axes become rows in the contacts' own.
    pub fn to_own<const NR: usize, const C: usize>(
        &self,
        contacts: &[ContactTable; NC],
        rows: &mut SMatrix<T, NR, C>,
    ) {
        self.turn(contacts, rows, Matrix3::transpose);
    }

    fn turn<const NR: usize, const C: usize>(
        &self,
        contacts: &[ContactTable; NC],
        rows: &mut SMatrix<T, NR, C>,
        by: impl Fn(&Matrix3<T>) -> Matrix3<T>,
    ) {
        for ((_, contact), rotation) in active_ones(contacts, &self.active).zip(self.active_rotations()) {
            let [a, b, c] = by(rotation).data.0;
            for column in &mut rows.data.0 {
                for x in threes(column, contact) {
                    let [x0, x1, x2] = *x;
                    *x = core::array::from_fn(|r| c[r].mul_add(x2, b[r].mul_add(x1, a[r] * x0)));
                }
            }
        }
    }

    fn active_rotations(&self) -> impl Iterator<Item = &Matrix3<T>> {
        self.rotations.iter().zip(&self.active).filter(|(_, active)| **active).map(|(rotation, _)| rotation)
    }

    /// Adds `R^T dR f` for each coordinate: the part of the forces' derivative by q that comes from
    /// the rotating frames.
    ///
    /// The forces and their derivative are in the contacts' own axes. With this term they can be
    /// turned to the world's.
    pub fn add_turning<R, const NV: usize, const NB: usize, const NR: usize>(
        &self,
        robot: &R,
        forces: &SVector<T, NR>,
        by_q: &mut SMatrix<T, NR, NV>,
    ) where
        R: Mechanics<T, NV, NB, NC> + ?Sized,
    {
        let (mut jacobian, mut own): (SMatrix<T, 6, NV>, _) = (zeros(), *forces);
        for (k, contact) in active_ones(robot.contacts(), &self.active) {
            robot.jacobian(k, &mut jacobian);
            let [own] = &mut own.data.0;
            for (column, motion) in by_q.data.0.iter_mut().zip(&jacobian.data.0) {
                let turn = part(&SVector::from(*motion), 3);
                for (to, force) in threes(column, contact).zip(threes(own, contact)) {
                    let more = cross(&turn, &Vector3::from(*force));
                    to.iter_mut().zip(&more).for_each(|(to, x)| *to += *x);
                }
            }
        }
    }
}

/// The rows of a contact, by threes: the force, and the moment of a plane.
fn threes<'a, T>(column: &'a mut [T], contact: &ContactTable) -> impl Iterator<Item = &'a mut [T; 3]> {
    let own = column.get_mut(contact.row..).unwrap_or_default();
    own.as_chunks_mut::<3>().0.iter_mut().take(contact.kind.rows() / 3)
}
