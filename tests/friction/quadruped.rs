//! A quadruped on the step with friction: HyQ stands, and contacts take energy and give none.

use crate::contact_values::contacting::Padded;
use nalgebra::SVector;
use rbd::friction::ContactMode;
use rbd::reference::{Data, aba, bias, crba};
use rbd::{ContactSurface, FrictionSettings, Model};
use rbd_build::options::{Base, ReadOptions};
use rbd_runtime::ContactKind;
use rbd_runtime::contact::{self, FrictionVelocities};

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

    fn step(&mut self, tau: &Vector) -> Found {
        let surfaces = self.heights().map(|height| Some(ContactSurface::ground(height, self.friction)));
        let points = self.feet.map(|foot| (foot, ContactKind::Point));
        let robot: Padded<'_, f64, 18, 13, 4> = Padded::of(&self.model, &self.model, &self.q, points);
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
