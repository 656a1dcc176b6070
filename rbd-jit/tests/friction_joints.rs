//! The step with dry friction and limits of joints: in both precisions beside compiled robots, and robots of
//! every size beside Newton's law and the laws of joints.

use super::contacts::{UNITS, within};
use super::friction::{Faller, Linkage, cases, faller, linkage, path};
use super::some;
use nalgebra::SVector;
use rbd_build::Robot;
use rbd_jit::{
    Base, ContactAxes, ContactSurface, Engine, FrictionSettings, FrictionStep, Id, JointContacts,
    JointFrictionStep, JointFrictionStepDerivatives, Loaded, Options,
};

rbd::rbd_robot! {
    struct Arm {
        urdf: "../robots/iiwa14.urdf",
        functions: [crba],
        contacts: ["iiwa_link_6", "iiwa_link_7"],
    }
}

fn arm() -> Robot {
    Robot::from_urdf(path("robots/iiwa14.urdf"))
        .functions([Id::Crba])
        .contacts(["iiwa_link_6", "iiwa_link_7"])
}

macro_rules! beside_compiled {
    ($test:ident, $robot:ident, $loaded:expr, $number:ident, $new:ident) => {
        #[test]
        fn $test() {
            const NV: usize = $robot::NV;
            const NC: usize = $robot::NC;
            const UNIT: f64 = $number::EPSILON as f64;
            let generated = $loaded.trace().unwrap();
            let mut pushed = 0;
            for engine in [Engine::best(), Engine::Interpreter] {
                let options = Options { engine: Some(engine), check: false, ..Options::default() };
                let robot = Loaded::$new(generated.clone(), options).unwrap();
                let mut work = robot.workspace();
                let numbers = |first: f64| {
                    SVector::<$number, NV>::from_fn(|k, _| (first + 1.7 * k as f64).sin() as $number)
                };
                let q = $robot::integrate(&$robot::neutral(), &(numbers(0.3) * 0.2));
                let (v, tau) = (numbers(1.1), numbers(2.4) * 0.5);
                let settings = FrictionSettings::<$number> { correction: 0.3, ..FrictionSettings::default() };
                let mut joints = JointContacts::default();
                robot.joint_contacts(q.as_slice(), &mut joints).unwrap();
                let of_urdf = rbd::JointContacts::<$number, NV>::of::<$robot, _>(&q);
                assert_eq!(joints.friction, of_urdf.friction.as_slice());
                assert_eq!(joints.to_lower, of_urdf.to_lower.as_slice());
                assert_eq!(joints.to_upper, of_urdf.to_upper.as_slice());
                // And others: one coordinate rubs, and one is beyond a limit.
                let mut others = of_urdf;
                others.friction[NV - 1] = 20.0;
                (others.to_lower[NV - 2], others.to_upper[NV - 2]) = (0.5, -0.01);
                for (first, expected_joints) in
                    cases!($number).into_iter().flat_map(|x| [(x, of_urdf), (x, others)])
                {
                    joints.friction.copy_from_slice(expected_joints.friction.as_slice());
                    joints.to_lower.copy_from_slice(expected_joints.to_lower.as_slice());
                    joints.to_upper.copy_from_slice(expected_joints.to_upper.as_slice());
                    let mut surfaces = [None; NC];
                    surfaces[..2].copy_from_slice(&first);
                    let (mut last, mut before) = (None, JointFrictionStep::default());
                    // The second one begins from the impulses of the first one.
                    for warm in [false, true] {
                        let (dt, mut out) = (0.01, JointFrictionStep::default());
                        let expected = $robot::friction_step_with_joints(
                            &q,
                            &v,
                            &tau,
                            dt,
                            &surfaces,
                            &expected_joints,
                            &settings,
                            last.as_ref(),
                        );
                        let expected_by = $robot::friction_step_with_joints_derivatives(
                            &q,
                            &v,
                            &tau,
                            dt,
                            &surfaces,
                            &expected_joints,
                            &settings,
                            last.as_ref(),
                        );
                        let (q, v, tau) = (q.as_slice(), v.as_slice(), tau.as_slice());
                        let given = warm.then_some(&before);
                        robot
                            .friction_step_with_joints(
                                &mut work, q, v, tau, dt, &surfaces, &joints, &settings, given, &mut out,
                            )
                            .unwrap();
                        assert!(out.step.converged && expected.step.converged);
                        assert_eq!(out.step.modes, expected.step.modes);
                        let tolerance = UNITS * UNIT;
                        within(tolerance, &out.step.q, expected.step.q.as_slice());
                        within(tolerance, &out.step.v, expected.step.v.as_slice());
                        within(tolerance, &out.step.impulses, expected.step.impulses.as_slice());
                        within(tolerance, &out.joints, expected.joints.as_slice());
                        let mut by = JointFrictionStepDerivatives::default();
                        robot
                            .friction_step_with_joints_derivatives(
                                &mut work, q, v, tau, dt, &surfaces, &joints, &settings, given, &mut by,
                            )
                            .unwrap();
                        // The step is that of the other function, bit for bit.
                        assert!(by.contacts == out && by.step.q == out.step.q && by.step.v == out.step.v);
                        let (of, found) = (&expected_by.step, &by.step);
                        within(tolerance, &found.dq_dq, of.dq_dq.as_slice());
                        within(tolerance, &found.dq_dv, of.dq_dv.as_slice());
                        within(tolerance, &found.dq_dtau, of.dq_dtau.as_slice());
                        within(tolerance, &found.dv_dq, of.dv_dq.as_slice());
                        within(tolerance, &found.dv_dv, of.dv_dv.as_slice());
                        within(tolerance, &found.dv_dtau, of.dv_dtau.as_slice());
                        within(tolerance, &by.impulses_dq, expected_by.impulses_dq.as_slice());
                        within(tolerance, &by.impulses_dv, expected_by.impulses_dv.as_slice());
                        within(tolerance, &by.impulses_dtau, expected_by.impulses_dtau.as_slice());
                        within(tolerance, &by.joints_dq, expected_by.joints_dq.as_slice());
                        within(tolerance, &by.joints_dv, expected_by.joints_dv.as_slice());
                        within(tolerance, &by.joints_dtau, expected_by.joints_dtau.as_slice());
                        within(tolerance, &[by.margin], &[expected_by.margin]);
                        pushed += out.joints.iter().filter(|x| **x != 0.0).count();
                        (last, before) = (Some(expected), out);
                    }
                }
            }
            assert!(pushed > 0, "no joint is pushed");
        }
    };
}

