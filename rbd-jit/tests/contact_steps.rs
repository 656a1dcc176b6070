//! The discrete step under contacts: every integrator, set of active contacts and kind of axes in both
//! precisions, beside compiled robots.

use super::contacts::{UNITS, within};
use nalgebra::SVector;
use rbd::ContactAxes;
use rbd_build::Robot;
use rbd_jit::{
    Base, ContactKind, ContactSettings, ContactStep, ContactStepDerivatives, Engine, Id, Integrator, Loaded,
    Options,
};
use std::path::{Path, PathBuf};

rbd::rbd_robot! {
    struct Walker {
        urdf: "../robots/double_pendulum.urdf",
        base: floating,
        functions: [crba],
        contacts: { "link1": plane, "link2", "base_link": point },
        step: semi_implicit,
    }
}
rbd::rbd_robot! {
    struct FourBar {
        urdf: "../rbd-build/tests/good/four_bar.urdf",
        functions: [aba],
        closed_loops: { "bar": { frames: ["rod_end", "rocker_end"], rows: 3 } },
        step: rk4,
    }
}
rbd::rbd_robot! {
    struct Damped {
        urdf: "../robots/double_pendulum.urdf",
        base: floating,
        damping: true,
        functions: [crba],
        contacts: { "link1": plane, "link2", "base_link": point },
        step: implicit_damping,
    }
}

fn path(robot: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(robot)
}

fn walker() -> Robot {
    Robot::from_urdf(path("robots/double_pendulum.urdf"))
        .base(Base::Floating)
        .functions([Id::Crba])
        .contact("link1", ContactKind::Plane)
        .contacts(["link2", "base_link"])
        .step(Integrator::SemiImplicit)
}

fn four_bar() -> Robot {
    let robot = Robot::from_urdf(path("rbd-build/tests/good/four_bar.urdf")).functions([Id::Aba]);
    let robot = robot.closed_loop("bar", ["rod_end", "rocker_end"], ContactKind::Point);
    robot.step(Integrator::Rk4)
}

fn damped() -> Robot {
    walker().damping(true).step(Integrator::ImplicitDamping)
}

macro_rules! beside_compiled {
    ($test:ident, $robot:ident, $loaded:expr, $number:ident, $new:ident, $mu:literal) => {
        #[test]
        fn $test() {
            const NV: usize = $robot::NV;
            const NC: usize = $robot::NC;
            const UNIT: f64 = $number::EPSILON as f64;
            let generated = $loaded.trace().unwrap();
            for engine in [Engine::best(), Engine::Interpreter] {
                let options = Options { engine: Some(engine), check: false, ..Options::default() };
                let robot = Loaded::$new(generated.clone(), options).unwrap();
                let mut work = robot.workspace();
                let numbers = |first: f64| {
                    SVector::<$number, NV>::from_fn(|k, _| (first + 1.7 * k as f64).sin() as $number)
                };
                let q = $robot::integrate(&$robot::neutral(), &numbers(0.3));
                let (v, tau, dt) = (numbers(1.1), numbers(2.4) * 5.0, 0.01);
                let anchors = $robot::contact_placements(&q).map(Some);
                for (mask, axes) in (0..1 << NC).flat_map(|m| ContactAxes::ALL.map(|axes| (m, axes))) {
                    let active: [bool; NC] = std::array::from_fn(|k| mask >> k & 1 == 1);
                    let close =
                        |found: &[$number], expected: &[$number]| within(UNITS * UNIT, found, expected);
                    let of = rbd::ContactSettings::<$number, NC>::default()
                        .proximal($mu, 2)
                        .baumgarte(9.0, 5.0, anchors)
                        .in_axes(axes);
                    let settings =
                        ContactSettings { mu: $mu, iterations: 2, kp: 9.0, kd: 5.0, anchors: &anchors, axes };

                    let expected = $robot::contact_step(&q, &v, &tau, dt, &active, &of);
                    let mut out = ContactStep::default();
                    let [qs, vs, taus] = [q.as_slice(), v.as_slice(), tau.as_slice()];
                    robot.contact_step(&mut work, qs, vs, taus, dt, &active, &settings, &mut out).unwrap();
                    close(&out.q, expected.q.as_slice());
                    close(&out.v, expected.v.as_slice());
                    close(&out.dynamics.ddq, expected.dynamics.ddq.as_slice());
                    close(&out.dynamics.forces, expected.dynamics.forces.as_slice());
                    close(&out.dynamics.residual, expected.dynamics.residual.as_slice());

                    let expected = $robot::contact_step_derivatives(&q, &v, &tau, dt, &active, &of);
                    let mut out = ContactStepDerivatives::default();
                    robot
                        .contact_step_derivatives(&mut work, qs, vs, taus, dt, &active, &settings, &mut out)
                        .unwrap();
                    let (step, of_step) = (&out.step, &expected.step);
                    close(&step.q, of_step.q.as_slice());
                    close(&step.v, of_step.v.as_slice());
                    for (found, expected) in [
                        (&step.dq_dq, &of_step.dq_dq),
                        (&step.dq_dv, &of_step.dq_dv),
                        (&step.dq_dtau, &of_step.dq_dtau),
                        (&step.dv_dq, &of_step.dv_dq),
                        (&step.dv_dv, &of_step.dv_dv),
                        (&step.dv_dtau, &of_step.dv_dtau),
                    ] {
                        close(found, expected.as_slice());
                    }
                    let (dynamics, expected) = (&out.dynamics, &expected.dynamics);
                    close(&dynamics.ddq, expected.ddq.as_slice());
                    close(&dynamics.forces, expected.forces.as_slice());
                    close(&dynamics.residual, expected.residual.as_slice());
                    close(&dynamics.ddq_dq, expected.ddq_dq.as_slice());
                    close(&dynamics.ddq_dv, expected.ddq_dv.as_slice());
                    close(&dynamics.ddq_dtau, expected.ddq_dtau.as_slice());
                    close(&dynamics.forces_dq, expected.forces_dq.as_slice());
                    close(&dynamics.forces_dv, expected.forces_dv.as_slice());
                    close(&dynamics.forces_dtau, expected.forces_dtau.as_slice());
                }
            }
        }
    };
}

