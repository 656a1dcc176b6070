//! A step with friction: the robot's part. The problem's solver is [`crate::friction`].

use super::dynamics::Held;
use super::friction_by_factors::step_by_factors;
use super::friction_problem::Compact;
use super::rows::errors;
use super::{ContactKind, ContactSettings, ContactTable, Mechanics};
use crate::__private::zeros;
use crate::friction::{ContactMode, ContactSurface, FrictionReport, FrictionSettings, Real};
use crate::linalg;
use nalgebra::{SMatrix, SVector, Vector3};

/// Velocities after a step with friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionVelocities<T, const NV: usize, const NC: usize, const NR: usize> {
    /// Joint velocities after the step.
    pub v: SVector<T, NV>,
    /// Motion of the step: `dt v`.
    pub motion: SVector<T, NV>,
    /// Impulses of the contacts in the world's axes; of closed loops in their own.
    pub impulses: SVector<T, NR>,
    /// Modes.
    pub modes: [ContactMode; NC],
    /// Report of the solver.
    pub report: FrictionReport<T>,
}

/// False of NaN.
fn is_positive<T: Real>(x: T) -> bool {
    x > T::zero()
}

/// Axes of a contact's rows in the world: two tangents and the normal.
pub(super) type Axes<T> = [Vector3<T>; 3];

/// Axes of a surface. `None` if the normal has no direction.
///
/// Source: Duff and others, 2017 (docs/math.md#contacts-with-friction).
fn axes_of<T: Real>(normal: &Vector3<T>) -> Option<Axes<T>> {
    let (zero, one) = (T::zero(), T::one());
    let largest = normal.iter().fold(zero, |most, x| {
        let x = if *x < zero { -*x } else { *x };
        if x > most { x } else { most }
    });
    let [x, y, z] = normal.data.0[0].map(|x| x / largest);
    let length = x.mul_add(x, y.mul_add(y, z * z)).sqrt();
    let [x, y, z] = [x, y, z].map(|x| x / length);
    let sign = if z < zero { -one } else { one };
    let a = -one / (sign + z);
    let b = x * y * a;
    let axes = [
        Vector3::new(sign * x * x * a + one, sign * b, -(sign * x)),
        Vector3::new(b, y.mul_add(y * a, sign), -y),
        Vector3::new(x, y, z),
    ];
    // Lengths of zero, of infinity and NaN give NaN.
    axes.iter().flatten().all(|x| *x * zero == zero).then_some(axes)
}

/// Offset that the solver adds to the normal's velocity, so that the target becomes zero.
#[derive(Clone, Copy)]
pub(super) struct Offset<T> {
    value: T,
    /// Derivative of the offset by the distance, 1/s.
    pub by_distance: T,
    /// Derivative of the offset by the velocity before the step: the restitution of a contact that rebounds.
    pub by_velocity: T,
}

/// The offset of a contact.
///
/// A contact may close, and not more, until the end of the step. A penetration is to lose its share. What
/// hits the surface within the step rebounds.
fn offset<T: Real>(
    surface: &ContactSurface<T>,
    velocity: T,
    dt: T,
    settings: &FrictionSettings<T>,
) -> Offset<T> {
    let (zero, distance) = (T::zero(), surface.distance);
    let (closing, by_distance) = match (dt > zero, distance > zero) {
        (false, _) => (zero, zero),
        (true, true) => (distance / dt, T::one() / dt),
        (true, false) => (settings.correction * distance / dt, settings.correction / dt),
    };
    let hits = distance <= zero || velocity * dt + distance <= zero;
    let rebound = surface.restitution * velocity;
    // What does not rebound comes to the surface, and not to rest above it.
    let rebounds = surface.restitution > zero && hits && velocity < -settings.least_impact;
    if rebounds && rebound < closing {
        Offset { value: rebound, by_distance: zero, by_velocity: surface.restitution }
    } else {
        Offset { value: closing, by_distance, by_velocity: zero }
    }
}

/// Rows of a contact, as three columns of the transposed Jacobian.
fn columns<'a, T, const NV: usize, const NR: usize>(
    of: &'a mut SMatrix<T, NV, NR>,
    contact: &ContactTable,
) -> Option<&'a mut [[T; NV]; 3]> {
    of.data.0.get_mut(contact.row..)?.first_chunk_mut()
}

/// Numbers of a contact's three rows.
pub(super) fn rows<T: Real, const NR: usize>(of: &SVector<T, NR>, contact: &ContactTable) -> Vector3<T> {
    let own = of.data.0[0].get(contact.row..).and_then(<[T]>::first_chunk::<3>);
    own.map_or_else(Vector3::zeros, |x| Vector3::from(*x))
}

