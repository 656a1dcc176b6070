//! The discrete step: every function and integrator in both precisions, beside compiled robots.

use nalgebra::SVector;
use rbd_jit::{Base, Engine, Integrator, Loaded, Options, Robot, StepDerivatives, StepHessian};
use std::path::{Path, PathBuf};

rbd::rbd_robot! {
    struct Fixed { urdf: "../tests/step/joints.urdf", functions: [crba], step: semi_implicit }
}
rbd::rbd_robot! {
    struct Plain { urdf: "../tests/step/joints.urdf", functions: [crba], step: explicit }
}
rbd::rbd_robot! {
    struct Floating { urdf: "../tests/step/joints.urdf", base: floating, functions: [crba], step: rk4 }
}
rbd::rbd_robot! {
    struct Damped {
        urdf: "../tests/step/damped.urdf",
        damping: true,
        functions: [crba],
        step: implicit_damping,
    }
}

fn path(robot: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(robot)
}

fn robot(base: Base, integrator: Integrator) -> Robot {
    let damped = integrator == Integrator::ImplicitDamping;
    let file = if damped { "tests/step/damped.urdf" } else { "tests/step/joints.urdf" };
    Robot::from_urdf(path(file)).base(base).damping(damped).functions(["crba"]).step(integrator)
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
    ($test:ident, $robot:ident, $base:ident, $integrator:ident, $number:ident, $load:ident) => {
        #[test]
        fn $test() {
            const NV: usize = $robot::NV;
            for engine in [Engine::best(), Engine::Interpreter] {
                let options = Options { engine: Some(engine), check: false, ..Options::default() };
                let robot = robot(Base::$base, Integrator::$integrator).$load(options).unwrap();
                assert_eq!(robot.integrator(), Some(Integrator::$integrator));
                let mut work = robot.workspace();
                let numbers = |first: f64| {
                    SVector::<$number, NV>::from_fn(|k, _| (first + 1.7 * k as f64).sin() as $number)
                };
                let q = $robot::integrate(&$robot::neutral(), &numbers(0.3));
                let (v, tau) = (numbers(1.1), numbers(2.4) * 5.0);
                let (of_q, of_v) = (numbers(3.3), numbers(4.2));
                let state = [q.as_slice(), v.as_slice(), tau.as_slice()];
                let ([q_in, v_in, tau_in], dt) = (state, 0.05);

                let expected = $robot::step(&q, &v, &tau, dt);
                let (mut next_q, mut next_v) = (vec![$number::NAN; q.len()], vec![$number::NAN; NV]);
                robot.step(&mut work, q_in, v_in, tau_in, dt, &mut next_q, &mut next_v).unwrap();
                close(&next_q, expected.q.as_slice());
                close(&next_v, expected.v.as_slice());

                let expected = $robot::step_derivatives(&q, &v, &tau, dt);
                let mut out = StepDerivatives::default();
                for _ in 0..2 {
                    robot.step_derivatives(&mut work, q_in, v_in, tau_in, dt, &mut out).unwrap();
                }
                close(&out.q, expected.q.as_slice());
                close(&out.v, expected.v.as_slice());
                for (name, out, expected) in [
                    ("dq_dq", &out.dq_dq, &expected.dq_dq),
                    ("dq_dv", &out.dq_dv, &expected.dq_dv),
                    ("dq_dtau", &out.dq_dtau, &expected.dq_dtau),
                    ("dv_dq", &out.dv_dq, &expected.dv_dq),
                    ("dv_dv", &out.dv_dv, &expected.dv_dv),
                    ("dv_dtau", &out.dv_dtau, &expected.dv_dtau),
                ] {
                    close(out, expected.as_slice());
                    let structure = robot.structure("step_derivatives", name).unwrap();
                    let is_zero = |k: &usize| structure.is_zero(k % NV, k / NV);
                    assert!((0..NV * NV).filter(is_zero).all(|k| out[k] == 0.0), "{name}");
                    let is_explicit = robot.integrator() == Some(Integrator::Explicit);
                    assert_eq!(structure.count() == 0, is_explicit && name == "dq_dtau");
                }

                let expected = $robot::step_hessian(&q, &v, &tau, dt, &of_q, &of_v);
                let mut out = StepHessian::default();
                let (of_q, of_v) = (of_q.as_slice(), of_v.as_slice());
                for _ in 0..2 {
                    robot.step_hessian(&mut work, q_in, v_in, tau_in, dt, of_q, of_v, &mut out).unwrap();
                }
                close(&out.value, &[expected.value]);
                for (out, expected) in
                    [(&out.dq, &expected.dq), (&out.dv, &expected.dv), (&out.dtau, &expected.dtau)]
                {
                    close(out, expected.as_slice());
                }
                for (out, expected) in [
                    (&out.dqdq, &expected.dqdq),
                    (&out.dqdv, &expected.dqdv),
                    (&out.dvdv, &expected.dvdv),
                    (&out.dqdtau, &expected.dqdtau),
                    (&out.dvdtau, &expected.dvdtau),
                    (&out.dtaudtau, &expected.dtaudtau),
                ] {
                    close(out, expected.as_slice());
                }
            }
        }
    };
}

