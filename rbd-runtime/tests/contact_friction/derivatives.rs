//! Derivatives of steps with friction against differences of the steps themselves, on random trees of every
//! kind of joint.

use super::trees::{DT, NB, NC, NR, NV, Places, Surfaces, rows_of, surfaces};
use crate::common::{for_all, seeds};
use crate::contacting::Padded;
use nalgebra::{DVector, SMatrix, SVector};
use rbd_runtime::contact::{self, FrictionDerivativesOut, FrictionVelocities};
use rbd_runtime::friction::{ContactMode, FrictionSettings};
use rbd_runtime::random::{Random, State};
use rbd_runtime::reference::{Data, frame_placement};
use rbd_runtime::{ContactKind, Model};

type Found = FrictionVelocities<f64, NV, NC, NR>;

/// A step at a state, with surfaces that stay where they are.
struct Case<'a> {
    model: &'a Model<f64>,
    x: &'a State,
    places: Places,
    surfaces: Surfaces,
    settings: FrictionSettings<f64>,
    dt: f64,
}

/// Derivatives by q, v and tau: of velocities, then of impulses.
struct Derivatives {
    found: Found,
    v: [SMatrix<f64, NV, NV>; 3],
    impulses: [SMatrix<f64, NR, NV>; 3],
    margin: f64,
}

impl Case<'_> {
    fn robot(&self, q: &[f64]) -> Padded<'_, f64, NV, NB, NC> {
        let points = self.places.first.map(|frame| (frame, ContactKind::Point));
        Padded::closed(self.model, self.model, q, points, self.places.second)
    }

    fn derivatives(&self) -> Derivatives {
        let robot = self.robot(self.x.q.as_slice());
        let (v, tau) = (robot.pad(&self.x.v), robot.pad(&self.x.tau));
        // Whatever is there is written over.
        let (mut by_v, mut by_f) = ([SMatrix::repeat(f64::NAN); 3], [SMatrix::repeat(f64::NAN); 3]);
        let out = FrictionDerivativesOut { v: by_v.each_mut(), impulses: by_f.each_mut() };
        let at = (&v, &tau, self.dt);
        let (found, margin) =
            contact::friction_step_derivatives(&robot, at, &self.surfaces, &self.settings, None, out);
        Derivatives { found, v: by_v, impulses: by_f, margin }
    }

    /// The step at a state moved by `size` along `direction`, in q, v or tau. `None` if a contact comes to
    /// the other side of its surface, where it is corrected at another rate, or rebounds where it did not.
    fn moved(
        &self,
        by: usize,
        direction: &DVector<f64>,
        size: f64,
        start: &SVector<f64, NR>,
    ) -> Option<Found> {
        let (change, mut x) = (direction * size, self.x.clone());
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
        let robot = self.robot(x.q.as_slice());
        let (v, tau) = (robot.pad(&x.v), robot.pad(&x.tau));
        let at = (&v, &tau, self.dt);
        Some(contact::friction_step(&robot, at, &surfaces, &self.settings, Some(start)))
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
    ) -> Option<(SVector<f64, NV>, SVector<f64, NR>)> {
        let central = |size: f64| {
            let a = self.moved(by, direction, size, &at.impulses)?;
            let b = self.moved(by, direction, -size, &at.impulses)?;
            let same = [&a, &b].iter().all(|x| x.report.converged && x.modes == at.modes);
            same.then(|| ((a.v - b.v) / (2.0 * size), (a.impulses - b.impulses) / (2.0 * size)))
        };
        let size = 1e-4;
        let (wide, narrow) = (central(size)?, central(size / 2.0)?);
        Some(((narrow.0 * 4.0 - wide.0) / 3.0, (narrow.1 * 4.0 - wide.1) / 3.0))
    }

    /// Whether the impulses are unique: the rows of contacts that carry some do not depend on one another.
    fn is_regular(&self, found: &Found) -> bool {
        let robot = self.robot(self.x.q.as_slice());
        let carries: [bool; NC] = core::array::from_fn(|k| found.modes[k] != ContactMode::Open);
        let delassus: SMatrix<f64, NR, NR> = contact::delassus(&robot, &carries);
        let rows: Vec<usize> = (0..NR).filter(|row| carries[row / 3]).collect();
        if rows.is_empty() {
            return true;
        }
        let own = delassus.select_rows(&rows).select_columns(&rows).symmetric_eigen();
        own.eigenvalues.min() > 1e-5 * own.eigenvalues.max()
    }
}

