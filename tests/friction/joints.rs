//! Dry friction and limits of joints in steps of generated robots, against closed forms.

use super::{Ball, DT, G, Slope, settings};
use nalgebra::{Matrix2, SVector, Vector2};
use rbd::{ContactMode, ContactSurface, FrictionContacts, JointContacts, JointFrictionStep};

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

/// Derivatives in each mode of the cart, beside a pendulum in each mode: the cart slides both ways, sticks,
/// and is before and beyond its limits.
#[test]
fn a_cart_has_derivatives_of_a_closed_form() {
    let (mass, inertia, arm) = (2.0, 0.1, G * 0.3);
    // Configuration and velocity; the change of the velocity by q, v and tau.
    let free = [0.0, 1.0, DT / mass];
    let stick = [0.0; 3];
    // The share of a penetration.
    let (before, beyond) = ([-1.0 / DT, 0.0, 0.0], [-0.2 / DT, 0.0, 0.0]);
    let carts = [
        (0.0, 1.0, free),
        (0.0, -1.0, free),
        (0.0, 1e-4, stick),
        (0.5 - 1e-4, 1.0, before),
        (0.5 + 1e-3, 1.0, beyond),
        (-0.5 + 1e-4, -1.0, before),
        (-0.5 - 1e-3, -1.0, beyond),
    ];
    // A pendulum that falls, one that has come to its stop, and one beyond it.
    let falls = |q: f64| [DT * arm * -q.sin() / inertia, 1.0, DT / inertia];
    let pendulums = [(0.1, 0.2, falls(0.1)), (0.5 - 1e-4, 0.3, before), (0.5 + 1e-3, 0.3, beyond)];
    for (x, v, cart) in carts {
        for (angle, speed, pendulum) in pendulums {
            let (q, v, tau) = (Pair::new(x, angle), Pair::new(v, speed), Pair::zeros());
            let joints = JointContacts::of::<Arm, 2>(&q);
            let got = Arm::friction_step_with_joints_derivatives(
                &q,
                &v,
                &tau,
                DT,
                &[None],
                &joints,
                &settings(),
                None,
            );
            let step = Arm::friction_step_with_joints(&q, &v, &tau, DT, &[None], &joints, &settings(), None);
            assert!(got.contacts == step && step.step.converged && got.margin > 1e-4, "{q} {}", got.margin);
            assert!(got.step.q == step.step.q && got.step.v == step.step.v);
            let by = [got.step.dv_dq, got.step.dv_dv, got.step.dv_dtau];
            let on_joints = [got.joints_dq, got.joints_dv, got.joints_dtau];
            let masses = Matrix2::from_diagonal(&Pair::new(mass, inertia));
            for (k, (by, on_joints)) in by.into_iter().zip(on_joints).enumerate() {
                let expected = Matrix2::from_diagonal(&Pair::new(cart[k], pendulum[k]));
                assert!(
                    (by - expected).amax() < 1e-9 * expected.amax().max(1.0),
                    "{q} {v} {k}: {by}{expected}"
                );
                // Impulses are what the momentum lacks.
                let free = Matrix2::from_diagonal(&Pair::new(free[k], falls(angle)[k]));
                let lacks = masses * (expected - free);
                assert!((on_joints - lacks).amax() < 1e-9 * lacks.amax().max(1.0), "{on_joints}{lacks}");
            }
            let next = Matrix2::identity() + by[0] * DT;
            assert!((got.step.dq_dq - next).amax() < 1e-12 * next.amax().max(1.0));
        }
    }
}

/// Without friction and limits in joints, derivatives are those of the plain step, in each mode of a contact.
#[test]
fn no_joints_have_the_plain_derivatives() {
    fn check<R: FrictionContacts<7, 6, 1, 3>>() {
        let (q, tau, none) = (Slope::of(0.0).at(0.1), SVector::zeros(), JointContacts::none());
        for (fall, friction, mode) in
            [(-1.0, 0.05, ContactMode::Slide), (-1.0, 3.0, ContactMode::Stick), (1.0, 0.3, ContactMode::Open)]
        {
            let v = SVector::from([0.4, 0.1, fall, 0.2, 0.3, 0.1]);
            let surface = [Some(ContactSurface::ground(0.0, friction))];
            let plain = R::friction_step_derivatives(&q, &v, &tau, DT, &surface, &settings(), None);
            let got = R::friction_step_with_joints_derivatives(
                &q,
                &v,
                &tau,
                DT,
                &surface,
                &none,
                &settings(),
                None,
            );
            assert_eq!(got.contacts.step.modes, [mode]);
            assert!(plain.margin > 1e-3 && (got.margin - plain.margin).abs() < 1e-12);
            let all = [
                (got.step.dv_dq - plain.step.dv_dq).amax(),
                (got.step.dv_dv - plain.step.dv_dv).amax(),
                (got.step.dv_dtau - plain.step.dv_dtau).amax(),
                (got.step.dq_dq - plain.step.dq_dq).amax(),
                (got.impulses_dq - plain.impulses_dq).amax(),
                (got.impulses_dv - plain.impulses_dv).amax(),
                (got.impulses_dtau - plain.impulses_dtau).amax(),
            ];
            assert!(all.iter().all(|error| *error < 1e-10), "{all:?}");
            assert!([got.joints_dq, got.joints_dv, got.joints_dtau].iter().all(|x| x.amax() == 0.0));
        }
    }
    check::<Ball>();
}
