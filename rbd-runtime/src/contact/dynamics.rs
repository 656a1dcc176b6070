//! Accelerations, impacts, inverse dynamics.

use super::axes::{ContactAxes, Turns};
use super::closed_loop::Second;
use super::constrained::dynamics_by_limbs;
use super::factored::{delassus_by_factors, dynamics_by_factors, impulse_by_factors, pays};
use super::rows::{self, active_rows, drift, jacobian_transpose, wrench};
use super::solve::Delassus;
use super::{Carried, ContactDynamics, ContactImpulse, ContactSettings, ContactTable, Mechanics};
use crate::__private::zeros;
use crate::linalg::{self, ColumnGroup, RowBlock};
use crate::posture::{Angles, Configuration};
use crate::spatial::Placement;
use crate::{Posture, Scalar};
use nalgebra::{Matrix3, SMatrix, SVector, Vector3};

/// The configuration with sines and cosines, which are computed unless they are known.
#[must_use]
pub fn posture<T: Scalar, const NQ: usize>(q: &impl Configuration<T, NQ>) -> Posture<T, NQ> {
    match q.angles().given() {
        Some((sin, cos)) => Posture { q: *q.coordinates(), sin: *sin, cos: *cos },
        None => Posture::of(*q.coordinates()),
    }
}

/// Contact terms in one configuration that all problems of active contacts share.
pub(super) struct Held<T, const NV: usize, const NR: usize> {
    /// True if any contact is active.
    pub any: bool,
    pub jt: SMatrix<T, NV, NR>,
    /// `M^-1 J^T`.
    pub minv_jt: SMatrix<T, NV, NR>,
    pub delassus: Delassus<T, NR>,
}

impl<T: Scalar, const NV: usize, const NR: usize> Held<T, NV, NR> {
    /// Terms without any active contact. They are filled in place, for they are kilobytes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn zeros(iterations: usize) -> Self {
        Self { any: false, jt: zeros(), minv_jt: zeros(), delassus: Delassus::zeros(iterations) }
    }

    /// Fills terms that are zero, and factors their matrix.
    pub fn fill<R, const NB: usize, const NC: usize>(
        &mut self,
        robot: &R,
        minv: &SMatrix<T, NV, NV>,
        active: &[bool; NC],
        mu: T,
    ) where
        R: Mechanics<T, NV, NB, NC> + ?Sized,
    {
        self.fill_turned(robot, minv, active, |_| {});
        if self.any {
            self.delassus.factor(&active_rows(robot.contacts(), active), mu);
        }
    }

    /// Fills terms that are zero, next to a matrix that is there with its factors.
    pub fn fill_rows<R, const NB: usize, const NC: usize>(
        &mut self,
        robot: &R,
        minv: &SMatrix<T, NV, NV>,
        active: &[bool; NC],
    ) where
        R: Mechanics<T, NV, NB, NC> + ?Sized,
    {
        self.fill_turned_rows(robot, minv, active, |_| {});
    }

    /// [`Self::fill_rows`]. `turn` turns rows, which are columns of the transposed Jacobian.
    pub fn fill_turned_rows<R, const NB: usize, const NC: usize>(
        &mut self,
        robot: &R,
        minv: &SMatrix<T, NV, NV>,
        active: &[bool; NC],
        turn: impl FnOnce(&mut SMatrix<T, NV, NR>),
    ) where
        R: Mechanics<T, NV, NB, NC> + ?Sized,
    {
        self.any = active.contains(&true);
        if self.any {
            jacobian_transpose(robot, active, &mut self.jt);
            turn(&mut self.jt);
            let blocks = blocks(robot.contacts(), NV);
            linalg::mul_groups_into(
                minv,
                &self.jt,
                &mut self.minv_jt,
                &groups(robot.contacts(), active, &blocks),
            );
        }
    }

    /// Fills terms that are zero. `turn` turns rows, which are columns of the transposed Jacobian. The matrix
    /// is not factored.
    pub fn fill_turned<R, const NB: usize, const NC: usize>(
        &mut self,
        robot: &R,
        minv: &SMatrix<T, NV, NV>,
        active: &[bool; NC],
        turn: impl FnOnce(&mut SMatrix<T, NV, NR>),
    ) where
        R: Mechanics<T, NV, NB, NC> + ?Sized,
    {
        self.fill_turned_rows(robot, minv, active, turn);
        if self.any {
            let blocks = blocks(robot.contacts(), NR);
            let groups = groups(robot.contacts(), active, &blocks);
            linalg::symmetric_tr_mul_groups_into(&self.minv_jt, &self.jt, &mut self.delassus.matrix, &groups);
        }
    }

    /// Adds the contact forces' effect to `free`, so that the rows `J free + offset` vanish.
    /// Returns forces and residual.
    pub fn hold(
        &self,
        free: &mut SVector<T, NV>,
        offset: &SVector<T, NR>,
    ) -> (SVector<T, NR>, SVector<T, NR>) {
        if !self.any {
            return (zeros(), zeros());
        }
        let rhs = -(linalg::tr_mul(&self.jt, free) + offset);
        let forces = self.delassus.solve(&rhs);
        let residual = -self.delassus.left(&rhs, &forces);
        linalg::add_mul(&self.minv_jt, &forces, free);
        (forces, residual)
    }

    /// Adds the contact forces' effect to each column of `free`. `forces` holds the offsets, and
    /// then the forces.
    pub fn hold_columns<const C: usize>(&self, free: &mut SMatrix<T, NV, C>, forces: &mut SMatrix<T, NR, C>) {
        if !self.any {
            // No contact is active, and offsets of inactive contacts are zero.
            return;
        }
        linalg::add_tr_mul(&self.jt, free, forces);
        *forces = self.delassus.solve(&-*forces);
        linalg::add_mul(&self.minv_jt, forces, free);
    }
}