beside_compiled!(steps_are_those_of_compiled_rust, Arm, arm(), f64, new);
beside_compiled!(floating_ones_are_those_of_compiled_rust, Faller, faller(), f64, new);
beside_compiled!(with_closed_loops_they_are_those_of_compiled_rust, Linkage, linkage(), f64, new);
beside_compiled!(in_single_precision_they_are_those_of_compiled_rust, Faller, faller(), f32, new_f32);

/// Newton's law and the laws of joints of robots whose matrices are of every size.
fn law(asked: Robot, least: usize) {
    let options = Options { check: false, ..Options::default() };
    let robot = rbd_jit::Robot::from(asked).load_with(options).unwrap();
    let (n, mut work) = (robot.nv(), robot.workspace());
    let (nc, rows) = (robot.contacts().len(), 3 * robot.contacts().len());
    assert!(n >= least, "{n}");
    let numbers = |first: f64| (0..n).map(|k| 0.3 * (first + 1.7 * k as f64).sin()).collect::<Vec<f64>>();
    let (v, tau, dt) = (numbers(1.1), numbers(2.4), 1e-3);
    let (mut neutral, mut q) = (vec![0.0; robot.nq()], vec![0.0; robot.nq()]);
    robot.neutral(&mut neutral).unwrap();
    robot.integrate(&neutral, &numbers(0.3), &mut q).unwrap();
    let surfaces: Vec<_> =
        (0..nc).map(|k| (k % 4 != 3).then(|| ContactSurface::ground(-1e-4, 0.3 * k as f64))).collect();
    let (settings, infinite) = (FrictionSettings::default(), f64::INFINITY);
    let mut joints =
        JointContacts { friction: vec![0.0; n], to_lower: vec![infinite; n], to_upper: vec![infinite; n] };
    // Without friction and limits it is the plain step.
    let (mut plain, mut out) = (FrictionStep::default(), JointFrictionStep::default());
    robot.friction_step(&mut work, &q, &v, &tau, dt, &surfaces, &settings, None, &mut plain).unwrap();
    robot
        .friction_step_with_joints(&mut work, &q, &v, &tau, dt, &surfaces, &joints, &settings, None, &mut out)
        .unwrap();
    within(1e-9, &out.step.v, &plain.v);
    assert_eq!(out.joints, vec![0.0; n]);

    // Joints of the last limb rub, and those before them are at or beyond a limit.
    for k in n - 4..n {
        joints.friction[k] = 10.0 * (k - (n - 5)) as f64;
    }
    (joints.to_lower[n - 5], joints.to_upper[n - 6], joints.to_upper[n - 1]) = (-1e-4, -1e-4, 1e-5);
    robot
        .friction_step_with_joints(&mut work, &q, &v, &tau, dt, &surfaces, &joints, &settings, None, &mut out)
        .unwrap();
    assert!(out.step.converged, "{:?}", out.step.residuals);
    let (mut mass, mut bias, mut jacobian) = (vec![0.0; n * n], vec![0.0; n], vec![0.0; rows * n]);
    robot.crba(&mut work, &q, &mut mass).unwrap();
    robot.bias(&mut work, &q, &v, &mut bias).unwrap();
    let axes = ContactAxes::LocalWorldAligned;
    robot.contact_jacobian(&mut work, &q, &vec![true; nc], axes, &mut jacobian).unwrap();
    let (mut left, mut right) = (vec![0.0; n], vec![0.0; n]);
    for k in 0..n {
        left.iter_mut().zip(&mass[k * n..]).for_each(|(left, m)| *left += m * (out.step.v[k] - v[k]));
        let column = &jacobian[k * rows..][..rows];
        right[k] = dt * (tau[k] - bias[k]) + out.joints[k];
        right[k] += column.iter().zip(&out.step.impulses).map(|(j, f)| j * f).sum::<f64>();
    }
    within(1e-9, &left, &right);
    let mut pushed = 0;
    for k in 0..n {
        let JointContacts { friction, to_lower, to_upper } = &joints;
        let (f, after, most) = (out.joints[k], out.step.v[k], dt * friction[k]);
        let share = |of: f64| if of > 0.0 { of / dt } else { settings.correction * of / dt };
        let (least, largest) = (-share(to_lower[k]), share(to_upper[k]));
        assert!(after >= least - 1e-7 && after <= largest + 1e-7, "{k}: {after} of {least}, {largest}");
        // What is more than friction is a limit's, and only at it.
        assert!(f <= most + 1e-9 || after < least + 1e-7, "{k}: {f}");
        assert!(f >= -most - 1e-9 || after > largest - 1e-7, "{k}: {f}");
        // What moves rubs as much as it may, against the motion.
        if after.abs() > 1e-6 && after > least + 1e-6 && after < largest - 1e-6 {
            assert!((f + most * after.signum()).abs() < 1e-9, "{k}: {f} at {after}");
        }
        pushed += usize::from(f != 0.0);
    }
    assert!(pushed >= 4, "{pushed}");
}

