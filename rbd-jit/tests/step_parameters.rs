//! Steps of robots with inertias and gravity at run time: beside compiled robots, and beside robots whose
//! URDF and options have these numbers.

use nalgebra::{Matrix3, SVector, Vector3};
use rbd::spatial::Inertia;
use rbd_jit::{
    Base, ContactKind, ContactSettings, ContactStep, ContactStepDerivatives, Engine, Integrator, Loaded,
    Options, Parameters, Robot, StepDerivatives, StepHessian,
};

rbd::rbd_robot! {
    struct Carrier {
        urdf: "../robots/double_pendulum.urdf",
        base: floating,
        functions: [crba],
        inertia: {
            runtime: ["link1"],
            loads: { "hand": { link: "link2", xyz: [0.1, -0.2, 0.4], rpy: [0.3, 0.2, -0.5] } },
        },
        gravity: runtime,
        step: rk4,
    }
}
rbd::rbd_robot! {
    struct Damped {
        urdf: "../robots/double_pendulum.urdf",
        base: floating,
        damping: true,
        functions: [crba],
        inertia: {
            runtime: ["link1"],
            loads: { "hand": { link: "link2", xyz: [0.1, -0.2, 0.4], rpy: [0.3, 0.2, -0.5] } },
        },
        gravity: runtime,
        step: implicit_damping,
    }
}

const GRAVITY: [f64; 3] = [1.0, -2.0, -8.0];

fn pendulum() -> Robot {
    Robot::from_urdf(concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/double_pendulum.urdf"))
        .base(Base::Floating)
        .functions(["crba"])
}

fn robot(integrator: Integrator) -> Robot {
    pendulum()
        .damping(integrator == Integrator::ImplicitDamping)
        .inertia_at_run_time(["link1"])
        .load_at("hand", "link2", [0.1, -0.2, 0.4], [0.3, 0.2, -0.5])
        .gravity_at_run_time(true)
        .step(integrator)
}

/// The largest difference, relative to the largest entry or one, may be as large as this.
#[track_caller]
fn within(tolerance: f64, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    let largest = expected.iter().fold(1.0, |a: f64, b| a.max(b.abs()));
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= tolerance * largest, "{a:e} is not {b:e}");
    }
}

