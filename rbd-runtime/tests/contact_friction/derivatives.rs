//! Derivatives of steps with friction against differences of the steps themselves, on random trees of every
//! kind of joint, also with dry friction and limits of joints.

use super::trees::{DT, Kind, NB, NC, NR, NV, Places, Surfaces, rows_of, surfaces};
use crate::common::{for_all, seeds, tries_all};
use crate::contacting::Padded;
use nalgebra::{DMatrix, DVector, SMatrix, SVector};
use rbd_runtime::Model;
use rbd_runtime::contact::{self, FrictionDerivativesOut, FrictionVelocities};
use rbd_runtime::friction::{ContactMode, FrictionSettings, JointContacts};
use rbd_runtime::random::{Random, State};
use rbd_runtime::reference::{Data, crba, frame_placement};

/// Velocities and impulses after a step, and the impulses on coordinates.
struct Found {
    step: FrictionVelocities<f64, NV, NC, NR>,
    joints: SVector<f64, NV>,
}

/// Rows of contacts and of coordinates.
const NA: usize = NR + NV;

/// A step at a state, with surfaces that stay where they are.
struct Case<'a> {
    model: &'a Model<f64>,
    x: &'a State,
    places: Places,
    surfaces: Surfaces,
    /// Friction and limits of joints, if the step has them.
    joints: Option<JointContacts<f64, NV>>,
    settings: FrictionSettings<f64>,
    dt: f64,
}

/// Derivatives by q, v and tau: of velocities, then of impulses.
struct Derivatives {
    found: Found,
    v: [SMatrix<f64, NV, NV>; 3],
    impulses: [SMatrix<f64, NR, NV>; 3],
    joints: [SMatrix<f64, NV, NV>; 3],
    margin: f64,
}