/// A contact's three rows in a vector of all rows.
pub(super) fn rows_mut<'a, T>(of_all: &'a mut [T], contact: &ContactTable) -> Option<&'a mut [T; 3]> {
    of_all.get_mut(contact.row..)?.first_chunk_mut()
}

pub(super) fn dot<T: Real>(a: &Vector3<T>, b: &Vector3<T>) -> T {
    a.x * b.x + a.y * b.y + a.z * b.z
}

/// Closed loops, with the velocities and impulses that keep them closed.
pub(super) struct Loops<T, const NR: usize> {
    /// Impulses of closed loops without contacts.
    free: SVector<T, NR>,
    /// Derivatives of the impulses of closed loops by those of contacts.
    pub by_contacts: SMatrix<T, NR, NR>,
}

/// Velocities after a step with friction, and the contacts' impulses.
///
/// Contacts are points; a plane is left out. Closed loops are held. `start` are impulses from which the
/// solver begins, as those of the last step.
#[must_use]
pub fn friction_step<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    at: (&SVector<T, NV>, &SVector<T, NV>, T),
    surfaces: &[Option<ContactSurface<T>>; NC],
    settings: &FrictionSettings<T>,
    start: Option<&SVector<T, NR>>,
) -> FrictionVelocities<T, NV, NC, NR>
where
    T: Real,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let mut touching = Touching::zeros();
    let by_factors = step_by_factors(robot, at, surfaces, settings, start, &mut touching, |_| {});
    by_factors.unwrap_or_else(|| Stepped::alone(robot, at, surfaces, settings, start))
}

/// Contacts that touch, and their problem.
pub(super) struct Touching<T, const NC: usize, const NR: usize> {
    /// Axes of the contacts that touch.
    pub axes: [Option<Axes<T>>; NC],
    /// Offsets of their normals' velocities.
    pub offsets: [Option<Offset<T>>; NC],
    pub compact: Compact<T, NC, NR>,
}

impl<T: Real, const NC: usize, const NR: usize> Touching<T, NC, NR> {
    /// No contacts. They are filled in place, for they are kilobytes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn zeros() -> Self {
        Self { axes: [None; NC], offsets: [None; NC], compact: Compact::zeros() }
    }

    /// Finds which contacts touch.
    pub fn find(
        &mut self,
        contacts: &[ContactTable; NC],
        surfaces: &[Option<ContactSurface<T>>; NC],
        dt: T,
    ) -> [bool; NC] {
        let far = |surface: &ContactSurface<T>| surface.distance > T::zero() && !is_positive(dt);
        let is_point = |of: &ContactTable| of.second.is_none() && of.kind == ContactKind::Point;
        for (k, (axes, contact)) in self.axes.iter_mut().zip(contacts).enumerate() {
            let surface = surfaces[k].as_ref().filter(|surface| is_point(contact) && !far(surface));
            *axes = surface.and_then(|surface| axes_of(&surface.normal));
        }
        self.flags()
    }

    /// Flags of the contacts that touch.
    pub fn flags(&self) -> [bool; NC] {
        self.axes.each_ref().map(Option::is_some)
    }

    /// Makes the problem, of the velocities of rows before the step and after it without contacts.
    pub fn add(
        &mut self,
        contacts: &[ContactTable; NC],
        [before, after]: [&SVector<T, NR>; 2],
        (surfaces, dt): (&[Option<ContactSurface<T>>; NC], T),
        (delassus, settings): (&SMatrix<T, NR, NR>, &FrictionSettings<T>),
        start: Option<&SVector<T, NR>>,
    ) {
        let Self { axes, offsets, compact } = self;
        // The problem has the rows of touching contacts only, one after the other.
        let all = contacts.iter().zip(axes.iter().zip(offsets)).zip(surfaces);
        for (k, ((contact, (axes, to)), surface)) in all.enumerate() {
            let (Some(axes), Some(surface)) = (axes, surface) else { continue };
            let mut velocity = rows(after, contact);
            let offset = offset(surface, rows(before, contact).z, dt, settings);
            velocity.z += offset.value;
            *to = Some(offset);
            let start = start.map_or_else(Vector3::zeros, |start| rows(start, contact));
            let start = axes.each_ref().map(|axis| dot(axis, &start));
            compact.add((k, contact), surface, velocity.into(), start);
        }
        compact.copy_matrix(contacts, delassus);
    }

    /// Impulses of the problem's solution in the surfaces' axes, then in the world's, and modes. Closed loops
    /// stick.
    pub fn solution(
        &self,
        contacts: &[ContactTable; NC],
    ) -> (SVector<T, NR>, SVector<T, NR>, [ContactMode; NC]) {
        let (mut own, mut impulses, mut modes) = (zeros(), zeros(), [ContactMode::Open; NC]);
        for (k, f, mode) in self.compact.solution() {
            let (Some(contact), Some(Some(axes))) = (contacts.get(k), self.axes.get(k)) else { continue };
            let (own, world): (&mut SVector<T, NR>, &mut SVector<T, NR>) = (&mut own, &mut impulses);
            if let Some(to) = rows_mut(own.as_mut_slice(), contact) {
                *to = f;
            }
            if let Some(to) = rows_mut(world.as_mut_slice(), contact) {
                *to = to_world(axes, f);
            }
            if let Some(to) = modes.get_mut(k) {
                *to = mode;
            }
        }
        for (mode, _) in modes.iter_mut().zip(contacts).filter(|(_, contact)| contact.second.is_some()) {
            *mode = ContactMode::Stick;
        }
        (own, impulses, modes)
    }
}