/// Blocks of so many rows for each contact: products as sums over the coordinates that can move it.
pub(super) fn blocks<const NC: usize>(contacts: &[ContactTable; NC], rows: usize) -> [[RowBlock<'_>; 1]; NC] {
    contacts.each_ref().map(|of| [RowBlock { rows: (0, rows), terms: of.support }])
}

/// The rows of each contact as columns of products, none of inactive contacts.
pub(super) fn groups<'a, const NC: usize>(
    contacts: &[ContactTable; NC],
    active: &[bool; NC],
    blocks: &'a [[RowBlock<'a>; 1]; NC],
) -> [ColumnGroup<'a>; NC] {
    core::array::from_fn(|k| {
        let (contact, blocks) = (&contacts[k], &blocks[k]);
        let rows = if active[k] { contact.kind.rows() } else { 0 };
        ColumnGroup { columns: (contact.row, contact.row + rows), blocks }
    })
}

/// Accelerations and contact forces under the torques `tau`: `M ddq + b = tau + J^T f`.
///
/// The rows of the active contacts, `J ddq + dJ/dt v + kd J v + kp e`, are zero.
#[must_use]
pub fn dynamics<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    v: &SVector<T, NV>,
    tau: &SVector<T, NV>,
    active: &[bool; NC],
    settings: &ContactSettings<T, NC>,
) -> ContactDynamics<T, NV, NR>
where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let mut found = ContactDynamics::zeros();
    if !(pays::<T, R, NV, NB, NC>(robot, active)
        && (dynamics_by_limbs(robot, (v, tau), active, settings, &mut found)
            || dynamics_by_factors(
                robot,
                (v, tau),
                active,
                settings,
                &mut found,
                &mut Delassus::zeros(settings.iterations),
            )))
    {
        dynamics_by_inverse(robot, (v, tau), active, settings, &mut found);
    }
    let ContactDynamics { ddq, mut forces, mut residual } = found;
    if let Some(turns) = Turns::of(robot, active, settings.axes) {
        turns.to_world(robot.contacts(), &mut forces);
        turns.to_world(robot.contacts(), &mut residual);
    }
    ContactDynamics { ddq, forces, residual }
}

