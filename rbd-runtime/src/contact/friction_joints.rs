//! A step with friction at contacts and in joints, within the joints' limits, and its derivatives: the
//! robot's part.

use super::dynamics::Held;
use super::friction::{FrictionVelocities, Stepped, friction_step};
use super::friction_derivatives::{
    Changes, FrictionDerivativesOut, derivatives_of, friction_step_derivatives, margin_of,
};
use super::friction_problem::Memory;
use super::{ContactSettings, Mechanics};
use crate::__private::zeros;
use crate::friction::{
    ContactSurface, FrictionMemory, FrictionProblem, FrictionReport, FrictionSettings, JointContacts,
    JointLaw, Linearised, Real, solve_with_joints,
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
    if !(0..NV).any(|k| joints.holds(k)) {
        let of_contacts = start.map(|(contacts, _)| contacts);
        return (friction_step(robot, at, surfaces, settings, of_contacts), zeros());
    }
    SteppedWithJoints::<T, NV, NC, NR, NA>::alone(robot, at, surfaces, joints, settings, start)
}

/// [`friction_step_with_joints`] with derivatives. Every entry of `out` and of `on_joints` is written.
///
/// `on_joints` receives those of the impulses on coordinates, by q, v and tau. Returns the step's result, the
/// impulses on the coordinates, and the margin of
/// [`impulse_derivatives_with_joints`](crate::friction::impulse_derivatives_with_joints).
///
/// What [`friction_step_derivatives`](super::friction_step_derivatives) says of contacts holds here too. The
/// distance from a limit changes with its own coordinate. Bounds of friction do not change.
#[must_use]
pub fn friction_step_with_joints_derivatives<
    T,
    R,
    const NV: usize,
    const NB: usize,
    const NC: usize,
    const NR: usize,
    const NA: usize,
>(
    robot: &R,
    (v, tau, dt): (&SVector<T, NV>, &SVector<T, NV>, T),
    surfaces: &[Option<ContactSurface<T>>; NC],
    joints: &JointContacts<T, NV>,
    settings: &FrictionSettings<T>,
    start: Option<(&SVector<T, NR>, &SVector<T, NV>)>,
    (out, mut on_joints): (FrictionDerivativesOut<'_, T, NV, NR>, [&mut SMatrix<T, NV, NV>; 3]),
) -> (FrictionVelocities<T, NV, NC, NR>, SVector<T, NV>, T)
where
    T: Real,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    if !(0..NV).any(|k| joints.holds(k)) {
        on_joints.iter_mut().for_each(|to| **to = zeros());
        let (state, of_contacts) = ((v, tau, dt), start.map(|(contacts, _)| contacts));
        let (found, margin) = friction_step_derivatives(robot, state, surfaces, settings, of_contacts, out);
        return (found, zeros(), margin);
    }
    let mut terms = SteppedWithJoints::<T, NV, NC, NR, NA>::zeros();
    let (found, impulses) = terms.step(robot, (v, tau, dt), surfaces, joints, settings, start);
    let of_contacts = (&terms.contacts, &found);
    let mut memory = Memory::<T, NA>::zeros();
    let mut solution = terms.linearised(memory.all());
    derivatives_of(robot, (v, dt), of_contacts, settings, out, |by, changes| {
        // Limits move with q alone.
        let law = |k| match by {
            0 => joints.law_by_coordinate(k, dt, settings.correction),
            _ => JointLaw::zero(),
        };
        let mut nothing = zeros();
        let on_joints = on_joints.get_mut(by).map_or(&mut nothing, |to| &mut **to);
        if let Ok(solution) = &mut solution {
            terms.derivatives(solution, law, changes, on_joints);
        }
    });
    (found, impulses, margin_of(&solution))
}

/// Terms of a step with joints, which its derivatives take too.
struct SteppedWithJoints<T, const NV: usize, const NC: usize, const NR: usize, const NA: usize> {
    contacts: Stepped<T, NV, NC, NR>,
    /// Velocities by impulses on coordinates, with closed loops held.
    by_joints: SMatrix<T, NV, NV>,
    /// Impulses of closed loops by those on coordinates.
    loops_by_joints: SMatrix<T, NR, NV>,
    /// Rows of contacts, then those of coordinates that have friction or limits.
    rows: [Row; NA],
    /// Number of rows.
    count: usize,
    delassus: [[T; NA]; NA],
    velocity: [T; NA],
    impulses: [T; NA],
    laws: [JointLaw<T>; NV],
}

