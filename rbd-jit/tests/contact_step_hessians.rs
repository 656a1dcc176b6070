//! Hessians of steps under contacts, by every integrator: beside the gradient's differences, free steps,
//! and steps of torques.

use super::contacts::within;
use rbd_build::Robot;
use rbd_jit::{
    ActuatedStepHessian, Base, ContactKind, ContactSettings, ContactStepDerivatives, Id, Integrator, Loaded,
    StepHessian,
};
use rbd_runtime::random::random_state;
use std::path::Path;

const INTEGRATORS: [Integrator; 4] =
    [Integrator::SemiImplicit, Integrator::Explicit, Integrator::Rk4, Integrator::ImplicitDamping];
const DT: f64 = 0.02;

fn file(robot: &str) -> Robot {
    Robot::from_urdf(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(robot))
        .functions([Id::RneaHessian, Id::AbaHessian])
}

fn walker(integrator: Integrator) -> Loaded {
    let robot = file("robots/double_pendulum.urdf").base(Base::Floating).step(integrator);
    let robot = robot.damping(integrator == Integrator::ImplicitDamping).actuated(["joint2"]);
    let robot = robot.contact("base_link", ContactKind::Plane).contacts(["link2"]);
    rbd_jit::Robot::from(robot).load().unwrap()
}

fn four_bar(integrator: Integrator) -> Loaded {
    let robot = file("rbd-build/tests/good/four_bar.urdf").step(integrator);
    let robot = robot.damping(integrator == Integrator::ImplicitDamping);
    let robot = robot.closed_loop("bar", ["rod_end", "rocker_end"], ContactKind::Point);
    rbd_jit::Robot::from(robot).load().unwrap()
}

/// A state and weights.
struct At {
    q: Vec<f64>,
    v: Vec<f64>,
    tau: Vec<f64>,
    weights: [Vec<f64>; 2],
}

impl At {
    fn some(robot: &Loaded, has_weights_of_q: bool) -> Self {
        let state = random_state(robot.model(), 4);
        let numbers =
            |first: f64| (0..robot.nv()).map(|k| (first + 1.9 * k as f64).sin()).collect::<Vec<_>>();
        let of_q = if has_weights_of_q { numbers(0.4) } else { vec![0.0; robot.nv()] };
        // Robots weigh some half a kilogram.
        let tau = state.tau.iter().map(|x| 0.01 * x).collect();
        Self {
            q: state.q.as_slice().into(),
            v: state.v.as_slice().into(),
            tau,
            weights: [of_q, numbers(1.3)],
        }
    }

    fn hessian(&self, robot: &Loaded, active: &[bool], settings: &ContactSettings<'_>) -> StepHessian {
        let (Self { q, v, tau, weights: [of_q, of_v] }, mut out) = (self, StepHessian::default());
        let work = &mut robot.workspace();
        robot.contact_step_hessian(work, q, v, tau, DT, active, settings, of_q, of_v, &mut out).unwrap();
        out
    }

    /// Value by `v+`, and gradients by q, v and tau, of the step's derivatives.
    fn gradients(&self, robot: &Loaded, active: &[bool], settings: &ContactSettings<'_>) -> [Vec<f64>; 3] {
        let (Self { q, v, tau, weights }, mut out) = (self, ContactStepDerivatives::default());
        let work = &mut robot.workspace();
        robot.contact_step_derivatives(work, q, v, tau, DT, active, settings, &mut out).unwrap();
        let step = out.step;
        let blocks = [[step.dq_dq, step.dv_dq], [step.dq_dv, step.dv_dv], [step.dq_dtau, step.dv_dtau]];
        blocks.map(|blocks| {
            let column = |matrix: &[f64], lambda: &[f64], k: usize| -> f64 {
                matrix.chunks(lambda.len()).nth(k).unwrap().iter().zip(lambda).map(|(a, x)| a * x).sum()
            };
            (0..v.len())
                .map(|k| blocks.iter().zip(weights).map(|(matrix, of)| column(matrix, of, k)).sum())
                .collect()
        })
    }
}