impl Case<'_> {
    fn robot(&self, q: &[f64]) -> Padded<'_, f64, NV, NB, NC> {
        self.places.robot(self.model, q)
    }

    fn derivatives(&self) -> Derivatives {
        let robot = self.robot(self.x.q.as_slice());
        let (v, tau) = (robot.pad(&self.x.v), robot.pad(&self.x.tau));
        // Whatever is there is written over.
        let (mut by_v, mut by_f) = ([SMatrix::repeat(f64::NAN); 3], [SMatrix::repeat(f64::NAN); 3]);
        let mut by_joints = [SMatrix::repeat(if self.joints.is_some() { f64::NAN } else { 0.0 }); 3];
        let out = FrictionDerivativesOut { v: by_v.each_mut(), impulses: by_f.each_mut() };
        let (at, surfaces, settings) = ((&v, &tau, self.dt), &self.surfaces, &self.settings);
        let (step, joints, margin) = match &self.joints {
            Some(joints) => {
                let out = (out, by_joints.each_mut());
                contact::friction_step_with_joints_derivatives::<_, _, NV, NB, NC, NR, NA>(
                    &robot, at, surfaces, joints, settings, None, out,
                )
            }
            None => {
                let (found, margin) =
                    contact::friction_step_derivatives(&robot, at, surfaces, settings, None, out);
                (found, SVector::zeros(), margin)
            }
        };
        Derivatives { found: Found { step, joints }, v: by_v, impulses: by_f, joints: by_joints, margin }
    }

    /// The step at a state moved by `size` along `direction`, in q, v or tau. `None` if a contact comes to
    /// the other side of its surface, where it is corrected at another rate, or rebounds where it did not.
    fn moved(&self, by: usize, direction: &DVector<f64>, size: f64, start: Option<&Found>) -> Option<Found> {
        let (change, mut x) = (direction * size, self.x.clone());
        let joints = self.joints.map(|mut joints| {
            for (k, change) in change.iter().enumerate().filter(|_| by == 0) {
                joints.to_lower[k] += change;
                joints.to_upper[k] -= change;
            }
            joints
        });
        match by {
            0 => self.model.integrate_into(self.x.q.as_slice(), change.as_slice(), x.q.as_mut_slice()),
            1 => x.v += change,
            _ => x.tau += change,
        }
        let mut surfaces = self.surfaces;
        for (surface, frame) in surfaces.iter_mut().zip(self.places.first) {
            if let Some(surface) = surface {
                let at = |q| frame_placement(self.model, &mut Data::new(self.model), q, frame).translation;
                let apart = at(x.q.as_slice()) - at(self.x.q.as_slice());
                surface.distance += surface.normal.normalize().dot(&apart);
            }
        }
        if self.sides(&x, &surfaces) != self.sides(self.x, &self.surfaces) {
            return None;
        }
        let beyond = |of: &JointContacts<f64, NV>| {
            [of.to_lower, of.to_upper].map(|to| to.map(|distance| distance > 0.0))
        };
        if joints.as_ref().map(beyond) != self.joints.as_ref().map(beyond) {
            return None;
        }
        let robot = self.robot(x.q.as_slice());
        let (v, tau) = (robot.pad(&x.v), robot.pad(&x.tau));
        let (at, settings) = ((&v, &tau, self.dt), &self.settings);
        let (step, on_joints) = match &joints {
            Some(joints) => {
                let start = start.map(|start| (&start.step.impulses, &start.joints));
                contact::friction_step_with_joints::<_, _, NV, NB, NC, NR, NA>(
                    &robot, at, &surfaces, joints, settings, start,
                )
            }
            None => {
                let start = start.map(|start| &start.step.impulses);
                (contact::friction_step(&robot, at, &surfaces, settings, start), SVector::zeros())
            }
        };
        Some(Found { step, joints: on_joints })
    }

    /// What each coordinate does: at its lower or upper limit, sticking, moving. `by`: how far the limits
    /// moved with q.
    fn joint_modes(&self, found: &Found, by: &DVector<f64>) -> Vec<usize> {
        let Some(joints) = &self.joints else { return Vec::new() };
        let reach = |distance: f64| match (self.dt > 0.0, distance > 0.0) {
            (true, beyond) => distance * if beyond { 1.0 } else { self.settings.correction } / self.dt,
            (false, true) => f64::INFINITY,
            (false, false) => 0.0,
        };
        let mode = |k: usize| {
            let (c, f) = (found.step.v[k], found.joints[k]);
            let (lower, upper) = (reach(joints.to_lower[k] + by[k]), reach(joints.to_upper[k] - by[k]));
            let kind = [
                f > 0.0 && c <= 1e-9 - lower,
                f < 0.0 && c >= upper - 1e-9,
                joints.friction[k] > 0.0 && c.abs() < 1e-9,
                true,
            ];
            kind.iter().position(|is| *is).unwrap()
        };
        (0..self.model.nv).map(mode).collect()
    }

    /// Whether each contact is off its surface, and whether it rebounds.
    fn sides(&self, x: &State, surfaces: &Surfaces) -> [[bool; 2]; NC] {
        core::array::from_fn(|k| {
            let Some(surface) = surfaces[k] else { return [false; 2] };
            let rows = rows_of(self.model, x.q.as_slice(), self.places.first[k]);
            let approach = (rows * &x.v).dot(&surface.normal.normalize());
            let share = if surface.distance > 0.0 { 1.0 } else { self.settings.correction };
            let least = if self.dt > 0.0 { share * surface.distance / self.dt } else { 0.0 };
            let hits = surface.distance <= 0.0 || approach * self.dt + surface.distance <= 0.0;
            [surface.distance > 0.0, hits && approach < 0.0 && surface.restitution * approach < least]
        })
    }

    /// Derivatives of velocities and impulses along a direction, by central differences of two sizes, which
    /// cancel the error of order 2. `None` if a contact changes its mode.
    fn difference(
        &self,
        at: &Found,
        by: usize,
        direction: &DVector<f64>,
    ) -> Option<(SVector<f64, NV>, SVector<f64, NR>, SVector<f64, NV>)> {
        let still = DVector::zeros(self.model.nv);
        let moves = if by == 0 { direction } else { &still };
        let central = |size: f64| {
            let a = self.moved(by, direction, size, Some(at))?;
            let b = self.moved(by, direction, -size, Some(at))?;
            let same = [(&a, size), (&b, -size)].iter().all(|(x, size)| {
                let joints = self.joint_modes(x, &(moves * *size)) == self.joint_modes(at, &still);
                x.step.report.converged && x.step.modes == at.step.modes && joints
            });
            same.then(|| {
                let per = 1.0 / (2.0 * size);
                let joints = (a.joints - b.joints) * per;
                ((a.step.v - b.step.v) * per, (a.step.impulses - b.step.impulses) * per, joints)
            })
        };
        let size = 1e-4;
        let (wide, narrow) = (central(size)?, central(size / 2.0)?);
        // Slow sliding turns fast: differences of two sizes that disagree are no derivative.
        if (wide.0 - narrow.0).amax() > 1e-4 * narrow.0.amax().max(1.0) {
            return None;
        }
        let [v, joints] =
            [(narrow.0, wide.0), (narrow.2, wide.2)].map(|(narrow, wide)| (narrow * 4.0 - wide) / 3.0);
        Some((v, (narrow.1 * 4.0 - wide.1) / 3.0, joints))
    }

    /// The inverse of the mass matrix.
    fn minv(&self) -> DMatrix<f64> {
        let q = self.x.q.as_slice();
        crba(self.model, &mut Data::new(self.model), q).clone().try_inverse().unwrap()
    }

    /// Rows of these contacts.
    fn rows(&self, of: [bool; NC]) -> DMatrix<f64> {
        let jacobian: SMatrix<f64, NR, NV> = contact::jacobian(&self.robot(self.x.q.as_slice()), &of);
        let rows: Vec<usize> = (0..NR).filter(|row| of[row / 3]).collect();
        jacobian.columns(0, self.model.nv).select_rows(&rows)
    }

    /// Whether the impulses are unique: rows that carry some do not depend on one another.
    fn is_regular(&self, found: &Found) -> bool {
        let rows = self.rows(found.step.modes.map(|mode| mode != ContactMode::Open));
        let n = self.model.nv;
        let modes = self.joint_modes(found, &DVector::zeros(n));
        let held: Vec<usize> = (0..modes.len()).filter(|k| modes[*k] < 3).collect();
        let all = DMatrix::from_fn(rows.nrows() + held.len(), n, |row, k| {
            row.checked_sub(rows.nrows()).map_or_else(|| rows[(row, k)], |joint| f64::from(held[joint] == k))
        });
        if all.nrows() == 0 {
            return true;
        }
        let own = (&all * self.minv() * all.transpose()).symmetric_eigen();
        own.eigenvalues.min() > 1e-5 * own.eigenvalues.max()
    }

    /// Whether closed loops lock a coordinate, whose impulse is then any.
    fn is_locked(&self) -> bool {
        let rows = self.rows(self.places.second.map(|second| second.is_some()));
        if rows.nrows() == 0 {
            return false;
        }
        let minv = self.minv();
        let by_loops = &rows * &minv;
        let held = (&rows * &minv * rows.transpose()).pseudo_inverse(1e-9).unwrap();
        let closed = &minv - by_loops.transpose() * held * &by_loops;
        let holds = |of: &JointContacts<f64, NV>, k: usize| {
            of.friction[k] > 0.0 || of.to_lower[k].min(of.to_upper[k]).is_finite()
        };
        let any = |of: &JointContacts<f64, NV>| {
            (0..self.model.nv).any(|k| holds(of, k) && closed[(k, k)] < 1e-6 * minv[(k, k)])
        };
        self.joints.as_ref().is_some_and(any)
    }
}

