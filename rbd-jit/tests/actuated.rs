//! Steps of controls of some joints: beside compiled robots, and bit for bit beside steps of all torques.

use nalgebra::SVector;
use rbd_jit::{
    ActuatedContactStepDerivatives, ActuatedStepDerivatives, ActuatedStepHessian, Base, Cache, ContactKind,
    ContactSettings, ContactStep, ContactStepDerivatives, Engine, Integrator, Loaded, Number, Options, Robot,
    StepDerivatives, StepHessian,
};
use std::path::{Path, PathBuf};

rbd::rbd_robot! {
    struct Motors {
        urdf: "../tests/step/damped.urdf",
        damping: true,
        functions: [crba],
        step: implicit_damping,
        actuated: ["elbow", "shoulder", "rail"],
    }
}
rbd::rbd_robot! {
    struct Legged {
        urdf: "../robots/double_pendulum.urdf",
        base: floating,
        functions: [crba],
        step: rk4,
        actuated: ["joint2"],
    }
}

fn path(robot: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(robot)
}

/// Motors on joints whose coordinates are in another order.
const MOTORS: [&str; 3] = ["elbow", "shoulder", "rail"];

fn motors() -> Robot {
    let robot = Robot::from_urdf(path("tests/step/damped.urdf")).damping(true).functions(["crba"]);
    robot.step(Integrator::ImplicitDamping).actuated(MOTORS)
}

fn legged() -> Robot {
    let robot = Robot::from_urdf(path("robots/double_pendulum.urdf")).base(Base::Floating);
    robot.functions(["crba"]).step(Integrator::Rk4).actuated(["joint2"])
}

/// The largest difference is so many units of the last place of the largest entry: products may be fused in
/// one of both. Of doubles that is 1e-13.
const UNITS: f64 = 450.0;

#[track_caller]
fn close<T: Copy + Into<f64>>(found: &[T], expected: &[T]) {
    assert_eq!(found.len(), expected.len());
    let unit = if size_of::<T>() == 4 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let largest = expected.iter().fold(1.0, |a: f64, b| a.max((*b).into().abs()));
    for (a, b) in found.iter().zip(expected) {
        let [a, b]: [f64; 2] = [(*a).into(), (*b).into()];
        assert!((a - b).abs() <= UNITS * unit * largest, "{a:e} is not {b:e}");
    }
}

