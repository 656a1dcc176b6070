//! Order of the integrators: `docs/integrators.svg`, drawn by `tools/plot_examples.py integrators`.
//!
//! `cargo run --release --example integrators`. A double pendulum on a free base moves for a tenth of a
//! second, with damped joints. The error is the distance to a solution in many small steps. Half the step
//! leaves half the error of a method of order one, and a sixteenth of one of order four.

mod curves;

use curves::{Curve, Panel};
use nalgebra::SVector;
use rbd::{DiscreteDynamics, Step};

/// A robot for each integrator.
macro_rules! robots {
    ($($name:ident $step:ident),*) => { $(
        rbd::rbd_robot! { struct $name {
            urdf: "robots/double_pendulum.urdf", base: floating, functions: [aba], damping: true, step: $step
        } }
    )* };
}
robots!(Semi semi_implicit, Explicit explicit, Damped implicit_damping, Runge rk4);

const SECONDS: f64 = 0.1;
const NQ: usize = Runge::NQ;
const NV: usize = Runge::NV;

/// The last state of so many steps.
fn after<R: DiscreteDynamics<NQ, NV>>(steps: usize) -> Step<f64, NQ, NV> {
    let q = Runge::integrate(&Runge::neutral(), &SVector::repeat(0.4));
    let (v, tau) = (SVector::from_fn(|k, _| 0.3 * k as f64 - 1.0), SVector::repeat(1e-3));
    let mut states = vec![Step { q, v }; steps];
    R::rollout(&q, &v, &vec![tau; steps], SECONDS / steps as f64, &mut states);
    states[steps - 1]
}

/// Errors by the length of a step, in ms.
fn errors<R: DiscreteDynamics<NQ, NV>>(name: &'static str, order: f64, truth: &Step<f64, NQ, NV>) -> Curve {
    let points: Vec<(f64, f64)> = (0..8)
        .map(|k| {
            let steps = 100 << k;
            let end = after::<R>(steps);
            let error = R::difference(&truth.q, &end.q).norm().hypot((truth.v - end.v).norm());
            (1e3 * SECONDS / steps as f64, error)
        })
        .collect();
    let ratio = points[4].1 / points[5].1;
    println!("{name}: half of {:.3} ms leaves 1/{ratio:.1} of the error", points[4].0);
    assert!((ratio.log2() - order).abs() < 0.15, "the order is {}", ratio.log2());
    (name, points)
}

fn main() -> std::io::Result<()> {
    // Beyond the steps above by a factor of eight: an error smaller by 4096.
    let truth = &after::<Runge>(100 << 10);
    let curves = vec![
        errors::<Explicit>("explicit", 1.0, truth),
        errors::<Semi>("semi_implicit", 1.0, truth),
        errors::<Damped>("implicit_damping", 1.0, truth),
        errors::<Runge>("rk4", 4.0, truth),
    ];
    let title = "distance of the state after a tenth of a second to the true one";
    curves::write("integrators", "length of a step, ms", &[Panel { title, scale: "log-log", curves }])
}
