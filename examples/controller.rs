//! An arm follows a curve: computed torque, in a simulation with forward dynamics.
//!
//! `cargo run --release --example controller`. The torque is inverse dynamics at the desired
//! acceleration: the curve's plus feedback of the error. The controller is generic over robots with
//! inverse dynamics whose configurations are a vector space. It asserts what it prints.
//! `rbd view --trajectory` replays the motion (docs/view.md).

mod recording;

use nalgebra::SVector;
use rbd::{ForwardDynamics, InverseDynamics};
use recording::Recording;

rbd::rbd_robot! {
    /// KUKA LBR iiwa 14.
    pub struct Iiwa14 { urdf: "robots/iiwa14.urdf", functions: [inverse_dynamics, forward_dynamics] }
}

type Vector<const N: usize> = SVector<f64, N>;

/// The torque that makes the error e of the configuration obey `d2e + 2 w de + w^2 e = 0`.
fn computed_torque<R: InverseDynamics<N, N>, const N: usize>(
    (q, v): (&Vector<N>, &Vector<N>),
    (q_wanted, v_wanted, a_wanted): &(Vector<N>, Vector<N>, Vector<N>),
    w: f64,
) -> Vector<N> {
    let a = a_wanted + (v_wanted - v) * (2.0 * w) + (q_wanted - q) * (w * w);
    R::rnea(q, v, &a)
}

/// Configuration, velocity and acceleration of the curve: each joint swings by half a radian at its
/// own speed.
fn curve<const N: usize>(t: f64) -> (Vector<N>, Vector<N>, Vector<N>) {
    let rate = |i: usize| 1.0 + 0.2 * i as f64;
    (
        Vector::from_fn(|i, _| 0.5 * (rate(i) * t).sin()),
        Vector::from_fn(|i, _| 0.5 * rate(i) * (rate(i) * t).cos()),
        Vector::from_fn(|i, _| -0.5 * rate(i) * rate(i) * (rate(i) * t).sin()),
    )
}

/// The errors, rad, at the start and after some seconds under the controller.
fn follow<R: InverseDynamics<N, N> + ForwardDynamics<N, N>, const N: usize>(
    seconds: f64,
    recording: &mut Recording,
) -> (f64, f64) {
    let (h, w) = (1e-3, 20.0);
    // It starts beside the curve.
    let (mut q, mut v) = (Vector::<N>::repeat(0.2), Vector::<N>::zeros());
    let error = |q: &Vector<N>, t: f64| (q - curve(t).0).amax();
    let before = error(&q, 0.0);
    let steps = (seconds / h) as usize;
    for k in 0..steps {
        recording.add(k as f64 * h, q.as_slice(), v.as_slice());
        let tau = computed_torque::<R, N>((&q, &v), &curve(k as f64 * h), w);
        v += R::aba(&q, &v, &tau) * h;
        q += v * h;
    }
    (before, error(&q, steps as f64 * h))
}

fn main() -> std::io::Result<()> {
    let mut recording = Recording::default();
    let (before, after) = follow::<Iiwa14, 7>(2.0, &mut recording);
    println!("{}: {before:.3} rad from the curve at first, {after:.1e} rad after two seconds", Iiwa14::NAME);
    assert!(before > 0.1 && after < 2e-3);
    recording.write("controller", "robots/iiwa14.urdf", "")
}