/// Gradients are those of the derivatives, and second derivatives their differences.
fn is_exact(robot: &Loaded, at: &At, active: &[bool]) {
    let settings = ContactSettings { kd: 3.0, ..ContactSettings::default() };
    let found = at.hessian(robot, active, &settings);
    let gradients = at.gradients(robot, active, &settings);
    for (found, expected) in [&found.dq, &found.dv, &found.dtau].into_iter().zip(&gradients) {
        within(1e-11, found, expected);
    }
    let n = robot.nv();
    let along: Vec<f64> = (0..n).map(|k| (0.8 + 2.3 * k as f64).cos()).collect();
    let times = |matrix: &[f64], is_transposed: bool| -> Vec<f64> {
        let entry = |i: usize, j: usize| if is_transposed { matrix[i * n + j] } else { matrix[j * n + i] };
        (0..n).map(|i| (0..n).map(|j| entry(i, j) * along[j]).sum()).collect()
    };
    let moved = |x: &[f64], h: f64| x.iter().zip(&along).map(|(x, d)| x + h * d).collect::<Vec<_>>();
    // Of fourth order.
    let differences = |of: &dyn Fn(f64) -> At| {
        let h = 1e-3;
        let [a, b, c, d] = [h, -h, 2.0 * h, -2.0 * h].map(|h| of(h).gradients(robot, active, &settings));
        [0, 1, 2].map(|k| {
            let each = |i: usize| (8.0 * (a[k][i] - b[k][i]) - (c[k][i] - d[k][i])) / (12.0 * h);
            (0..n).map(each).collect::<Vec<f64>>()
        })
    };
    let same = || At { q: at.q.clone(), v: at.v.clone(), tau: at.tau.clone(), weights: at.weights.clone() };
    let by_q = differences(&|h| {
        let mut q = at.q.clone();
        let u: Vec<f64> = along.iter().map(|d| h * d).collect();
        robot.integrate(&at.q, &u, &mut q).unwrap();
        At { q, ..same() }
    });
    let by_v = differences(&|h| At { v: moved(&at.v, h), ..same() });
    let by_tau = differences(&|h| At { tau: moved(&at.tau, h), ..same() });
    let blocks = [
        (&found.dqdq, false, &by_q[0]),
        (&found.dqdv, true, &by_q[1]),
        (&found.dqdtau, true, &by_q[2]),
        (&found.dqdv, false, &by_v[0]),
        (&found.dvdv, false, &by_v[1]),
        (&found.dvdtau, true, &by_v[2]),
        (&found.dqdtau, false, &by_tau[0]),
        (&found.dvdtau, false, &by_tau[1]),
        (&found.dtaudtau, false, &by_tau[2]),
    ];
    let largest = by_q[0].iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    assert!(largest > 1e-3);
    for (matrix, is_transposed, expected) in blocks {
        for (found, expected) in times(matrix, is_transposed).iter().zip(expected) {
            assert!((found - expected).abs() < 1e-7 * largest, "{found} {expected}");
        }
    }
}

#[test]
fn hessians_are_derivatives_of_the_gradient() {
    for integrator in INTEGRATORS {
        // Weights of a configuration that turns move with it: differences do not say how.
        let robot = walker(integrator);
        for active in [[true, false], [false, true]] {
            is_exact(&robot, &At::some(&robot, false), &active);
        }
        let robot = four_bar(integrator);
        is_exact(&robot, &At::some(&robot, true), &[true]);
    }
}

#[test]
fn without_contacts_they_are_those_of_free_steps() {
    for integrator in INTEGRATORS {
        let robot = walker(integrator);
        let at = At::some(&robot, true);
        let found = at.hessian(&robot, &[false; 2], &ContactSettings::default());
        let (At { q, v, tau, weights: [of_q, of_v] }, mut free) = (&at, StepHessian::default());
        robot.step_hessian(&mut robot.workspace(), q, v, tau, DT, of_q, of_v, &mut free).unwrap();
        for (found, free) in [
            (&found.value, &free.value),
            (&found.dq, &free.dq),
            (&found.dtau, &free.dtau),
            (&found.dqdq, &free.dqdq),
            (&found.dvdv, &free.dvdv),
            (&found.dqdtau, &free.dqdtau),
        ] {
            within(1e-9, found, free);
        }
    }
}

#[test]
fn controls_have_the_entries_of_their_torques() {
    for integrator in INTEGRATORS {
        let robot = walker(integrator);
        let mut at = At::some(&robot, true);
        let (settings, active, u, n) = (ContactSettings::default(), [true, false], [0.03], robot.nv());
        let k = robot.actuated()[0];
        at.tau.fill(0.0);
        at.tau[k] = u[0];
        let of_torques = at.hessian(&robot, &active, &settings);
        let (At { q, v, weights: [of_q, of_v], .. }, mut out) = (&at, ActuatedStepHessian::default());
        let work = &mut robot.workspace();
        robot
            .actuated_contact_step_hessian(work, q, v, &u, DT, &active, &settings, of_q, of_v, &mut out)
            .unwrap();
        assert_eq!((out.value, out.dq, out.dv), (of_torques.value, of_torques.dq, of_torques.dv));
        assert_eq!(out.du, of_torques.dtau[k..=k]);
        assert_eq!((out.dqdq, out.dqdv, out.dvdv), (of_torques.dqdq, of_torques.dqdv, of_torques.dvdv));
        assert_eq!(out.dqdu, of_torques.dqdtau[k * n..(k + 1) * n]);
        assert_eq!(out.dvdu, of_torques.dvdtau[k * n..(k + 1) * n]);
        assert_eq!(out.dudu, of_torques.dtaudtau[k * n + k..=k * n + k]);
    }
}

#[test]
fn what_is_missing_is_said() {
    let free =
        rbd_jit::Robot::from(file("robots/double_pendulum.urdf").step(Integrator::Rk4)).load().unwrap();
    let (x, settings) = ([0.0; 2], ContactSettings::default());
    let mut out = StepHessian::default();
    let work = &mut free.workspace();
    let said = free.contact_step_hessian(work, &x, &x, &x, DT, &[], &settings, &x, &x, &mut out).unwrap_err();
    let message = "`contact_step_hessian` is not among the functions that this robot was loaded with";
    assert_eq!(said.to_string(), message);
    let robot = four_bar(Integrator::Rk4);
    let n = robot.nv();
    let (x, work) = (vec![0.0; n], &mut robot.workspace());
    let said = robot
        .contact_step_hessian(work, &x, &x, &x, DT, &[true], &settings, &x[1..], &x, &mut out)
        .unwrap_err();
    let message = format!("`contact_step_hessian`: `lambda_q` has {n} numbers, and was given {}", n - 1);
    assert_eq!(said.to_string(), message);
}
