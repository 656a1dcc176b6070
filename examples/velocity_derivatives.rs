//! Vanishing derivatives, and their values by finite differences.
//!
//!     cargo run --release --example velocity_derivatives
//!
//! With neither speed nor gravity, torques depend on the velocities to second order only: d tau / d
//! v is zero, at any configuration and acceleration. So is d ddq / d v of forward dynamics.
//! [Carpentier-2018, section V.B and figure 3] uses this as a test of precision, at zero
//! acceleration; here it runs on three robots.
//!
//! Forward differences are wrong by their step. Central ones pass by symmetry alone: both sides
//! have the same value. The second table therefore has the errors of both at a moving state. There
//! no step suits every function: the best step of forward differences costs half of the digits.

use nalgebra::{SMatrix, SVector};
use rbd::Dynamics;

rbd::rbd_robot! { pub struct Iiwa14 { urdf: "robots/iiwa14.urdf", gravity: [0.0, 0.0, 0.0], functions: [dynamics] } }
rbd::rbd_robot! { pub struct Ur5 { urdf: "robots/ur5.urdf", gravity: [0.0, 0.0, 0.0], functions: [dynamics] } }
rbd::rbd_robot! { pub struct Hyq { urdf: "robots/hyq.urdf", base: floating, gravity: [0.0, 0.0, 0.0], functions: [dynamics] } }

const STEPS: [f64; 5] = [1e-2, 1e-4, 1e-6, 1e-8, 1e-10];

fn main() {
    println!("At rest, without gravity: the largest entry of the derivative by v, which should be 0.\n");
    heading("generated");
    at_rest::<Iiwa14, { Iiwa14::NQ }, { Iiwa14::NV }>("iiwa14");
    at_rest::<Ur5, { Ur5::NQ }, { Ur5::NV }>("ur5");
    at_rest::<Hyq, { Hyq::NQ }, { Hyq::NV }>("hyq, floating");

    println!(
        "\nMoving: the largest error of differences, relative to the largest entry of the generated derivative.\n"
    );
    heading("");
    moving::<Iiwa14, { Iiwa14::NQ }, { Iiwa14::NV }>("iiwa14");
    moving::<Ur5, { Ur5::NQ }, { Ur5::NV }>("ur5");
    moving::<Hyq, { Hyq::NQ }, { Hyq::NV }>("hyq, floating");
}

fn heading(own: &str) {
    print!("{:34}{own:>10}", "");
    STEPS.iter().for_each(|step| print!("{:>10}", format!("h={step:.0e}")));
    println!();
}

fn row(robot: &str, what: &str, own: &str, by_step: impl Fn(f64) -> f64) {
    print!("{robot:14}{what:20}{own:>10}");
    STEPS.iter().for_each(|&step| print!("{:>10.1e}", by_step(step)));
    println!();
}

/// A configuration away from zero, and two vectors for velocity, acceleration or torque.
fn sample<R: Dynamics<NQ, NV>, const NQ: usize, const NV: usize>()
-> (SVector<f64, NQ>, SVector<f64, NV>, SVector<f64, NV>) {
    let wave = |rate: f64| SVector::from_fn(|i, _| (1.0 + rate * i as f64).sin());
    (R::integrate(&R::neutral(), &wave(0.7)), wave(1.3), wave(2.1))
}

fn at_rest<R: Dynamics<NQ, NV>, const NQ: usize, const NV: usize>(robot: &str) {
    let (q, _, x) = sample::<R, NQ, NV>();
    let rest = SVector::zeros();
    for (what, f, exact, driven) in [
        (
            "rnea",
            R::rnea as Law<NQ, NV>,
            R::rnea_derivatives(&q, &rest, &rest).dtau_dv,
            R::rnea_derivatives(&q, &rest, &x).dtau_dv,
        ),
        (
            "aba",
            R::aba,
            R::aba_derivatives(&q, &rest, &rest).ddq_dv,
            R::aba_derivatives(&q, &rest, &x).ddq_dv,
        ),
    ] {
        assert!(exact.iter().chain(&driven).all(|entry| *entry == 0.0), "{robot}, {what}: not zero at rest");
        let own = format!("{:?}", exact.amax());
        row(robot, &format!("{what}, forward"), &own, |h| forward(f, &q, &rest, &rest, h).amax());
        row("", &format!("{what}, central"), &own, |h| central(f, &q, &rest, &rest, h).amax());
    }
}

fn moving<R: Dynamics<NQ, NV>, const NQ: usize, const NV: usize>(robot: &str) {
    let (q, v, x) = sample::<R, NQ, NV>();
    for (what, f, exact) in [
        ("rnea", R::rnea as Law<NQ, NV>, R::rnea_derivatives(&q, &v, &x).dtau_dv),
        ("aba", R::aba, R::aba_derivatives(&q, &v, &x).ddq_dv),
    ] {
        let error = |d: SMatrix<f64, NV, NV>| (d - exact).amax() / exact.amax();
        row(robot, &format!("{what}, forward"), "", |h| error(forward(f, &q, &v, &x, h)));
        row("", &format!("{what}, central"), "", |h| error(central(f, &q, &v, &x, h)));
    }
}

/// Inverse or forward dynamics.
type Law<const NQ: usize, const NV: usize> =
    fn(&SVector<f64, NQ>, &SVector<f64, NV>, &SVector<f64, NV>) -> SVector<f64, NV>;

/// The derivative by v from one more value a column.
fn forward<const NQ: usize, const NV: usize>(
    f: Law<NQ, NV>,
    q: &SVector<f64, NQ>,
    v: &SVector<f64, NV>,
    x: &SVector<f64, NV>,
    h: f64,
) -> SMatrix<f64, NV, NV> {
    let here = f(q, v, x);
    by_columns(|j| (f(q, &moved(v, j, h), x) - here) / h)
}

/// The derivative by v from two values a column.
fn central<const NQ: usize, const NV: usize>(
    f: Law<NQ, NV>,
    q: &SVector<f64, NQ>,
    v: &SVector<f64, NV>,
    x: &SVector<f64, NV>,
    h: f64,
) -> SMatrix<f64, NV, NV> {
    by_columns(|j| (f(q, &moved(v, j, h), x) - f(q, &moved(v, j, -h), x)) / (2.0 * h))
}

fn moved<const NV: usize>(v: &SVector<f64, NV>, j: usize, h: f64) -> SVector<f64, NV> {
    let mut moved = *v;
    moved[j] += h;
    moved
}

fn by_columns<const NV: usize>(column: impl Fn(usize) -> SVector<f64, NV>) -> SMatrix<f64, NV, NV> {
    let mut matrix = SMatrix::<f64, NV, NV>::zeros();
    (0..NV).for_each(|j| matrix.set_column(j, &column(j)));
    matrix
}