/// What a check saw.
#[derive(Debug, Default)]
struct Seen {
    compared: usize,
    left_out: usize,
    modes: [usize; 3],
    /// Coordinates at their lower and upper limits, sticking and moving.
    joints: [usize; 4],
    rebounds: usize,
    regular: usize,
    worst: [f64; 3],
}

/// Friction and limits of some coordinates.
fn joints_of(model: &Model<f64>, random: &mut Random, any: bool) -> JointContacts<f64, NV> {
    let mut joints = JointContacts::none();
    let least = if any { -0.01 } else { 0.0 };
    for k in 0..model.nv {
        if random.chance(0.5) {
            joints.friction[k] = random.uniform(0.0, 3.0) * if random.chance(0.5) { 200.0 } else { 1.0 };
        }
        if random.chance(0.3) {
            joints.to_lower[k] = random.uniform(least, 0.02);
        }
        if random.chance(0.3) {
            // No range is empty.
            joints.to_upper[k] = random.uniform(least.max(0.001 - joints.to_lower[k]), 0.02);
        }
    }
    joints
}

/// How the robot is made, whether contacts and limits may be penetrated and may rebound, and
/// the time of the step.
type Sort = (Kind, bool, f64);

fn check(kind: Kind, any: bool, dt: f64) -> Seen {
    let (mut random, mut seen) = (Random::new(11), Seen::default());
    // Each with several surfaces.
    (0..2).for_each(|_| compare_all((kind, any, dt), false, |_| true, (&mut random, &mut seen)));
    println!("{kind:?}, any {any}, dt {dt}: {seen:?}");
    assert!(seen.compared > 5 * seen.left_out && seen.modes.iter().all(|x| *x > 3), "{seen:?}");
    seen
}

