//! An arm notices a push without a force sensor: `cargo run --release --example collision`;
//! `tools/plot_examples.py collision` draws `docs/collision.svg`.
//!
//! The momentum observer of De Luca and Mattone (ICRA 2005): the momentum `p = M v` has the rate
//! `tau + C^T v - g` plus the external torques. The residual
//!
//! ```text
//! r = K (p - p(0) - integral of (tau + C^T v - g + r) dt)
//! ```
//!
//! is the external torques filtered by a first-order filter, and needs no accelerations. C is the
//! Coriolis matrix for which `dM/dt - 2 C` is skew. The arm follows a curve by computed torque;
//! measured torques are noisy. At the end it prints the share of a step's time that goes into
//! dynamics, with generated functions and with the generic ones of `rbd::reference`.
//! `rbd view --trajectory` replays the motion (docs/view.md).

mod curves;
mod recording;

use curves::Panel;
use nalgebra::{SVector, Vector3};
use rbd::reference::{self, Data};
use rbd::{Model, ReferenceFrame};
use recording::Recording;
use std::time::{Duration, Instant};

rbd::rbd_robot! {
    pub struct Iiwa14 {
        urdf: "robots/iiwa14.urdf",
        functions: [rnea, aba, crba, gravity, coriolis_matrix, frame_jacobian],
        frames: ["iiwa_link_6"],
    }
}

type Vector = SVector<f64, 7>;
type Matrix = nalgebra::SMatrix<f64, 7, 7>;

/// Seconds of a step, of the whole, and while the arm is pushed.
const STEP: f64 = 1e-3;
const SECONDS: f64 = 3.0;
const PUSH: std::ops::Range<f64> = 1.5..2.0;
/// The observer's gain, 1/s.
const GAIN: f64 = 100.0;
/// Noise of measured torques, N m: standard deviation.
const NOISE: f64 = 0.2;
/// A residual beyond this is a collision, N m.
const THRESHOLD: f64 = 2.0;

/// Numbers that look random, normally distributed.
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        // Knuth's generator.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn vector(&mut self) -> Vector {
        // The sum of twelve has a deviation of one.
        Vector::from_fn(|_, _| (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0)
    }
}

/// Mass matrix, Coriolis matrix and gravity: all that the observer asks of dynamics.
type Terms = (Matrix, Matrix, Vector);

fn generated(q: &Vector, v: &Vector) -> Terms {
    (Iiwa14::crba(q), Iiwa14::coriolis_matrix(q, v), Iiwa14::gravity(q))
}

fn generic(model: &Model<f64>, data: &mut Data<f64>, q: &Vector, v: &Vector) -> Terms {
    let (q, v) = (q.as_slice(), v.as_slice());
    let mass = Matrix::from_iterator(reference::crba(model, data, q).iter().copied());
    let coriolis = Matrix::from_iterator(reference::coriolis_matrix(model, data, q, v).iter().copied());
    (mass, coriolis, Vector::from_iterator(reference::gravity(model, data, q).iter().copied()))
}

/// Estimates the external joint torques.
#[derive(Default)]
struct Observer {
    began: Option<Vector>,
    sum: Vector,
    residual: Vector,
}

impl Observer {
    fn step(&mut self, (mass, coriolis, gravity): &Terms, v: &Vector, tau: &Vector) {
        let momentum = mass * v;
        let first = *self.began.get_or_insert(momentum);
        self.residual = (momentum - first - self.sum) * GAIN;
        self.sum += (tau + coriolis.tr_mul(v) - gravity + self.residual) * STEP;
    }
}

/// Curve of the arm: each joint swings at its own speed.
fn curve(t: f64) -> [Vector; 3] {
    let rate = |i: usize| 0.8 + 0.1 * i as f64;
    [
        Vector::from_fn(|i, _| 0.2 + 0.6 * (rate(i) * t).sin()),
        Vector::from_fn(|i, _| 0.6 * rate(i) * (rate(i) * t).cos()),
        Vector::from_fn(|i, _| -0.6 * rate(i) * rate(i) * (rate(i) * t).sin()),
    ]
}

/// Torques of 25 N at the wrist, along the world's y.
fn push(q: &Vector, t: f64) -> Vector {
    if !PUSH.contains(&t) {
        return Vector::zeros();
    }
    let jacobian = Iiwa14::frame_jacobian(q, Iiwa14Frame::IiwaLink6, ReferenceFrame::LocalWorldAligned);
    jacobian.fixed_rows::<3>(0).tr_mul(&Vector3::new(0.0, 25.0, 0.0))
}