/// [`dynamics`] by the inverse of the mass matrix.
///
/// Its matrices would enlarge the stack frame of calls that take factors.
#[inline(never)]
fn dynamics_by_inverse<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    (v, tau): (&SVector<T, NV>, &SVector<T, NV>),
    active: &[bool; NC],
    settings: &ContactSettings<T, NC>,
    found: &mut ContactDynamics<T, NV, NR>,
) where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let mut minv = zeros();
    robot.minv(&mut minv);
    let mut held = Held::<T, NV, NR>::zeros(settings.iterations);
    held.fill(robot, &minv, active, settings.mu);
    linalg::mul_into(&minv, &(tau - robot.bias(v)), &mut found.ddq);
    (found.forces, found.residual) = held.hold(&mut found.ddq, &drift(robot, v, active, settings));
}

/// Velocities after an impact: `M (v+ - v-) = J^T impulses` and `J v+ = -restitution J v-` for the
/// active contacts.
#[must_use]
pub fn impulse<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    v: &SVector<T, NV>,
    active: &[bool; NC],
    restitution: T,
    settings: &ContactSettings<T, NC>,
) -> ContactImpulse<T, NV, NR>
where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let mut found = ContactImpulse::zeros();
    let given = (v, restitution);
    if !(pays::<T, R, NV, NB, NC>(robot, active)
        && impulse_by_factors(
            robot,
            given,
            active,
            settings,
            &mut found,
            &mut Delassus::zeros(settings.iterations),
        ))
    {
        impulse_by_inverse(robot, given, active, settings, &mut found);
    }
    let ContactImpulse { v_plus, mut impulses, mut residual } = found;
    if let Some(turns) = Turns::of(robot, active, settings.axes) {
        turns.to_world(robot.contacts(), &mut impulses);
        turns.to_world(robot.contacts(), &mut residual);
    }
    ContactImpulse { v_plus, impulses, residual }
}

/// [`impulse`] by the inverse of the mass matrix.
#[inline(never)]
fn impulse_by_inverse<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    (v, restitution): (&SVector<T, NV>, T),
    active: &[bool; NC],
    settings: &ContactSettings<T, NC>,
    found: &mut ContactImpulse<T, NV, NR>,
) where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let mut minv = zeros();
    robot.minv(&mut minv);
    let mut held = Held::<T, NV, NR>::zeros(settings.iterations);
    held.fill(robot, &minv, active, settings.mu);
    let rebound = linalg::tr_mul(&held.jt, v) * restitution;
    found.v_plus = *v;
    (found.impulses, found.residual) = held.hold(&mut found.v_plus, &rebound);
}

/// Torques that give the accelerations `a` under contact forces: `tau = M a + b - J^T forces`, with
/// all contacts' rows.
#[must_use]
pub fn inverse_dynamics<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    v: &SVector<T, NV>,
    a: &SVector<T, NV>,
    forces: &SVector<T, NR>,
) -> SVector<T, NV>
where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    robot.rnea_fext(v, a, &on_bodies(robot, forces))
}

/// [`inverse_dynamics`] under forces in the given axes.
#[must_use]
pub fn inverse_dynamics_in<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    v: &SVector<T, NV>,
    a: &SVector<T, NV>,
    forces: &SVector<T, NR>,
    axes: ContactAxes,
) -> SVector<T, NV>
where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let mut forces = *forces;
    if let Some(turns) = Turns::of(robot, &[true; NC], axes) {
        turns.to_own(robot.contacts(), &mut forces);
    }
    inverse_dynamics(robot, v, a, &forces)
}

/// [`delassus`] with rows in the given axes.
#[must_use]
pub fn delassus_in<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    active: &[bool; NC],
    axes: ContactAxes,
) -> SMatrix<T, NR, NR>
where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let mut own = delassus(robot, active);
    let Some(turns) = Turns::of(robot, active, axes) else { return own };
    // Turns its rows, then its columns as rows of the transpose.
    turns.to_world(robot.contacts(), &mut own);
    let mut out = zeros();
    linalg::transpose_into(&own, &mut out);
    turns.to_world(robot.contacts(), &mut out);
    out
}

/// [`jacobian`] with rows in the given axes.
#[must_use]
pub fn jacobian_in<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    active: &[bool; NC],
    axes: ContactAxes,
) -> SMatrix<T, NR, NV>
where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let mut out = jacobian(robot, active);
    if let Some(turns) = Turns::of(robot, active, axes) {
        turns.to_world(robot.contacts(), &mut out);
    }
    out
}