/// What a check saw.
#[derive(Debug, Default)]
struct Seen {
    compared: usize,
    left_out: usize,
    modes: [usize; 3],
    rebounds: usize,
    regular: usize,
    worst: [f64; 2],
}

fn check(closed: bool, any: bool, dt: f64) -> Seen {
    let (mut random, mut seen) = (Random::new(11), Seen::default());
    let correction = if any { 0.2 } else { 0.0 };
    let settings = FrictionSettings { correction, tolerance: 1e-11, ..Default::default() };
    let mut compare = |model: &Model<f64>, x: &State| {
        let places = Places::of(model, closed);
        let mut surfaces = surfaces(&mut random, any);
        if dt == 0.0 {
            surfaces.iter_mut().flatten().for_each(|surface| surface.distance = -surface.distance.abs());
        }
        let case = Case { model, x, places, surfaces, settings, dt };
        let got = case.derivatives();
        let plain = case.moved(2, &DVector::zeros(model.nv), 0.0, &SVector::zeros()).unwrap();
        assert_eq!(got.found.v, plain.v, "the step is the same");
        // Near a change of mode there is no derivative.
        if !got.found.report.converged || got.margin < 1e-2 {
            seen.left_out += 1;
            return;
        }
        let is_regular = case.is_regular(&got.found);
        for by in 0..3 {
            for _ in seeds(2) {
                let direction = DVector::from_fn(model.nv, |_, _| random.uniform(-1.0, 1.0));
                let Some((v, f)) = case.difference(&got.found, by, &direction) else {
                    seen.left_out += 1;
                    continue;
                };
                seen.compared += 1;
                let direction = SVector::<f64, NV>::from_fn(|k, _| direction.get(k).copied().unwrap_or(0.0));
                // Differences have no more digits than what they are differences of.
                let size = got.v[by].amax().max(got.found.v.amax()).max(1.0);
                let error = (got.v[by] * direction - v).amax() / size;
                seen.worst[0] = seen.worst[0].max(error);
                assert!(error < 1e-6, "velocities by {by}: {error:.1e}, {:?}", got.found.modes);
                if is_regular {
                    let size = got.impulses[by].amax().max(got.found.impulses.amax()).max(1.0);
                    let error = (got.impulses[by] * direction - f).amax() / size;
                    seen.worst[1] = seen.worst[1].max(error);
                    assert!(error < 1e-6, "impulses by {by}: {error:.1e}, {:?}", got.found.modes);
                }
            }
        }
        seen.regular += usize::from(is_regular);
        for (surface, mode) in surfaces.iter().zip(&got.found.modes).filter(|(surface, _)| surface.is_some())
        {
            seen.modes[*mode as usize] += 1;
            seen.rebounds += usize::from(surface.is_some_and(|s| s.restitution > 0.0));
        }
    };
    // Each with several surfaces.
    (0..2).for_each(|_| for_all(&mut compare));
    println!("closed loops {closed}, any {any}, dt {dt}: {seen:?}");
    assert!(seen.compared > seen.left_out && seen.modes.iter().all(|x| *x > 3), "{seen:?}");
    seen
}

#[test]
fn derivatives_are_those_of_the_step() {
    check(false, false, DT);
}

#[test]
fn derivatives_beside_closed_loops() {
    check(true, false, DT);
}

#[test]
fn derivatives_of_penetrations_and_rebounds() {
    assert!(check(false, true, DT).rebounds > 10);
    check(true, true, DT);
}

/// An impact: no time passes.
#[test]
fn derivatives_through_an_impact() {
    assert!(check(false, true, 0.0).rebounds > 10);
}