macro_rules! beside_compiled {
    ($test:ident, $robot:ident, $parameters:ident, $inertia:ident, $integrator:ident, $tolerance:literal) => {
        #[test]
        fn $test() {
            const NV: usize = $robot::NV;
            const N: usize = 3;
            let close = |found: &[f64], expected: &[f64]| within($tolerance, found, expected);
            let link = Inertia::from_com(2.0, &Vector3::new(0.1, 0.0, 0.2), &Matrix3::identity());
            let mut given = $parameters::default()
                .with($inertia::Hand, Inertia::point(1.5, [0.1, 0.2, -0.3]))
                .with($inertia::Link1, link);
            given.gravity = GRAVITY;
            let inertia = [$inertia::Link1, $inertia::Hand].map(|of| given[of]);
            let whole = Parameters { inertia: inertia.as_flattened(), gravity: &given.gravity };
            let mut gravity_alone = $parameters::default();
            gravity_alone.gravity = GRAVITY;
            let some = Parameters { gravity: &GRAVITY, ..Parameters::default() };
            let own = (Parameters::default(), $parameters::default());
            for engine in [Engine::best(), Engine::Interpreter] {
                let options = Options { engine: Some(engine), ..Options::default() };
                let loaded = robot(Integrator::$integrator).load_with(options).unwrap();
                let mut work = loaded.workspace();
                let work = &mut work;
                let numbers = |first: f64| SVector::<f64, NV>::from_fn(|k, _| (first + 1.7 * k as f64).sin());
                let q = $robot::integrate(&$robot::neutral(), &numbers(0.3));
                let (v, tau, dt) = (numbers(1.1), numbers(2.4) * 5.0, 0.03);
                let (of_q, of_v) = (numbers(3.3), numbers(4.2));
                let [q_in, v_in, tau_in] = [q.as_slice(), v.as_slice(), tau.as_slice()];
                for (parameters, of) in [(whole, given), (some, gravity_alone), own] {
                    let robot = loaded.steps_with(parameters);
                    let next = $robot::step_with(&of, &q, &v, &tau, dt);
                    let (mut next_q, mut next_v) = (vec![f64::NAN; q.len()], vec![f64::NAN; NV]);
                    robot.step(work, q_in, v_in, tau_in, dt, &mut next_q, &mut next_v).unwrap();
                    close(&next_q, next.q.as_slice());
                    close(&next_v, next.v.as_slice());

                    let expected = $robot::step_derivatives_with(&of, &q, &v, &tau, dt);
                    let mut d = StepDerivatives::default();
                    robot.step_derivatives(work, q_in, v_in, tau_in, dt, &mut d).unwrap();
                    close(&d.q, expected.q.as_slice());
                    close(&d.v, expected.v.as_slice());
                    for (found, expected) in [
                        (&d.dq_dq, &expected.dq_dq),
                        (&d.dq_dv, &expected.dq_dv),
                        (&d.dq_dtau, &expected.dq_dtau),
                        (&d.dv_dq, &expected.dv_dq),
                        (&d.dv_dv, &expected.dv_dv),
                        (&d.dv_dtau, &expected.dv_dtau),
                    ] {
                        close(found, expected.as_slice());
                    }

                    let expected = $robot::step_hessian_with(&of, &q, &v, &tau, dt, &of_q, &of_v);
                    let mut h = StepHessian::default();
                    let (of_q, of_v) = (of_q.as_slice(), of_v.as_slice());
                    robot.step_hessian(work, q_in, v_in, tau_in, dt, of_q, of_v, &mut h).unwrap();
                    close(&h.value, &[expected.value]);
                    for (found, expected) in
                        [(&h.dq, &expected.dq), (&h.dv, &expected.dv), (&h.dtau, &expected.dtau)]
                    {
                        close(found, expected.as_slice());
                    }
                    for (found, expected) in [
                        (&h.dqdq, &expected.dqdq),
                        (&h.dqdv, &expected.dqdv),
                        (&h.dvdv, &expected.dvdv),
                        (&h.dqdtau, &expected.dqdtau),
                        (&h.dvdtau, &expected.dvdtau),
                        (&h.dtaudtau, &expected.dtaudtau),
                    ] {
                        close(found, expected.as_slice());
                    }

                    // Rollouts are steps, bit for bit, and the chain rule of their derivatives.
                    let dt = 1e-3;
                    let controls = [0.2, 0.7, 1.9].map(numbers).map(|u| u * 0.3);
                    let flat: Vec<f64> = controls.iter().flatten().copied().collect();
                    let (mut qs, mut vs) = (vec![f64::NAN; N * q.len()], vec![f64::NAN; N * NV]);
                    robot.rollout(work, q_in, v_in, &flat, dt, &mut qs, &mut vs).unwrap();
                    assert!(qs.iter().chain(&vs).all(|x| x.is_finite()));
                    let (mut at_q, mut at_v) = (q_in.to_vec(), v_in.to_vec());
                    for (k, u) in controls.iter().enumerate() {
                        let (q, v) = (at_q.clone(), at_v.clone());
                        robot.step(work, &q, &v, u.as_slice(), dt, &mut at_q, &mut at_v).unwrap();
                        assert_eq!(qs[k * q.len()..][..q.len()], at_q);
                        assert_eq!(vs[k * NV..][..NV], at_v);
                    }
                    let along: Vec<f64> = flat.iter().map(|x| x + 0.4).collect();
                    let [mut dqs, mut dvs] = [(); 2].map(|()| vec![f64::NAN; N * NV]);
                    let (to, moved) = ([&mut qs[..], &mut vs], [&mut dqs[..], &mut dvs]);
                    let direction = [of_q, of_v, &along[..]];
                    robot.rollout_sensitivity(work, q_in, v_in, &flat, dt, direction, to, moved).unwrap();
                    let [mut gq, mut gv] = [0.4, 2.2]
                        .map(|first| (0..N * NV).map(|k| (first + k as f64).cos()).collect::<Vec<f64>>());
                    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
                    let forward = dot(&dqs, &gq) + dot(&dvs, &gv);
                    let mut by = vec![f64::NAN; N * NV];
                    let [mut first_q, mut first_v] = [(); 2].map(|()| vec![f64::NAN; NV]);
                    let (of, to) = ([&mut gq[..], &mut gv], [&mut first_q[..], &mut first_v]);
                    robot.rollout_adjoint(work, q_in, v_in, &flat, dt, [&qs, &vs], of, &mut by, to).unwrap();
                    let back = dot(&by, &along) + dot(&first_q, of_q) + dot(&first_v, of_v);
                    assert!((forward - back).abs() < 1e-11 * forward.abs().max(1.0), "{forward} {back}");
                }

                // Without parameters it is the URDF's.
                let (mut next_q, mut next_v) = (vec![f64::NAN; q.len()], vec![f64::NAN; NV]);
                loaded.step(work, q_in, v_in, tau_in, dt, &mut next_q, &mut next_v).unwrap();
                let next = $robot::step(&q, &v, &tau, dt);
                close(&next_q, next.q.as_slice());
                close(&next_v, next.v.as_slice());
            }
        }
    };
}

