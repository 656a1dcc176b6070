//! The discrete step and its derivatives, beside the forward dynamics that they are made of.
//!
//!     cargo bench -p rbd-benches --bench steps
//!
//! Functions run in turns, many batches each, and the least time of a batch counts. Below each function of
//! forward dynamics is the function of steps that is made of it, with the ratio of both: the cost of joining.
//! HyQ also steps on four feet, beside `contact_dynamics` and its derivatives.

use nalgebra::SVector;
use rbd::{
    AbaDerivatives, AbaHessian, ContactSettings, ContactStepDerivatives, DiscreteDynamics, StepDerivatives,
    StepHessian,
};
use std::cell::RefCell;
use std::hint::black_box;
use std::time::Instant;

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

/// A function of forward dynamics or of steps, and its name.
type Timed<'a> = (&'a str, &'a dyn Fn());

/// Prints times of functions in pairs, the second of which is made of the first.
fn race(robot: &str, functions: &[Timed<'_>]) {
    const BATCHES: usize = 1000;
    const CALLS: u32 = 100;
    let mut least = vec![f64::INFINITY; functions.len()];
    for _ in 0..BATCHES {
        for (least, (_, f)) in least.iter_mut().zip(functions) {
            for _ in 0..CALLS / 10 {
                f();
            }
            let start = Instant::now();
            for _ in 0..CALLS {
                f();
            }
            *least = least.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS));
        }
    }
    println!("{robot}");
    for (names, times) in functions.chunks(2).zip(least.chunks(2)) {
        if let ([(dynamics, _), (step, _)], [below, above]) = (names, times) {
            println!("  {dynamics:30} {below:9.0} ns");
            println!("  {step:30} {above:9.0} ns   ratio {:.2}", above / below);
        }
    }
}

type Hessian<const NQ: usize, const NV: usize> =
    fn(&SVector<f64, NQ>, &SVector<f64, NV>, &SVector<f64, NV>, &SVector<f64, NV>, &mut AbaHessian<f64, NV>);

fn robot<R: DiscreteDynamics<NQ, NV>, const NQ: usize, const NV: usize>(
    name: &str,
    aba_hessian: Hessian<NQ, NV>,
) {
    let [dq, v, tau] =
        &[0.7, 1.3, 2.1].map(|rate| SVector::<f64, NV>::from_fn(|i, _| (1.0 + rate * i as f64).sin()));
    let q = &R::integrate(&R::neutral(), dq);
    let (by_aba, by_step) = (RefCell::new(AbaDerivatives::zeros()), RefCell::new(StepDerivatives::zeros()));
    let (of_aba, of_step) = (RefCell::new(AbaHessian::zeros()), RefCell::new(StepHessian::zeros()));
    let state = || black_box((q, v, tau));
    race(
        name,
        &[
            ("aba", &|| {
                let (q, v, tau) = state();
                black_box(R::aba(q, v, tau));
            }),
            ("step", &|| {
                let (q, v, tau) = state();
                black_box(R::step(q, v, tau, 1e-3));
            }),
            ("aba_derivatives", &|| {
                let (q, v, tau) = state();
                R::aba_derivatives_into(q, v, tau, black_box(&mut by_aba.borrow_mut()));
            }),
            ("step_derivatives", &|| {
                let (q, v, tau) = state();
                R::step_derivatives_into(q, v, tau, 1e-3, black_box(&mut by_step.borrow_mut()));
            }),
            ("aba_hessian", &|| {
                let (q, v, tau) = state();
                aba_hessian(q, v, tau, black_box(dq), black_box(&mut of_aba.borrow_mut()));
            }),
            ("step_hessian", &|| {
                let (q, v, tau) = state();
                let (of_q, of_v) = black_box((dq, v));
                R::step_hessian_into(q, v, tau, 1e-3, of_q, of_v, black_box(&mut of_step.borrow_mut()));
            }),
        ],
    );
}

fn under_contacts() {
    let [dq, v, tau] =
        &[0.7, 1.3, 2.1].map(|rate| SVector::<f64, 18>::from_fn(|i, _| 0.3 * (1.0 + rate * i as f64).sin()));
    let (q, settings) = (&Hyq::integrate(&Hyq::neutral(), dq), &ContactSettings::default());
    let out = RefCell::new(ContactStepDerivatives::zeros());
    let state = || black_box((q, v, tau, &[true; 4]));
    race(
        "hyq on four feet",
        &[
            ("contact_dynamics", &|| {
                let (q, v, tau, feet) = state();
                black_box(Hyq::contact_dynamics(q, v, tau, feet, settings));
            }),
            ("contact_step", &|| {
                let (q, v, tau, feet) = state();
                black_box(Hyq::contact_step(q, v, tau, 1e-3, feet, settings));
            }),
            ("contact_dynamics_derivatives", &|| {
                let (q, v, tau, feet) = state();
                let out = &mut out.borrow_mut().dynamics;
                Hyq::contact_dynamics_derivatives_into(q, v, tau, feet, settings, black_box(out));
            }),
            ("contact_step_derivatives", &|| {
                let (q, v, tau, feet) = state();
                let out = &mut out.borrow_mut();
                Hyq::contact_step_derivatives_into(q, v, tau, 1e-3, feet, settings, black_box(out));
            }),
        ],
    );
}

fn main() {
    robot::<Iiwa14, { Iiwa14::NQ }, { Iiwa14::NV }>("iiwa14", Iiwa14::aba_hessian_into);
    robot::<Iiwa14ByRk4, { Iiwa14ByRk4::NQ }, { Iiwa14ByRk4::NV }>(
        "iiwa14 by rk4",
        Iiwa14ByRk4::aba_hessian_into,
    );
    robot::<Hyq, { Hyq::NQ }, { Hyq::NV }>("hyq", Hyq::aba_hessian_into);
    robot::<HyqDamped, { HyqDamped::NQ }, { HyqDamped::NV }>(
        "hyq with implicit damping",
        HyqDamped::aba_hessian_into,
    );
    under_contacts();
}
