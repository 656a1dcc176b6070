//! Dry friction and limits of joints in steps of generated robots, against closed forms.

use super::{Ball, DT, G, Slope, settings};
use nalgebra::{SVector, Vector2};
use rbd::{ContactSurface, FrictionContacts, JointContacts, JointFrictionStep};

// A cart of 2 kg on a rail with dry friction of 4 N, and a pendulum: 0.1 kg m^2 about its hinge, which stops
// it at 0.5 rad below the horizontal. They do not move one another.
rbd::rbd_robot! {
    pub struct Arm {
        urdf: "tests/friction/arm.urdf",
        functions: [crba],
        contacts: ["pendulum"],
    }
}

type Step = JointFrictionStep<f64, 2, 2, 1, 3>;
type Pair = Vector2<f64>;

/// Steps from a state, with friction and limits of the URDF. Calls `see` with each.
fn steps(mut q: Pair, mut v: Pair, tau: &Pair, count: usize, mut see: impl FnMut(usize, &Step)) {
    let mut last: Option<Step> = None;
    for k in 0..count {
        let joints = JointContacts::of::<Arm, 2>(&q);
        let next =
            Arm::friction_step_with_joints(&q, &v, tau, DT, &[None], &joints, &settings(), last.as_ref());
        assert!(next.step.converged, "{:?}", next.step.residuals);
        see(k, &next);
        (q, v, last) = (next.step.q, next.step.v, Some(next));
    }
}

#[test]
fn the_urdf_has_friction_and_limits() {
    let joints = JointContacts::<f64, 2>::of::<Arm, 2>(&Pair::new(0.1, 0.2));
    assert!((joints.friction - Pair::new(4.0, 0.0)).amax() < 1e-15);
    assert!((joints.to_lower - Pair::new(0.6, 1.2)).amax() < 1e-15);
    assert!((joints.to_upper - Pair::new(0.4, 0.3)).amax() < 1e-15);
}

/// It loses 2 m/s^2 until it stands, and then it stays.
#[test]
fn a_cart_stops_and_sticks() {
    let (speed, loss) = (0.3, 2.0);
    for sign in [1.0, -1.0] {
        steps(Pair::new(0.0, 0.5), Pair::new(sign * speed, 0.0), &Pair::zeros(), 300, |k, next| {
            let expected = (speed - loss * DT * (k + 1) as f64).max(0.0) * sign;
            assert!((next.step.v[0] - expected).abs() < 1e-9, "{k} {}", next.step.v[0]);
        });
        // A force within friction moves nothing. Friction is against it.
        steps(Pair::zeros(), Pair::zeros(), &Pair::new(sign * 3.9, 0.0), 50, |_, next| {
            assert!(next.step.q[0].abs() < 1e-12 && (next.joints[0] + sign * 3.9 * DT).abs() < 1e-12);
        });
        // What is beyond friction accelerates it.
        steps(Pair::zeros(), Pair::zeros(), &Pair::new(sign * 5.0, 0.0), 50, |k, next| {
            assert!((next.step.v[0] - sign * 0.5 * DT * (k + 1) as f64).abs() < 1e-9);
        });
    }
}

/// It comes to its limit at the end of a step, stays there, and the limit carries what it is pushed with.
#[test]
fn a_cart_stops_at_the_end_of_its_rail() {
    let mut seen = 0;
    steps(Pair::new(0.45, 0.5), Pair::new(1.0, 0.0), &Pair::new(6.0, 0.0), 200, |_, next| {
        assert!(next.step.q[0] < 0.5 + 1e-12);
        if next.step.v[0].abs() < 1e-12 {
            assert!((next.step.q[0] - 0.5).abs() < 1e-12);
            // The first step stops it.
            seen += 1;
            assert!(seen == 1 || (next.joints[0] + 6.0 * DT).abs() < 1e-9, "{}", next.joints[0]);
        }
    });
    assert!(seen > 100, "{seen}");
}

/// A pendulum falls on its stop, does not rebound, and lies there: the stop has its weight's moment.
#[test]
fn a_pendulum_falls_on_its_stop() {
    let (mut energy, mut lying, mut last) = (0.0_f64, 0, 0.0);
    steps(Pair::new(0.0, -0.5), Pair::zeros(), &Pair::zeros(), 1000, |_, next| {
        let (q, v) = (next.step.q[1], next.step.v[1]);
        assert!(q < 0.5 + 1e-12);
        if lying == 0 && next.joints[1] == 0.0 {
            // It still falls: energy is kept to the first order of the step.
            energy = energy.max((0.05 * v * v - G * 0.3 * (q.sin() + 0.5_f64.sin())).abs());
            last = v;
        } else if v.abs() < 1e-12 {
            lying += 1;
            assert!((q - 0.5).abs() < 1e-12, "{q}");
            let weight = G * 0.3 * q.cos() * DT;
            assert!(lying == 1 || (next.joints[1] + weight).abs() < 1e-9, "{}", next.joints[1]);
        }
    });
    // The speed at the stop, by the height that it fell.
    let expected = (2.0 * G * 0.3 * 2.0 * 0.5_f64.sin() / 0.1).sqrt();
    assert!((last / expected - 1.0).abs() < 0.01 && energy < 0.05, "{last} {expected} {energy}");
    assert!(lying > 500, "{lying}");
}

/// Beyond a limit, a share of the error is taken back. An impact stops at a limit, and knows no friction.
#[test]
fn limits_take_back_what_is_beyond() {
    let q = Pair::new(0.51, 0.3);
    let joints = JointContacts::of::<Arm, 2>(&q);
    let tau = Pair::zeros();
    let next = Arm::friction_step_with_joints(&q, &tau, &tau, DT, &[None], &joints, &settings(), None);
    assert!(next.step.converged && (next.step.q[0] - 0.508).abs() < 1e-12, "{}", next.step.q[0]);
    for (v, expected) in [(1.0, 0.0), (-1.0, -1.0)] {
        let v = Pair::new(v, 0.7);
        let hit = Arm::friction_step_with_joints(&q, &v, &tau, 0.0, &[None], &joints, &settings(), None);
        assert!(hit.step.converged && (hit.step.v - Pair::new(expected, 0.7)).amax() < 1e-12);
    }
}

/// Without friction and limits in joints, it is the plain step, also for code that is written for any robot.
#[test]
fn no_joints_are_the_plain_step() {
    fn step<R: FrictionContacts<7, 6, 1, 3>>() -> JointFrictionStep<f64, 7, 6, 1, 3> {
        let (q, v) = (Slope::of(0.0).at(0.1), SVector::from([0.4, 0.1, -1.0, 0.2, 0.3, 0.1]));
        let surface = [Some(ContactSurface::ground(0.0, 0.3))];
        let (tau, none) = (SVector::zeros(), JointContacts::none());
        let plain = R::friction_step(&q, &v, &tau, DT, &surface, &settings(), None);
        let same = R::friction_step_with_joints(&q, &v, &tau, DT, &surface, &none, &settings(), None);
        assert!((same.step.v - plain.v).amax() < 1e-12 && same.joints.amax() == 0.0);
        assert_eq!(same.step.modes, plain.modes);
        R::friction_step_with_joints(&q, &v, &tau, DT, &surface, &none, &settings(), Some(&same))
    }
    assert!(step::<Ball>().step.iterations.sweeps == 0);
}
