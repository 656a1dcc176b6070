//! Hessians of contact dynamics: beside the compiled robot, and for robots of every size as derivatives of
//! the gradient.

use super::{contacts::within, some};
use nalgebra::SVector;
use rbd::ContactAxes;
use rbd_build::Robot;
use rbd_jit::{
    Base, ContactDynamicsHessian, ContactKind, ContactSettings, Engine, Id, Integrator, Loaded, Number,
    Options, Parameters, StepHessian,
};
use rbd_runtime::random::random_state;
use std::path::{Path, PathBuf};

rbd::rbd_robot! {
    struct Acrobat {
        urdf: "../robots/double_pendulum.urdf",
        base: floating,
        functions: [rnea_hessian],
        contacts: { "link1": plane, "link2", "base_link": point },
        gravity: runtime,
        step: rk4,
    }
}
rbd::rbd_robot! {
    struct FourBar {
        urdf: "../rbd-build/tests/good/four_bar.urdf",
        functions: [rnea_hessian],
        closed_loops: { "bar": { frames: ["rod_end", "rocker_end"], rows: 3 } },
        step: semi_implicit,
    }
}

fn path(robot: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(robot)
}

fn acrobat() -> Robot {
    Robot::from_urdf(path("robots/double_pendulum.urdf"))
        .base(Base::Floating)
        .functions([Id::RneaHessian])
        .contact("link1", ContactKind::Plane)
        .contacts(["link2", "base_link"])
        .gravity_at_run_time(true)
        .step(Integrator::Rk4)
}

fn four_bar() -> Robot {
    let robot = Robot::from_urdf(path("rbd-build/tests/good/four_bar.urdf")).functions([Id::RneaHessian]);
    robot.closed_loop("bar", ["rod_end", "rocker_end"], ContactKind::Point).step(Integrator::SemiImplicit)
}