/// Terms of a step for its derivatives, which take the inverse of the mass matrix.
pub(super) struct Stepped<T, const NV: usize, const NC: usize, const NR: usize> {
    pub touching: Touching<T, NC, NR>,
    pub minv: SMatrix<T, NV, NV>,
    /// Rows of the contacts that touch, in the surfaces' axes, with closed loops held.
    pub held: Held<T, NV, NR>,
    pub loops: Option<Loops<T, NR>>,
}

impl<T: Real, const NV: usize, const NC: usize, const NR: usize> Stepped<T, NV, NC, NR> {
    /// Terms of no step. They are filled in place, for they are kilobytes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn zeros() -> Self {
        Self { touching: Touching::zeros(), minv: zeros(), held: Held::zeros(1), loops: None }
    }

    /// [`friction_step`] by the inverse of the mass matrix.
    ///
    /// Its matrices would enlarge the stack frame of calls that take factors.
    #[inline(never)]
    fn alone<R, const NB: usize>(
        robot: &R,
        at: (&SVector<T, NV>, &SVector<T, NV>, T),
        surfaces: &[Option<ContactSurface<T>>; NC],
        settings: &FrictionSettings<T>,
        start: Option<&SVector<T, NR>>,
    ) -> FrictionVelocities<T, NV, NC, NR>
    where
        R: Mechanics<T, NV, NB, NC> + ?Sized,
    {
        let mut terms = Self::zeros();
        let free = terms.begin(robot, at, surfaces, settings, start);
        let report = terms.touching.compact.solve(settings);
        terms.conclude(robot.contacts(), at.2, (free, report))
    }

    /// Takes the step, by factors where [`friction_step`] does, for its bits. The terms must be zero.
    pub fn step<R, const NB: usize>(
        &mut self,
        robot: &R,
        at: (&SVector<T, NV>, &SVector<T, NV>, T),
        surfaces: &[Option<ContactSurface<T>>; NC],
        settings: &FrictionSettings<T>,
        start: Option<&SVector<T, NR>>,
    ) -> FrictionVelocities<T, NV, NC, NR>
    where
        R: Mechanics<T, NV, NB, NC> + ?Sized,
    {
        let Self { touching, minv, held, .. } = self;
        let by_factors = step_by_factors(robot, at, surfaces, settings, start, touching, |factored| {
            factored.inverse(robot, minv);
        });
        if let Some(found) = by_factors {
            held.fill_turned_rows(robot, minv, &touching.flags(), |jt| turn_rows(robot, &touching.axes, jt));
            return found;
        }
        let free = self.begin(robot, at, surfaces, settings, start);
        let report = self.touching.compact.solve(settings);
        self.conclude(robot.contacts(), at.2, (free, report))
    }

    /// Makes the problem of the contacts that touch. Returns the velocities without contacts.
    pub fn begin<R, const NB: usize>(
        &mut self,
        robot: &R,
        (v, tau, dt): (&SVector<T, NV>, &SVector<T, NV>, T),
        surfaces: &[Option<ContactSurface<T>>; NC],
        settings: &FrictionSettings<T>,
        start: Option<&SVector<T, NR>>,
    ) -> SVector<T, NV>
    where
        R: Mechanics<T, NV, NB, NC> + ?Sized,
    {
        let Self { touching, minv, held, loops } = self;
        let touch = touching.find(robot.contacts(), surfaces, dt);
        robot.minv(minv);
        let mut free = linalg::mul(minv, &(tau - robot.bias(v)));
        free.iter_mut().zip(v).for_each(|(free, v)| *free = free.mul_add(dt, *v));
        held.fill_turned(robot, minv, &touch, |jt| turn_rows(robot, &touching.axes, jt));
        *loops = hold_loops(robot, minv, dt, settings, &mut free, held);
        let (before, after) = (linalg::tr_mul(&held.jt, v), linalg::tr_mul(&held.jt, &free));
        let delassus = (&held.delassus.matrix, settings);
        touching.add(robot.contacts(), [&before, &after], (surfaces, dt), delassus, start);
        free
    }

    /// Velocities and impulses of the problem's solution.
    pub fn conclude(
        &self,
        contacts: &[ContactTable; NC],
        dt: T,
        (mut free, report): (SVector<T, NV>, FrictionReport<T>),
    ) -> FrictionVelocities<T, NV, NC, NR> {
        let Self { touching, held, loops, .. } = self;
        let (own, mut impulses, modes) = touching.solution(contacts);
        linalg::add_mul(&held.minv_jt, &own, &mut free);
        if let Some(loops) = loops {
            impulses += loops.free;
            linalg::add_mul(&loops.by_contacts, &own, &mut impulses);
        }
        FrictionVelocities { v: free, motion: free.map(|x| x * dt), impulses, modes, report }
    }
}

