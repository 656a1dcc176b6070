//! A quadruped is pushed sideways, on rubber and on ice: `cargo run --release --example ice`.
//!
//! The world is `friction_step` alone. It finds which feet stick, slide or leave the ground, and the
//! impulses that do it. On rubber the feet do not move. On ice all of them slide, until friction has taken
//! the push. `rbd view --trajectory` replays the motion (docs/view.md).

mod recording;

use nalgebra::SVector;
use rbd::{ContactMode, ContactSurface, FrictionSettings, FrictionStep};
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
type Step = FrictionStep<f64, { Hyq::NQ }, { Hyq::NV }, { Hyq::NC }, { Hyq::CONTACT_ROWS }>;

/// Seconds of a step.
const STEP: f64 = 1e-3;
const SECONDS: f64 = 3.0;
/// The push sideways, N, and when it acts, s.
const PUSH: f64 = 100.0;
const PUSHED: std::ops::Range<f64> = 1.0..1.2;
/// The first coordinates of q and v that are not of the base.
const LEGS: (usize, usize) = (7, 6);

/// Knees to the middle, feet on the ground.
fn stance() -> Configuration {
    let mut q = Hyq::neutral();
    for joint in Hyq::JOINTS {
        let front = joint.name.starts_with("lf") || joint.name.starts_with("rf");
        let angle = match joint.name {
            name if name.ends_with("hfe_joint") => 0.7,
            name if name.ends_with("kfe_joint") => -1.4,
            _ => continue,
        };
        q[joint.idx_q] = if front { angle } else { -angle };
    }
    let feet = Hyq::contact_placements(&q);
    q[2] = -feet.iter().map(|foot| foot.translation.z).fold(f64::INFINITY, f64::min);
    q
}

/// Springs and dampers at the joints; the base has no motors, and is pushed.
fn torques(q: &Configuration, v: &Velocity, wanted: &Configuration, t: f64) -> Velocity {
    Velocity::from_fn(|k, _| match k {
        1 if PUSHED.contains(&t) => PUSH,
        k if k < LEGS.1 => 0.0,
        k => 1500.0 * (wanted[k + LEGS.0 - LEGS.1] - q[k + LEGS.0 - LEGS.1]) - 40.0 * v[k],
    })
}

/// What a ground did to the robot.
struct Outcome {
    /// The largest distance of a foot from where it stood before the push, m.
    slipped: f64,
    /// Mean iterations of a step: sweeps, Newton's steps, multipliers.
    iterations: [f64; 3],
    /// Steps in which all feet slid.
    slid: usize,
    /// The last step.
    last: Step,
}

fn simulate(friction: f64, recording: &mut Recording) -> Outcome {
    let wanted = stance();
    let (mut q, mut v, mut last) = (wanted, Velocity::zeros(), None::<Step>);
    let settings = FrictionSettings::default();
    let (mut slipped, mut iterations, mut slid) = (0.0_f64, [0; 3], 0);
    let mut before_push = Hyq::contact_placements(&q);
    let steps = (SECONDS / STEP) as usize;
    for k in 0..steps {
        let t = k as f64 * STEP;
        recording.add(t, q.as_slice(), v.as_slice());
        let feet = Hyq::contact_placements(&q);
        if t < PUSHED.start {
            before_push = feet;
        }
        for (foot, before) in feet.iter().zip(&before_push) {
            slipped = slipped.max((foot.translation - before.translation).xy().norm());
        }
        let ground = feet.map(|foot| Some(ContactSurface::ground(foot.translation.z, friction)));
        let tau = torques(&q, &v, &wanted, t);
        let next = Hyq::friction_step(&q, &v, &tau, STEP, &ground, &settings, last.as_ref());
        assert!(next.converged, "at {t} s: {:?}", next.residuals);
        for (sum, x) in
            iterations.iter_mut().zip([next.iterations.sweeps, next.iterations.newton, next.iterations.admm])
        {
            *sum += x;
        }
        slid += usize::from(next.modes == [ContactMode::Slide; 4]);
        (q, v, last) = (next.q, next.v, Some(next));
    }
    let iterations = iterations.map(|sum| sum as f64 / steps as f64);
    Outcome { slipped, iterations, slid, last: last.expect("there are steps") }
}

fn main() -> std::io::Result<()> {
    let weight = Hyq::bias(&stance(), &Velocity::zeros())[2];
    let (mut on_rubber, mut on_ice) = (Recording::default(), Recording::default());
    let rubber = simulate(0.8, &mut on_rubber);
    let ice = simulate(0.03, &mut on_ice);
    for (name, outcome) in [("rubber", &rubber), ("ice", &ice)] {
        let [sweeps, newton, admm] = outcome.iterations;
        let up: f64 = (0..Hyq::NC).map(|k| outcome.last.impulses[3 * k + 2]).sum();
        println!(
            "{name}: feet moved {:.4} m and slid for {:.3} s; the ground carries {:.1} of {weight:.1} N; a step \
             took {sweeps:.2} sweeps, {newton:.2} Newton steps and {admm:.2} iterations of multipliers",
            outcome.slipped,
            outcome.slid as f64 * STEP,
            up / STEP
        );
        assert!((up / STEP / weight - 1.0).abs() < 1e-2, "it stands at the end");
        assert!(outcome.last.v.amax() < 0.05, "it is at rest at the end");
    }
    assert!(rubber.slipped < 1e-3 && rubber.slid == 0, "rubber holds");
    assert!(ice.slipped > 0.05 && ice.slid > 100, "ice does not");
    assert_eq!(rubber.last.modes, [ContactMode::Stick; 4]);
    on_ice.write("ice", "robots/hyq.urdf", " --floating")
}