macro_rules! beside_compiled {
    ($test:ident, $robot:ident, $loaded:expr, $number:ident, $new:ident, $masks:expr, $tolerance:literal) => {
        #[test]
        fn $test() {
            const NV: usize = $robot::NV;
            const NC: usize = $robot::NC;
            const NR: usize = $robot::CONTACT_ROWS;
            let generated = $loaded.trace().unwrap();
            for engine in [Engine::best(), Engine::Interpreter] {
                let options = Options { engine: Some(engine), check: false, ..Options::default() };
                let robot = Loaded::$new(generated.clone(), options).unwrap();
                let (mut work, mut found) = (robot.workspace(), ContactDynamicsHessian::default());
                let mut of_step = StepHessian::default();
                let numbers = |first: f64| {
                    SVector::<$number, NV>::from_fn(|k, _| (first + 1.7 * k as f64).sin() as $number)
                };
                let q = $robot::integrate(&$robot::neutral(), &numbers(0.3));
                let (v, tau, lambda) = (numbers(1.1), numbers(2.4) * 0.1, numbers(0.7));
                let kappa = SVector::<$number, NR>::from_fn(|k, _| (0.4 + 1.3 * k as f64).cos() as $number);
                let (kp, kd) = (9.0, 5.0);
                let masks: &[[bool; NC]] = &$masks;
                for (active, axes) in masks.iter().flat_map(|m| ContactAxes::ALL.map(|axes| (m, axes))) {
                    let of = rbd::ContactSettings::<$number, NC>::default()
                        .baumgarte(kp, kd, [None; NC])
                        .in_axes(axes);
                    let settings = ContactSettings { kp, kd, axes, ..ContactSettings::default() };
                    let (q, v, tau) = (&q, &v, &tau);
                    let expected = $robot::contact_dynamics_hessian(q, v, tau, active, &of, &lambda, &kappa);
                    robot
                        .contact_dynamics_hessian(
                            &mut work,
                            q.as_slice(),
                            v.as_slice(),
                            tau.as_slice(),
                            active,
                            &settings,
                            lambda.as_slice(),
                            kappa.as_slice(),
                            &mut found,
                        )
                        .unwrap();
                    within($tolerance, &found.value, &[expected.value]);
                    for (found, expected) in [
                        (&found.dq, expected.dq.as_slice()),
                        (&found.dv, expected.dv.as_slice()),
                        (&found.dtau, expected.dtau.as_slice()),
                        (&found.dqdq, expected.dqdq.as_slice()),
                        (&found.dqdv, expected.dqdv.as_slice()),
                        (&found.dvdv, expected.dvdv.as_slice()),
                        (&found.dqdtau, expected.dqdtau.as_slice()),
                    ] {
                        within($tolerance, found, expected);
                    }

                    let (dt, of_v) = (0.01, &numbers(1.9));
                    let expected = $robot::contact_step_hessian(q, v, tau, dt, active, &of, &lambda, of_v);
                    let (q, v, tau) = (q.as_slice(), v.as_slice(), tau.as_slice());
                    let (of_q, of_v) = (lambda.as_slice(), of_v.as_slice());
                    let held = (active, &settings);
                    robot
                        .contact_step_hessian(
                            &mut work,
                            q,
                            v,
                            tau,
                            dt,
                            held.0,
                            held.1,
                            of_q,
                            of_v,
                            &mut of_step,
                        )
                        .unwrap();
                    within($tolerance, &of_step.value, &[expected.value]);
                    for (found, expected) in [
                        (&of_step.dq, expected.dq.as_slice()),
                        (&of_step.dv, expected.dv.as_slice()),
                        (&of_step.dtau, expected.dtau.as_slice()),
                        (&of_step.dqdq, expected.dqdq.as_slice()),
                        (&of_step.dqdv, expected.dqdv.as_slice()),
                        (&of_step.dvdv, expected.dvdv.as_slice()),
                        (&of_step.dqdtau, expected.dqdtau.as_slice()),
                        (&of_step.dvdtau, expected.dvdtau.as_slice()),
                        (&of_step.dtaudtau, expected.dtaudtau.as_slice()),
                    ] {
                        within($tolerance, found, expected);
                    }
                }
            }
        }
    };
}

const SETS: [[bool; 3]; 3] = [[true, false, false], [false, true, true], [false; 3]];

// Both invert a mass matrix whose condition is 1e5, in another order.
beside_compiled!(hessians_are_those_of_the_compiled_robot, Acrobat, acrobat(), f64, new, SETS, 1e-10);
beside_compiled!(hessians_of_closed_loops, FourBar, four_bar(), f64, new, [[true], [false]], 1e-12);
beside_compiled!(hessians_in_single_precision, FourBar, four_bar(), f32, new_f32, [[true], [false]], 1e-4);

/// A state, with weights.
struct At<'a> {
    q: &'a [f64],
    v: &'a [f64],
    tau: &'a [f64],
    lambda: &'a [f64],
    kappa: &'a [f64],
}

/// The sum and its gradient, by the first derivatives.
fn gradient(robot: &Loaded, x: &At<'_>, settings: &ContactSettings<'_>) -> (f64, [Vec<f64>; 3]) {
    let (n, rows) = (robot.nv(), x.kappa.len());
    let active = vec![true; robot.contacts().len()];
    let (mut ddq, mut forces, mut residual) = (vec![0.0; n], vec![0.0; rows], vec![0.0; rows]);
    let [mut a, mut b, mut c] = [(); 3].map(|()| vec![0.0; n * n]);
    let [mut d, mut e, mut f] = [(); 3].map(|()| vec![0.0; rows * n]);
    robot
        .contact_dynamics_derivatives(
            &mut robot.workspace(),
            x.q,
            x.v,
            x.tau,
            &active,
            settings,
            [&mut ddq, &mut forces, &mut residual],
            [&mut a, &mut b, &mut c],
            [&mut d, &mut e, &mut f],
        )
        .unwrap();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let by = |of_ddq: &[f64], of_forces: &[f64]| {
        let columns = of_ddq.chunks(n).zip(of_forces.chunks(rows));
        columns.map(|(ddq, forces)| dot(ddq, x.lambda) + dot(forces, x.kappa)).collect()
    };
    let value = dot(&ddq, x.lambda) + dot(&forces, x.kappa);
    (value, [by(&a, &d), by(&b, &e), by(&c, &f)])
}

