//! A quadruped trots in place, on rubber and on ice, and is pushed: `cargo run --release --example trot`;
//! `tools/plot_examples.py trot` draws `docs/trot.svg`, and `rbd view --trajectory` replays the motion
//! (docs/view.md).
//!
//! Model predictive control over the next contact phases chooses the feet's forces (Di Carlo and
//! others, IROS 2018). Its model is one rigid body, pushed by the feet on the ground, for one
//! period of the gait. The quadratic program has a friction cone for each foot and step. It is
//! solved by projected gradients with momentum (FISTA); the projection onto a cone has a closed
//! form.
//!
//! `contact_inverse_dynamics` computes the torques for these forces. Legs in the air follow an arc
//! to the hip's next position. The world is `friction_step` alone. It finds which feet stick, slide or
//! leave the ground. The controller takes both grounds for rubber: on it feet stick, on ice they slide.
//!
//! It prints the share of the controller's time that goes into dynamics, with generated functions
//! and with the generic ones of `rbd::reference`.

mod curves;
mod recording;

use curves::Panel;
use nalgebra::{Matrix3, SVector, UnitQuaternion, Vector3};
use rbd::reference::{self, Data};
use rbd::spatial::Placement;
use rbd::{
    ContactAxes, ContactMode, ContactSurface, Contacts, FrictionContacts, FrictionSettings, FrictionStep,
    Model, ReferenceFrame,
};
use recording::Recording;
use std::hint::black_box;
use std::time::{Duration, Instant};

rbd::rbd_robot! {
    pub struct Hyq {
        urdf: "robots/hyq.urdf",
        base: floating,
        functions: [bias, crba, rnea_fext, center_of_mass, center_of_mass_velocity],
        contacts: ["lf_foot", "rf_foot", "lh_foot", "rh_foot"],
    }
}

type Configuration = SVector<f64, { Hyq::NQ }>;
type Velocity = SVector<f64, { Hyq::NV }>;
/// One vector a foot, in the world's axes.
type Feet = [Vector3<f64>; 4];

/// Seconds of a step of the world and of the controller, of the whole, of the gait, and of its part
/// in the air.
const STEP: f64 = 1e-3;
const SECONDS: f64 = 5.0;
const STEPS: usize = (SECONDS / STEP) as usize;
const PERIOD: f64 = 0.5;
const IN_THE_AIR: f64 = 0.2;
/// The push sideways, N, and when it acts, s.
const PUSH: f64 = 70.0;
const PUSHED: std::ops::Range<f64> = 2.0..2.2;
/// Steps of the prediction, which is one period. Below: steps of the world between two of them.
const HORIZON: usize = 10;
const EVERY: usize = 20;
const AHEAD: f64 = PERIOD / HORIZON as f64;
/// Friction for the controller, and that of the two grounds.
const FRICTION: f64 = 0.6;
const RUBBER: f64 = 0.8;
const ICE: f64 = 0.15;
/// Friction cones are upright.
const WORLD: ContactAxes = ContactAxes::LocalWorldAligned;
/// Height of the feet's arcs, m.
const LIFT: f64 = 0.07;
/// Iterations of the quadratic program, which starts from its last solution.
const ITERATIONS: usize = 60;

/// Phase of a foot in the air, from 0 to 1, or `None` on the ground. The diagonals alternate.
fn swing(foot: usize, t: f64) -> Option<f64> {
    let first = [0, 3].contains(&foot);
    let phase = (t + if first { 0.0 } else { PERIOD / 2.0 }) % PERIOD;
    (t >= PERIOD && phase < IN_THE_AIR).then_some(phase / IN_THE_AIR)
}

/// Knees to the middle.
fn posture() -> Configuration {
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

fn rotation(q: &Configuration) -> UnitQuaternion<f64> {
    UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(q[6], q[3], q[4], q[5]))
}

/// The robot as one body: rotation, centre of mass and their rates; mass and inertia; positions of
/// the feet.
struct Body {
    state: [Vector3<f64>; 4],
    mass: f64,
    inertia: Matrix3<f64>,
    feet: [Placement<f64>; 4],
    velocities: Feet,
}

