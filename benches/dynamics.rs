//! Every function of a generated robot beside the textbook algorithm of `rbd::reference`.
//!
//!     cargo bench --bench dynamics
//!     python3 tools/bench_table.py
//!
//! The reference's workspace is made beforehand; results of matrix size are written into place on both sides.
//! `4 states` is the generated function on four states at once, and its time is for all four. The batches are derivatives
//! of forward dynamics for many states: one by one, in lanes, and in lanes on all cores; times are for the whole batch.

use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::{SMatrix, SVector};
use rbd::lanes::F64x4;
use rbd::reference::{self, Data};
use rbd::{AbaDerivatives, Model, RneaDerivatives, Robot, Scalar, batch};
use std::hint::black_box;
use std::time::Duration;

rbd::rbd_robot!("robots/iiwa14.urdf");
rbd::rbd_robot!("robots/ur5.urdf");
rbd::rbd_robot! { pub struct Hyq { urdf: "robots/hyq.urdf", base: floating } }

/// Three waves: a tangent vector away from zero, a velocity, and an acceleration or torque.
fn waves<T: Scalar, const NV: usize>() -> [SVector<T, NV>; 3] {
    [0.7, 1.3, 2.1].map(|rate| SVector::from_fn(|i, _| T::from_f64((1.0 + rate * i as f64).sin())))
}

fn robot<R: Robot<NQ, NV>, const NQ: usize, const NV: usize>(
    c: &mut Criterion,
    name: &str,
    model: &Model<f64>,
    fext: &R::Forces<f64>,
) {
    let [dq, v, x] = &waves::<f64, NV>();
    let q = &R::integrate(&R::neutral(), dq);
    let slices = (q.as_slice(), v.as_slice(), x.as_slice());
    let data = &mut Data::new(model);
    let matrix = &mut SMatrix::zeros();
    let by_a = &mut RneaDerivatives::zeros();
    let by_tau = &mut AbaDerivatives::zeros();
    macro_rules! pair {
        ($function:ident, $generated:expr, $reference:expr) => {
            let mut group = c.benchmark_group(format!("dynamics.{name}.{}", stringify!($function)));
            group.bench_function("generated", |b| {
                b.iter(|| {
                    let (q, v, x, fext) = black_box((q, v, x, fext));
                    $generated(q, v, x, fext)
                })
            });
            group.bench_function("reference", |b| {
                b.iter(|| {
                    let (m, (q, v, x), fext) = black_box((model, slices, fext.as_ref()));
                    $reference(m, &mut *data, q, v, x, fext);
                    black_box(&*data);
                })
            });
            group.finish();
        };
    }
    pair!(rnea, |q, v, a, _| R::rnea(q, v, a), |m, d, q, v, a, _| _ = reference::rnea(m, d, q, v, a, None));
    pair!(rnea_fext, |q, v, a, f| R::rnea_fext(q, v, a, f), |m, d, q, v, a, f| _ =
        reference::rnea(m, d, q, v, a, Some(f)));
    pair!(bias, |q, v, _, _| R::bias(q, v), |m, d, q, v, _, _| _ = reference::bias(m, d, q, v));
    pair!(gravity, |q, _, _, _| R::gravity(q), |m, d, q, _, _, _| _ = reference::gravity(m, d, q));
    pair!(aba, |q, v, tau, _| R::aba(q, v, tau), |m, d, q, v, tau, _| _ =
        reference::aba(m, d, q, v, tau, None));
    pair!(aba_fext, |q, v, tau, f| R::aba_fext(q, v, tau, f), |m, d, q, v, tau, f| _ =
        reference::aba(m, d, q, v, tau, Some(f)));
    pair!(crba, |q, _, _, _| R::crba_into(q, black_box(&mut *matrix)), |m, d, q, _, _, _| _ =
        reference::crba(m, d, q));
    pair!(minv, |q, _, _, _| R::minv_into(q, black_box(&mut *matrix)), |m, d, q, _, _, _| _ =
        reference::minv(m, d, q));
    pair!(
        rnea_derivatives,
        |q, v, a, _| R::rnea_derivatives_into(q, v, a, black_box(&mut *by_a)),
        |m, d, q, v, a, _| _ = reference::rnea_derivatives(m, d, q, v, a, None)
    );
    pair!(
        aba_derivatives,
        |q, v, tau, _| R::aba_derivatives_into(q, v, tau, black_box(&mut *by_tau)),
        |m, d, q, v, tau, _| _ = reference::aba_derivatives(m, d, q, v, tau, None)
    );
}

/// The same functions on four states at once.
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

/// As many states as a shooting method has steps.
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
    config = Criterion::default()
        .sample_size(40)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800))
        .without_plots();
    targets = dynamics
}
criterion_main!(benches);
