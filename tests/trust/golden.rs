//! Equal URDFs and options give equal bytes: those of the recorded files.
//!
//! `tests/golden/*.rs` are whole generated files, which show the effect of a change of the
//! generator. `tests/golden_files.rs` compiles and runs them.

use crate::bless::{check, recorded, root};
use rbd_build::{Base, Function, Robot};
use std::path::Path;
use std::process::Command;

fn double_pendulum() -> Robot {
    Robot::from_urdf(root().join("robots/double_pendulum.urdf"))
}
fn gripper() -> Robot {
    Robot::from_urdf(recorded("golden/gripper.urdf"))
        .functions(Function::dynamics().chain(second_derivatives()))
}
fn body() -> Robot {
    // Without derivatives: those of a floating base are too long to read.
    let functions = [Function::Rnea, Function::RneaFext, Function::Bias, Function::Aba, Function::Crba];
    let functions = functions.into_iter().chain(second_derivatives());
    Robot::from_urdf(recorded("golden/body.urdf")).base(Base::Floating).functions(functions)
}
fn second_derivatives() -> Vec<Function> {
    Function::named("second_derivatives").unwrap()
}

fn source(robot: &Robot) -> String {
    robot.trace().unwrap().source()
}

#[test]
fn generated_files_are_the_recorded_ones() {
    for (name, robot) in [("double_pendulum", double_pendulum()), ("gripper", gripper()), ("body", body())] {
        let text = source(&robot);
        println!("{name}: {} lines", text.lines().count());
        check(&format!("golden/{name}.rs"), &text);
    }
}

#[test]
fn the_same_every_time_and_from_everywhere() {
    let hyq =
        |path: &Path| source(&Robot::from_urdf(path).base(Base::Floating).functions(Function::dynamics()));
    let path = root().join("robots/hyq.urdf");
    let text = hyq(&path);
    assert_eq!(text, hyq(&path), "the second time");
    // Where the file lies leaves no trace.
    let elsewhere = Path::new(env!("CARGO_TARGET_TMPDIR")).join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    std::fs::copy(&path, elsewhere.join("hyq.urdf")).unwrap();
    assert_eq!(text, hyq(&elsewhere.join("hyq.urdf")), "a copy");
    let threads: Vec<_> = (0..2).map(|_| std::thread::spawn(body_and_gripper)).collect();
    let texts: Vec<String> = threads.into_iter().map(|t| t.join().unwrap()).collect();
    assert_eq!(texts[0], texts[1], "in threads");
    // Another process, in another directory, with new seeds of hash tables: this test binary, which
    // compares with the recorded files.
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["golden::generated_files_are_the_recorded_ones", "--exact", "--quiet"])
        .current_dir(&elsewhere)
        .env_remove("RBD_BLESS")
        .output()
        .unwrap();
    assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stdout));
}

fn body_and_gripper() -> String {
    source(&body()) + &source(&gripper())
}

#[test]
fn the_order_of_options_does_not_matter() {
    use Function::{Aba, Crba, Rnea};
    let one = gripper().functions([Rnea, Aba, Crba]).armature("wrist", 0.1).armature("left", 0.2);
    let other = gripper().armature("left", 0.2).armature("wrist", 0.1).functions([Crba, Rnea, Aba]);
    assert_eq!(source(&one), source(&other));
}