mod doubles {
    use super::*;

    beside_compiled!(
        semi_implicit_steps_are_those_of_compiled_rust,
        Fixed,
        Fixed,
        SemiImplicit,
        f64,
        load_with
    );
    beside_compiled!(explicit_steps_are_those_of_compiled_rust, Plain, Fixed, Explicit, f64, load_with);
    beside_compiled!(runge_kuttas_steps_are_those_of_compiled_rust, Floating, Floating, Rk4, f64, load_with);
    beside_compiled!(
        implicitly_damped_steps_are_those_of_compiled_rust,
        Damped,
        Fixed,
        ImplicitDamping,
        f64,
        load_with
    );
}

mod singles {
    use super::*;

    beside_compiled!(
        semi_implicit_steps_are_those_of_compiled_rust,
        Fixed,
        Fixed,
        SemiImplicit,
        f32,
        load_f32_with
    );
    beside_compiled!(explicit_steps_are_those_of_compiled_rust, Plain, Fixed, Explicit, f32, load_f32_with);
    beside_compiled!(
        runge_kuttas_steps_are_those_of_compiled_rust,
        Floating,
        Floating,
        Rk4,
        f32,
        load_f32_with
    );
    beside_compiled!(
        implicitly_damped_steps_are_those_of_compiled_rust,
        Damped,
        Fixed,
        ImplicitDamping,
        f32,
        load_f32_with
    );
}

/// A step of a humanoid with many joints, beside its formula.
#[test]
fn a_humanoids_step_is_its_formula() {
    let robot = Robot::from_urdf(path("robots/g1.urdf")).base(Base::Floating).functions(["aba"]);
    let robot = robot.step(Integrator::SemiImplicit).load().unwrap();
    let ((nq, nv), dt) = ((robot.nq(), robot.nv()), 1e-3);
    let mut work = robot.workspace();
    let numbers = |first: f64| (0..nv).map(|k| (first + 1.3 * k as f64).sin()).collect::<Vec<_>>();
    let (v, tau, mut neutral, mut q) = (numbers(0.2), numbers(0.9), vec![0.0; nq], vec![0.0; nq]);
    robot.neutral(&mut neutral).unwrap();
    robot.integrate(&neutral, &numbers(1.7), &mut q).unwrap();
    let (mut next_q, mut next_v, mut ddq) = (vec![0.0; nq], vec![0.0; nv], vec![0.0; nv]);
    robot.step(&mut work, &q, &v, &tau, dt, &mut next_q, &mut next_v).unwrap();
    robot.aba(&mut work, &q, &v, &tau, &mut ddq).unwrap();
    let expected: Vec<f64> = v.iter().zip(&ddq).map(|(v, a)| v + a * dt).collect();
    close(&next_v, &expected);
    let (along, mut expected) = (expected.iter().map(|x| x * dt).collect::<Vec<_>>(), vec![0.0; nq]);
    robot.integrate(&q, &along, &mut expected).unwrap();
    close(&next_q, &expected);
}

#[test]
fn what_does_not_fit_is_refused() {
    let urdf = path("robots/double_pendulum.urdf");
    let without = Robot::from_urdf(&urdf).functions(["aba"]).load().unwrap();
    let (mut q, mut v) = ([0.0; 2], [0.0; 2]);
    let step = |robot: &Loaded, tau: &[f64], q: &mut [f64; 2], v: &mut [f64; 2]| {
        robot.step(&mut robot.workspace(), &[0.0; 2], &[0.0; 2], tau, 0.01, q, v)
    };
    let said = step(&without, &[0.0; 2], &mut q, &mut v).unwrap_err().to_string();
    assert!(said.contains("`step`") && said.contains("option"), "{said}");
    let with = Robot::from_urdf(&urdf).functions(["aba"]).step(Integrator::Rk4).load().unwrap();
    let said = step(&with, &[0.0; 3], &mut q, &mut v).unwrap_err().to_string();
    assert!(said.contains("`tau` has 2 numbers, and was given 3"), "{said}");
    // Memory of another robot is too small.
    let said = with.step(&mut without.workspace(), &[0.0; 2], &[0.0; 2], &[0.0; 2], 0.01, &mut q, &mut v);
    assert!(said.unwrap_err().to_string().contains("workspace"));
    assert!(step(&with, &[0.0; 2], &mut q, &mut v).is_ok());
}