macro_rules! beside_compiled {
    ($test:ident, $robot:ident, $loaded:expr, $number:ident, $load:ident) => {
        #[test]
        fn $test() {
            const NV: usize = $robot::NV;
            const NU: usize = $robot::NU;
            for engine in [Engine::best(), Engine::Interpreter] {
                let options = Options { engine: Some(engine), check: false, ..Options::default() };
                let robot = $loaded.$load(options).unwrap();
                assert_eq!(robot.nu(), NU);
                let mut work = robot.workspace();
                let number = |first: f64, k: usize| (first + 1.7 * k as f64).sin() as $number;
                let numbers = |first: f64| SVector::<$number, NV>::from_fn(|k, _| number(first, k));
                let q = $robot::integrate(&$robot::neutral(), &numbers(0.3));
                let (v, dt) = (numbers(1.1), 0.05);
                let u = SVector::<$number, NU>::from_fn(|k, _| 5.0 * number(2.4, k));
                let (of_q, of_v) = (numbers(3.3), numbers(4.2));
                let [q_in, v_in, u_in] = [q.as_slice(), v.as_slice(), u.as_slice()];

                let mut tau = [$number::NAN; NV];
                robot.torques(u_in, &mut tau).unwrap();
                assert_eq!(tau, $robot::torques(&u).as_slice());
                let wide = nalgebra::SMatrix::<$number, 3, NV>::from_fn(|i, j| number(i as f64, j));
                let mut columns = [$number::NAN; 3 * NU];
                robot.of_controls(wide.as_slice(), &mut columns).unwrap();
                assert_eq!(columns, $robot::of_controls(&wide).as_slice());

                let expected = $robot::actuated_step(&q, &v, &u, dt);
                let (mut next_q, mut next_v) = (vec![$number::NAN; q.len()], vec![$number::NAN; NV]);
                robot.actuated_step(&mut work, q_in, v_in, u_in, dt, &mut next_q, &mut next_v).unwrap();
                close(&next_q, expected.q.as_slice());
                close(&next_v, expected.v.as_slice());

                let expected = $robot::actuated_step_derivatives(&q, &v, &u, dt);
                let mut out = ActuatedStepDerivatives::default();
                for _ in 0..2 {
                    robot.actuated_step_derivatives(&mut work, q_in, v_in, u_in, dt, &mut out).unwrap();
                }
                close(&out.q, expected.q.as_slice());
                close(&out.v, expected.v.as_slice());
                for (out, expected) in [
                    (&out.dq_dq, expected.dq_dq.as_slice()),
                    (&out.dq_dv, expected.dq_dv.as_slice()),
                    (&out.dq_du, expected.dq_du.as_slice()),
                    (&out.dv_dq, expected.dv_dq.as_slice()),
                    (&out.dv_dv, expected.dv_dv.as_slice()),
                    (&out.dv_du, expected.dv_du.as_slice()),
                ] {
                    close(out, expected);
                }

                let expected = $robot::actuated_step_hessian(&q, &v, &u, dt, &of_q, &of_v);
                let mut out = ActuatedStepHessian::default();
                let (of_q, of_v) = (of_q.as_slice(), of_v.as_slice());
                for _ in 0..2 {
                    robot
                        .actuated_step_hessian(&mut work, q_in, v_in, u_in, dt, of_q, of_v, &mut out)
                        .unwrap();
                }
                close(&out.value, &[expected.value]);
                for (out, expected) in [
                    (&out.dq, expected.dq.as_slice()),
                    (&out.dv, expected.dv.as_slice()),
                    (&out.du, expected.du.as_slice()),
                    (&out.dqdq, expected.dqdq.as_slice()),
                    (&out.dqdv, expected.dqdv.as_slice()),
                    (&out.dvdv, expected.dvdv.as_slice()),
                    (&out.dqdu, expected.dqdu.as_slice()),
                    (&out.dvdu, expected.dvdu.as_slice()),
                    (&out.dudu, expected.dudu.as_slice()),
                ] {
                    close(out, expected);
                }
            }
        }
    };
}

beside_compiled!(steps_of_controls_are_those_of_compiled_rust, Motors, motors(), f64, load_with);
beside_compiled!(runge_kuttas_steps_of_controls, Legged, legged(), f64, load_with);
beside_compiled!(steps_of_controls_in_single_precision, Motors, motors(), f32, load_f32_with);
beside_compiled!(runge_kuttas_steps_in_single_precision, Legged, legged(), f32, load_f32_with);

/// Columns of a matrix of so many rows.
fn taken<T: Copy>(matrix: &[T], rows: usize, columns: &[usize]) -> Vec<T> {
    columns.iter().flat_map(|column| &matrix[column * rows..][..rows]).copied().collect()
}

/// A state and controls, and the torques that the controls are.
struct At {
    q: Vec<f64>,
    v: Vec<f64>,
    u: Vec<f64>,
    tau: Vec<f64>,
}

fn numbers<T: Number>(first: f64, n: usize) -> Vec<T> {
    (0..n).map(|k| T::from_f64((first + 1.3 * k as f64).sin())).collect()
}

/// Torques of steps, by rows, of controls by rows.
fn torques(robot: &Loaded, controls: &[f64]) -> Vec<f64> {
    let mut all = Vec::new();
    for u in controls.chunks(robot.nu()) {
        let mut tau = vec![0.0; robot.nv()];
        for (at, u) in robot.actuated().iter().zip(u) {
            tau[*at] = *u;
        }
        all.extend(tau);
    }
    all
}

fn at(robot: &Loaded, seed: f64) -> At {
    let (mut neutral, mut q) = (vec![0.0; robot.nq()], vec![0.0; robot.nq()]);
    robot.neutral(&mut neutral).unwrap();
    robot.integrate(&neutral, &numbers(seed + 0.3, robot.nv()), &mut q).unwrap();
    let u = numbers(seed + 2.0, robot.nu());
    let tau = torques(robot, &u);
    At { q, v: numbers(seed + 1.1, robot.nv()), u, tau }
}