impl Body {
    fn of(q: &Configuration, v: &Velocity) -> Self {
        let (mass_matrix, com) = (Hyq::crba(q), Hyq::center_of_mass(q));
        let turned = rotation(q);
        let mass = mass_matrix[(0, 0)];
        // About the centre of mass, in the world's axes.
        let from_base = turned.inverse() * (com - q.fixed_rows::<3>(0));
        let away = Matrix3::identity() * from_base.norm_squared() - from_base * from_base.transpose();
        let own = mass_matrix.fixed_view::<3, 3>(3, 3) - away * mass;
        let axes = turned.to_rotation_matrix();
        let jacobian = Hyq::contact_jacobian_in(q, &[true; 4], WORLD);
        let feet = Hyq::contact_placements(q);
        let rows = jacobian * v;
        Self {
            state: [
                turned.scaled_axis(),
                com,
                turned * Vector3::new(v[3], v[4], v[5]),
                Hyq::center_of_mass_velocity(q, v),
            ],
            mass,
            inertia: axes * own * axes.inverse(),
            velocities: std::array::from_fn(|k| rows.fixed_rows::<3>(3 * k).into_owned()),
            feet,
        }
    }
}

/// The quadratic program: forces of all steps to come.
struct Program {
    /// The solution, as a part of the weight.
    forces: [Feet; HORIZON],
}

/// Weights of the body's rotation, position and their rates, and of forces.
const WEIGHTS: [f64; 4] = [40.0, 60.0, 1.0, 2.0];
const FORCE: f64 = 0.05;

impl Program {
    /// The forces of this step, N.
    fn solve(&mut self, body: &Body, wanted: &[Vector3<f64>; 4], t: f64, gravity: f64) -> Feet {
        let stands = |k: usize, foot: usize| swing(foot, t + (k as f64 + 0.5) * AHEAD).is_none();
        let inverse = body.inertia.try_inverse().expect("a body") * (body.mass * gravity);
        let arms: Feet = std::array::from_fn(|foot| body.feet[foot].translation - body.state[1]);
        // States along the horizon, of forces as a part of the weight.
        let predict = |forces: &[Feet; HORIZON], from: &[Vector3<f64>; 4], weight: f64| {
            let mut states = [*from; HORIZON + 1];
            for k in 0..HORIZON {
                let [turn, place, w, v] = states[k];
                let push: Vector3<f64> = forces[k].iter().sum();
                let twist: Vector3<f64> = arms.iter().zip(&forces[k]).map(|(r, f)| r.cross(f)).sum();
                let w = w + inverse * twist * AHEAD;
                let v = v + (push - Vector3::z() * weight) * (gravity * AHEAD);
                states[k + 1] = [turn + w * AHEAD, place + v * AHEAD, w, v];
            }
            states
        };
        // Gradient by the forces of half the weighted squares of the states' errors and of forces.
        let gradient =
            |forces: &[Feet; HORIZON], from: &[Vector3<f64>; 4], to: &[Vector3<f64>; 4], weight: f64| {
                let states = predict(forces, from, weight);
                let mut out = [[Vector3::zeros(); 4]; HORIZON];
                let mut adjoint = [Vector3::zeros(); 4];
                for k in (0..HORIZON).rev() {
                    for (part, x) in adjoint.iter_mut().enumerate() {
                        *x += (states[k + 1][part] - to[part]) * WEIGHTS[part];
                    }
                    adjoint[2] += adjoint[0] * AHEAD;
                    adjoint[3] += adjoint[1] * AHEAD;
                    let (push, twist) = (adjoint[3] * (gravity * AHEAD), inverse.tr_mul(&adjoint[2]) * AHEAD);
                    for foot in 0..4 {
                        out[k][foot] = push + twist.cross(&arms[foot]) + forces[k][foot] * FORCE;
                    }
                }
                out
            };
        let project = |forces: &mut [Feet; HORIZON]| {
            for (k, feet) in forces.iter_mut().enumerate() {
                for (foot, force) in feet.iter_mut().enumerate() {
                    *force = if stands(k, foot) { into_cone(force) } else { Vector3::zeros() };
                }
            }
        };
        // The largest eigenvalue, by the power method: the Hessian is the gradient's linear part.
        let nothing = [Vector3::zeros(); 4];
        let mut along = [[Vector3::new(0.3, 0.2, 1.0); 4]; HORIZON];
        let mut largest = 1.0;
        for _ in 0..8 {
            along = gradient(&along, &nothing, &nothing, 0.0);
            largest = along.iter().flatten().map(|x| x.norm_squared()).sum::<f64>().sqrt();
            along.iter_mut().flatten().for_each(|x| *x /= largest);
        }
        let (mut at, mut momentum) = (self.forces, 1.0_f64);
        project(&mut self.forces);
        for _ in 0..ITERATIONS {
            let slope = gradient(&at, &body.state, wanted, 1.0);
            let mut next = at;
            next.iter_mut()
                .flatten()
                .zip(slope.iter().flatten())
                .for_each(|(x, d)| *x -= d / (1.1 * largest));
            project(&mut next);
            let later = (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt()) / 2.0;
            let share = (momentum - 1.0) / later;
            momentum = later;
            for k in 0..HORIZON {
                at[k] = std::array::from_fn(|foot| {
                    next[k][foot] + (next[k][foot] - self.forces[k][foot]) * share
                });
            }
            self.forces = next;
        }
        self.forces[0].map(|force| force * (body.mass * gravity))
    }
}

