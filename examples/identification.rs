//! An arm learns its own inertias from noisy torques:
//! `cargo run --release --example identification`; `tools/plot_examples.py identification` draws
//! `docs/identification.svg`.
//!
//! Torques are linear in the ten inertial parameters of each body, `tau = Y(q, v, a) pi`, and
//! `regressor` computes Y. The true arm is the URDF's; the first estimate is wrong by up to a
//! third. Every measured state adds seven equations to the normal equations of 70 parameters.
//!
//! Some parameters affect no motion. Where the torques carry no information, the first estimate is
//! kept: both are weighted by their uncertainty (a Kalman filter without dynamics, or Tikhonov
//! regularisation).
//!
//! It prints the prediction error of the torques of another motion, before and after, and the share
//! of the time that goes into regressors, with the generated function and with the generic one.

mod curves;

use curves::Panel;
use nalgebra::{DMatrix, DVector, SVector};
use rbd::Model;
use rbd::reference::{self, Data};
use std::time::{Duration, Instant};

rbd::rbd_robot! {
    pub struct Iiwa14 { urdf: "robots/iiwa14.urdf", functions: [rnea, regressor] }
}

type Vector = SVector<f64, 7>;

/// States that are measured, and how noisy their torques are, N m: standard deviation.
const STATES: usize = 600;
const NOISE: f64 = 1.0;
/// Largest error of the first estimate, relative to the body's largest parameter of the kind.
const DOUBT: f64 = 0.3;

/// Numbers that look random.
struct Noise(u64);

impl Noise {
    /// From -1 to 1.
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Normally distributed, as the sum of twelve nearly is.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() / 2.0
    }
}

/// Configuration, velocity and acceleration of the motion: each joint swings in two tones of its
/// own.
fn motion(seed: f64, t: f64) -> [Vector; 3] {
    let tone = |i: usize, k: usize| {
        let (i, k) = (i as f64, k as f64);
        (0.5 + 0.23 * i + 0.9 * k + 0.1 * seed, 0.7 / (1.0 + k), seed * (i + 2.0 * k + 1.0))
    };
    let sum = |of: &dyn Fn(f64, f64, f64) -> f64| {
        Vector::from_fn(|i, _| (0..2).map(|k| tone(i, k)).map(|(w, a, phase)| of(w, a, w * t + phase)).sum())
    };
    [
        sum(&|_, a, angle| a * angle.sin()),
        sum(&|w, a, angle| a * w * angle.cos()),
        sum(&|w, a, angle| -a * w * w * angle.sin()),
    ]
}

/// Torques by parameters: ten columns a body.
fn regressor(q: &Vector, v: &Vector, a: &Vector) -> DMatrix<f64> {
    let bodies = Iiwa14::regressor(q, v, a);
    DMatrix::from_iterator(7, 70, bodies.iter().flat_map(|of_body| of_body.iter().copied()))
}

/// Root mean square of the prediction error, N m.
fn unforeseen(parameters: &DVector<f64>) -> f64 {
    let errors = (0..200).map(|k| {
        let [q, v, a] = motion(2.3, f64::from(k) * 0.1);
        let foreseen = regressor(&q, &v, &a) * parameters;
        (foreseen - DVector::from_column_slice(Iiwa14::rnea(&q, &v, &a).as_slice())).norm_squared() / 7.0
    });
    (errors.sum::<f64>() / 200.0).sqrt()
}

fn main() -> std::io::Result<()> {
    let (model, mut noise): (Model<f64>, _) = (Iiwa14::model(), Noise(7));
    let truth = DVector::from_iterator(70, model.bodies.iter().flat_map(|b| b.inertia.parameters()));
    // The largest of a body's first moments and inertias, so that zeros are doubted as well.
    let doubts = DVector::from_fn(70, |k, _| {
        let body = truth.rows(k / 10 * 10, 10);
        let largest = |kind: std::ops::Range<usize>| kind.map(|k| body[k].abs()).fold(0.0, f64::max);
        DOUBT * [largest(0..1), largest(1..4), largest(4..10)][[0, 1, 1, 1, 2, 2, 2, 2, 2, 2][k % 10]]
    });
    let first = truth.zip_map(&doubts, |x, doubt| x + doubt * noise.uniform());

    // Both in units of their uncertainty.
    let mut matrix = DMatrix::from_diagonal(&doubts.map(|doubt| 1.0 / (doubt * doubt)));
    let mut right = DVector::zeros(70);
    let (mut curve, mut estimate) = (vec![(0.0, unforeseen(&first))], first.clone());
    let (mut in_dynamics, clock) = (Duration::ZERO, Instant::now());
    for k in 0..STATES {
        let [q, v, a] = motion(1.0, k as f64 * 0.05);
        let measured = Iiwa14::rnea(&q, &v, &a).map(|tau| tau + NOISE * noise.normal());
        let begin = Instant::now();
        let rows = regressor(&q, &v, &a) / NOISE;
        in_dynamics += begin.elapsed();
        let surprise = DVector::from_column_slice((measured / NOISE).as_slice()) - &rows * &first;
        matrix.gemm_tr(1.0, &rows, &rows, 1.0);
        right.gemv_tr(1.0, &rows, &surprise, 1.0);
        if (k + 1) % 20 == 0 {
            let solved = matrix.clone().cholesky().expect("every parameter is known a little").solve(&right);
            estimate = &first + solved;
            curve.push(((k + 1) as f64, unforeseen(&estimate)));
        }
    }
    let total = clock.elapsed();
    let (before, after) = (curve[0].1, curve[curve.len() - 1].1);
    println!(
        "{}: torques of another motion are foreseen to {before:.2} N m before and {after:.3} N m after {STATES} states",
        Iiwa14::NAME
    );
    println!("(root of the mean square; measured torques have noise of {NOISE} N m)");
    // Prediction error that noise leaves, with so many parameters from so many equations.
    let expected = NOISE * (70.0 / (7.0 * STATES as f64)).sqrt();
    assert!(after < expected && after < before / 10.0);
    // The first body turns about the vertical: of its ten parameters torques tell one.
    let felt = (&estimate - &truth)[9].abs() / doubts[9];
    let unfelt = (&estimate - &first).rows(0, 3).amax();
    assert!(felt < 1.0 && unfelt < 1e-9, "{felt} {unfelt}");

    let (own, mut with_generic, mut data) = (total - in_dynamics, Duration::ZERO, Data::new(&model));
    for k in 0..STATES {
        let [q, v, a] = motion(1.0, k as f64 * 0.05);
        let begin = Instant::now();
        let found = reference::regressor(&model, &mut data, q.as_slice(), v.as_slice(), a.as_slice());
        with_generic += begin.elapsed();
        let same = regressor(&q, &v, &a);
        assert!(found.iter().zip(same.iter()).all(|(x, y)| (x - y).abs() < 1e-10));
    }
    for (what, dynamics) in [("generated", in_dynamics), ("generic", with_generic)] {
        let state = (own + dynamics).as_secs_f64() / STATES as f64;
        println!(
            "{what:>10} regressor: {:6.2} us, {:3.0} % of what a state takes, {:5.1} kHz",
            dynamics.as_secs_f64() / STATES as f64 * 1e6,
            dynamics.as_secs_f64() / STATES as f64 / state * 100.0,
            1e-3 / state
        );
    }
    let title = "error of torques of another motion, N m";
    let panel = Panel { title, scale: "log", curves: vec![("after learning", curve)] };
    curves::write("identification", "measured states of iiwa14", &[panel])
}