const INTEGRATORS: [Integrator; 4] =
    [Integrator::SemiImplicit, Integrator::Explicit, Integrator::Rk4, Integrator::ImplicitDamping];

#[test]
fn steps_of_controls_have_the_bits_of_steps_of_torques() {
    for integrator in INTEGRATORS {
        let robot = motors().step(integrator).load().unwrap();
        assert_eq!(robot.actuated(), [7, 4, 5, 6, 3]);
        let (mut work, n, columns) = (robot.workspace(), robot.nv(), robot.actuated());
        let At { q, v, u, tau } = at(&robot, 0.0);
        let dt = 0.02;
        let [mut next_q, mut own_q] = [(); 2].map(|()| vec![f64::NAN; robot.nq()]);
        let [mut next_v, mut own_v] = [(); 2].map(|()| vec![f64::NAN; n]);
        robot.step(&mut work, &q, &v, &tau, dt, &mut next_q, &mut next_v).unwrap();
        robot.actuated_step(&mut work, &q, &v, &u, dt, &mut own_q, &mut own_v).unwrap();
        assert_eq!((&own_q, &own_v), (&next_q, &next_v));

        let (mut all, mut own) = (StepDerivatives::default(), ActuatedStepDerivatives::default());
        robot.step_derivatives(&mut work, &q, &v, &tau, dt, &mut all).unwrap();
        robot.actuated_step_derivatives(&mut work, &q, &v, &u, dt, &mut own).unwrap();
        let StepDerivatives { q: next_q, v: next_v, dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau } = all;
        let [dq_du, dv_du] = [dq_dtau, dv_dtau].map(|of| taken(&of, n, columns));
        assert!(dv_du.iter().any(|x| *x != 0.0));
        let expected =
            ActuatedStepDerivatives { q: next_q, v: next_v, dq_dq, dq_dv, dq_du, dv_dq, dv_dv, dv_du };
        assert_eq!(own, expected);

        let (mut all, mut own) = (StepHessian::default(), ActuatedStepHessian::default());
        let (of_q, of_v) = (numbers(3.0, n), numbers(4.0, n));
        robot.step_hessian(&mut work, &q, &v, &tau, dt, &of_q, &of_v, &mut all).unwrap();
        robot.actuated_step_hessian(&mut work, &q, &v, &u, dt, &of_q, &of_v, &mut own).unwrap();
        let StepHessian { value, dq, dv, dtau, dqdq, dqdv, dvdv, dqdtau, dvdtau, dtaudtau } = all;
        let [dqdu, dvdu] = [dqdtau, dvdtau].map(|of| taken(&of, n, columns));
        let by_u = taken(&dtaudtau, n, columns);
        let dudu = by_u.chunks(n).flat_map(|column| taken(column, 1, columns)).collect();
        let du = taken(&dtau, 1, columns);
        let expected = ActuatedStepHessian { value, dq, dv, du, dqdq, dqdv, dvdv, dqdu, dvdu, dudu };
        assert_eq!(own, expected);
    }
}