beside_compiled!(steps_under_contacts_are_those_of_compiled_rust, Walker, walker(), f64, new, 1e-4);
beside_compiled!(steps_of_closed_loops_are_those_of_compiled_rust, FourBar, four_bar(), f64, new, 1e-4);
beside_compiled!(implicitly_damped_steps_are_those_of_compiled_rust, Damped, damped(), f64, new, 1e-4);
beside_compiled!(implicitly_damped_steps_in_single_precision, Damped, damped(), f32, new_f32, 1e-2);
beside_compiled!(steps_under_contacts_in_single_precision, Walker, walker(), f32, new_f32, 1e-2);
beside_compiled!(steps_of_closed_loops_in_single_precision, FourBar, four_bar(), f32, new_f32, 1e-2);

/// Without an active contact the step is the free one, and forces are zero.
#[test]
fn without_contacts_it_is_the_free_step() {
    let others = [Integrator::SemiImplicit, Integrator::Explicit, Integrator::Rk4];
    for robot in others.map(|integrator| walker().step(integrator)).into_iter().chain([damped()]) {
        let robot = rbd_jit::Robot::from(robot).load().unwrap();
        let (mut work, n) = (robot.workspace(), robot.nv());
        let numbers = |first: f64| (0..n).map(|k| (first + 1.3 * k as f64).sin()).collect::<Vec<_>>();
        let (v, tau, mut q) = (numbers(0.2), numbers(0.9), vec![0.0; robot.nq()]);
        let mut neutral = q.clone();
        robot.neutral(&mut neutral).unwrap();
        robot.integrate(&neutral, &numbers(1.7), &mut q).unwrap();
        let (mut next_q, mut next_v) = (vec![0.0; q.len()], vec![0.0; n]);
        robot.step(&mut work, &q, &v, &tau, 0.02, &mut next_q, &mut next_v).unwrap();
        let mut out = ContactStep::default();
        let settings = ContactSettings::default();
        robot.contact_step(&mut work, &q, &v, &tau, 0.02, &[false; 3], &settings, &mut out).unwrap();
        within(1e-12, &out.q, &next_q);
        within(1e-12, &out.v, &next_v);
        assert!(out.dynamics.forces.iter().all(|x| *x == 0.0));
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let pendulum = || Robot::from_urdf(path("robots/double_pendulum.urdf")).functions([Id::Aba]);
    let load = |robot: Robot| rbd_jit::Robot::from(robot).load().unwrap();
    let said = |robot: &Loaded, q: usize, active: &[bool], anchors: usize| {
        let (x, mut out, anchors) = ([0.0; 3], ContactStep::default(), vec![None; anchors]);
        let settings = ContactSettings { anchors: &anchors, ..ContactSettings::default() };
        let work = &mut robot.workspace();
        match robot.contact_step(work, &x[..q], &x[..2], &x[..2], 0.1, active, &settings, &mut out) {
            Ok(()) => String::new(),
            Err(error) => error.to_string(),
        }
    };
    let message = "`contact_step` is not among the functions that this robot was loaded with";
    assert_eq!(said(&load(pendulum().step(Integrator::Explicit)), 2, &[], 0), message);
    let message = "`contact_step` comes with the option `step`, without which this robot was loaded";
    assert_eq!(said(&load(pendulum().contacts(["link2"])), 2, &[true], 0), message);
    let robot = load(pendulum().contacts(["link2"]).step(Integrator::Explicit));
    assert_eq!(said(&robot, 2, &[true], 1), "");
    assert_eq!(said(&robot, 3, &[true], 0), "`contact_step`: `q` has 2 numbers, and was given 3");
    assert_eq!(said(&robot, 2, &[true; 2], 0), "`contact_step`: `active` has 1 numbers, and was given 2");
    assert_eq!(said(&robot, 2, &[true], 2), "`contact_step`: `anchors` has 1 numbers, and was given 2");
}
