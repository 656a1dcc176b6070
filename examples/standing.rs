//! A quadruped falls onto its feet, squats and stands: `cargo run --release --example standing`.
//!
//! Every step decides which feet are on the ground. A foot that comes down is a contact after the
//! impact; no code is generated again. `contact_dynamics` computes accelerations and forces. Its
//! Baumgarte terms pull each foot back to its place of contact. Forces are in the world's axes.
//! `rbd view --trajectory` replays the motion (docs/view.md).

mod recording;

use nalgebra::SVector;
use rbd::spatial::Placement;
use rbd::{ContactAxes, ContactSettings};
use recording::Recording;

rbd::rbd_robot! {
    pub struct Hyq {
        urdf: "robots/hyq.urdf",
        base: floating,
        functions: [bias],
        contacts: ["lf_foot", "rf_foot", "lh_foot", "rh_foot"],
    }
}

type Configuration = SVector<f64, { Hyq::NQ }>;
type Velocity = SVector<f64, { Hyq::NV }>;
type Forces = SVector<f64, { Hyq::CONTACT_ROWS }>;
const NC: usize = Hyq::NC;

/// Seconds of a step.
const STEP: f64 = 1e-3;
/// The first coordinates of q and v that are not of the base.
const LEGS: (usize, usize) = (7, 6);

/// Knees to the middle; `bend` is the angle of the hips.
fn posture(bend: f64) -> Configuration {
    let mut q = Hyq::neutral();
    for joint in Hyq::JOINTS {
        let front = joint.name.starts_with("lf") || joint.name.starts_with("rf");
        let angle = match joint.name {
            name if name.ends_with("hfe_joint") => bend,
            name if name.ends_with("kfe_joint") => -2.0 * bend,
            _ => continue,
        };
        q[joint.idx_q] = if front { angle } else { -angle };
    }
    q
}

/// Springs and dampers at the joints; the base has no motors.
fn control(q: &Configuration, v: &Velocity, bend: f64) -> Velocity {
    let wanted = posture(bend);
    let legs = |k: usize| k + LEGS.0 - LEGS.1;
    Velocity::from_fn(
        |k, _| if k < LEGS.1 { 0.0 } else { 1500.0 * (wanted[legs(k)] - q[legs(k)]) - 40.0 * v[k] },
    )
}

/// A robot with the ground, at height zero.
struct World {
    q: Configuration,
    v: Velocity,
    active: [bool; NC],
    settings: ContactSettings<f64, NC>,
    forces: Forces,
}

impl World {
    /// Feet at this height.
    fn above_ground(height: f64) -> Self {
        let mut q = posture(0.7);
        q[2] = height - lowest(&Hyq::contact_placements(&q));
        let settings = ContactSettings::default()
            .baumgarte(400.0, 40.0, [None; NC])
            .in_axes(ContactAxes::LocalWorldAligned);
        Self { q, v: Velocity::zeros(), active: [false; NC], settings, forces: Forces::zeros() }
    }

    /// Feet that reach the ground stay there. Their loss of velocity acts on the robot at once, as
    /// an impact.
    fn touch_down(&mut self) {
        let feet = Hyq::contact_placements(&self.q);
        let fallen = |k: &usize| !self.active[*k] && feet[*k].translation.z <= 0.0;
        let fallen: Vec<usize> = (0..NC).filter(fallen).collect();
        if fallen.is_empty() {
            return;
        }
        for k in fallen {
            self.active[k] = true;
            self.settings.anchors[k] = Some(feet[k]);
        }
        let hit = Hyq::contact_impulse(&self.q, &self.v, &self.active, 0.0, &self.settings);
        self.v = hit.v_plus;
        let feet = self.active.iter().filter(|active| **active).count();
        println!("{feet} feet are down; the impulse is {:.1} N s", upward(&hit.impulses));
    }

    fn step(&mut self, bend: f64) {
        self.touch_down();
        let tau = control(&self.q, &self.v, bend);
        let found = Hyq::contact_dynamics(&self.q, &self.v, &tau, &self.active, &self.settings);
        assert!(found.residual.amax() < 1e-6, "contacts do not hold");
        self.forces = found.forces;
        self.v += found.ddq * STEP;
        self.q = Hyq::integrate(&self.q, &(self.v * STEP));
    }

    /// Distance of the feet from their places of contact.
    fn drift(&self) -> f64 {
        let feet = Hyq::contact_placements(&self.q).into_iter().zip(self.settings.anchors);
        let apart =
            feet.map(|(foot, anchor)| anchor.map_or(0.0, |a| (a.translation - foot.translation).norm()));
        apart.fold(0.0, f64::max)
    }
}

fn lowest(feet: &[Placement<f64>]) -> f64 {
    feet.iter().map(|foot| foot.translation.z).fold(f64::INFINITY, f64::min)
}

/// Sum of the feet's upward forces, the last row of each.
fn upward(forces: &Forces) -> f64 {
    HyqContact::ALL.into_iter().map(|contact| forces[contact.rows().end - 1]).sum()
}

fn main() -> std::io::Result<()> {
    let mut world = World::above_ground(0.05);
    let weight = Hyq::bias(&world.q, &Velocity::zeros())[2];
    let (mut drift, mut last, mut recording) = (0.0_f64, 0.0, Recording::default());
    for k in 0..2000 {
        let t = f64::from(k) * STEP;
        recording.add(t, world.q.as_slice(), world.v.as_slice());
        // One squat, then still.
        let squat =
            if (0.5..1.0).contains(&t) { 1.0 - ((t - 0.5) * 4.0 * std::f64::consts::PI).cos() } else { 0.0 };
        world.step(0.7 + 0.1 * squat);
        drift = drift.max(world.drift());
        last = upward(&world.forces);
        if k % 200 == 0 {
            println!("{t:.1} s: height {:.3} m, feet push with {last:6.1} N, {drift:.1e} m off", world.q[2]);
        }
    }
    println!("{}: weight {weight:.1} N, feet push with {last:.1} N, {drift:.1e} m off at most", Hyq::NAME);
    assert!(world.active == [true; NC] && drift < 1e-3);
    assert!((last / weight - 1.0).abs() < 1e-2);
    recording.write("standing", "robots/hyq.urdf", " --floating")
}
