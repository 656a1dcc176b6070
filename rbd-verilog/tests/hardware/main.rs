//! Functions in fixed point: against `f64`, and circuits against the scalar, bit for bit.
//!
//! Circuits are simulated by Icarus where it is installed (`apt-get install iverilog`); the larger
//! ones, and what they take of an FPGA, by `.ci/everything`.

mod folded;
mod forward;
mod gradient;
mod pipelined;
mod precision;
mod synthesis;

use rbd_build::plan::Plan;
use rbd_build::signature::{A, Param, Q, TAU_GIVEN, V};
use rbd_build::{Function, Generated, Robot};
use rbd_runtime::random::State;
use rbd_runtime::{Fixed, Model, Scalar};
use rbd_verilog::{Angles, Integers, Limits, Options};
use rbd_verilog_tests::root;
use std::path::Path;
use std::process::Command;

const LIMITS: Limits = Limits { q: 2.9, v: 1.5, a: 5.0, tau: 50.0, fext: 20.0 };
const GIVEN: Options = Options { multipliers: 16, adders: None, angles: Angles::Given };
const INSIDE: Options = Options { angles: Angles::Inside, ..GIVEN };

fn robot(file: &str, function: Function) -> Generated {
    let path = root().join(format!("robots/{file}.urdf"));
    Robot::from_urdf(path).functions([function]).trace().expect("a robot")
}

/// One leg of HyQ, on a fixed trunk.
fn leg(function: Function) -> Generated {
    let joints =
        ["rf", "lh", "rh"].iter().flat_map(|leg| ["haa", "hfe", "kfe"].map(|j| format!("{leg}_{j}_joint")));
    let robot = Robot::from_urdf(root().join("robots/hyq.urdf")).functions([function]);
    joints.fold(robot, |robot, joint| robot.lock(joint, 0.3)).trace().expect("a leg")
}

/// Results of a plan's kernels on a scalar.
fn by_kernels<T: Scalar>(plan: &Plan, state: &State) -> Vec<T> {
    let argument = |param: Param| {
        let numbers = match param {
            Q => &state.q,
            V => &state.v,
            A => &state.a,
            TAU_GIVEN => &state.tau,
            other => panic!("{} has no value here", other.name),
        };
        numbers.iter().map(|x| T::from_f64(*x)).collect()
    };
    plan.run(argument).into_iter().flat_map(|(_, values)| values).collect()
}

/// States and the words for each. The results are checked against the scalar on the way.
fn vectors<const F: u32, const B: u32>(
    integers: &Integers,
    plan: &Plan,
    model: &Model<f64>,
    limits: Limits,
    states: u64,
) -> String {
    let states: Vec<State> = (0..states).map(|seed| limits.state(model, seed)).collect();
    let inputs: Vec<Vec<i32>> = states.iter().map(|state| integers.inputs_at(model, state)).collect();
    for (state, inputs) in states.iter().zip(&inputs) {
        let scalar: Vec<i32> =
            by_kernels::<Fixed<F, B>>(plan, state).into_iter().map(Fixed::to_bits).collect();
        assert_eq!(integers.run(inputs), scalar, "the vectors are not those of the scalar");
    }
    integers.vectors(inputs.iter().map(Vec::as_slice))
}

/// Output of the bench for a circuit; `None` and a message without Icarus.
fn simulated(name: &str, circuit: &str, bench: &str, vectors: &str) -> Option<String> {
    if Command::new("iverilog").arg("-V").output().is_err() {
        println!("skipped: there is no iverilog to simulate {name} with");
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    for (file, text) in [("circuit.v", circuit), ("bench.v", bench), ("vectors.hex", vectors)] {
        std::fs::write(folder.join(file), text).expect("a file");
    }
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(&folder).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{program}: {said}{}", String::from_utf8_lossy(&output.stderr));
        said + &String::from_utf8_lossy(&output.stderr)
    };
    let warnings = run("iverilog", &["-g2001", "-Wall", "-o", "simulation", "circuit.v", "bench.v"]);
    assert_eq!(warnings, "", "{name}");
    let said = run("vvp", &["-n", "simulation", "+vectors=vectors.hex"]);
    println!("{name}: {}", said.trim());
    Some(said.trim().to_owned())
}
