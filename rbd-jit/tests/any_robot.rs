//! A tool takes a compiled robot and a loaded one alike, and finds the same numbers.

use rbd::{AnyRobot, Compiled, Refused};
use rbd_jit::{Id, Number, Robot, Runner};
use std::path::Path;
use std::sync::Arc;

rbd::rbd_robot! {
    struct DoublePendulum { urdf: "../robots/double_pendulum.urdf", functions: [dynamics] }
}

/// Everything that the trait gives, in a row.
fn all<T: Number>(robot: &mut dyn AnyRobot<T>) -> Vec<u64> {
    let (nq, nv) = (robot.nq(), robot.nv());
    let numbers = |n: usize, first: f64| -> Vec<T> {
        (0..n).map(|k| T::from_f64((first + 1.7 * k as f64).sin())).collect()
    };
    let (dv, v, a) = (numbers(nv, 0.3), numbers(nv, 0.9), numbers(nv, 2.1));
    let [mut q, mut moved] = [(); 2].map(|()| vec![T::NAN; nq]);
    let [mut x, mut y] = [(); 2].map(|()| vec![T::NAN; nv]);
    let mut matrices = [(); 3].map(|()| vec![T::NAN; nv * nv]);
    let mut row = Vec::new();
    let mut keep = |numbers: &[T]| row.extend(numbers.iter().map(|x| x.bits()));
    robot.neutral(&mut q).unwrap();
    robot.integrate(&q, &dv, &mut moved).unwrap();
    robot.difference(&q, &moved, &mut x).unwrap();
    [&q, &moved, &x].into_iter().for_each(|numbers| keep(numbers));
    robot.rnea(&moved, &v, &a, &mut x).unwrap();
    robot.bias(&moved, &v, &mut y).unwrap();
    [&x, &y].into_iter().for_each(|numbers| keep(numbers));
    robot.gravity(&moved, &mut x).unwrap();
    robot.aba(&moved, &v, &a, &mut y).unwrap();
    [&x, &y].into_iter().for_each(|numbers| keep(numbers));
    robot.crba(&moved, &mut matrices[0]).unwrap();
    robot.minv(&moved, &mut matrices[1]).unwrap();
    matrices[..2].iter().for_each(|numbers| keep(numbers));
    let [first, second, third] = &mut matrices;
    robot.rnea_derivatives(&moved, &v, &a, &mut x, [first, second, third]).unwrap();
    keep(&x);
    matrices.iter().for_each(|numbers| keep(numbers));
    let [first, second, third] = &mut matrices;
    robot.aba_derivatives(&moved, &v, &a, &mut x, [first, second, third]).unwrap();
    keep(&x);
    matrices.iter().for_each(|numbers| keep(numbers));
    row
}

fn urdf() -> Robot {
    Robot::from_urdf(Path::new(env!("CARGO_MANIFEST_DIR")).join("../robots/double_pendulum.urdf"))
}

#[test]
fn both_give_the_same_numbers() {
    let mut compiled = Compiled::<DoublePendulum, { DoublePendulum::NQ }, { DoublePendulum::NV }>::new();
    let loaded = Arc::new(urdf().functions(Id::dynamics()).load().unwrap());
    let mut robots: [Box<dyn AnyRobot>; 2] = [Box::new(compiled), Box::new(Runner::new(loaded.clone()))];
    let [expected, found] = robots.each_mut().map(|robot| all(robot.as_mut()));
    assert_eq!(found, expected);
    let mut single = Compiled::<DoublePendulum, { DoublePendulum::NQ }, { DoublePendulum::NV }, _>::new_f32();
    let mut runner = Runner::new(urdf().functions(Id::dynamics()).load_f32().unwrap());
    let found = all(&mut runner);
    assert_eq!(found, all(&mut single));
    assert_ne!(found, expected);
    for robot in &robots {
        assert_eq!(robot.name(), "2dof_planar");
        assert_eq!(
            (robot.joint_count(), robot.joint_name(1), robot.joint_name(2)),
            (2, Some("joint2"), None)
        );
    }
    // Both refuse other lengths in the same words.
    let mut runner = Runner::new(&*loaded);
    let wrong = [&mut compiled as &mut dyn AnyRobot, &mut runner]
        .map(|robot| robot.gravity(&[0.0; 3], &mut [0.0; 2]).unwrap_err());
    assert_eq!(wrong, [Refused::Length { name: "q", expected: 2, given: 3 }; 2]);
    assert_eq!(wrong[0].to_string(), "`q` has 2 numbers, and was given 3");
    let mut few = Runner::new(urdf().functions([Id::Rnea]).load().unwrap());
    let missing = few.gravity(&[0.0; 2], &mut [0.0; 2]).unwrap_err();
    assert_eq!(missing.to_string(), "the robot was loaded without `gravity`");
}