impl<T: Real, const NV: usize, const NC: usize, const NR: usize, const NA: usize>
    SteppedWithJoints<T, NV, NC, NR, NA>
{
    /// Terms of no step. They are filled in place, for they are kilobytes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn zeros() -> Self {
        const { assert!(NA == NR + NV, "rows of contacts and of coordinates") };
        Self {
            contacts: Stepped::zeros(),
            by_joints: zeros(),
            loops_by_joints: zeros(),
            rows: [Row::Joint(0); NA],
            count: 0,
            delassus: [[T::zero(); NA]; NA],
            velocity: [T::zero(); NA],
            impulses: [T::zero(); NA],
            laws: [JointLaw::zero(); NV],
        }
    }

    /// [`friction_step_with_joints`], with friction or limits.
    ///
    /// Its matrices would enlarge the stack frame of calls without them.
    #[inline(never)]
    fn alone<R, const NB: usize>(
        robot: &R,
        at: (&SVector<T, NV>, &SVector<T, NV>, T),
        surfaces: &[Option<ContactSurface<T>>; NC],
        joints: &JointContacts<T, NV>,
        settings: &FrictionSettings<T>,
        start: Option<(&SVector<T, NR>, &SVector<T, NV>)>,
    ) -> (FrictionVelocities<T, NV, NC, NR>, SVector<T, NV>)
    where
        R: Mechanics<T, NV, NB, NC> + ?Sized,
    {
        Self::zeros().step(robot, at, surfaces, joints, settings, start)
    }

    /// Takes the step. The terms must be zero.
    fn step<R, const NB: usize>(
        &mut self,
        robot: &R,
        at: (&SVector<T, NV>, &SVector<T, NV>, T),
        surfaces: &[Option<ContactSurface<T>>; NC],
        joints: &JointContacts<T, NV>,
        settings: &FrictionSettings<T>,
        start: Option<(&SVector<T, NR>, &SVector<T, NV>)>,
    ) -> (FrictionVelocities<T, NV, NC, NR>, SVector<T, NV>)
    where
        R: Mechanics<T, NV, NB, NC> + ?Sized,
    {
        let (contacts, dt) = (robot.contacts(), at.2);
        let of_contacts = start.map(|(contacts, _)| contacts);
        let mut free = self.contacts.begin(robot, at, surfaces, settings, of_contacts);
        self.by_joints = self.contacts.minv;
        if self.contacts.loops.is_some() {
            let closed = contacts.each_ref().map(|contact| contact.second.is_some());
            let mut loops = Held::<T, NV, NR>::zeros(1);
            loops.fill(robot, &self.contacts.minv, &closed, ContactSettings::<T, NC>::default().mu);
            loops.hold_columns(&mut self.by_joints, &mut self.loops_by_joints);
        }
        let of_contacts = self
            .contacts
            .touching
            .compact
            .rows_of(contacts)
            .flat_map(|row| [row, row + 1, row + 2])
            .map(Row::Contact);
        let of_joints = (0..NV).filter(|k| joints.holds(*k)).map(Row::Joint);
        for (to, row) in self.rows.iter_mut().zip(of_contacts.chain(of_joints)) {
            (*to, self.count) = (row, self.count + 1);
        }
        let law = |k| joints.law(k, dt, settings.correction);
        self.make(&free, law, start.map(|(_, joints)| joints));
        let report = self.solve(settings);
        let mut on_joints: SVector<T, NV> = zeros();
        for (k, (row, f)) in self.rows.iter().take(self.count).zip(&self.impulses).enumerate() {
            let to = match row {
                Row::Contact(_) => self.contacts.touching.compact.impulses.get_mut(k),
                Row::Joint(joint) => on_joints.get_mut(*joint),
            };
            if let Some(to) = to {
                *to = *f;
            }
        }
        linalg::add_mul(&self.by_joints, &on_joints, &mut free);
        let mut found = self.contacts.conclude(contacts, dt, (free, report));
        linalg::add_mul(&self.loops_by_joints, &on_joints, &mut found.impulses);
        (found, on_joints)
    }

    /// Makes the problem, whose rows are known.
    fn make(
        &mut self,
        free: &SVector<T, NV>,
        law: impl Fn(usize) -> JointLaw<T>,
        start: Option<&SVector<T, NV>>,
    ) {
        let Self { contacts, by_joints, rows, count, delassus, velocity, impulses, laws, .. } = self;
        let (rows, own) = (rows.get(..*count).unwrap_or(&[]), contacts.touching.compact.rows());
        let own_velocity = contacts.touching.compact.problem().velocity;
        for (k, row) in rows.iter().enumerate() {
            let (mut of_velocity, mut of_impulse) = (T::zero(), T::zero());
            match row {
                Row::Contact(_) => {
                    of_velocity = own_velocity.get(k).copied().unwrap_or(of_velocity);
                    of_impulse = contacts.touching.compact.impulses.get(k).copied().unwrap_or(of_impulse);
                }
                Row::Joint(joint) => {
                    of_velocity = free.get(*joint).copied().unwrap_or(of_velocity);
                    of_impulse = start.and_then(|start| start.get(*joint).copied()).unwrap_or(of_impulse);
                    if let Some(to) = k.checked_sub(own).and_then(|k| laws.get_mut(k)) {
                        *to = law(*joint);
                    }
                }
            }
            if let (Some(velocity), Some(impulse)) = (velocity.get_mut(k), impulses.get_mut(k)) {
                (*velocity, *impulse) = (of_velocity, of_impulse);
            }
        }
        let entry = |a: Row, b: Row| {
            let (column, row) = match (a, b) {
                (Row::Contact(a), Row::Contact(b)) => {
                    (contacts.held.delassus.matrix.data.0.get(a).map(<[T; NR]>::as_slice), b)
                }
                (Row::Contact(a), Row::Joint(b)) | (Row::Joint(b), Row::Contact(a)) => {
                    (contacts.held.minv_jt.data.0.get(a).map(<[T; NV]>::as_slice), b)
                }
                (Row::Joint(a), Row::Joint(b)) => (by_joints.data.0.get(a).map(<[T; NV]>::as_slice), b),
            };
            column.and_then(|column| column.get(row).copied()).unwrap_or(T::zero())
        };
        for (to, a) in delassus.as_flattened_mut().chunks_exact_mut((*count).max(1)).zip(rows) {
            to.iter_mut().zip(rows).for_each(|(to, b)| *to = entry(*a, *b));
        }
    }

    /// The problem, and the laws of its coordinates.
    fn problem(&self) -> (FrictionProblem<'_, T>, &[JointLaw<T>]) {
        let count = self.count;
        let FrictionProblem { friction, compliance, .. } = self.contacts.touching.compact.problem();
        let problem = FrictionProblem {
            delassus: self.delassus.as_flattened().get(..count * count).unwrap_or(&[]),
            velocity: self.velocity.get(..count).unwrap_or(&[]),
            friction,
            compliance,
        };
        let own = self.contacts.touching.compact.rows();
        (problem, self.laws.get(..count.saturating_sub(own)).unwrap_or(&[]))
    }

    /// Solves the problem. Impulses and modes are kept.
    fn solve(&mut self, settings: &FrictionSettings<T>) -> FrictionReport<T> {
        let (mut impulses, mut modes) = (self.impulses, self.contacts.touching.compact.modes);
        let (problem, laws) = self.problem();
        let found = impulses.get_mut(..self.count).unwrap_or_default();
        let of_contacts = modes.get_mut(..problem.friction.len()).unwrap_or_default();
        let mut memory = Memory::<T, NA>::zeros();
        let report = solve_with_joints(&problem, laws, settings, found, of_contacts, memory.all());
        (self.impulses, self.contacts.touching.compact.modes) = (impulses, modes);
        report
    }

    /// The solution, for derivatives.
    fn linearised<'a>(&'a self, memory: FrictionMemory<'a, T>) -> Result<Linearised<'a, T>, T> {
        let (problem, laws) = self.problem();
        let impulses = self.impulses.get(..self.count).unwrap_or(&[]);
        let modes = self.contacts.touching.compact.modes.get(..problem.friction.len()).unwrap_or(&[]);
        Linearised::with_joints(&problem, laws, (impulses, modes), memory)
    }

    /// Derivatives of the impulses by one of q, v and tau, and what those on coordinates add to `changes`.
    /// `law`: the derivative of a coordinate's law by this coordinate.
    fn derivatives(
        &self,
        solution: &mut Linearised<'_, T>,
        law: impl Fn(usize) -> JointLaw<T>,
        changes: Changes<'_, T, NV, NR>,
        on_joints: &mut SMatrix<T, NV, NV>,
    ) {
        let Changes { v, contacts, loops } = changes;
        let count = self.count;
        let rows = || self.rows.iter().take(count);
        // Columns of the problem's rows, then back to where they were.
        let mut columns = [[T::zero(); NA]; NV];
        let columns = columns.as_flattened_mut().get_mut(..count * NV).unwrap_or_default();
        let all = columns.chunks_exact_mut(count.max(1)).zip(contacts.data.0.iter().zip(&v.data.0));
        for (column, (of_contacts, of_v)) in all {
            for (to, row) in column.iter_mut().zip(rows()) {
                let from = match row {
                    Row::Contact(row) => of_contacts.get(*row),
                    Row::Joint(joint) => of_v.get(*joint),
                };
                *to = from.copied().unwrap_or(T::zero());
            }
        }
        let own = self.contacts.touching.compact.rows();
        let by = |column, joint: usize| match self.rows.get(own + joint) {
            Some(Row::Joint(k)) if *k == column => law(column),
            _ => JointLaw::zero(),
        };
        solution.solve(&mut *columns, by);
        contacts.data.0 = [[T::zero(); NR]; NV];
        on_joints.data.0 = [[T::zero(); NV]; NV];
        let all = contacts.data.0.iter_mut().zip(&mut on_joints.data.0);
        for (column, (of_contacts, of_joints)) in columns.chunks_exact(count.max(1)).zip(all) {
            for (from, row) in column.iter().zip(rows()) {
                let to = match row {
                    Row::Contact(row) => of_contacts.get_mut(*row),
                    Row::Joint(joint) => of_joints.get_mut(*joint),
                };
                if let Some(to) = to {
                    *to = *from;
                }
            }
        }
        linalg::add_mul(&self.by_joints, on_joints, v);
        linalg::add_mul(&self.loops_by_joints, on_joints, loops);
    }
}