/// The Delassus matrix `J M^-1 J^T` of the active contacts; rows and columns of the others are zero.
#[must_use]
pub fn delassus<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    active: &[bool; NC],
) -> SMatrix<T, NR, NR>
where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let mut matrix = zeros();
    if pays::<T, R, NV, NB, NC>(robot, active) && delassus_by_factors(robot, active, &mut matrix) {
        return matrix;
    }
    delassus_by_inverse(robot, active)
}

/// [`delassus`] by the inverse of the mass matrix.
#[inline(never)]
fn delassus_by_inverse<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    active: &[bool; NC],
) -> SMatrix<T, NR, NR>
where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let mut minv = zeros();
    robot.minv(&mut minv);
    let mut held = Held::<T, NV, NR>::zeros(1);
    held.fill_turned(robot, &minv, active, |_| {});
    held.delassus.matrix
}

/// The Jacobian of the active contacts; rows of the others are zero.
#[must_use]
pub fn jacobian<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    active: &[bool; NC],
) -> SMatrix<T, NR, NV>
where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let mut out = zeros();
    jacobian_into(robot, active, &mut out);
    out
}

/// [`jacobian`] in place. Entries of `out` that are zero in every state are left alone.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn jacobian_into<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    active: &[bool; NC],
    out: &mut SMatrix<T, NR, NV>,
) where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    if rows::are_many(robot.contact_count(), active) && robot.row_jacobian(out.as_mut_slice()) {
        if rows::are_some_inactive(robot.contact_count(), active) {
            for column in &mut out.data.0 {
                rows::clear_inactive(robot.contacts(), active, column);
            }
        }
        return;
    }
    let mut jt: SMatrix<T, NV, NR> = zeros();
    jacobian_transpose(robot, active, &mut jt);
    linalg::transpose_into(&jt, out);
}

/// Poses of the contacts' frames in the world; for closed loops, of the first frames.
#[must_use]
pub fn placements<T, R, const NV: usize, const NB: usize, const NC: usize>(robot: &R) -> [Placement<T>; NC]
where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    core::array::from_fn(|k| robot.placement(k))
}

/// Position errors of the active contacts, row by row: of closed loops from being closed, of
/// contacts with the world from their anchors.
///
/// Zero for a contact without an anchor. Baumgarte's `kp` multiplies these errors.
#[must_use]
pub fn errors<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    active: &[bool; NC],
    settings: &ContactSettings<T, NC>,
) -> SVector<T, NR>
where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let mut errors = rows::errors(robot, active, settings);
    if let Some(turns) = Turns::of(robot, active, settings.axes) {
        turns.to_world(robot.contacts(), &mut errors);
    }
    errors
}

/// Contact forces on the bodies, each in its body's joint frame.
///
/// On bodies of first frames they are constant there if they are constant in the contacts' own
/// axes.
pub(super) fn on_bodies<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    forces: &SVector<T, NR>,
) -> [SVector<T, 6>; NB]
where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let mut fext = [zeros(); NB];
    let mut put = |on: &Carried, force: &SVector<T, 6>| {
        if let Some(f) = on.body.and_then(|body| fext.get_mut(body)) {
            *f += placed(on).act_force(force);
        }
    };
    for (k, contact) in robot.contacts().iter().enumerate() {
        let force = wrench(forces, contact);
        put(&contact.frame, &force);
        if let (Some(on), Some(second)) = (&contact.second, Second::of(robot, (k, contact))) {
            put(on, &second.reaction(&force));
        }
    }
    fext
}

fn placed<T: Scalar>(frame: &Carried) -> Placement<T> {
    let ([x, y, z], translation) = frame.placement;
    let [a, b, c] = x.map(T::from_f64);
    let [d, e, f] = y.map(T::from_f64);
    let [g, h, i] = z.map(T::from_f64);
    Placement {
        rotation: Matrix3::new(a, b, c, d, e, f, g, h, i),
        translation: Vector3::from(translation.map(T::from_f64)),
    }
}