/// Compares derivatives of steps of some random trees.
fn compare_all(
    (kind, any, dt): Sort,
    with_joints: bool,
    takes: impl Fn(usize) -> bool,
    (random, seen): (&mut Random, &mut Seen),
) {
    let mut count = 0;
    let correction = if any { 0.2 } else { 0.0 };
    let settings = FrictionSettings { correction, tolerance: 1e-11, ..Default::default() };
    for_all(|model, x| {
        count += 1;
        if !takes(count) {
            return;
        }
        let places = Places::of(model, kind);
        let mut surfaces = surfaces(random, any);
        if dt == 0.0 {
            surfaces.iter_mut().flatten().for_each(|surface| surface.distance = -surface.distance.abs());
        }
        let joints = with_joints.then(|| joints_of(model, random, any));
        let case = Case { model, x, places, surfaces, joints, settings, dt };
        let (got, still) = (case.derivatives(), DVector::zeros(model.nv));
        let plain = case.moved(2, &still, 0.0, None).unwrap();
        assert_eq!(got.found.step.v, plain.step.v, "the step is the same");
        assert_eq!(got.found.joints, plain.joints, "the step is the same");
        // Near a change of mode there is no derivative.
        let least = if with_joints { 1e-3 } else { 1e-2 };
        if !got.found.step.report.converged || got.margin < least || case.is_locked() {
            seen.left_out += 1;
            return;
        }
        let is_regular = case.is_regular(&got.found);
        for by in 0..3 {
            for _ in seeds(2) {
                let direction = DVector::from_fn(model.nv, |_, _| random.uniform(-1.0, 1.0));
                let Some((v, f, on_joints)) = case.difference(&got.found, by, &direction) else {
                    seen.left_out += 1;
                    continue;
                };
                seen.compared += 1;
                let direction = SVector::<f64, NV>::from_fn(|k, _| direction.get(k).copied().unwrap_or(0.0));
                // Differences have no more digits than what they are differences of.
                let error = |lost: f64, by: f64, of: f64| lost / by.max(of).max(1.0);
                let (found, modes) = (&got.found, got.found.step.modes);
                let lost = (got.v[by] * direction - v).amax();
                let mut errors = [error(lost, got.v[by].amax(), found.step.v.amax()), 0.0, 0.0];
                if is_regular {
                    let lost = (got.impulses[by] * direction - f).amax();
                    errors[1] = error(lost, got.impulses[by].amax(), found.step.impulses.amax());
                    let lost = (got.joints[by] * direction - on_joints).amax();
                    errors[2] = error(lost, got.joints[by].amax(), found.joints.amax());
                }
                for (worst, error) in seen.worst.iter_mut().zip(errors) {
                    *worst = worst.max(error);
                    assert!(error < 1e-6, "velocities, impulses, joints by {by}: {errors:?}, {modes:?}");
                }
            }
        }
        seen.regular += usize::from(is_regular);
        case.joint_modes(&got.found, &still).into_iter().for_each(|mode| seen.joints[mode] += 1);
        for (surface, mode) in
            surfaces.iter().zip(&got.found.step.modes).filter(|(surface, _)| surface.is_some())
        {
            seen.modes[*mode as usize] += 1;
            seen.rebounds += usize::from(surface.is_some_and(|s| s.restitution > 0.0));
        }
    });
}

#[test]
fn derivatives_are_those_of_the_step() {
    check(Kind::Open, false, DT);
    check(Kind::OpenWithFactors, false, DT);
}

#[test]
fn derivatives_beside_closed_loops() {
    check(Kind::Closed, false, DT);
}

#[test]
fn derivatives_of_penetrations_and_rebounds() {
    assert!(check(Kind::OpenWithFactors, true, DT).rebounds > 10);
    check(Kind::Closed, true, DT);
}

/// An impact: no time passes.
#[test]
fn derivatives_through_an_impact() {
    assert!(check(Kind::OpenWithFactors, true, 0.0).rebounds > 10);
}

/// Coordinates stick, slide, and are at limits, which move with q: also beside closed loops, beyond limits,
/// where the share that a step takes back changes with q, and in impacts, which know no friction.
#[test]
fn derivatives_with_friction_and_limits_of_joints() {
    let (mut random, mut seen) = (Random::new(11), Seen::default());
    let sorts = [
        (Kind::Open, false, DT),
        (Kind::Closed, false, DT),
        (Kind::Closed, true, DT),
        (Kind::Open, true, 0.0),
    ];
    for (k, sort) in sorts.into_iter().enumerate() {
        compare_all(sort, true, |count| tries_all() || count % sorts.len() == k, (&mut random, &mut seen));
    }
    println!("with joints: {seen:?}");
    let Seen { compared, left_out, modes, joints, .. } = seen;
    assert!(
        compared > 3 * left_out && modes.iter().all(|x| *x > 3) && joints.iter().all(|x| *x > 3),
        "{seen:?}"
    );
}
