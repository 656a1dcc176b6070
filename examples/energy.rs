//! Energy error of a simulation: `docs/energy.svg`, drawn by `tools/plot_examples.py energy`.
//!
//! `cargo run --release --example energy`. A double pendulum swings freely. With half the step, the
//! error of the fourth-order Runge-Kutta method is sixteen times smaller. The first-order method,
//! which moves positions by the new velocities, errs much more. Accelerations are generated code,
//! energies the generic reference's. `rbd view --trajectory` replays the swing (docs/view.md).

mod curves;
mod recording;

use curves::Panel;
use nalgebra::SVector;
use rbd::reference::{Data, kinetic_energy, potential_energy};
use rbd::{Dynamics, Model};
use recording::Recording;

rbd::rbd_robot!("robots/double_pendulum.urdf");

const SECONDS: f64 = 5.0;
type Vector<const N: usize> = SVector<f64, N>;

/// Position and velocity at first.
const START: ([f64; 2], [f64; 2]) = ([0.9, 0.4], [0.0, 0.5]);

/// One Runge-Kutta step, for robots whose configurations are a vector space.
fn runge_kutta<R: Dynamics<N, N>, const N: usize>(
    q: &Vector<N>,
    v: &Vector<N>,
    h: f64,
) -> (Vector<N>, Vector<N>) {
    let a = |q: &Vector<N>, v: &Vector<N>| R::aba(q, v, &Vector::zeros());
    let a1 = a(q, v);
    let (q2, v2) = (q + v * (h / 2.0), v + a1 * (h / 2.0));
    let a2 = a(&q2, &v2);
    let (q3, v3) = (q + v2 * (h / 2.0), v + a2 * (h / 2.0));
    let a3 = a(&q3, &v3);
    let (q4, v4) = (q + v3 * h, v + a3 * h);
    let a4 = a(&q4, &v4);
    (q + (v + v2 * 2.0 + v3 * 2.0 + v4) * (h / 6.0), v + (a1 + a2 * 2.0 + a3 * 2.0 + a4) * (h / 6.0))
}

/// Velocities first, then positions by the new ones.
fn symplectic_euler<R: Dynamics<N, N>, const N: usize>(
    q: &Vector<N>,
    v: &Vector<N>,
    h: f64,
) -> (Vector<N>, Vector<N>) {
    let v = v + R::aba(q, v, &Vector::zeros()) * h;
    (R::integrate(q, &(v * h)), v)
}

/// The largest error of the energy so far, over the largest kinetic energy, at a hundred times.
fn errors(
    h: f64,
    step: fn(&Vector<2>, &Vector<2>, f64) -> (Vector<2>, Vector<2>),
    model: &Model<f64>,
) -> Vec<(f64, f64)> {
    let mut data = Data::new(model);
    let mut energy = |q: &Vector<2>, v: &Vector<2>| {
        let kinetic = kinetic_energy(model, &mut data, q.as_slice(), v.as_slice());
        (kinetic, kinetic + potential_energy(model, &mut data, q.as_slice()))
    };
    let (mut q, mut v) = (Vector::from(START.0), Vector::from(START.1));
    let before = energy(&q, &v).1;
    let (mut largest, mut error) = (0.0_f64, 0.0_f64);
    let steps = (SECONDS / h).round() as usize;
    let mut curve = Vec::new();
    for k in 1..=steps {
        (q, v) = step(&q, &v, h);
        let (kinetic, total) = energy(&q, &v);
        largest = largest.max(kinetic);
        error = error.max((total - before).abs());
        if k % (steps / 100) == 0 {
            curve.push((k as f64 * h, error / largest));
        }
    }
    curve
}

fn main() -> std::io::Result<()> {
    let model = DoublePendulum::model::<f64>();
    let rk4 = runge_kutta::<DoublePendulum, 2>;
    let curves = vec![
        ("Euler 1 ms", errors(1e-3, symplectic_euler::<DoublePendulum, 2>, &model)),
        ("RK4 4 ms", errors(4e-3, rk4, &model)),
        ("RK4 2 ms", errors(2e-3, rk4, &model)),
        ("RK4 1 ms", errors(1e-3, rk4, &model)),
    ];
    let (mut q, mut v) = (Vector::from(START.0), Vector::from(START.1));
    let mut recording = Recording::default();
    for k in 0..(SECONDS / 1e-3) as usize {
        recording.add(k as f64 * 1e-3, q.as_slice(), v.as_slice());
        (q, v) = rk4(&q, &v, 1e-3);
    }
    recording.write("energy", "robots/double_pendulum.urdf", "")?;
    let title = "largest error of a free double pendulum's energy, relative to its kinetic energy";
    curves::write("energy", "seconds", &[Panel { title, scale: "log", curves }])
}
