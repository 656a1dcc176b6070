//! Running modules by Node.js.

#[path = "../common/composed.rs"]
pub mod composed;
#[path = "../common/hessians.rs"]
pub mod hessians;

use rbd_build::emit::js::{LOOPS_FILE, loops};
use rbd_build::signature::{A, FEXT, Param, Q, TAU_GIVEN, V};
use rbd_runtime::random::State;
use std::path::Path;
use std::process::Command;

/// A call and its expected result.
#[derive(Clone, Debug)]
pub struct Case {
    /// The function.
    pub function: String,
    /// Arguments.
    pub arguments: Vec<Vec<f64>>,
    /// Names of the results, if there are several.
    pub outputs: Option<Vec<&'static str>>,
    /// Expected entries of all results.
    pub expected: Vec<f64>,
}

/// A function's argument, by columns.
pub fn argument(state: &State, param: Param) -> Vec<f64> {
    match param {
        Q => state.q.as_slice().to_vec(),
        V => state.v.as_slice().to_vec(),
        A => state.a.as_slice().to_vec(),
        TAU_GIVEN => state.tau.as_slice().to_vec(),
        FEXT => state.fext.iter().flat_map(|f| f.iter().copied()).collect(),
        other => panic!("{} has no value here", other.name),
    }
}

/// The first of these, or with `RBD_ALL_SEEDS` all.
pub fn some<T>(first: usize, all: &[T]) -> &[T] {
    &all[..if all_seeds() { all.len() } else { first }]
}

/// Whether everything is asked for, as `.ci/everything` does.
pub fn all_seeds() -> bool {
    std::env::var_os("RBD_ALL_SEEDS").is_some()
}

/// Prints the results of all cases, a number a line.
const RESULTS: &str = "
import { readFileSync } from 'node:fs';
for (const [name, given, outputs] of JSON.parse(readFileSync(process.argv[2]))) {
    const made = robot[name](...given.map((x) => new Float64Array(x)));
    const results = outputs ? outputs.map((output) => made[output]) : [made];
    console.log(results.flatMap((x) => Array.from(x, String)).join('\\n'));
}
";

/// Prints the names of the robot and its joints as JSON, a name a line.
pub const NAMES: &str = "
for (const name of [robot.NAME, ...robot.JOINTS.map((joint) => joint.name)]) console.log(JSON.stringify(name));
";

/// Prints what is said of wrong lengths.
pub const LENGTHS: &str = "
const x = (n) => new Float64Array(n);
const said = (f) => { try { f(); } catch (error) { console.log(error.message); } };
said(() => robot.aba(x(6), x(7), x(7)));
said(() => robot.aba(x(7), x(7), x(7), x(8)));
const out = robot.aba_derivatives(x(7), x(7), x(7));
said(() => robot.aba_derivatives(x(7), x(7), x(7), { ...out, ddq_dq: x(7) }));
const ddq = x(7);
console.log(robot.aba(x(7), x(7), x(7), ddq) === ddq && robot.aba_derivatives(x(7), x(7), x(7), out) === out);
";

/// Output of a program that begins with the module under the name `robot`. `None` without Node.js.
pub fn printed(name: &str, module: &str, program: &str) -> Option<String> {
    printed_with(name, module, program, "[]")
}

fn printed_with(name: &str, module: &str, program: &str, given: &str) -> Option<String> {
    if !Command::new("node").arg("--version").output().is_ok_and(|o| o.status.success()) {
        println!("skipped: Node.js is not found");
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("js").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("package.json"), "{ \"type\": \"module\" }\n").unwrap();
    std::fs::write(folder.join("robot.js"), module).unwrap();
    std::fs::write(folder.join(LOOPS_FILE), loops()).unwrap();
    std::fs::write(folder.join("main.js"), format!("import * as robot from './robot.js';\n{program}"))
        .unwrap();
    std::fs::write(folder.join("given.json"), given).unwrap();
    let output = Command::new("node").current_dir(&folder).args(["main.js", "given.json"]).output().unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{name}");
    Some(String::from_utf8(output.stdout).unwrap())
}

/// Results of every case. `None` without Node.js.
pub fn run(name: &str, module: &str, cases: &[Case]) -> Option<Vec<Vec<f64>>> {
    let given: Vec<_> = cases.iter().map(|case| (&case.function, &case.arguments, &case.outputs)).collect();
    let printed = printed_with(name, module, RESULTS, &serde_json::to_string(&given).unwrap())?;
    let mut numbers = printed.lines().map(|line| line.parse::<f64>().unwrap_or(f64::NAN));
    let results = cases.iter().map(|case| numbers.by_ref().take(case.expected.len()).collect()).collect();
    assert!(numbers.next().is_none(), "{name}: more numbers than were asked for");
    Some(results)
}