beside_compiled!(
    steps_take_inertia_and_gravity_at_run_time,
    Carrier,
    CarrierParameters,
    CarrierInertia,
    Rk4,
    1e-13
);
// Compiled robots that are given parameters have the inverse of the mass matrix from `aba_derivatives`.
beside_compiled!(
    implicitly_damped_steps_take_inertia_and_gravity_at_run_time,
    Damped,
    DampedParameters,
    DampedInertia,
    ImplicitDamping,
    1e-11
);

/// Steps under contacts and of controls, beside a robot whose options have the gravity.
#[test]
fn steps_under_contacts_and_of_controls_take_parameters() {
    let with = |robot: Robot| {
        let robot = robot.contact("link1", ContactKind::Plane).contacts(["base_link"]);
        robot.actuated(["joint2", "joint1"]).load().unwrap()
    };
    for integrator in
        [Integrator::SemiImplicit, Integrator::Explicit, Integrator::Rk4, Integrator::ImplicitDamping]
    {
        let loaded = with(robot(integrator));
        let damped = integrator == Integrator::ImplicitDamping;
        let constant = with(pendulum().damping(damped).gravity(GRAVITY).step(integrator));
        let given = loaded.steps_with(Parameters { gravity: &GRAVITY, ..Parameters::default() });
        let (mut work, mut other) = (loaded.workspace(), constant.workspace());
        let numbers =
            |first: f64, n: usize| -> Vec<f64> { (0..n).map(|k| (first + 1.7 * k as f64).sin()).collect() };
        let (nq, nv) = (loaded.nq(), loaded.nv());
        let (mut neutral, mut q) = (vec![0.0; nq], vec![0.0; nq]);
        loaded.neutral(&mut neutral).unwrap();
        loaded.integrate(&neutral, &numbers(0.3, nv), &mut q).unwrap();
        let (v, tau, u) = (numbers(1.1, nv), numbers(2.4, nv), numbers(3.0, 2));
        let settings = ContactSettings { mu: 1e-3, iterations: 2, ..ContactSettings::default() };
        for active in [[true, false], [true, true]] {
            let (mut found, mut expected) = (ContactStep::default(), ContactStep::default());
            given.contact_step(&mut work, &q, &v, &tau, 0.02, &active, &settings, &mut found).unwrap();
            constant.contact_step(&mut other, &q, &v, &tau, 0.02, &active, &settings, &mut expected).unwrap();
            same(&found, &expected);
            given.actuated_contact_step(&mut work, &q, &v, &u, 0.02, &active, &settings, &mut found).unwrap();
            constant
                .actuated_contact_step(&mut other, &q, &v, &u, 0.02, &active, &settings, &mut expected)
                .unwrap();
            same(&found, &expected);

            let [mut d, mut of] = [(); 2].map(|()| ContactStepDerivatives::default());
            given
                .contact_step_derivatives(&mut work, &q, &v, &tau, 0.02, &active, &settings, &mut d)
                .unwrap();
            constant
                .contact_step_derivatives(&mut other, &q, &v, &tau, 0.02, &active, &settings, &mut of)
                .unwrap();
            for (found, expected) in [
                (&d.step.dq_dq, &of.step.dq_dq),
                (&d.step.dv_dq, &of.step.dv_dq),
                (&d.step.dv_dv, &of.step.dv_dv),
                (&d.step.dv_dtau, &of.step.dv_dtau),
                (&d.dynamics.ddq_dq, &of.dynamics.ddq_dq),
                (&d.dynamics.forces_dq, &of.dynamics.forces_dq),
                (&d.dynamics.forces_dtau, &of.dynamics.forces_dtau),
            ] {
                near(found, expected);
            }
        }
        // The URDF's gravity is another one.
        let mut own = ContactStep::default();
        loaded.contact_step(&mut work, &q, &v, &tau, 0.02, &[true; 2], &settings, &mut own).unwrap();
        let mut moon = ContactStep::default();
        given.contact_step(&mut work, &q, &v, &tau, 0.02, &[true; 2], &settings, &mut moon).unwrap();
        assert!(own.dynamics.forces.iter().zip(&moon.dynamics.forces).any(|(a, b)| (a - b).abs() > 0.1));
    }
}

