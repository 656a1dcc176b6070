//! A gripper hangs on an upright bar, which its two fingers press. It holds if they press hard enough, and
//! slides otherwise: closed forms of the motion and of its derivatives.

use super::{DT, G, settings};
use nalgebra::{SVector, Vector3};
use rbd::{ContactMode, ContactSurface, FrictionStep, FrictionStepDerivatives};

// A palm of 1.6 kg that moves up and down, and two fingers of 0.2 kg that close.
rbd::rbd_robot! {
    pub struct Gripper {
        urdf: "tests/friction/gripper.urdf",
        functions: [crba],
        contacts: ["left", "right"],
    }
}

type Triple = SVector<f64, 3>;
type Step = FrictionStep<f64, 3, 3, 2, 6>;
type Derivatives = FrictionStepDerivatives<f64, 3, 3, 2, 6>;

const MASS: f64 = 2.0;
const FRICTION: f64 = 0.5;

/// The bar's sides, which the fingers touch.
const SIDES: [f64; 2] = [1.0, -1.0];

fn bar() -> [Option<ContactSurface<f64>>; 2] {
    SIDES.map(|side| Some(ContactSurface::new(Vector3::y() * side, 0.0, FRICTION)))
}

/// Steps from rest with fingers that press with this force, N, and an upward force on the palm.
fn hang(press: f64, lift: f64, steps: usize) -> Step {
    let tau = Triple::new(lift, press, press);
    let (mut q, mut v, mut last) = (Triple::zeros(), Triple::zeros(), None::<Step>);
    for _ in 0..steps {
        let next = Gripper::friction_step(&q, &v, &tau, DT, &bar(), &settings(), last.as_ref());
        assert!(next.converged, "{:?}", next.residuals);
        (q, v, last) = (next.q, next.v, Some(next));
    }
    last.unwrap()
}

#[test]
fn it_holds_if_it_presses_hard_enough() {
    let enough = MASS * G / (2.0 * FRICTION);
    for press in [enough * (1.0 + 1e-6), 2.0 * enough] {
        let found = hang(press, 0.0, 100);
        assert_eq!(found.modes, [ContactMode::Stick; 2]);
        assert!(found.q.amax() < 1e-9 && found.v.amax() < 1e-8, "{}{}", found.q, found.v);
        for (finger, side) in SIDES.into_iter().enumerate() {
            let force = found.impulses.fixed_rows::<3>(3 * finger) / DT;
            let expected = Vector3::new(0.0, side * press, MASS * G / 2.0);
            assert!((force - expected).amax() < 1e-5, "{force}{expected}");
        }
    }
}

/// Downward by its weight, and upward where it is pulled up.
#[test]
fn it_slides_if_it_does_not() {
    for (press, lift) in [(0.0, 0.0), (5.0, 0.0), (19.0, 0.0), (8.0, 40.0), (15.0, 36.0)] {
        let (along, steps) = (lift - MASS * G, 200);
        let found = hang(press, lift, steps);
        let a = (along - along.signum() * 2.0 * FRICTION * press) / MASS;
        let n = steps as f64;
        let (way, speed) = (a * DT * DT * n * (n + 1.0) / 2.0, a * DT * n);
        assert!((found.q - Triple::new(way, 0.0, 0.0)).amax() < 1e-9, "{}{way}", found.q);
        assert!((found.v - Triple::new(speed, 0.0, 0.0)).amax() < 1e-9, "{}{speed}", found.v);
    }
}

/// While it slides, pressing by dF changes the velocity by mu dt dF/m. While it sticks, nothing does.
#[test]
fn derivatives_are_closed_forms() {
    let at = |press: f64| -> Derivatives {
        let tau = Triple::new(0.0, press, press);
        let none = Triple::zeros();
        Gripper::friction_step_derivatives(&none, &none, &tau, DT, &bar(), &settings(), None)
    };
    let (sliding, sticking) = (at(12.0), at(25.0));
    assert_eq!(sliding.contacts.modes, [ContactMode::Slide; 2]);
    assert_eq!(sticking.contacts.modes, [ContactMode::Stick; 2]);
    let by_press = FRICTION * DT / MASS;
    let expected = Triple::new(DT / MASS, by_press, by_press);
    assert!((sliding.step.dv_dtau.row(0).transpose() - expected).amax() < 1e-12, "{}", sliding.step.dv_dtau);
    // The fingers stay at the bar.
    assert!(sliding.step.dv_dtau.rows(1, 2).amax() < 1e-12);
    assert!(sticking.step.dv_dtau.amax() < 1e-8 * DT, "{}", sticking.step.dv_dtau);
    // Friction of the two fingers together takes a force on the palm, and none of what presses.
    let up = sticking.impulses_dtau.row(2) + sticking.impulses_dtau.row(5);
    assert!((up[0] + DT).abs() < 1e-7 * DT && up.columns(1, 2).amax() < 1e-7 * DT, "{up}");
}
