//! A controller that gets all its quantities from one call: the arm's hand moves to a point.
//!
//! `cargo run --release --example fused`. The option `fused` generates one function for several
//! quantities, which computes common parts once.
//! `cargo run --release -p rbd-cli -- report robots/iiwa14.urdf --fused 'Control: ..'` shows the
//! operations that this saves, and this example the time. It asserts what it prints, except for
//! times.

use nalgebra::{SMatrix, SVector};
use rbd::ReferenceFrame::LocalWorldAligned;
use std::hint::black_box;
use std::time::Instant;

rbd::rbd_robot! {
    /// KUKA LBR iiwa 14.
    pub struct Iiwa14 {
        urdf: "robots/iiwa14.urdf",
        // Forward dynamics for the simulation; the others to compare with.
        functions: [aba, crba, bias, frame_placement, frame_jacobian, frame_velocity, frame_bias_acceleration],
        frames: ["iiwa_link_7"],
        fused: {
            Control: [
                m,
                bias,
                hand: placement("iiwa_link_7"),
                jacobian: jacobian("iiwa_link_7", local_world_aligned),
                velocity: velocity("iiwa_link_7", local_world_aligned),
                drift: bias_acceleration("iiwa_link_7", local_world_aligned),
            ],
        },
    }
}

type Vector = SVector<f64, 7>;
type Point = SVector<f64, 3>;

/// Torques that take the hand to the goal, in the null space of its Jacobian against the joints'
/// velocities; and how far it is from there.
fn torques(q: &Vector, v: &Vector, goal: &Point) -> (Vector, f64) {
    let now: Control<f64> = Iiwa14::control(q, v);
    let j: SMatrix<f64, 3, 7> = now.jacobian.fixed_rows::<3>(0).into_owned();
    let w = 8.0;
    let error = goal - now.hand.translation;
    let wanted = error * (w * w) - now.velocity.fixed_rows::<3>(0) * (2.0 * w);
    let rest = v * -5.0;
    let through = (j * j.transpose()).try_inverse().expect("the arm is not stretched");
    let a = rest + j.transpose() * through * (wanted - now.drift.fixed_rows::<3>(0) - j * rest);
    (now.m * a + now.bias, error.norm())
}

fn main() {
    let mut q = Vector::from([0.3, 0.6, 0.1, -1.2, 0.2, 0.8, 0.0]);
    let mut v = Vector::zeros();
    let goal = Iiwa14::control(&q, &v).hand.translation + Point::new(0.1, 0.15, -0.1);
    let (_, before) = torques(&q, &v, &goal);
    let h = 1e-3;
    for _ in 0..2000 {
        let (tau, _) = torques(&q, &v, &goal);
        v += Iiwa14::aba(&q, &v, &tau) * h;
        q += v * h;
    }
    let (_, after) = torques(&q, &v, &goal);
    println!("{:.0} mm from the goal at first, {:.1e} mm after two seconds", before * 1e3, after * 1e3);
    assert!(before > 0.2 && after < 1e-5);

    let hand = Iiwa14Frame::IiwaLink7;
    let calls = |q: &Vector, v: &Vector| Control {
        m: Iiwa14::crba(q),
        bias: Iiwa14::bias(q, v),
        hand: Iiwa14::frame_placement(q, hand),
        jacobian: Iiwa14::frame_jacobian(q, hand, LocalWorldAligned),
        velocity: Iiwa14::frame_velocity(q, v, hand, LocalWorldAligned),
        drift: Iiwa14::frame_bias_acceleration(q, v, hand, LocalWorldAligned),
    };
    v = Vector::repeat(0.5);
    let (one, many) = (Iiwa14::control(&q, &v), calls(&q, &v));
    assert!((one.m - many.m).amax() < 1e-12 && (one.drift - many.drift).amax() < 1e-12);
    println!(
        "{:.0} ns a call, {:.0} ns one by one",
        time(|| Iiwa14::control(black_box(&q), &v)),
        time(|| calls(black_box(&q), &v))
    );
}

/// Nanoseconds of a call: the least of several means.
fn time<X>(f: impl Fn() -> X) -> f64 {
    let mean = || {
        let start = Instant::now();
        (0..10_000).for_each(|_| drop(black_box(f())));
        start.elapsed().as_secs_f64() * 1e9 / 1e4
    };
    (0..20).map(|_| mean()).fold(f64::INFINITY, f64::min)
}