/// The Hessian along a direction is the difference of gradients, for matrices of every size that is compiled.
#[test]
fn hessians_of_every_size_are_derivatives_of_the_gradient() {
    for &links in some(3, &[8, 20, 34, 60]) {
        let text = super::large::tree(links);
        let ends = [format!("l{}", links - 1), format!("l{}", links / 2)];
        let robot = Robot::from_urdf_text("large.urdf", text)
            .functions([Id::RneaHessian])
            .contact(&ends[0], ContactKind::Plane)
            .contact(&ends[1], ContactKind::Point);
        let robot = rbd_jit::Robot::from(robot).load().unwrap();
        let n = robot.nv();
        let state = random_state(robot.model(), 5);
        let numbers =
            |first: f64, n: usize| (0..n).map(|k| (first + 1.9 * k as f64).sin()).collect::<Vec<_>>();
        let (lambda, kappa, along) = (numbers(0.3, n), numbers(1.2, 9), numbers(2.2, n));
        let settings = ContactSettings { mu: 1e-3, kd: 2.0, ..ContactSettings::default() };
        let (q, v, tau) = (state.q.as_slice(), state.v.as_slice(), state.tau.as_slice());
        let x = At { q, v, tau, lambda: &lambda, kappa: &kappa };
        let mut found = ContactDynamicsHessian::default();
        let work = &mut robot.workspace();
        robot
            .contact_dynamics_hessian(work, q, v, tau, &[true; 2], &settings, &lambda, &kappa, &mut found)
            .unwrap();
        let (value, [dq, dv, dtau]) = gradient(&robot, &x, &settings);
        within(1e-9, &found.value, &[value]);
        for (found, expected) in [(&found.dq, dq), (&found.dv, dv), (&found.dtau, dtau)] {
            within(1e-9, found, &expected);
        }
        let times = |matrix: &[f64]| -> Vec<f64> {
            (0..n).map(|i| (0..n).map(|j| matrix[j * n + i] * along[j]).sum()).collect()
        };
        // Differences of fourth order.
        let h = 2e-4;
        let steps = [h, -h, 2.0 * h, -2.0 * h];
        let moved = |x: &[f64], h: f64| x.iter().zip(&along).map(|(x, d)| x + h * d).collect::<Vec<_>>();
        let difference = |at: [(f64, [Vec<f64>; 3]); 4], of: usize| -> Vec<f64> {
            let [a, b, c, d] = at.each_ref().map(|at| &at.1[of]);
            (0..n).map(|k| (8.0 * (a[k] - b[k]) - (c[k] - d[k])) / (12.0 * h)).collect()
        };
        let by_q = || {
            steps.map(|h| {
                let step: Vec<f64> = along.iter().map(|d| h * d).collect();
                let mut q = q.to_vec();
                robot.integrate(x.q, &step, &mut q).unwrap();
                gradient(&robot, &At { q: &q, ..x }, &settings)
            })
        };
        let by_v = || steps.map(|h| gradient(&robot, &At { v: &moved(v, h), ..x }, &settings));
        let by_tau = || steps.map(|h| gradient(&robot, &At { tau: &moved(tau, h), ..x }, &settings));
        within(1e-6, &times(&found.dqdq), &difference(by_q(), 0));
        within(1e-6, &times(&found.dqdv), &difference(by_v(), 0));
        within(1e-6, &times(&found.dvdv), &difference(by_v(), 1));
        within(1e-6, &times(&found.dqdtau), &difference(by_tau(), 0));
    }
}