#[test]
fn rollouts_of_controls_have_the_bits_of_rollouts_of_torques() {
    const N: usize = 4;
    for integrator in INTEGRATORS {
        let robot = motors().step(integrator).load().unwrap();
        let (mut work, [nq, nv, nu]) = (robot.workspace(), [robot.nq(), robot.nv(), robot.nu()]);
        let (At { q, v, .. }, dt) = (at(&robot, 1.0), 0.01);
        let (controls, of_controls) = (numbers(0.7, N * nu), numbers(5.2, N * nu));
        let (all, of_all) = (torques(&robot, &controls), torques(&robot, &of_controls));
        let nan = |n: usize| vec![f64::NAN; N * n];
        let [mut qs, mut own_qs, mut vs, mut own_vs] = [nq, nq, nv, nv].map(nan);
        robot.rollout(&mut work, &q, &v, &all, dt, &mut qs, &mut vs).unwrap();
        robot.actuated_rollout(&mut work, &q, &v, &controls, dt, &mut own_qs, &mut own_vs).unwrap();
        assert_eq!((&own_qs, &own_vs), (&qs, &vs));

        let (of_q, of_v) = (numbers(2.2, nv), numbers(3.1, nv));
        let [mut dqs, mut own_dqs, mut dvs, mut own_dvs] = [nv; 4].map(nan);
        let (to, moved) = ([&mut qs[..], &mut vs], [&mut dqs[..], &mut dvs]);
        let direction = [&of_q[..], &of_v, &of_all];
        robot.rollout_sensitivity(&mut work, &q, &v, &all, dt, direction, to, moved).unwrap();
        let (to, moved) = ([&mut own_qs[..], &mut own_vs], [&mut own_dqs[..], &mut own_dvs]);
        let direction = [&of_q[..], &of_v, &of_controls];
        robot.actuated_rollout_sensitivity(&mut work, &q, &v, &controls, dt, direction, to, moved).unwrap();
        assert_eq!((&own_qs, &own_vs, &own_dqs, &own_dvs), (&qs, &vs, &dqs, &dvs));

        let (alone_q, alone_v) = (numbers(4.4, N * nv), numbers(6.1, N * nv));
        let [(mut gq, mut gv), (mut own_gq, mut own_gv)] =
            [(); 2].map(|()| (alone_q.clone(), alone_v.clone()));
        let (mut by, mut own_by) = (nan(nv), nan(nu));
        let [mut first_q, mut first_v, mut own_q, mut own_v] = [(); 4].map(|()| vec![f64::NAN; nv]);
        let (of, to) = ([&mut gq[..], &mut gv], [&mut first_q[..], &mut first_v]);
        robot.rollout_adjoint(&mut work, &q, &v, &all, dt, [&qs, &vs], of, &mut by, to).unwrap();
        let (of, to) = ([&mut own_gq[..], &mut own_gv], [&mut own_q[..], &mut own_v]);
        robot
            .actuated_rollout_adjoint(&mut work, &q, &v, &controls, dt, [&qs, &vs], of, &mut own_by, to)
            .unwrap();
        let by: Vec<f64> = by.chunks(nv).flat_map(|by| taken(by, 1, robot.actuated())).collect();
        assert!(by.iter().all(|x| *x != 0.0));
        assert_eq!((&own_gq, &own_gv, &own_by, &own_q, &own_v), (&gq, &gv, &by, &first_q, &first_v));
    }
}

