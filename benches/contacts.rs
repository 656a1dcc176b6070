//! Dynamics under contacts and a step with friction, beside forward dynamics.
//!
//!     cargo bench -p rbd-benches --bench contacts
//!
//! HyQ stands on four feet. `frame_jacobian of four feet` is what `contact_jacobian` replaces.

#[path = "shared/mod.rs"]
mod shared;

use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::SVector;
use rbd::{
    ContactDynamicsDerivatives, ContactDynamicsHessian, ContactSettings, ContactSurface, FrictionSettings,
    ReferenceFrame, RneaHessian,
};
use std::hint::black_box;

rbd::rbd_robot! {
    pub struct Hyq {
        urdf: "../robots/hyq.urdf", base: floating, functions: [aba, rnea_hessian],
        contacts: ["lf_foot", "rf_foot", "lh_foot", "rh_foot"],
    }
}

fn contacts(c: &mut Criterion) {
    let [dq, v, tau] =
        &[0.7, 1.3, 2.1].map(|rate| SVector::<f64, 18>::from_fn(|i, _| 0.3 * (1.0 + rate * i as f64).sin()));
    let (q, settings) = (&Hyq::integrate(&Hyq::neutral(), dq), &ContactSettings::default());
    let feet = HyqContact::ALL.map(HyqContact::frame);
    let mut group = c.benchmark_group("contacts.hyq");
    group.bench_function("aba", |b| b.iter(|| Hyq::aba(black_box(q), black_box(v), black_box(tau))));
    group.bench_function("minv", |b| b.iter(|| Hyq::minv(black_box(q))));
    group.bench_function("frame_jacobian of four feet", |b| {
        b.iter(|| feet.map(|foot| Hyq::frame_jacobian(black_box(q), foot, ReferenceFrame::Local)))
    });
    for (name, active) in [("four feet", [true; 4]), ("two feet", [true, false, false, true])] {
        group.bench_function(format!("contact_jacobian, {name}"), |b| {
            b.iter(|| Hyq::contact_jacobian(black_box(q), black_box(&active)))
        });
        group.bench_function(format!("delassus, {name}"), |b| {
            b.iter(|| Hyq::delassus(black_box(q), black_box(&active)))
        });
        group.bench_function(format!("contact_dynamics, {name}"), |b| {
            b.iter(|| Hyq::contact_dynamics(black_box(q), v, tau, black_box(&active), settings))
        });
        let out = &mut ContactDynamicsDerivatives::zeros();
        group.bench_function(format!("contact_dynamics_derivatives, {name}"), |b| {
            b.iter(|| {
                Hyq::contact_dynamics_derivatives_into(
                    black_box(q),
                    v,
                    tau,
                    black_box(&active),
                    settings,
                    black_box(&mut *out),
                )
            })
        });
        let hessian = &mut ContactDynamicsHessian::zeros();
        let (lambda, kappa) = (&SVector::repeat(0.7), &SVector::repeat(-0.2));
        group.bench_function(format!("contact_dynamics_hessian_with_first, {name}"), |b| {
            b.iter(|| {
                Hyq::contact_dynamics_hessian_with_first_into(
                    black_box(q),
                    v,
                    tau,
                    black_box(&active),
                    settings,
                    lambda,
                    kappa,
                    black_box(&mut *out),
                    black_box(&mut *hessian),
                )
            })
        });
    }
    let torques = &mut RneaHessian::zeros();
    group.bench_function("rnea_hessian", |b| {
        b.iter(|| Hyq::rnea_hessian_into(black_box(q), v, tau, v, black_box(&mut *torques)))
    });
    let (ground, settings) = ([Some(ContactSurface::ground(0.0, 0.6)); 4], FrictionSettings::default());
    let step = |last| Hyq::friction_step(black_box(q), v, tau, 1e-3, &ground, &settings, last);
    let last = &step(None);
    group.bench_function("friction_step, cold", |b| b.iter(|| step(None)));
    group.bench_function("friction_step, warm", |b| b.iter(|| step(Some(last))));
    group.finish();
}

criterion_group! {
    name = benches;
    config = shared::config();
    targets = contacts
}
criterion_main!(benches);