/// Numbers of a surface's axes in the world's.
pub(super) fn to_world<T: Real>(axes: &Axes<T>, f: [T; 3]) -> [T; 3] {
    core::array::from_fn(|r| axes[0][r] * f[0] + axes[1][r] * f[1] + axes[2][r] * f[2])
}

/// The surface's axes, as the frame's own see them. `frame`: the frame's axes in the world.
pub(super) fn seen<T: Real>(axes: &Axes<T>, frame: &[[T; 3]; 3]) -> Axes<T> {
    axes.each_ref().map(|axis| Vector3::from(frame.map(|own| dot(axis, &Vector3::from(own)))))
}

/// Rows of contacts that touch, as columns of the transposed Jacobian, become those in the surfaces' axes.
fn turn_rows<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    axes: &[Option<Axes<T>>; NC],
    jt: &mut SMatrix<T, NV, NR>,
) where
    T: Real,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    for (k, (contact, axes)) in robot.contacts().iter().zip(axes).enumerate() {
        if let (Some(axes), Some(columns)) = (axes, columns(jt, contact)) {
            turn(columns, axes, &robot.placement(k).rotation.data.0);
        }
    }
}

/// Rows in the frame's own axes become those of the surface's. `frame`: the frame's axes in the world.
fn turn<T: Real, const NV: usize>(columns: &mut [[T; NV]; 3], axes: &Axes<T>, frame: &[[T; 3]; 3]) {
    let by = seen(axes, frame);
    let [x, y, z] = columns;
    for ((x, y), z) in x.iter_mut().zip(y).zip(z) {
        let own = Vector3::new(*x, *y, *z);
        [*x, *y, *z] = by.map(|by| dot(&by, &own));
    }
}

/// Velocity that takes back the share of a closed loop's error, over the error, 1/s.
pub(super) fn share_of_errors<T: Real>(dt: T, settings: &FrictionSettings<T>) -> T {
    if dt > T::zero() { settings.correction / dt } else { T::zero() }
}

/// Closes the loops of the free motion, and of the motions by contacts' impulses. `None` without loops.
fn hold_loops<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    minv: &SMatrix<T, NV, NV>,
    dt: T,
    settings: &FrictionSettings<T>,
    free: &mut SVector<T, NV>,
    held: &mut Held<T, NV, NR>,
) -> Option<Loops<T, NR>>
where
    T: Real,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let closed = robot.contacts().each_ref().map(|contact| contact.second.is_some());
    if !closed.contains(&true) {
        return None;
    }
    let of_loops = ContactSettings::default();
    let mut loops = Held::<T, NV, NR>::zeros(of_loops.iterations);
    loops.fill(robot, minv, &closed, of_loops.mu);
    let offset: SVector<T, NR> = errors(robot, &closed, &of_loops) * share_of_errors(dt, settings);
    let (of_free, _) = loops.hold(free, &offset);
    let mut by_contacts = zeros();
    loops.hold_columns(&mut held.minv_jt, &mut by_contacts);
    held.delassus.matrix = zeros();
    linalg::add_tr_mul(&held.jt, &held.minv_jt, &mut held.delassus.matrix);
    Some(Loops { free: of_free, by_contacts })
}