/// With gravity of one's own it is the compiled robot's.
#[test]
fn hessians_take_parameters() {
    let robot = rbd_jit::Robot::from(acrobat()).load().unwrap();
    let numbers =
        |first: f64| SVector::<f64, { Acrobat::NV }>::from_fn(|k, _| (first + 1.7 * k as f64).sin());
    let q = Acrobat::integrate(&Acrobat::neutral(), &numbers(0.3));
    let (v, tau, lambda, kappa) = (numbers(1.1), numbers(2.4) * 0.1, numbers(0.7), SVector::repeat(0.5));
    let given = AcrobatParameters { gravity: [1.0, -2.0, -5.0] };
    let (active, settings) = ([true, false, false], rbd::ContactSettings::default());
    let expected =
        Acrobat::contact_dynamics_hessian_with(&given, &q, &v, &tau, &active, &settings, &lambda, &kappa);
    let mut found = ContactDynamicsHessian::default();
    let with = robot.contacts_with(Parameters { inertia: &[], gravity: &given.gravity });
    let work = &mut robot.workspace();
    let settings = ContactSettings::default();
    let (q, v, tau) = (q.as_slice(), v.as_slice(), tau.as_slice());
    with.contact_dynamics_hessian(
        work,
        q,
        v,
        tau,
        &active,
        &settings,
        lambda.as_slice(),
        kappa.as_slice(),
        &mut found,
    )
    .unwrap();
    within(1e-10, &found.dqdq, expected.dqdq.as_slice());
    within(1e-10, &found.dqdtau, expected.dqdtau.as_slice());
    let before = found.clone();
    robot
        .contact_dynamics_hessian(
            work,
            q,
            v,
            tau,
            &active,
            &settings,
            lambda.as_slice(),
            kappa.as_slice(),
            &mut found,
        )
        .unwrap();
    assert_ne!(before, found);
}

/// What is not there is said.
#[test]
fn errors_name_what_is_missing() {
    let said = |robot: Robot| {
        let robot = rbd_jit::Robot::from(robot).load().unwrap();
        robot.contact_hessian_is_there().unwrap_err().to_string()
    };
    let pendulum = || Robot::from_urdf(path("robots/double_pendulum.urdf"));
    let message = "`contact_dynamics_hessian` is not among the functions that this robot was loaded with";
    assert_eq!(said(pendulum().functions([Id::RneaHessian])), message);
    let message = "`rnea_hessian` is not among the functions that this robot was loaded with";
    assert_eq!(said(pendulum().functions([Id::Rnea]).contacts(["link2"])), message);
    let mimics = Robot::from_urdf(path("tests/step/joints.urdf")).functions([Id::RneaHessian]);
    let message = "`contact_dynamics_hessian` cannot be had at run time yet: a mimic joint and the joint that it \
                   follows are both on the way to one contact";
    assert_eq!(said(mimics.contacts(["finger"])), message);
    let robot = rbd_jit::Robot::from(acrobat()).load().unwrap();
    let (x, mut out) = ([0.0; 8], ContactDynamicsHessian::default());
    let q = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    let settings = ContactSettings::default();
    let refused = robot.contact_dynamics_hessian(
        &mut robot.workspace(),
        &q,
        &x,
        &x,
        &[true; 3],
        &settings,
        &x,
        &[0.0; 3],
        &mut out,
    );
    let message = "`contact_dynamics_hessian`: `kappa` has 12 numbers, and was given 3";
    assert_eq!(refused.unwrap_err().to_string(), message);
}

/// Single precision has it too.
#[test]
fn it_is_generic_over_numbers() {
    fn is_there<T: Number>(robot: &Loaded<T>) -> bool {
        robot.contact_hessian_is_there().is_ok()
    }
    assert!(is_there(&rbd_jit::Robot::from(four_bar()).load_f32().unwrap()));
}