/// The nearest force in the friction cone.
fn into_cone(force: &Vector3<f64>) -> Vector3<f64> {
    let across = force.xy().norm();
    if across <= FRICTION * force.z {
        return *force;
    }
    if FRICTION * across <= -force.z {
        return Vector3::zeros();
    }
    let up = (FRICTION * across + force.z) / (1.0 + FRICTION * FRICTION);
    let share = FRICTION * up / across;
    Vector3::new(force.x * share, force.y * share, up)
}

/// Torques at the joints of any quadruped: the forces' for feet that stand, and an arc to `targets`
/// for those in the air.
fn torques<R: Contacts<NQ, NV, 4, 12>, const NQ: usize, const NV: usize>(
    q: &SVector<f64, NQ>,
    v: &SVector<f64, NV>,
    body: &Body,
    forces: &Feet,
    arcs: &[Option<[Vector3<f64>; 2]>; 4],
) -> SVector<f64, NV> {
    let mut rows = SVector::<f64, 12>::zeros();
    for foot in 0..4 {
        let force = match arcs[foot] {
            None => forces[foot],
            // The leg's own inverse dynamics replaces the ground's forces.
            Some([place, speed]) => {
                (body.feet[foot].translation - place) * 2500.0 + (body.velocities[foot] - speed) * 100.0
            }
        };
        rows.fixed_rows_mut::<3>(3 * foot).copy_from(&force);
    }
    let mut tau = R::contact_inverse_dynamics_in(q, v, &SVector::zeros(), &rows, WORLD);
    tau.rows_mut(0, 6).fill(0.0);
    tau
}

/// A quadruped on the ground, at height zero.
struct World<const NQ: usize, const NV: usize> {
    friction: f64,
    q: SVector<f64, NQ>,
    v: SVector<f64, NV>,
    /// The last step, from whose impulses the next one begins.
    last: Option<FrictionStep<f64, NQ, NV, 4, 12>>,
}

impl<const NQ: usize, const NV: usize> World<NQ, NV> {
    /// A step of a robot with a point as contact at each foot, which are here.
    fn step<R: FrictionContacts<NQ, NV, 4, 12>>(
        &mut self,
        tau: &SVector<f64, NV>,
        feet: &[Placement<f64>; 4],
    ) {
        let ground = feet.map(|foot| Some(ContactSurface::ground(foot.translation.z, self.friction)));
        let settings = FrictionSettings::default();
        let next = R::friction_step(&self.q, &self.v, tau, STEP, &ground, &settings, self.last.as_ref());
        assert!(next.converged, "{:?}", next.residuals);
        (self.q, self.v) = (next.q, next.v);
        self.last = Some(next);
    }

    /// The last step's modes.
    fn modes(&self) -> [ContactMode; 4] {
        self.last.as_ref().map_or([ContactMode::Open; 4], |last| last.modes)
    }

    /// The last step's mean forces, in the world's axes.
    fn forces(&self) -> Feet {
        let of = |last: &FrictionStep<f64, NQ, NV, 4, 12>| -> Feet {
            std::array::from_fn(|k| last.impulses.fixed_rows::<3>(3 * k) * (1.0 / STEP))
        };
        self.last.as_ref().map_or_else(Feet::default, of)
    }
}