/// One robot for each size that matrices have here.
#[test]
fn robots_of_every_size_obey_the_laws() {
    let of = |name: &str| Robot::from_urdf(path(name)).base(Base::Floating).functions([Id::Crba, Id::Bias]);
    law(of("robots/hyq.urdf").contacts(["lf_foot", "rf_foot", "lh_foot", "rh_foot"]), 18);
    let feet = ["left_ankle_roll_link", "right_ankle_roll_link", "left_wrist_yaw_link"];
    // A humanoid, with `RBD_ALL_SEEDS`.
    for feet in some(0, &[feet]) {
        law(of("robots/g1.urdf").contacts(*feet), 25);
    }
    for &(links, least) in some(1, &[(36, 41), (60, 65)]) {
        let text = super::large::tree(links);
        let robot = Robot::from_urdf_text("large.urdf", text).base(Base::Floating);
        let last = format!("l{}", links - 1);
        law(robot.functions([Id::Crba, Id::Bias]).contacts(["l20", "l30", "l10", last.as_str()]), least);
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let robot = Robot::from_urdf(path("robots/double_pendulum.urdf")).functions([Id::Crba]);
    let load = |robot: Robot| rbd_jit::Robot::from(robot).load().unwrap();
    let said = |robot: &Loaded, friction: usize, last: Option<usize>| {
        let (x, mut out, limits) = ([0.0; 2], JointFrictionStep::default(), vec![f64::INFINITY; 2]);
        let (settings, work) = (FrictionSettings::default(), &mut robot.workspace());
        let joints =
            JointContacts { friction: vec![0.0; friction], to_lower: limits.clone(), to_upper: limits };
        let last = last.map(|n| JointFrictionStep {
            step: FrictionStep { impulses: vec![0.0; 3], ..FrictionStep::default() },
            joints: vec![0.0; n],
        });
        let last = last.as_ref();
        let done = robot.friction_step_with_joints(
            work,
            &x,
            &x,
            &x,
            0.1,
            &[None],
            &joints,
            &settings,
            last,
            &mut out,
        );
        done.map_or_else(|error| error.to_string(), |()| String::new())
    };
    let message = "`friction_step_with_joints` is not among the functions that this robot was loaded with";
    assert_eq!(said(&load(robot.clone()), 2, None), message);
    let robot = load(robot.contacts(["link2"]));
    assert_eq!(said(&robot, 2, Some(2)), "");
    assert_eq!(
        said(&robot, 3, None),
        "`friction_step_with_joints`: `friction` has 2 numbers, and was given 3"
    );
    let message = "`friction_step_with_joints`: `last.joints` has 2 numbers, and was given 1";
    assert_eq!(said(&robot, 2, Some(1)), message);
    let error = robot.joint_contacts(&[0.0], &mut JointContacts::default()).unwrap_err();
    assert_eq!(error.to_string(), "`joint_contacts`: `q` has 2 numbers, and was given 1");
}
