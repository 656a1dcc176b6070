//! Dynamics under contacts and a step with friction, beside forward dynamics.
//!
//!     cargo bench -p rbd-benches --bench contacts
//!
//! HyQ stands on four feet. `frame_jacobian of four feet` is what `contact_jacobian` replaces. Steps with
//! friction are also those of an arm whose last link touches, and of a humanoid on the corners of its soles.

#[path = "shared/mod.rs"]
mod shared;

use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::SVector;
use rbd::{
    ContactDynamicsDerivatives, ContactDynamicsHessian, ContactSettings, ContactSurface, FrictionContacts,
    FrictionSettings, FrictionStepDerivatives, ReferenceFrame, RneaHessian,
};
use std::hint::black_box;

rbd::rbd_robot! {
    pub struct Hyq {
        urdf: "../robots/hyq.urdf", base: floating, functions: [aba, rnea_hessian],
        contacts: ["lf_foot", "rf_foot", "lh_foot", "rh_foot"],
    }
}

rbd::rbd_robot! {
    pub struct Iiwa14 {
        urdf: "../robots/iiwa14.urdf", functions: [aba], contacts: ["iiwa_link_7"],
    }
}

rbd::rbd_robot! {
    pub struct G1 {
        urdf: "../robots/g1.urdf", base: floating, functions: [aba],
        frames: {
            "left_front_left": { link: "left_ankle_roll_link", xyz: [0.12, 0.03, -0.035] },
            "left_front_right": { link: "left_ankle_roll_link", xyz: [0.12, -0.03, -0.035] },
            "left_back_left": { link: "left_ankle_roll_link", xyz: [-0.05, 0.025, -0.035] },
            "left_back_right": { link: "left_ankle_roll_link", xyz: [-0.05, -0.025, -0.035] },
            "right_front_left": { link: "right_ankle_roll_link", xyz: [0.12, 0.03, -0.035] },
            "right_front_right": { link: "right_ankle_roll_link", xyz: [0.12, -0.03, -0.035] },
            "right_back_left": { link: "right_ankle_roll_link", xyz: [-0.05, 0.025, -0.035] },
            "right_back_right": { link: "right_ankle_roll_link", xyz: [-0.05, -0.025, -0.035] },
        },
        contacts: [
            "left_front_left", "left_front_right", "left_back_left", "left_back_right",
            "right_front_left", "right_front_right", "right_back_left", "right_back_right",
        ],
    }
}

/// Compliance of the corners of soles, 1/kg: four of one body share its weight in one way.
const COMPLIANCE: f64 = 1e-4;

/// Steps with friction of a robot at rest, and their derivatives. All contacts are on horizontal surfaces.
fn steps<R, const NQ: usize, const NV: usize, const NC: usize, const NR: usize>(
    c: &mut Criterion,
    name: &str,
    compliance: f64,
) where
    R: FrictionContacts<NQ, NV, NC, NR>,
{
    let bent = SVector::<f64, NV>::from_fn(|i, _| 0.3 * (1.0 + 0.7 * i as f64).sin());
    let (q, v, tau) = (R::integrate(&R::neutral(), &bent), SVector::zeros(), SVector::zeros());
    let settings = FrictionSettings::default();
    let surfaces = [Some(ContactSurface::ground(0.0, 0.6).with_compliance(compliance)); NC];
    let step = |last| R::friction_step(black_box(&q), &v, &tau, 1e-3, &surfaces, &settings, last);
    let last = &step(None);
    assert!(last.converged);
    let mut group = c.benchmark_group(format!("friction_step.{name}"));
    group.bench_function("cold", |b| b.iter(|| step(None)));
    group.bench_function("warm", |b| b.iter(|| step(Some(last))));
    let out = &mut FrictionStepDerivatives::zeros();
    group.bench_function("derivatives, warm", |b| {
        b.iter(|| {
            let out = black_box(&mut *out);
            R::friction_step_derivatives_into(
                black_box(&q),
                &v,
                &tau,
                1e-3,
                &surfaces,
                &settings,
                Some(last),
                out,
            );
        })
    });
    group.finish();
}

fn friction(c: &mut Criterion) {
    steps::<Iiwa14, _, _, _, _>(c, "iiwa14", 0.0);
    steps::<Hyq, _, _, _, _>(c, "hyq", 0.0);
    steps::<G1, _, _, _, _>(c, "g1", COMPLIANCE);
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
    targets = contacts, friction
}
criterion_main!(benches);
