//! A quadruped on the step with friction: HyQ stands, and contacts take energy and give none.

use crate::contact_values::contacting::Padded;
use nalgebra::{SMatrix, SVector};
use rbd::friction::ContactMode;
use rbd::reference::{Data, aba, bias, crba};
use rbd::{ContactSurface, FrictionSettings, Model};
use rbd_build::options::{Base, ReadOptions};
use rbd_runtime::ContactKind;
use rbd_runtime::contact::{self, FrictionDerivativesOut, FrictionVelocities};

type Vector = SVector<f64, 18>;
type Found = FrictionVelocities<f64, 18, 4, 12>;

const DT: f64 = 2e-3;

struct World {
    model: Model<f64>,
    feet: [usize; 4],
    q: Vec<f64>,
    v: Vector,
    friction: f64,
    settings: FrictionSettings<f64>,
    last: Option<Found>,
}

impl World {
    /// HyQ with its knees to the middle, feet on the ground.
    fn new(friction: f64) -> Self {
        let options = ReadOptions { base: Base::Floating, ..Default::default() };
        let urdf = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/hyq.urdf");
        let model = rbd_build::urdf::read_file(urdf.to_str().unwrap(), &options).unwrap().model;
        let foot = |name| model.frames.iter().position(|f| f.name == name).unwrap();
        let feet = ["lf_foot", "rf_foot", "lh_foot", "rh_foot"].map(foot);
        let q = stance(&model);
        let settings = FrictionSettings::default();
        let mut world = Self { model, feet, q, v: Vector::zeros(), friction, settings, last: None };
        let lowest = world.heights().into_iter().fold(f64::INFINITY, f64::min);
        world.q[2] -= lowest;
        world
    }

    fn heights(&self) -> [f64; 4] {
        let mut data = Data::new(&self.model);
        self.feet
            .map(|foot| rbd::reference::frame_placement(&self.model, &mut data, &self.q, foot).translation.z)
    }

    fn robot(&self) -> Padded<'_, f64, 18, 13, 4> {
        let points = self.feet.map(|foot| (foot, ContactKind::Point));
        Padded::of(&self.model, &self.model, &self.q, points)
    }

    fn surfaces(&self) -> [Option<ContactSurface<f64>>; 4] {
        self.heights().map(|height| Some(ContactSurface::ground(height, self.friction)))
    }

    fn step(&mut self, tau: &Vector) -> Found {
        let (robot, surfaces) = (self.robot(), self.surfaces());
        let start = self.last.as_ref().map(|last| &last.impulses);
        let found = contact::friction_step(&robot, (&self.v, tau, DT), &surfaces, &self.settings, start);
        assert!(found.report.converged, "{:?}", found.report);
        let mut next = self.q.clone();
        self.model.integrate_into(&self.q, found.motion.as_slice(), &mut next);
        (self.q, self.v, self.last) = (next, found.v, Some(found));
        found
    }

    fn kinetic(&self, q: &[f64], v: &Vector) -> f64 {
        let mass = crba(&self.model, &mut Data::new(&self.model), q).clone();
        (mass * v).dot(v) / 2.0
    }
}

fn stance(model: &Model<f64>) -> Vec<f64> {
    let mut q = vec![0.0; model.nq];
    q[6] = 1.0;
    for body in &model.bodies {
        let front = body.joint.starts_with("lf") || body.joint.starts_with("rf");
        let angle = match body.joint.as_str() {
            name if name.contains("hfe") => 0.7,
            name if name.contains("kfe") => -1.4,
            _ => continue,
        };
        q[body.idx_q] = if front { angle } else { -angle };
    }
    q
}

#[test]
fn a_quadruped_stands_under_its_weight() {
    let mut world = World::new(0.7);
    let wanted = stance(&world.model);
    let weight = bias(&world.model, &mut Data::new(&world.model), &world.q, &[0.0; 18])[2];
    let mut up = 0.0;
    for _ in 0..600 {
        // Springs and dampers at the joints; the base has no motors.
        let tau = Vector::from_fn(|k, _| match k {
            0..6 => 0.0,
            k => 1500.0 * (wanted[k + 1] - world.q[k + 1]) - 40.0 * world.v[k],
        });
        let found = world.step(&tau);
        up = (0..4).map(|k| found.impulses[3 * k + 2]).sum::<f64>() / DT;
    }
    assert!(world.v.amax() < 1e-2, "{}", world.v);
    assert!((up / weight - 1.0).abs() < 5e-3, "{up} of {weight}");
    assert_eq!(world.last.unwrap().modes, [ContactMode::Stick; 4]);
    assert!(world.heights().into_iter().all(|height| height.abs() < 1e-4));
}

