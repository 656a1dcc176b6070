//! The chosen shape of code is the one that was measured to be faster (docs/shapes.md).

use rbd_build::{Base, Function, Robot, Shape};
use std::fmt::Write;
use std::path::Path;

/// True if the Hessian of weighted torques is loops over tables.
fn hessian_in_loops(robot: &Robot) -> bool {
    let generated = robot.clone().functions([Function::RneaHessian]).trace().expect("a sound robot");
    let plan = &generated.functions[0];
    assert_eq!(plan.rejected.len(), 1, "what else was tried");
    plan.composition.is_some()
}

/// True if tensors of torques are a straight line.
fn tensors_are_straight(robot: &Robot) -> bool {
    let generated =
        robot.clone().functions([Function::RneaSecondDerivatives]).trace().expect("a sound robot");
    generated.functions[0].composition.is_none()
}

/// The functions that have loops, in the order of docs/shapes.md.
const FUNCTIONS: [Function; 4] =
    [Function::Crba, Function::Minv, Function::RneaDerivatives, Function::AbaDerivatives];

/// True for each function for which loops over tables are chosen.
fn loops(robot: &Robot) -> [bool; 4] {
    FUNCTIONS.map(|function| is_loops(robot, function))
}

fn is_loops(robot: &Robot, function: Function) -> bool {
    let generated = robot.clone().functions([function]).trace().expect("a sound robot");
    generated.functions[0].stages[0].scalar.kernel.calls().next().is_some()
}

