//! A robot arm: computed torque to a posture, torques of a swing, forward dynamics, and times.
//!
//!     cargo run --release --example quickstart

use nalgebra::SVector;
use rbd::reference::{self, Data};
use std::f64::consts::TAU;
use std::hint::black_box;
use std::time::Instant;

rbd::rbd_robot!("robots/iiwa14.urdf"); // makes `pub struct Iiwa14`

type Vector = SVector<f64, { Iiwa14::NV }>;

fn main() {
    println!("{}: {} joints\n", Iiwa14::NAME, Iiwa14::NV);
    reach();
    swing();
    round_trip();
    compare();
}

/// Computed torque drives the arm to a posture, in a simulation by its own forward dynamics. The
/// README has this program.
fn reach() {
    let goal = SVector::from([0.5, -0.3, 0.2, -1.2, 0.1, 0.8, 0.0]);
    let (mut q, mut v) = (Iiwa14::neutral(), Vector::zeros());
    for _ in 0..2000 {
        let wanted = Iiwa14::difference(&q, &goal) * 100.0 - v * 20.0;
        let tau = Iiwa14::rnea(&q, &v, &wanted);
        v += Iiwa14::aba(&q, &v, &tau) * 1e-3;
        q = Iiwa14::integrate(&q, &(v * 1e-3));
    }
    let error = Iiwa14::difference(&q, &goal).norm();
    println!("A posture, by computed torque in 2 s. Distance in rad that is left:\nreached: {error:.0e}\n");
    assert!(error < 1e-6);
}

/// Every joint swings between 0.6 and -0.6 rad, a little faster than its neighbour. Position,
/// speed, acceleration.
fn state(t: f64) -> (Vector, Vector, Vector) {
    let rate = |i: usize| TAU * (0.5 + 0.05 * i as f64);
    (
        Vector::from_fn(|i, _| 0.6 * (rate(i) * t).sin()),
        Vector::from_fn(|i, _| 0.6 * rate(i) * (rate(i) * t).cos()),
        Vector::from_fn(|i, _| -0.6 * rate(i) * rate(i) * (rate(i) * t).sin()),
    )
}

/// Inverse dynamics along the motion, beside the limits that the URDF states.
fn swing() {
    println!("Torques of the swing, N m:");
    print!("{:>6}", "t, s");
    Iiwa14::JOINTS.iter().for_each(|joint| print!("{:>14}", joint.name));
    println!();
    for k in 0..=4 {
        let t = 0.5 * f64::from(k);
        let (q, v, a) = state(t);
        let tau = Iiwa14::rnea(&q, &v, &a);
        print!("{t:>6.1}");
        tau.iter().for_each(|x| print!("{:>14.2}", x + 0.0));
        println!();
    }
    print!("{:>6}", "limit");
    Iiwa14::JOINTS.iter().for_each(|joint| print!("{:>14.0}", joint.effort));
    println!("\n");
}

/// Forward dynamics under those torques gives the accelerations back.
fn round_trip() {
    let samples = 2000;
    let mut worst: f64 = 0.0;
    for k in 0..samples {
        let (q, v, a) = state(f64::from(k) * 1e-3);
        let back = Iiwa14::aba(&q, &v, &Iiwa14::rnea(&q, &v, &a));
        worst = worst.max((back - a).amax() / a.amax().max(1.0));
    }
    println!(
        "Round trip: aba(q, v, rnea(q, v, a)) gives a again, to {worst:.0e} relative at {samples} states.\n"
    );
    assert!(worst < 1e-10, "forward and inverse dynamics disagree");
}

/// Times in comparison with the generic algorithms, which are not specialised for a robot.
fn compare() {
    println!("{:18}{:>30}", "", "ns a call, median");
    println!("{:18}{:>10}{:>10}{:>10}", "", "textbook", "generated", "ratio");
    for (name, [textbook, generated]) in times() {
        println!("{name:18}{textbook:>10.0}{generated:>10.0}{:>10.1}", textbook / generated);
    }
    println!(
        "\nTextbook: the algorithms of `rbd::reference`, which loop over the bodies of whatever robot they are given,\n\
         in a workspace made beforehand. Times are this machine's, now; the ratios say more.\n\
         The operations that were saved: cargo run --release -p rbd-cli -- report robots/iiwa14.urdf"
    );
}

/// Nanoseconds per call of each function: generic, generated.
fn times() -> Vec<(&'static str, [f64; 2])> {
    let model = Iiwa14::model::<f64>();
    let data = &mut Data::new(&model);
    let (q, v, x) = state(0.3); // x: an acceleration, or a torque
    let by_a = &mut rbd::RneaDerivatives::zeros();
    let by_tau = &mut rbd::AbaDerivatives::zeros();
    // Arguments are `&black_box(..)`, so that no result is computed once for all calls.
    macro_rules! time_both {
        ($name:ident($($x:ident),*): $generated:expr; $reference:expr) => {
            (stringify!($name), [
                time(|| { $(let $x = black_box($x.as_slice());)* black_box($reference); }),
                time(|| { $(let $x = black_box(&$x);)* black_box($generated); }),
            ])
        };
    }
    vec![
        time_both!(rnea(q, v, x): Iiwa14::rnea(q, v, x); reference::rnea(&model, data, q, v, x, None)),
        time_both!(aba(q, v, x): Iiwa14::aba(q, v, x); reference::aba(&model, data, q, v, x, None)),
        time_both!(crba(q): Iiwa14::crba(q); reference::crba(&model, data, q)),
        time_both!(minv(q): Iiwa14::minv(q); reference::minv(&model, data, q)),
        time_both!(rnea_derivatives(q, v, x): {
            Iiwa14::rnea_derivatives_into(q, v, x, by_a);
            &*by_a
        }; reference::rnea_derivatives(&model, data, q, v, x, None)),
        time_both!(aba_derivatives(q, v, x): {
            Iiwa14::aba_derivatives_into(q, v, x, by_tau);
            &*by_tau
        }; reference::aba_derivatives(&model, data, q, v, x, None)),
    ]
}

/// Nanoseconds a call: the median of many batches.
fn time(mut call: impl FnMut()) -> f64 {
    const CALLS: u32 = 200;
    let mut batches: Vec<f64> = (0..301)
        .map(|_| {
            let start = Instant::now();
            (0..CALLS).for_each(|_| call());
            start.elapsed().as_nanos() as f64 / f64::from(CALLS)
        })
        .collect();
    batches.sort_by(f64::total_cmp);
    batches[batches.len() / 2]
}