/// What happened on a ground.
#[derive(Default)]
struct Outcome {
    recording: Recording,
    /// Steps of the gait, that feet have begun.
    steps: usize,
    /// The largest distance of the centre of mass from where it is to be, m.
    off: f64,
    /// The largest rotation, rad.
    tilt: f64,
    /// How far feet have slid, together, m.
    slid: f64,
    in_dynamics: Duration,
    in_program: Duration,
    states: Vec<(Configuration, Velocity)>,
    seen: Vec<Seen>,
}

/// Trots on a ground of this friction.
fn trot(friction: f64) -> Outcome {
    let mut out = Outcome::default();
    let mut world = World { friction, q: posture(), v: Velocity::zeros(), last: None };
    let (start, gravity) = (Body::of(&world.q, &world.v), 9.81);
    let wanted = [Vector3::zeros(), start.state[1], Vector3::zeros(), Vector3::zeros()];
    let home: Feet = std::array::from_fn(|k| start.feet[k].translation - start.state[1]);
    let mut program = Program { forces: [[Vector3::new(0.0, 0.0, 0.25); 4]; HORIZON] };
    let (mut lifted, mut forces) = (home, Feet::default());
    for k in 0..STEPS {
        let t = k as f64 * STEP;
        out.recording.add(t, world.q.as_slice(), world.v.as_slice());
        let clock = Instant::now();
        let body = Body::of(&world.q, &world.v);
        out.in_dynamics += clock.elapsed();
        if k % EVERY == 0 {
            let clock = Instant::now();
            forces = program.solve(&body, &wanted, t, gravity);
            out.in_program += clock.elapsed();
        }
        let down = world.modes().map(|mode| mode != ContactMode::Open);
        let arcs = std::array::from_fn(|foot| {
            let here = body.feet[foot].translation;
            let Some(phase) = swing(foot, t) else {
                // One that is late is sought below.
                let below = here - Vector3::z() * 0.01;
                return (!down[foot]).then_some([below, Vector3::z() * -0.2]);
            };
            if swing(foot, t - STEP).is_none() {
                lifted[foot] = here;
                out.steps += 1;
            }
            // One that is early stands.
            if phase > 0.5 && down[foot] {
                return None;
            }
            // To where the body will be in the middle of the next stance, and a little further to
            // slow it down.
            let speed = body.state[3];
            let mut goal = body.state[1] + home[foot] + speed * (0.5 * (PERIOD - IN_THE_AIR) + 0.05);
            goal.z = -0.005;
            let (share, angle) = (phase * phase * (3.0 - 2.0 * phase), std::f64::consts::PI * phase);
            let mut place = lifted[foot] + (goal - lifted[foot]) * share;
            place.z += LIFT * angle.sin().powi(2);
            let rate = 6.0 * phase * (1.0 - phase) / IN_THE_AIR;
            let mut speed = (goal - lifted[foot]) * rate;
            speed.z += LIFT * (2.0 * angle).sin() * std::f64::consts::PI / IN_THE_AIR;
            Some([place, speed])
        });
        let clock = Instant::now();
        let mut tau = torques::<Hyq, _, _>(&world.q, &world.v, &body, &forces, &arcs);
        out.in_dynamics += clock.elapsed();
        // The base has no motors.
        if PUSHED.contains(&t) {
            tau.rows_mut(0, 3).copy_from(&(rotation(&world.q).inverse() * Vector3::y() * PUSH));
        }
        world.step::<Hyq>(&tau, &body.feet);
        out.off = out.off.max((body.state[1] - wanted[1]).norm());
        out.tilt = out.tilt.max(body.state[0].norm());
        for (mode, velocity) in world.modes().iter().zip(&body.velocities) {
            if *mode == ContactMode::Slide {
                out.slid += velocity.xy().norm() * STEP;
            }
        }
        if k % 10 == 0 {
            let heights = body.feet.map(|foot| foot.translation.z);
            out.seen.push(Seen { t, body: body.state[1], heights, forces: world.forces(), slid: out.slid });
            out.states.push((world.q, world.v));
        }
    }
    out
}

