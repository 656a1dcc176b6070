//! A target in one file: the operations of each function, as lines of CSV. Nothing else names it.

use rbd_build::cost::CostModel;
use rbd_build::emit::Capabilities;
use rbd_build::{Function, Generated, Robot, Rust, Shape, Target};
use std::path::Path;

#[derive(Debug)]
struct Counts;

impl Target for Counts {
    fn capabilities(&self) -> Capabilities {
        Capabilities::straight_lines("as counts")
    }

    fn costs(&self) -> CostModel {
        Rust::COSTS
    }

    fn files(&self, robot: &Generated) -> Vec<(String, String)> {
        let lines = robot.functions.iter().map(|plan| {
            let count = plan.count();
            format!("{},{},{},{}\n", plan.function.name(), count.adds, count.muls, count.sin_cos)
        });
        vec![(format!("{}.csv", robot.name), lines.collect())]
    }
}

fn pendulum() -> Robot {
    let robots = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../robots"));
    Robot::from_urdf(robots.join("double_pendulum.urdf"))
}

#[test]
fn a_target_is_a_value() {
    let made = pendulum().functions([Function::Gravity, Function::Crba]).plan(Counts).unwrap();
    let files = made.files();
    let [(name, text)] = &files[..] else { panic!("{files:?}") };
    assert_eq!(name, "double_pendulum.csv");
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!([lines[0][0], lines[1][0]], ["gravity", "crba"]);
    // M depends on the second angle alone, gravity on both.
    assert_eq!([lines[0][3], lines[1][3]], ["2", "1"]);
    // By default it writes what it has: everything but second derivatives.
    let functions = pendulum().plan(Counts).unwrap().functions;
    assert_eq!(functions.len(), Function::default_ones().filter(|f| !f.is_second_order()).count());
}

/// Refusals follow from the table of what a target has, with one wording.
#[test]
fn what_a_target_lacks_is_refused() {
    let listed = |function| pendulum().functions([function]);
    for (robot, option, what) in [
        (pendulum().contacts(["link2"]), "contacts", "functions of contacts are"),
        (pendulum().fused("Step: ddq".parse().unwrap()), "fused", "fused functions are"),
        (pendulum().gravity_at_run_time(true), "gravity", "parameters at run time are"),
        (pendulum().all_inertia_at_run_time(), "inertia", "parameters at run time are"),
        (listed(Function::Minv).shape(Shape::Loops), "shape", "loops are"),
        (listed(Function::AbaHessian), "functions", "second derivatives are"),
    ] {
        let said = robot.plan(Counts).unwrap_err().to_string();
        assert!(said.starts_with(&format!("{option}: ")), "{said}");
        assert!(said.contains(&format!("{what} not written as counts yet")), "{said}");
    }
}
