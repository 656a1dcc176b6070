//! Every function of a generated robot against the generic algorithm of `rbd::reference`.
//!
//!     cargo bench -p rbd-benches --bench dynamics
//!     python3 tools/bench_table.py
//!
//! `shared/dynamics.rs` describes what is timed; `benches/robots` runs it for every robot in
//! `robots/`. `4 states` is the generated function on four states at once, and its time is for all
//! four. The batches are derivatives of forward dynamics for many states: one by one, in lanes, and
//! in lanes on all cores; times are for the whole batch.

#[path = "shared/mod.rs"]
mod shared;

use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::SVector;
use rbd::lanes::F64x4;
use rbd::{AbaDerivatives, RneaDerivatives, batch};
use shared::dynamics::{robot, waves};
use std::hint::black_box;

rbd::rbd_robot! { pub struct Iiwa14 { urdf: "../robots/iiwa14.urdf", functions: [dynamics] } }
rbd::rbd_robot! { pub struct Ur5 { urdf: "../robots/ur5.urdf", functions: [dynamics] } }
rbd::rbd_robot! { pub struct Hyq { urdf: "../robots/hyq.urdf", base: floating, functions: [dynamics] } }

/// The functions on four states at once.
fn four_states(c: &mut Criterion) {
    let [q, v, x] = &waves::<F64x4, { Iiwa14::NV }>();
    let by_a = &mut RneaDerivatives::zeros();
    let by_tau = &mut AbaDerivatives::zeros();
    let mut bench = |function: &str, run: &mut dyn FnMut()| {
        let mut group = c.benchmark_group(format!("dynamics.iiwa14.{function}"));
        group.bench_function("4 states", |b| b.iter(&mut *run));
        group.finish();
    };
    bench("rnea", &mut || {
        black_box(Iiwa14::rnea(black_box(q), black_box(v), black_box(x)));
    });
    bench("aba", &mut || {
        black_box(Iiwa14::aba(black_box(q), black_box(v), black_box(x)));
    });
    bench("rnea_derivatives", &mut || {
        Iiwa14::rnea_derivatives_into(black_box(q), black_box(v), black_box(x), black_box(&mut *by_a));
    });
    bench("aba_derivatives", &mut || {
        Iiwa14::aba_derivatives_into(black_box(q), black_box(v), black_box(x), black_box(&mut *by_tau));
    });
}

/// A batch of as many states as a shooting method has steps.
fn batches(c: &mut Criterion) {
    const NV: usize = Iiwa14::NV;
    for n in [16, 32, 64, 128] {
        let states = |rate: f64| -> Vec<SVector<f64, NV>> {
            (0..n).map(|k| SVector::from_fn(|i, _| (k as f64 + rate * i as f64).sin())).collect()
        };
        let (q, v, tau) = (&states(0.7)[..], &states(1.3)[..], &states(2.1)[..]);
        let out = &mut vec![AbaDerivatives::<f64, NV>::zeros(); n];
        let mut group = c.benchmark_group(format!("batch.iiwa14.{n}"));
        group.bench_function("one by one", |b| {
            b.iter(|| {
                for (((q, v), tau), out) in black_box(q).iter().zip(v).zip(tau).zip(&mut *out) {
                    Iiwa14::aba_derivatives_into(q, v, tau, out);
                }
            })
        });
        group.bench_function("lanes", |b| {
            b.iter(|| {
                batch::map((black_box(q), v, tau), out, |(q, v, tau), d| {
                    Iiwa14::aba_derivatives_into(q, v, tau, d);
                })
            })
        });
        group.bench_function("lanes, threads", |b| {
            b.iter(|| {
                batch::par_map((black_box(q), v, tau), out, 32, |(q, v, tau), d| {
                    Iiwa14::aba_derivatives_into(q, v, tau, d);
                })
            })
        });
        group.finish();
    }
}

fn dynamics(c: &mut Criterion) {
    let force = SVector::from([1.0, -2.0, 3.0, 0.1, 0.2, -0.3]);
    robot::<Iiwa14, { Iiwa14::NQ }, { Iiwa14::NV }>(c, "iiwa14", &Iiwa14::model(), &[force; Iiwa14::NB]);
    robot::<Ur5, { Ur5::NQ }, { Ur5::NV }>(c, "ur5", &Ur5::model(), &[force; Ur5::NB]);
    robot::<Hyq, { Hyq::NQ }, { Hyq::NV }>(c, "hyq", &Hyq::model(), &[force; Hyq::NB]);
    four_states(c);
    batches(c);
}

criterion_group! {
    name = benches;
    config = shared::config();
    targets = dynamics
}
criterion_main!(benches);