#[test]
fn steps_under_contacts_have_the_bits_of_steps_of_torques() {
    for integrator in INTEGRATORS {
        let robot = motors().contacts(["finger"]).contact("kite", ContactKind::Plane).step(integrator);
        let robot = robot.load().unwrap();
        let (mut work, n, columns) = (robot.workspace(), robot.nv(), robot.actuated());
        let nr = robot.contacts().last().unwrap().rows.end;
        let At { q, v, u, tau } = at(&robot, 2.0);
        let settings = ContactSettings { mu: 1e-4, iterations: 2, kd: 4.0, ..ContactSettings::default() };
        for active in [[true, true], [false, true], [false, false]] {
            let (mut all, mut own) = (ContactStep::default(), ContactStep::default());
            robot.contact_step(&mut work, &q, &v, &tau, 0.01, &active, &settings, &mut all).unwrap();
            robot.actuated_contact_step(&mut work, &q, &v, &u, 0.01, &active, &settings, &mut own).unwrap();
            assert_eq!(own, all);
            let mut all = ContactStepDerivatives::default();
            robot
                .contact_step_derivatives(&mut work, &q, &v, &tau, 0.01, &active, &settings, &mut all)
                .unwrap();
            let mut own = ActuatedContactStepDerivatives::default();
            for _ in 0..2 {
                robot
                    .actuated_contact_step_derivatives(
                        &mut work, &q, &v, &u, 0.01, &active, &settings, &mut own,
                    )
                    .unwrap();
            }
            let (step, expected) = (&own.step, &all.step);
            assert_eq!((&step.q, &step.v), (&expected.q, &expected.v));
            assert_eq!((&step.dq_dq, &step.dq_dv), (&expected.dq_dq, &expected.dq_dv));
            assert_eq!((&step.dv_dq, &step.dv_dv), (&expected.dv_dq, &expected.dv_dv));
            assert_eq!(step.dq_du, taken(&expected.dq_dtau, n, columns));
            assert_eq!(step.dv_du, taken(&expected.dv_dtau, n, columns));
            let (of, expected) = (&own.dynamics, &all.dynamics);
            assert_eq!(
                (&of.ddq, &of.forces, &of.residual),
                (&expected.ddq, &expected.forces, &expected.residual)
            );
            assert_eq!((&of.ddq_dq, &of.ddq_dv), (&expected.ddq_dq, &expected.ddq_dv));
            assert_eq!((&of.forces_dq, &of.forces_dv), (&expected.forces_dq, &expected.forces_dv));
            assert_eq!(of.ddq_du, taken(&expected.ddq_dtau, n, columns));
            assert_eq!(of.forces_du, taken(&expected.forces_dtau, nr, columns));
            assert!(active == [false; 2] || of.forces_du.iter().any(|x| *x != 0.0));
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let robot = legged().load().unwrap();
    let without = Robot::from_urdf(path("robots/double_pendulum.urdf"));
    let without = without.base(Base::Floating).functions(["aba"]).step(Integrator::Rk4).load().unwrap();
    let said = |robot: &Loaded, u: usize| {
        let (q, x, u) = (vec![0.0; robot.nq()], vec![0.0; robot.nv()], vec![0.0; u]);
        let (mut next_q, mut next_v) = (q.clone(), x.clone());
        match robot.actuated_step(&mut robot.workspace(), &q, &x, &u, 0.1, &mut next_q, &mut next_v) {
            Ok(()) => String::new(),
            Err(error) => error.to_string(),
        }
    };
    let message =
        "`actuated_step` takes controls, and this robot has none; name its motors with the option `actuated`";
    assert_eq!(said(&without, 1), message);
    assert_eq!((without.nu(), robot.nu()), (0, 1));
    assert_eq!(said(&robot, 8), "`actuated_step`: `u` has 1 numbers, and was given 8");
    assert_eq!(said(&robot, 1), "");
    let controls = |controls: &[f64]| {
        let (q, x) = (vec![0.0; robot.nq()], vec![0.0; robot.nv()]);
        let (mut qs, mut vs) = (vec![0.0; 2 * robot.nq()], vec![0.0; 2 * robot.nv()]);
        robot.actuated_rollout(&mut robot.workspace(), &q, &x, controls, 0.1, &mut qs, &mut vs)
    };
    assert!(controls(&[0.0; 2]).is_ok());
    let said = controls(&[0.0; 3]).unwrap_err().to_string();
    assert_eq!(said, format!("`actuated_rollout`: `qs` has {} numbers, and was given {}", 27, 18));
    let said = robot.torques(&[0.0; 2], &mut [0.0; 8]).unwrap_err().to_string();
    assert_eq!(said, "`torques`: `u` has 1 numbers, and was given 2");
    let said = robot.of_controls(&[0.0; 9], &mut [0.0; 1]).unwrap_err().to_string();
    assert_eq!(said, "`of_controls`: `by_torques` has 8 numbers, and was given 9");
    let unknown = legged().actuated(["joint3"]).load().unwrap_err().to_string();
    assert!(unknown.contains("there is no moving joint `joint3`"), "{unknown}");
}

/// A cache keeps kernels, and controls come from the options.
#[test]
fn controls_are_those_of_the_options_whatever_a_cache_has() {
    let folder = std::env::temp_dir().join(format!("rbd-jit-actuated-{}", std::process::id()));
    for joint in ["joint2", "joint1", "joint2"] {
        let options = Options { cache: Cache::in_folder(&folder), ..Options::default() };
        let robot = Robot::from_urdf(path("robots/double_pendulum.urdf")).functions(["aba"]);
        let robot = robot.step(Integrator::Explicit).actuated([joint]).load_with(options).unwrap();
        assert_eq!(robot.actuated(), [usize::from(joint == "joint2")]);
    }
    std::fs::remove_dir_all(folder).unwrap();
}
