//! Joints, limits and motion in configuration space, bit for bit those of the compiled robot.

use rbd::Mechanism;
use rbd_jit::{Base, Error, Loaded, Robot};
use std::path::Path;

rbd::rbd_robot! {
    /// Every kind of joint, among them followers of others, on a floating base.
    struct Gripper { urdf: "../rbd-build/tests/good/gripper.urdf", base: floating, functions: [crba] }
}

const NQ: usize = Gripper::NQ;
const NV: usize = Gripper::NV;

fn loaded() -> Loaded {
    let urdf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rbd-build/tests/good/gripper.urdf");
    Robot::from_urdf(urdf).base(Base::Floating).functions(["crba"]).load().unwrap()
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

/// Numbers from 0 to 1.
fn uniform(seed: f64) -> [f64; NV] {
    std::array::from_fn(|k| (0.5 + 0.5 * (seed + 1.7 * k as f64).sin()).clamp(0.0, 1.0))
}

#[test]
fn motions_are_those_of_the_compiled_robot() {
    let robot = loaded();
    let (mut q0, mut q1) = (vec![f64::NAN; NQ], vec![f64::NAN; NQ]);
    for seed in 0..20 {
        for (q, seed) in [(&mut q0, f64::from(seed)), (&mut q1, f64::from(seed) + 0.4)] {
            let numbers = uniform(seed);
            let mut next = numbers.iter();
            let expected = Gripper::random_configuration(|| *next.next().unwrap());
            robot.random_configuration(&numbers, q).unwrap();
            assert_eq!(bits(q), bits(expected.as_slice()));
        }
        let (a, b) = (nalgebra::SVector::from_column_slice(&q0), nalgebra::SVector::from_column_slice(&q1));
        let mut dv = vec![f64::NAN; NV];
        robot.difference(&q0, &q1, &mut dv).unwrap();
        let apart = Gripper::difference(&a, &b);
        assert_eq!(bits(&dv), bits(apart.as_slice()));

        let mut q = vec![f64::NAN; NQ];
        robot.integrate(&q0, &dv, &mut q).unwrap();
        assert_eq!(bits(&q), bits(Gripper::integrate(&a, &apart).as_slice()));
        assert!(robot.is_near(&q, &q1, 1e-12).unwrap());
        assert!(!robot.is_near(&q0, &q1, 1e-12).unwrap());

        robot.interpolate(&q0, &q1, 0.3, &mut q).unwrap();
        assert_eq!(bits(&q), bits(Gripper::interpolate(&a, &b, 0.3).as_slice()));

        q.iter_mut().for_each(|x| *x *= 1.01);
        let scaled = Gripper::normalize(&nalgebra::SVector::from_column_slice(&q));
        robot.normalize(&mut q).unwrap();
        assert_eq!(bits(&q), bits(scaled.as_slice()));

        let [mut first, mut second] = [0; 2].map(|_| vec![f64::NAN; NV * NV]);
        robot.integrate_jacobians(&dv, &mut first, &mut second).unwrap();
        let expected = Gripper::integrate_jacobians(&a, &apart);
        assert_eq!(bits(&first), bits(expected.dq.as_slice()));
        assert_eq!(bits(&second), bits(expected.dv.as_slice()));
        robot.difference_jacobians(&q0, &q1, &mut first, &mut second).unwrap();
        let expected = Gripper::difference_jacobians(&a, &b);
        assert_eq!(bits(&first), bits(expected.dq0.as_slice()));
        assert_eq!(bits(&second), bits(expected.dq1.as_slice()));
    }
    let mut q = vec![f64::NAN; NQ];
    robot.neutral(&mut q).unwrap();
    assert_eq!(bits(&q), bits(Gripper::neutral::<f64>().as_slice()));
}

#[test]
fn joints_are_those_of_the_compiled_robot() {
    let robot = loaded();
    let names: Vec<&str> = <Gripper as Mechanism<NQ, NV>>::JOINTS.iter().map(|joint| joint.name).collect();
    assert_eq!(robot.joint_names().collect::<Vec<_>>(), names);
    assert!(names.iter().all(|name| robot.joint(name) == Gripper::joint(name)));
    assert_eq!(robot.joint("nowhere"), None);
    assert_eq!(robot.lower_limits(), Gripper::lower_limits::<f64>().as_slice());
    assert_eq!(robot.upper_limits(), Gripper::upper_limits::<f64>().as_slice());
    assert_eq!(robot.velocity_limits(), Gripper::velocity_limits::<f64>().as_slice());
    assert_eq!(robot.effort_limits(), Gripper::effort_limits::<f64>().as_slice());
    let (order, expected) = (robot.pinocchio_order(), Gripper::pinocchio_order());
    assert_eq!((&order.q[..], &order.v[..]), (&expected.q[..], &expected.v[..]));
    let (back, expected) = (order.inverse(), expected.inverse());
    assert_eq!((&back.q[..], &back.v[..]), (&expected.q[..], &expected.v[..]));
}

#[test]
fn another_length_is_refused_by_name() {
    let robot = loaded();
    let said = |result: Result<(), Error>| result.unwrap_err().to_string();
    let (q, v) = (vec![0.0; NQ], vec![0.0; NV]);
    let mut out = q.clone();
    let message = format!("`integrate`: `dv` has {NV} numbers, and was given {}", NV + 1);
    assert_eq!(said(robot.integrate(&q, &[0.0; NV + 1], &mut out)), message);
    let message = format!("`difference`: `out` has {NV} numbers, and was given {NQ}");
    assert_eq!(said(robot.difference(&q, &q, &mut out)), message);
    let message = format!("`integrate_jacobians`: `by_q` has {} numbers, and was given {NV}", NV * NV);
    assert_eq!(said(robot.integrate_jacobians(&v, &mut v.clone(), &mut vec![0.0; NV * NV])), message);
}