/// Without restitution, and with no correction of penetrations, impulses do not add kinetic energy.
#[test]
fn contacts_give_no_energy() {
    let mut lost = 0.0;
    for (seed, friction) in [(1.0, 0.0), (2.0, 0.3), (3.0, 1.0)] {
        let mut world = World::new(friction);
        world.settings.correction = 0.0;
        // A push, and falling legs.
        world.v = Vector::from_fn(|k, _| 0.5 * (seed + 1.7 * k as f64).sin());
        let tau = Vector::zeros();
        for _ in 0..150 {
            let (q, v) = (world.q.clone(), world.v);
            let mut data = Data::new(&world.model);
            let ddq = aba(&world.model, &mut data, &q, v.as_slice(), tau.as_slice(), None);
            let free = v + SVector::from_column_slice(ddq.as_slice()) * DT;
            let found = world.step(&tau);
            let (before, after) = (world.kinetic(&q, &free), world.kinetic(&q, &found.v));
            // A contact that is not yet closed takes less than all of its approach: it gives nothing either.
            assert!(after <= before + 1e-9 * before.max(1.0), "{after} of {before}");
            lost += before - after;
        }
    }
    assert!(lost > 1.0, "{lost}");
}

/// HyQ on four feet, some of which slide: derivatives against differences of steps, in every direction.
#[test]
fn derivatives_of_a_quadruped_on_four_feet() {
    let mut seen = [0; 3];
    for (seed, friction) in [(1.0, 0.3), (2.0, 0.5), (3.0, 0.8)] {
        let mut world = World::new(friction);
        world.settings.tolerance = 1e-11;
        // Feet are a little inside of the ground.
        world.q[2] -= 1e-3;
        world.v = Vector::from_fn(|k, _| 0.1 * (seed + 1.7 * k as f64).sin());
        let tau = Vector::from_fn(|k, _| if k < 6 { 0.0 } else { 20.0 * (seed * k as f64).cos() });
        let (mut v, mut impulses): ([SMatrix<f64, 18, 18>; 3], [SMatrix<f64, 12, 18>; 3]) =
            Default::default();
        let out = FrictionDerivativesOut { v: v.each_mut(), impulses: impulses.each_mut() };
        let at = (&world.v, &tau, DT);
        let (found, margin) = contact::friction_step_derivatives(
            &world.robot(),
            at,
            &world.surfaces(),
            &world.settings,
            None,
            out,
        );
        assert!(found.report.converged && margin > 1e-3, "{margin:.1e}");
        found.modes.iter().for_each(|mode| seen[*mode as usize] += 1);
        // A step from a state moved along one direction.
        let moved = |by: usize, k: usize, size: f64| {
            let (mut q, mut v, mut tau) = (world.q.clone(), world.v, tau);
            match by {
                0 => world.model.integrate_into(&world.q, Vector::ith(k, size).as_slice(), &mut q),
                1 => v[k] += size,
                _ => tau[k] += size,
            }
            let (model, feet, last) = (world.model.clone(), world.feet, None);
            let mut moved = World { model, feet, q, v, friction, settings: world.settings, last };
            let next = moved.step(&tau);
            assert_eq!(next.modes, found.modes);
            (next.v, next.impulses)
        };
        for (by, k) in (0..3).flat_map(|by| (0..18).map(move |k| (by, k))) {
            let central = |size: f64| {
                let (a, b) = (moved(by, k, size), moved(by, k, -size));
                ((a.0 - b.0) / (2.0 * size), (a.1 - b.1) / (2.0 * size))
            };
            let size = if by == 2 { 1e-2 } else { 1e-5 };
            let (wide, narrow) = (central(size), central(size / 2.0));
            let of_v = (narrow.0 * 4.0 - wide.0) / 3.0 - v[by].column(k);
            let of_f = (narrow.1 * 4.0 - wide.1) / 3.0 - impulses[by].column(k);
            let errors = (of_v.amax() / v[by].amax(), of_f.amax() / impulses[by].amax());
            assert!(errors.0 < 1e-6 && errors.1 < 1e-6, "by {by}, {k}: {errors:?}");
        }
    }
    assert!(seen[1] > 0 && seen[2] > 2, "{seen:?}");
}
