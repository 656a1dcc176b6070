//! First derivatives of inverse and forward dynamics, by every method.
//!
//! All give the value, its derivatives by q (in the tangent space) and v, and M or M^-1, for one
//! state:
//! - `generated`: `rnea_derivatives`, `aba_derivatives`;
//! - `chain rule`: the generic algorithm of `rbd::reference`;
//! - `central differences` of the generated function in q and v, and the generated M or M^-1;
//! - `dual numbers`: the generated function on num-dual's `Dual64`, once for each direction of q
//!   and v, and the same M.

use criterion::Criterion;
use nalgebra::SVector;
use num_dual::Dual64;
use rbd::reference::{self, Data};
use rbd::{AbaDerivatives, Dynamics, Model, RneaDerivatives};
use std::hint::black_box;

/// Value, derivative by q and derivative by v, column by column.
struct First<const NV: usize> {
    value: SVector<f64, NV>,
    by_q: [SVector<f64, NV>; NV],
    by_v: [SVector<f64, NV>; NV],
}

/// Central differences of `f(q, v)`.
fn differences<R: Dynamics<NQ, NV>, const NQ: usize, const NV: usize>(
    q: &SVector<f64, NQ>,
    v: &SVector<f64, NV>,
    f: impl Fn(&SVector<f64, NQ>, &SVector<f64, NV>) -> SVector<f64, NV>,
) -> First<NV> {
    const STEP: f64 = 1e-6;
    let along = |j| SVector::<f64, NV>::from_fn(|i, _| if i == j { STEP } else { 0.0 });
    First {
        value: f(q, v),
        by_q: std::array::from_fn(|j| {
            let step = along(j);
            (f(&R::integrate(q, &step), v) - f(&R::integrate(q, &-step), v)) / (2.0 * STEP)
        }),
        by_v: std::array::from_fn(|j| {
            let step = along(j);
            (f(q, &(v + step)) - f(q, &(v - step))) / (2.0 * STEP)
        }),
    }
}

/// Exact derivatives of `f(q, v)` by dual numbers, a direction at a time.
fn duals<R: Dynamics<NQ, NV>, const NQ: usize, const NV: usize>(
    q: &SVector<f64, NQ>,
    v: &SVector<f64, NV>,
    f: impl Fn(&SVector<Dual64, NQ>, &SVector<Dual64, NV>) -> SVector<Dual64, NV>,
) -> First<NV> {
    let (q, v) = (q.map(Dual64::from), v.map(Dual64::from));
    let along = |j| SVector::from_fn(|i, _| Dual64::new(0.0, if i == j { 1.0 } else { 0.0 }));
    First {
        value: f(&q, &v).map(|x| x.re),
        by_q: std::array::from_fn(|j| f(&R::integrate(&q, &along(j)), &v).map(|x| x.eps)),
        by_v: std::array::from_fn(|j| f(&q, &(v + along(j))).map(|x| x.eps)),
    }
}

/// Both derivatives of a robot by every method.
pub fn robot<R: Dynamics<NQ, NV>, const NQ: usize, const NV: usize>(
    c: &mut Criterion,
    name: &str,
    model: &Model<f64>,
) {
    let [dq, v, x] =
        &[0.7, 1.3, 2.1].map(|rate| SVector::<f64, NV>::from_fn(|i, _| (1.0 + rate * i as f64).sin()));
    let q = &R::integrate(&R::neutral(), dq);
    let x_dual = &x.map(Dual64::from);
    let data = &mut Data::new(model);
    let by_a = &mut RneaDerivatives::zeros();
    let by_tau = &mut AbaDerivatives::zeros();

    // All methods must agree, or the race means nothing.
    R::rnea_derivatives_into(q, v, x, by_a);
    let tolerance = 1e-5 * (1.0 + by_a.dtau_dq.amax() + by_a.dtau_dv.amax());
    let by_duals = duals::<R, NQ, NV>(q, v, |q, v| R::rnea(q, v, x_dual));
    for way in [&by_duals, &differences::<R, NQ, NV>(q, v, |q, v| R::rnea(q, v, x))] {
        assert!((way.value - by_a.tau).amax() < tolerance);
        for j in 0..NV {
            assert!((way.by_q[j] - by_a.dtau_dq.column(j)).amax() < tolerance);
            assert!((way.by_v[j] - by_a.dtau_dv.column(j)).amax() < tolerance);
        }
    }

    let mut group = c.benchmark_group(format!("derivatives.{name}.rnea"));
    group.bench_function("generated", |b| {
        b.iter(|| R::rnea_derivatives_into(black_box(q), black_box(v), black_box(x), black_box(&mut *by_a)))
    });
    group.bench_function("chain rule", |b| {
        b.iter(|| {
            let (q, v, x) = black_box((q.as_slice(), v.as_slice(), x.as_slice()));
            reference::rnea_derivatives(black_box(model), data, q, v, x, None);
        })
    });
    group.bench_function("central differences", |b| {
        b.iter(|| {
            let (q, v, x) = black_box((q, v, x));
            (differences::<R, NQ, NV>(q, v, |q, v| R::rnea(q, v, x)), R::crba(q))
        })
    });
    group.bench_function("dual numbers", |b| {
        b.iter(|| {
            let (q, v, x) = black_box((q, v, x_dual));
            (duals::<R, NQ, NV>(q, v, |q, v| R::rnea(q, v, x)), R::crba(q))
        })
    });
    group.finish();

    let mut group = c.benchmark_group(format!("derivatives.{name}.aba"));
    group.bench_function("generated", |b| {
        b.iter(|| R::aba_derivatives_into(black_box(q), black_box(v), black_box(x), black_box(&mut *by_tau)))
    });
    group.bench_function("chain rule", |b| {
        b.iter(|| {
            let (q, v, x) = black_box((q.as_slice(), v.as_slice(), x.as_slice()));
            reference::aba_derivatives(black_box(model), data, q, v, x, None);
        })
    });
    group.bench_function("central differences", |b| {
        b.iter(|| {
            let (q, v, x) = black_box((q, v, x));
            (differences::<R, NQ, NV>(q, v, |q, v| R::aba(q, v, x)), R::minv(q))
        })
    });
    group.bench_function("dual numbers", |b| {
        b.iter(|| {
            let (q, v, x) = black_box((q, v, x_dual));
            (duals::<R, NQ, NV>(q, v, |q, v| R::aba(q, v, x)), R::minv(q))
        })
    });
    group.finish();
}
