//! The discrete step and its derivatives, beside the forward dynamics that it is made of.
//!
//!     cargo bench -p rbd-benches --bench steps
//!
//! The ratio of `step` to `aba` is the cost of joining. So are those of `step_derivatives` to
//! `aba_derivatives` and of `step_hessian` to `aba_hessian`. HyQ also steps on four feet, beside
//! `contact_dynamics` and its derivatives.

#[path = "shared/mod.rs"]
mod shared;

use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::SVector;
use rbd::{
    AbaDerivatives, AbaHessian, ContactSettings, ContactStepDerivatives, DiscreteDynamics, StepDerivatives,
    StepHessian,
};
use std::hint::black_box;

rbd::rbd_robot! {
    pub struct Iiwa14 {
        urdf: "../robots/iiwa14.urdf", functions: [aba_hessian], step: semi_implicit,
    }
}
rbd::rbd_robot! {
    pub struct Iiwa14ByRk4 { urdf: "../robots/iiwa14.urdf", functions: [aba_hessian], step: rk4 }
}
rbd::rbd_robot! {
    pub struct Hyq {
        urdf: "../robots/hyq.urdf", base: floating, functions: [aba_hessian], step: semi_implicit,
        contacts: ["lf_foot", "rf_foot", "lh_foot", "rh_foot"],
    }
}

rbd::rbd_robot! {
    pub struct HyqDamped {
        urdf: "../robots/hyq.urdf", base: floating, damping: true, functions: [aba_hessian],
        step: implicit_damping,
    }
}

type Hessian<const NQ: usize, const NV: usize> =
    fn(&SVector<f64, NQ>, &SVector<f64, NV>, &SVector<f64, NV>, &SVector<f64, NV>, &mut AbaHessian<f64, NV>);

fn robot<R: DiscreteDynamics<NQ, NV>, const NQ: usize, const NV: usize>(
    c: &mut Criterion,
    name: &str,
    aba_hessian: Hessian<NQ, NV>,
) {
    let [dq, v, tau] =
        &[0.7, 1.3, 2.1].map(|rate| SVector::<f64, NV>::from_fn(|i, _| (1.0 + rate * i as f64).sin()));
    let q = &R::integrate(&R::neutral(), dq);
    let (by_aba, by_step) = (&mut AbaDerivatives::zeros(), &mut StepDerivatives::zeros());
    let mut group = c.benchmark_group(format!("steps.{name}"));
    group.bench_function("aba", |b| b.iter(|| R::aba(black_box(q), black_box(v), black_box(tau))));
    group.bench_function("step", |b| b.iter(|| R::step(black_box(q), black_box(v), black_box(tau), 1e-3)));
    group.bench_function("aba_derivatives", |b| {
        b.iter(|| {
            R::aba_derivatives_into(black_box(q), black_box(v), black_box(tau), black_box(&mut *by_aba))
        })
    });
    group.bench_function("step_derivatives", |b| {
        b.iter(|| {
            let (q, v, tau) = black_box((q, v, tau));
            R::step_derivatives_into(q, v, tau, 1e-3, black_box(&mut *by_step))
        })
    });
    let (of_aba, of_step) = (&mut AbaHessian::zeros(), &mut StepHessian::zeros());
    group.bench_function("aba_hessian", |b| {
        b.iter(|| {
            aba_hessian(black_box(q), black_box(v), black_box(tau), black_box(dq), black_box(&mut *of_aba))
        })
    });
    group.bench_function("step_hessian", |b| {
        b.iter(|| {
            let (q, v, tau) = black_box((q, v, tau));
            R::step_hessian_into(q, v, tau, 1e-3, black_box(dq), black_box(v), black_box(&mut *of_step))
        })
    });
    group.finish();
}

fn under_contacts(c: &mut Criterion) {
    let [dq, v, tau] =
        &[0.7, 1.3, 2.1].map(|rate| SVector::<f64, 18>::from_fn(|i, _| 0.3 * (1.0 + rate * i as f64).sin()));
    let (q, settings) = (&Hyq::integrate(&Hyq::neutral(), dq), &ContactSettings::default());
    let feet = &[true; 4];
    let mut group = c.benchmark_group("steps.hyq on four feet");
    group.bench_function("contact_dynamics", |b| {
        b.iter(|| Hyq::contact_dynamics(black_box(q), black_box(v), tau, black_box(feet), settings))
    });
    group.bench_function("contact_step", |b| {
        b.iter(|| Hyq::contact_step(black_box(q), black_box(v), tau, 1e-3, black_box(feet), settings))
    });
    let out = &mut ContactStepDerivatives::zeros();
    group.bench_function("contact_dynamics_derivatives", |b| {
        b.iter(|| {
            let (q, v, tau, feet) = black_box((q, v, tau, feet));
            Hyq::contact_dynamics_derivatives_into(q, v, tau, feet, settings, black_box(&mut out.dynamics))
        })
    });
    group.bench_function("contact_step_derivatives", |b| {
        b.iter(|| {
            let (q, v, tau, feet) = black_box((q, v, tau, feet));
            Hyq::contact_step_derivatives_into(q, v, tau, 1e-3, feet, settings, black_box(&mut *out))
        })
    });
    group.finish();
}

fn steps(c: &mut Criterion) {
    robot::<Iiwa14, { Iiwa14::NQ }, { Iiwa14::NV }>(c, "iiwa14", Iiwa14::aba_hessian_into);
    robot::<Iiwa14ByRk4, { Iiwa14ByRk4::NQ }, { Iiwa14ByRk4::NV }>(
        c,
        "iiwa14 by rk4",
        Iiwa14ByRk4::aba_hessian_into,
    );
    robot::<Hyq, { Hyq::NQ }, { Hyq::NV }>(c, "hyq", Hyq::aba_hessian_into);
    robot::<HyqDamped, { HyqDamped::NQ }, { HyqDamped::NV }>(
        c,
        "hyq with implicit damping",
        HyqDamped::aba_hessian_into,
    );
}

criterion_group! {
    name = benches;
    config = shared::config();
    targets = steps, under_contacts
}
criterion_main!(benches);
