//! Dynamics under contacts by factors of the mass matrix, without its inverse.

use super::dynamics::{blocks, groups};
use super::rows::{active_rows, add_baumgarte, are_many, are_some_inactive, clear_inactive};
use super::solve::Delassus;
use super::{ContactDynamics, ContactImpulse, ContactSettings, Mechanics};
use crate::__private::zeros;
use crate::Scalar;
use crate::linalg;
use nalgebra::{SMatrix, SVector};

/// Factors `M = L^T D L` of the mass matrix, and all contacts' rows with them.
pub(super) struct Factored<T, F, const NV: usize, const NR: usize> {
    factors: F,
    /// The diagonal of `D^-1`.
    pivots: SVector<T, NV>,
    /// `L^-T (tau - b)`.
    pub reduced: SVector<T, NV>,
    /// `J L^-1`, which is as sparse as J.
    pub paths: SMatrix<T, NR, NV>,
    /// Velocities of all rows.
    pub velocities: SVector<T, NR>,
    /// Accelerations of all rows without forces of contacts.
    accelerations: SVector<T, NR>,
}

impl<T: Scalar, F: AsMut<[T]>, const NV: usize, const NR: usize> Factored<T, F, NV, NR> {
    /// Factors that are still to be made. They are filled in place, for they are kilobytes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn zeros<R, const NB: usize, const NC: usize>() -> Self
    where
        R: Mechanics<T, NV, NB, NC, Factors = F> + ?Sized,
    {
        Self {
            factors: R::factors(),
            pivots: zeros(),
            reduced: zeros(),
            paths: zeros(),
            velocities: zeros(),
            accelerations: zeros(),
        }
    }

    /// Makes factors that are zero. False if the robot has no code for it.
    pub fn make<R, const NB: usize, const NC: usize>(
        &mut self,
        robot: &R,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
    ) -> bool
    where
        R: Mechanics<T, NV, NB, NC, Factors = F> + ?Sized,
    {
        let Self { factors, pivots, reduced, paths, velocities, accelerations } = self;
        robot.row_factors(
            v,
            tau,
            factors.as_mut(),
            pivots.as_mut_slice(),
            reduced.as_mut_slice(),
            paths.as_mut_slice(),
            velocities.as_mut_slice(),
            accelerations.as_mut_slice(),
        )
    }

    /// Writes the Delassus matrix, which is zero, and its factors.
    fn delassus<R, const NB: usize, const NC: usize>(
        &mut self,
        robot: &R,
        active: &[bool; NC],
        mu: T,
        delassus: &mut Delassus<T, NR>,
    ) where
        R: Mechanics<T, NV, NB, NC, Factors = F> + ?Sized,
    {
        self.matrix(robot, active, &mut delassus.matrix);
        delassus.factor(&active_rows(robot.contacts(), active), mu);
    }

    /// Writes the velocities of all rows after a time without forces of contacts, to first order.
    pub fn velocities_after(&self, dt: T, to: &mut SVector<T, NR>) {
        // J M^-1 (tau - b), without what J changes.
        let mut accelerations = self.pivots;
        for (x, reduced) in accelerations.iter_mut().zip(&self.reduced) {
            *x *= *reduced * dt;
        }
        *to = self.velocities;
        linalg::add_mul(&self.paths, &accelerations, to);
    }

    /// Writes the Delassus matrix, which is zero.
    pub fn matrix<R, const NB: usize, const NC: usize>(
        &mut self,
        robot: &R,
        active: &[bool; NC],
        matrix: &mut SMatrix<T, NR, NR>,
    ) where
        R: Mechanics<T, NV, NB, NC, Factors = F> + ?Sized,
    {
        let contacts = robot.contacts();
        if are_some_inactive(robot.contact_count(), active) {
            for column in &mut self.paths.data.0 {
                clear_inactive(contacts, active, column);
            }
        }
        let blocks = blocks(contacts, NR);
        linalg::scaled_square_into(&self.paths, &self.pivots, matrix, &groups(contacts, active, &blocks));
    }

    /// Writes the accelerations under these forces.
    pub fn respond<R, const NB: usize, const NC: usize>(
        &mut self,
        robot: &R,
        forces: &SVector<T, NR>,
        ddq: &mut SVector<T, NV>,
    ) where
        R: Mechanics<T, NV, NB, NC, Factors = F> + ?Sized,
    {
        linalg::add_tr_mul(&self.paths, forces, &mut self.reduced);
        let Self { factors, pivots, reduced, .. } = self;
        robot.accelerations(
            factors.as_mut(),
            pivots.as_mut_slice(),
            reduced.as_mut_slice(),
            ddq.as_mut_slice(),
        );
    }