/// Redundant contacts amplify rounding by the condition of the Delassus matrix: of these, up to 1e3.
#[track_caller]
fn near(found: &[f64], expected: &[f64]) {
    within(1e-10, found, expected);
}

#[track_caller]
fn same(found: &ContactStep, expected: &ContactStep) {
    for (found, expected) in [
        (&found.q, &expected.q),
        (&found.v, &expected.v),
        (&found.dynamics.ddq, &expected.dynamics.ddq),
        (&found.dynamics.forces, &expected.dynamics.forces),
    ] {
        near(found, expected);
    }
}

#[test]
fn other_lengths_are_refused() {
    let loaded = robot(Integrator::SemiImplicit).load().unwrap();
    let said = |loaded: &Loaded, parameters: Parameters<'_>| {
        let (q, x) = (vec![0.0; loaded.nq()], vec![0.0; loaded.nv()]);
        let (mut next_q, mut next_v) = (q.clone(), x.clone());
        let robot = loaded.steps_with(parameters);
        match robot.step(&mut loaded.workspace(), &q, &x, &x, 0.1, &mut next_q, &mut next_v) {
            Ok(()) => String::new(),
            Err(error) => error.to_string(),
        }
    };
    let message = "`step`: `inertia` has 20 numbers, and was given 10";
    assert_eq!(said(&loaded, Parameters { inertia: &[0.0; 10], gravity: &[] }), message);
    let message = "`step`: `gravity` has 3 numbers, and was given 2";
    assert_eq!(said(&loaded, Parameters { inertia: &[], gravity: &[0.0; 2] }), message);
    let constant = pendulum().step(Integrator::SemiImplicit).load().unwrap();
    let message = "`step`: `gravity` has 0 numbers, and was given 3";
    assert_eq!(said(&constant, Parameters { inertia: &[], gravity: &[0.0; 3] }), message);
}