fn main() -> std::io::Result<()> {
    let [rubber, ice] = [RUBBER, ICE].map(trot);
    for (name, of) in [("rubber", &rubber), ("ice", &ice)] {
        println!(
            "{} on {name}: {} steps in {SECONDS} s; at most {:.1} cm off, {:.1} degrees tilted; feet slid {:.1} cm",
            Hyq::NAME,
            of.steps,
            of.off * 100.0,
            of.tilt.to_degrees(),
            of.slid * 100.0
        );
        assert!(of.steps > 30 && of.off < 0.1 && of.tilt < 0.05);
    }
    assert!(rubber.slid < 0.01, "rubber holds");
    assert!(ice.slid > 0.5, "ice does not");

    let per_step = |time: Duration| time.as_secs_f64() / STEPS as f64;
    let (generated, other) = (per_step(rubber.in_dynamics), per_step(rubber.in_program));
    for (what, dynamics) in [("generated", generated), ("generic", generic(&rubber.states))] {
        println!(
            "{what:>10} functions: {:6.1} us of dynamics and {:5.1} us of the program a step: {:3.0} %, {:5.1} kHz",
            dynamics * 1e6,
            other * 1e6,
            dynamics / (dynamics + other) * 100.0,
            1e-3 / (dynamics + other)
        );
    }
    rubber.recording.write("trot", "robots/hyq.urdf", " --floating")?;
    ice.recording.write("trot_on_ice", "robots/hyq.urdf", " --floating")?;
    let below = "seconds; HyQ trots in place from 0.5 s on, and is pushed sideways from 2 to 2.2 s";
    curves::write("trot", below, &panels(&rubber.seen, &ice.seen))
}

/// Seconds that the controller's dynamics take with the generic functions.
fn generic(states: &[(Configuration, Velocity)]) -> f64 {
    let model: Model<f64> = Hyq::model();
    let frame =
        |contact: HyqContact| model.frames.iter().position(|f| f.name == contact.name()).expect("a frame");
    let (frames, mut data) = (HyqContact::ALL.map(frame), Data::new(&model));
    let (clock, none) = (Instant::now(), vec![SVector::<f64, 6>::zeros(); model.bodies.len()]);
    for (q, v) in states {
        let (q, v) = (q.as_slice(), v.as_slice());
        black_box(reference::crba(&model, &mut data, q));
        black_box(reference::center_of_mass(&model, &mut data, q));
        black_box(reference::center_of_mass_velocity(&model, &mut data, q, v));
        for frame in frames {
            black_box(reference::frame_placement(&model, &mut data, q, frame));
            black_box(reference::frame_jacobian(&model, &mut data, q, frame, ReferenceFrame::Local));
        }
        black_box(reference::rnea(&model, &mut data, q, v, v, Some(&none)));
    }
    clock.elapsed().as_secs_f64() / states.len() as f64
}

/// What is drawn of a time: the centre of mass, heights of feet, their forces, how far feet have slid.
struct Seen {
    t: f64,
    body: Vector3<f64>,
    heights: [f64; 4],
    forces: Feet,
    slid: f64,
}

fn panels(rubber: &[Seen], ice: &[Seen]) -> [Panel; 4] {
    let curve = |seen: &[Seen], of: &dyn Fn(&Seen) -> f64| {
        seen.iter().filter(|s| s.t <= 4.0).map(|s| (s.t, of(s))).collect::<Vec<_>>()
    };
    let both = |of: &dyn Fn(&Seen) -> f64| vec![("rubber", curve(rubber, of)), ("ice", curve(ice, of))];
    let feet = |of: &dyn Fn(&Seen, usize) -> f64| {
        let of_foot = |foot| curve(rubber, &|s| of(s, foot));
        vec![("left front", of_foot(0)), ("right front", of_foot(1))]
    };
    let panel = |title, curves| Panel { title, scale: "linear", curves };
    [
        panel("centre of mass sideways, m", both(&|s| s.body.y)),
        panel("how far feet slid together, m", both(&|s| s.slid)),
        panel("height of feet on rubber, m", feet(&|s, foot| s.heights[foot])),
        panel("force upward on rubber, N", feet(&|s, foot| s.forces[foot].z)),
    ]
}