fn published(name: &str) -> Robot {
    Robot::from_urdf(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robots").join(name))
}

/// A chain about x, y and z in turn, or a binary tree, as `tools/shapes.py` has it.
fn made(family: &str, n: usize) -> Robot {
    let mut text = format!("<robot name=\"{family}\"><link name=\"base\"/>\n");
    for i in 0..n {
        let parent = match i.checked_sub(1) {
            None => "base".into(),
            Some(above) => format!("l{}", if family == "tree" { above / 2 } else { above }),
        };
        let [x, y, z] = [3, 5, 7].map(|k| 0.1 + 0.1 * ((i * k + k) % 17) as f64 / 17.0);
        let place = if i == 0 { "0 0 0" } else { "0.666667 0.333333 0.666667" };
        let axis = ["1 0 0", "0 1 0", "0 0 1"][i % 3];
        let _ = writeln!(
            text,
            "<link name=\"l{i}\"><inertial><origin xyz=\"0.333333 0.166667 0.333333\"/><mass value=\"1\"/>\
             <inertia ixx=\"{x:.6}\" iyy=\"{y:.6}\" izz=\"{z:.6}\" ixy=\"0.003\" ixz=\"0.005\" iyz=\"0.002\"/>\
             </inertial></link><joint name=\"j{i:03}\" type=\"continuous\"><parent link=\"{parent}\"/>\
             <child link=\"l{i}\"/><origin xyz=\"{place}\"/><axis xyz=\"{axis}\"/></joint>"
        );
    }
    text.push_str("</robot>\n");
    let file = std::env::temp_dir().join(format!("rbd-shapes-{}-{family}{n}.urdf", std::process::id()));
    std::fs::write(&file, text).expect("a folder for temporary files");
    Robot::from_urdf(file)
}

#[test]
fn what_was_measured_to_be_faster_is_chosen() {
    let none = [false; 4];
    assert_eq!(loops(&published("iiwa14.urdf")), none, "iiwa14");
    assert_eq!(loops(&published("hyq.urdf").base(Base::Floating)), none, "hyq");
    assert_eq!(loops(&published("g1.urdf").base(Base::Floating)), none, "g1");
    assert_eq!(loops(&made("tree", 20)), none, "tree of 20");
    assert_eq!(loops(&made("chain", 8)), [false, false, true, true], "chain of 8");
    assert!(!hessian_in_loops(&published("iiwa14.urdf")), "iiwa14");
    assert!(!hessian_in_loops(&published("hyq.urdf").base(Base::Floating)), "hyq");
    assert!(hessian_in_loops(&made("chain", 8)), "chain of 8");
    assert!(hessian_in_loops(&made("chain", 12)), "chain of 12");
    assert!(tensors_are_straight(&published("ur5.urdf")), "ur5");
    assert!(tensors_are_straight(&published("kinova.urdf")), "kinova");
    assert!(tensors_are_straight(&published("panda.urdf")), "panda");
    assert!(!tensors_are_straight(&published("iiwa14.urdf")), "iiwa14");
    assert!(!tensors_are_straight(&made("chain", 7)), "chain of 7");
    assert!(!tensors_are_straight(&made("chain", 8)), "chain of 8");
    assert!(!tensors_are_straight(&made("chain", 12)), "chain of 12");
    assert!(tensors_are_straight(&published("hyq.urdf").base(Base::Floating)), "hyq");
}

#[test]
#[ignore = "straight lines of long chains take long to trace: .ci/everything"]
fn what_was_measured_to_be_faster_is_chosen_for_long_chains() {
    assert_eq!(loops(&made("chain", 12)), [false, false, true, true], "chain of 12");
    assert_eq!(loops(&made("chain", 20)), [false, true, true, true], "chain of 20");
    assert_eq!(loops(&made("chain", 30)), [true; 4], "chain of 30");
}

/// Arms, hands and legs as they are published, of docs/shapes.md#published-arms: derivatives of
/// torques, of accelerations, and the Hessian.
#[test]
fn derivatives_of_published_arms_are_straight_lines() {
    let chosen = |name: &str| {
        let robot = published(name);
        let first = [Function::RneaDerivatives, Function::AbaDerivatives].map(|f| is_loops(&robot, f));
        [first[0], first[1], hessian_in_loops(&robot)]
    };
    let straight = [false; 3];
    // Robots that the costs were fitted to.
    assert_eq!(chosen("so100.urdf"), straight, "so100");
    assert_eq!(chosen("z1.urdf"), straight, "z1");
    assert_eq!(chosen("xarm7.urdf"), [true, false, true], "xarm7");
    // Robots that the costs were not fitted to.
    assert_eq!(chosen("talos_left_arm.urdf"), straight, "talos_left_arm");
    assert_eq!(chosen("ur5.urdf"), straight, "ur5");
    assert_eq!(chosen("kinova.urdf"), straight, "kinova");
    // Their fingers are mimic joints.
    assert_eq!(chosen("panda.urdf"), straight, "panda");
    assert_eq!(chosen("baxter.urdf"), straight, "baxter");
}

/// A humanoid's limbs in pairs take rustc long. They are left out only by the generator's own choice.
#[test]
fn limbs_that_are_asked_for_are_written() {
    let humanoid = published("g1.urdf").base(Base::Floating).functions([Function::RneaHessian]);
    let plan = |robot: Robot| robot.trace().expect("a sound robot").functions.swap_remove(0);
    assert!(plan(humanoid.clone()).composition.is_some(), "loops by default");
    assert!(plan(humanoid.clone().shape(Shape::Limbs)).packed().is_some(), "limbs");
    assert!(plan(humanoid.shape(Shape::Straight)).packed().is_none(), "no limbs");
}

/// For torques and accelerations straight lines are faster at any measured size. Loops replace them
/// only if they are long.
#[test]
#[ignore = "straight lines of long chains take long to trace: .ci/everything"]
fn torques_and_accelerations_alone_are_loops_where_straight_lines_are_long() {
    let both = |robot: &Robot| [Function::Rnea, Function::Aba].map(|function| is_loops(robot, function));
    for name in ["iiwa14.urdf", "hyq.urdf", "g1.urdf", "talos_reduced.urdf"] {
        let base = if name == "iiwa14.urdf" { Base::Fixed } else { Base::Floating };
        assert_eq!(both(&published(name).base(base)), [false; 2], "{name}");
    }
    assert_eq!(both(&made("tree", 31)), [false; 2], "tree of 31");
    assert_eq!(both(&made("chain", 30)), [false; 2], "chain of 30");
    assert_eq!(both(&made("chain", 60)), [false, true], "chain of 60");
    assert_eq!(both(&made("chain", 100)), [true; 2], "chain of 100");
    assert_eq!(both(&made("chain", 500)), [true; 2], "chain of 500");
    let long =
        made("chain", 5000).functions([Function::Rnea, Function::Crba]).trace().expect("a sound robot");
    assert!(
        long.functions.iter().all(|plan| plan.stages[0].scalar.kernel.calls().count() == 1),
        "chain of 5000"
    );
    assert!(long.module().kernels.contains("rows: 5000,"));
    let gravity = made("chain", 100);
    assert!(!is_loops(&gravity, Function::Gravity), "of 2000 operations");
}