fn main() -> std::io::Result<()> {
    let (mut noise, mut observer, mut seen) = (Noise(1), Observer::default(), Vec::new());
    let [mut q, mut v, _] = curve(0.0);
    let (mut noticed, mut worst, mut falsely): (Option<f64>, f64, bool) = (None, 0.0, false);
    let (mut states, mut recording) = (Vec::new(), Recording::default());
    let (mut in_dynamics, clock) = (Duration::ZERO, Instant::now());
    for k in 0..(SECONDS / STEP) as usize {
        let t = k as f64 * STEP;
        recording.add(t, q.as_slice(), v.as_slice());
        let [q_wanted, v_wanted, a_wanted] = curve(t);
        let a = a_wanted + (v_wanted - v) * 40.0 + (q_wanted - q) * 400.0;
        let begin = Instant::now();
        let tau = Iiwa14::rnea(&q, &v, &a);
        let terms = generated(&q, &v);
        in_dynamics += begin.elapsed();
        observer.step(&terms, &v, &(tau + noise.vector() * NOISE));
        let pushed = push(&q, t);
        let hit = observer.residual.amax() > THRESHOLD;
        falsely |= hit && t < PUSH.start;
        if hit && noticed.is_none() && t >= PUSH.start {
            noticed = Some(t - PUSH.start);
        }
        // Ten filter times after the start of the push, the residual is the external torque.
        if (PUSH.start + 10.0 / GAIN..PUSH.end).contains(&t) {
            worst = worst.max((observer.residual - pushed).amax());
        }
        if k % 5 == 0 {
            seen.push((t, pushed, observer.residual));
            states.push((q, v));
        }
        // The world: the push acts on the arm and is not measured.
        v += Iiwa14::aba(&q, &v, &(tau + pushed)) * STEP;
        q += v * STEP;
    }
    let total = clock.elapsed();
    let noticed = noticed.expect("the push is noticed");
    println!(
        "{}: a push of 25 N is noticed after {:.0} ms, and its torques are known within {worst:.2} N m",
        Iiwa14::NAME,
        noticed * 1e3
    );
    assert!(noticed < 0.02 && worst < 1.5 && !falsely);

    let steps = SECONDS / STEP;
    let own = (total - in_dynamics).as_secs_f64() / steps;
    let (model, mut with_generic, mut most) = (Iiwa14::model::<f64>(), Duration::ZERO, 0.0_f64);
    let mut data = Data::new(&model);
    for (q, v) in &states {
        let begin = Instant::now();
        let tau = reference::rnea(&model, &mut data, q.as_slice(), v.as_slice(), v.as_slice(), None);
        std::hint::black_box(tau);
        let expected = generic(&model, &mut data, q, v);
        with_generic += begin.elapsed();
        let got = generated(q, v);
        most = most.max((got.1.tr_mul(v) - expected.1.tr_mul(v)).amax());
    }
    assert!(most < 1e-9, "{most}");
    for (what, dynamics) in [
        ("generated", in_dynamics.as_secs_f64() / steps),
        ("generic", with_generic.as_secs_f64() / states.len() as f64),
    ] {
        let step = dynamics + own;
        println!(
            "{what:>10} functions: {:6.2} us of dynamics, {:3.0} % of a step of the simulation, {:6.0} kHz",
            dynamics * 1e6,
            dynamics / step * 100.0,
            1e-3 / step
        );
    }

    let joint = |of: fn(&(f64, Vector, Vector)) -> (f64, f64)| seen.iter().map(of).collect::<Vec<_>>();
    let panel = |title, pushed, observed| Panel {
        title,
        scale: "linear",
        curves: vec![("observed", observed), ("the push", pushed)],
    };
    let below = "seconds; iiwa14 follows a curve and is pushed at the wrist";
    let panels = [
        panel("torque at joint 1, N m", joint(|s| (s.0, s.1[0])), joint(|s| (s.0, s.2[0]))),
        panel("torque at joint 2, N m", joint(|s| (s.0, s.1[1])), joint(|s| (s.0, s.2[1]))),
    ];
    recording.write("collision", "robots/iiwa14.urdf", "")?;
    curves::write("collision", below, &panels)
}