    /// Writes accelerations, forces in the contacts' own axes and residual.
    ///
    /// The Delassus matrix is zero before, and has its factors after.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn dynamics<R, const NB: usize, const NC: usize>(
        &mut self,
        robot: &R,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
        (ddq, forces, residual): (&mut SVector<T, NV>, &mut SVector<T, NR>, &mut SVector<T, NR>),
        delassus: &mut Delassus<T, NR>,
    ) where
        R: Mechanics<T, NV, NB, NC, Factors = F> + ?Sized,
    {
        (*forces, *residual) = (zeros(), zeros());
        if active.contains(&true) {
            self.delassus(robot, active, settings.mu, delassus);
            let mut rows = self.accelerations;
            add_baumgarte(robot, active, settings, &self.velocities, &mut rows);
            let rhs = -rows;
            *forces = delassus.solve(&rhs);
            *residual = -delassus.left(&rhs, forces);
        }
        self.respond(robot, forces, ddq);
    }

    /// Writes the inverse of the mass matrix.
    pub fn inverse<R, const NB: usize, const NC: usize>(&mut self, robot: &R, minv: &mut SMatrix<T, NV, NV>)
    where
        R: Mechanics<T, NV, NB, NC, Factors = F> + ?Sized,
    {
        if !robot.inverse(self.factors.as_mut(), self.pivots.as_mut_slice(), minv.as_mut_slice()) {
            robot.minv(minv);
        }
    }
}

/// True if the robot has code for factors, and so many of its contacts are active that rows of all of them
/// pay.
pub(super) fn pays<T, R, const NV: usize, const NB: usize, const NC: usize>(
    robot: &R,
    active: &[bool; NC],
) -> bool
where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    R::HAS_FACTORS && are_many(robot.contact_count(), active)
}

/// Accelerations, forces in the contacts' own axes and residual. False if the
/// robot has no code for it.
///
/// The Delassus matrix is zero before, and has its factors after.
pub(super) fn dynamics_by_factors<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    (v, tau): (&SVector<T, NV>, &SVector<T, NV>),
    active: &[bool; NC],
    settings: &ContactSettings<T, NC>,
    found: &mut ContactDynamics<T, NV, NR>,
    delassus: &mut Delassus<T, NR>,
) -> bool
where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let mut factored = Factored::<T, _, NV, NR>::zeros::<R, NB, NC>();
    if !factored.make(robot, v, tau) {
        return false;
    }
    let ContactDynamics { ddq, forces, residual } = found;
    factored.dynamics(robot, active, settings, (ddq, forces, residual), delassus);
    true
}

/// Velocities after an impact, impulses in the contacts' own axes and residual. False if the
/// robot has no code for it.
///
/// The Delassus matrix is zero before, and has its factors after.
pub(super) fn impulse_by_factors<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    (v, restitution): (&SVector<T, NV>, T),
    active: &[bool; NC],
    settings: &ContactSettings<T, NC>,
    found: &mut ContactImpulse<T, NV, NR>,
    delassus: &mut Delassus<T, NR>,
) -> bool
where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let mut factored = Factored::<T, _, NV, NR>::zeros::<R, NB, NC>();
    if !factored.make(robot, v, &zeros()) {
        return false;
    }
    let ContactImpulse { v_plus, impulses, residual } = found;
    *v_plus = *v;
    if active.contains(&true) {
        factored.delassus(robot, active, settings.mu, delassus);
        let mut velocities = factored.velocities;
        clear_inactive(robot.contacts(), active, velocities.as_mut_slice());
        let rhs = -(velocities + velocities * restitution);
        *impulses = delassus.solve(&rhs);
        *residual = -delassus.left(&rhs, impulses);
        // Without torques, impulses alone change the velocities.
        factored.reduced = zeros();
        let mut jump = zeros();
        factored.respond(robot, impulses, &mut jump);
        *v_plus += jump;
    }
    true
}

/// Writes the Delassus matrix, which is zero. False if the robot has no code for it.
pub(super) fn delassus_by_factors<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    active: &[bool; NC],
    matrix: &mut SMatrix<T, NR, NR>,
) -> bool
where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let mut factored = Factored::<T, _, NV, NR>::zeros::<R, NB, NC>();
    let rest = zeros();
    if !factored.make(robot, &rest, &rest) {
        return false;
    }
    factored.matrix(robot, active, matrix);
    true
}
