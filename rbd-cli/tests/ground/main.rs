//! The ground of the page of `rbd view`, run by Node.js if it is installed.
//!
//! The solver of contacts beside the runtime's, closed forms of a block and a ball, and a quadruped that
//! falls.

use nalgebra::{DMatrix, DVector};
use rbd_runtime::ContactMode;
use rbd_runtime::friction::{FrictionMemory, FrictionProblem, FrictionSettings, solve};
use rbd_runtime::random::Random;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// The page's solver.
const FRICTION: &str = include_str!("../../view/friction.js");
/// The first of the page's scripts that needs a browser.
const SHAPES: &str = include_str!("../../view/shapes.js");
/// Solves given problems.
const SOLVE: &str = include_str!("solve.js");
/// Lets a robot fall.
const DROP: &str = include_str!("drop.js");

/// What a program prints, as JSON. It finds `given` there. `None` without Node.js.
fn printed(program: &str, given: &Value) -> Option<Value> {
    if !Command::new("node").arg("--version").output().is_ok_and(|o| o.status.success()) {
        println!("skipped: Node.js is not found");
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let read = "const given = JSON.parse(require(\"fs\").readFileSync(\"given.json\", \"utf8\"));";
    std::fs::write(folder.path().join("main.cjs"), format!("\"use strict\";\n{read}\n{program}")).unwrap();
    std::fs::write(folder.path().join("given.json"), given.to_string()).unwrap();
    let output = Command::new("node").current_dir(folder.path()).arg("main.cjs").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

fn numbers(x: &Value) -> Vec<f64> {
    x.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// A problem of random contacts, and of rows without friction after these, with the runtime's solution.
struct Problem {
    given: Value,
    impulses: Vec<f64>,
}

/// Contacts of a mechanism with more freedoms than rows, or of one body, with compliance. Limits come last.
///
/// The runtime has no rows without friction. There, a limit is a contact with tangents that nothing else
/// moves.
fn random_problem(seed: u64) -> Option<Problem> {
    let mut random = Random::new(seed);
    let (contacts, limits) = (1 + random.below(6), random.below(3));
    let (rows, n) = (3 * contacts + limits, contacts + limits);
    let freedoms = if seed.is_multiple_of(3) { 6 } else { rows + 3 };
    let jacobian = DMatrix::from_fn(rows, freedoms, |_, _| random.uniform(-1.0, 1.0));
    let inverse_masses = DVector::from_fn(freedoms, |_, _| 10_f64.powf(random.uniform(-1.0, 1.0)));
    let delassus = &jacobian * DMatrix::from_diagonal(&inverse_masses) * jacobian.transpose();
    let free = &jacobian * random.vector(freedoms, 1.0);
    let mut friction: Vec<f64> = (0..contacts).map(|_| random.uniform(0.0, 0.7)).collect();
    friction.resize(n, 0.0);
    let compliance: Vec<f64> = (0..n).map(|_| 10_f64.powf(random.uniform(-3.0, -1.0))).collect();
    // Where each row is in the runtime's problem.
    let place =
        |row: usize| if row < 3 * contacts { row } else { 3 * contacts + 3 * (row - 3 * contacts) + 2 };
    let (mut wide, mut velocity) = (DMatrix::zeros(3 * n, 3 * n), vec![0.0; 3 * n]);
    for r in 0..rows {
        velocity[place(r)] = free[r];
        (0..rows).for_each(|s| wide[(place(r), place(s))] = delassus[(r, s)]);
    }
    for r in 3 * contacts..rows {
        (1..3).for_each(|back| wide[(place(r) - back, place(r) - back)] = delassus[(r, r)]);
    }
    let problem = FrictionProblem {
        delassus: wide.as_slice(),
        velocity: &velocity,
        friction: &friction,
        compliance: &compliance,
    };
    let (mut all, mut modes) = (vec![0.0; 3 * n], vec![ContactMode::Open; n]);
    let mut matrices = vec![0.0; FrictionMemory::<f64>::matrices(n)];
    let mut vectors = vec![0.0; FrictionMemory::<f64>::vectors(n)];
    let memory = FrictionMemory { matrices: &mut matrices, vectors: &mut vectors };
    let report = solve(&problem, &FrictionSettings::default(), &mut all, &mut modes, memory);
    let impulses: Vec<f64> = (0..rows).map(|row| all[place(row)]).collect();
    let starts: Vec<usize> = (0..contacts).map(|k| 3 * k).chain(3 * contacts..=rows).collect();
    let begin: Vec<f64> =
        if seed.is_multiple_of(2) { vec![0.0; rows] } else { random.vector(rows, 1.0).as_slice().to_vec() };
    let given = json!({
        "starts": starts, "friction": friction, "compliance": compliance, "delassus": delassus.as_slice(),
        "free": free.as_slice(), "begin": begin,
    });
    report.converged.then_some(Problem { given, impulses })
}

#[test]
fn impulses_are_those_of_the_runtime() {
    let problems: Vec<Problem> = (0..200).filter_map(random_problem).collect();
    assert!(problems.len() > 190, "{} problems", problems.len());
    let given = problems.iter().map(|problem| problem.given.clone()).collect::<Vec<_>>().into();
    let Some(found) = printed(&[FRICTION, SOLVE].join("\n"), &given) else { return };
    let mut solved = 0;
    for (k, (problem, found)) in problems.iter().zip(found.as_array().unwrap()).enumerate() {
        // What did not converge says so: the page goes on with the best that was found.
        if found["residual"].as_f64().unwrap() > 1e-11 {
            continue;
        }
        solved += 1;
        let impulses = numbers(&found["impulses"]);
        let largest = problem.impulses.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
        assert_eq!(impulses.len(), problem.impulses.len());
        for (x, y) in impulses.iter().zip(&problem.impulses) {
            assert!((x - y).abs() < 1e-7 * largest, "problem {k}: {x} instead of {y}");
        }
    }
    println!("{solved} of {} problems converge", problems.len());
    assert!(solved > problems.len() * 9 / 10, "only {solved} problems converge");
}

/// What a program prints that follows the page's simulation, `state`, of a robot whose base floats.
fn moved(urdf: &Path, program: &str) -> Option<Value> {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let made = Command::new(env!("CARGO_BIN_EXE_rbd"))
        .args(["view", "--floating", "-o"])
        .args([&page, urdf])
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let text = std::fs::read_to_string(page).unwrap();
    let data = text.split_once("id=\"robot\">").unwrap().1.split_once("</script>").unwrap().0;
    let script = text.split_once("<script>\n").unwrap().1.split_once(SHAPES).unwrap().0;
    let program = format!("{script}\nconst data = given, state = simulation(data);\n{program}\n}})();");
    printed(&program, &serde_json::from_str(data).unwrap())
}

/// A body with a shape, alone.
fn body(folder: &Path, moment: [f64; 3], shape: &str) -> std::path::PathBuf {
    let [x, y, z] = moment;
    let text = format!(
        r#"<robot name="body"><link name="b"><inertial><mass value="2"/>
        <inertia ixx="{x}" iyy="{y}" izz="{z}" ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><geometry>{shape}</geometry></collision></link></robot>"#
    );
    let path = folder.join("body.urdf");
    std::fs::write(&path, text).unwrap();
    path
}

/// A block that slides is stopped by friction: v loses mu g in each second.
#[test]
fn a_block_slides_to_rest() {
    let folder = tempfile::tempdir().unwrap();
    let (length, width, height) = (0.4_f64, 0.3_f64, 0.2_f64);
    let square = |a: f64, b: f64| 2.0 / 12.0 * (a * a + b * b);
    let moment = [square(width, height), square(length, height), square(length, width)];
    let urdf = body(folder.path(), moment, r#"<box size="0.4 0.3 0.2"/>"#);
    let program = "
        state.ground.friction = 0.5;
        state.v[0] = 1;
        for (let k = 0; k < 400; k++) state.step();
        console.log(JSON.stringify({ q: Array.from(state.q), v: Array.from(state.v), height: state.ground.height }));";
    let Some(told) = moved(&urdf, program) else { return };
    // Semi-implicit Euler: velocities after each step, until the next one would turn them.
    let (mut x, mut v) = (0.0, 1.0_f64);
    while v > 0.0 {
        v = (v - 0.5 * 9.81 * 1e-3).max(0.0);
        x += 1e-3 * v;
    }
    let q = numbers(&told["q"]);
    assert!((q[0] - x).abs() < 1e-5, "{} m instead of {x} m", q[0]);
    assert!(q[1].abs() < 1e-6 && q[2].abs() < 1e-6 && q[6] > 1.0 - 1e-9, "{q:?}");
    assert!(numbers(&told["v"]).iter().all(|v| v.abs() < 1e-5), "{told}");
    assert!((told["height"].as_f64().unwrap() + height / 2.0).abs() < 1e-9, "{told}");
}

/// A ball that slides begins to roll: five sevenths of the velocity are left, whatever the friction.
#[test]
fn a_ball_begins_to_roll() {
    let folder = tempfile::tempdir().unwrap();
    let urdf = body(folder.path(), [0.4 * 2.0 * 0.01; 3], r#"<sphere radius="0.1"/>"#);
    let program = "
        state.ground.friction = 0.3;
        state.v[0] = 1;
        for (let k = 0; k < 500; k++) state.step();
        const along = turn(state.pose(0), Array.from(state.v.slice(0, 3))), about = turn(state.pose(0), Array.from(state.v.slice(3)));
        console.log(JSON.stringify({ along, about }));";
    let Some(told) = moved(&urdf, program) else { return };
    let (along, about) = (numbers(&told["along"]), numbers(&told["about"]));
    // Velocities are in the body's axes: a step of a turning body is of first order.
    assert!((along[0] - 5.0 / 7.0).abs() < 0.01, "{told}");
    // It rolls: the lowest point is at rest.
    assert!((along[0] - 0.1 * about[1]).abs() < 1e-5, "{told}");
    assert!(along[1].abs() < 1e-6 && along[2].abs() < 5e-3, "{told}");
}

#[test]
fn a_quadruped_falls_and_lies_still() {
    let robots = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../robots"));
    let program = format!(
        "{DROP}\nconsole.log(JSON.stringify({{ mass: data.mass, points: data.contacts.length, ...drop(state, 0.3, 2, 4000) }}));"
    );
    let Some(told) = moved(&robots.join("hyq.urdf"), &program) else { return };
    let number = |key: &str| told[key].as_f64().unwrap_or_else(|| panic!("{key}: {told}"));
    assert_eq!(told["finite"], true);
    // Feet, joints and the IMU.
    assert_eq!(number("points"), 17.0);
    assert!(number("deepest") < 1e-3, "{told}");
    assert!(number("drift") < 1e-5 && number("speed") < 1e-5, "{told}");
    // The ground carries the weight, and pushes it to no side.
    let (force, weight) = (numbers(&told["force"]), 9.81 * number("mass"));
    assert!((force[2] - weight).abs() < 1e-6 * weight, "{told}");
    assert!(force[0].abs().max(force[1].abs()) < 1e-5 * weight, "{told}");
    assert_eq!(told["cones"], true);
    assert!(number("touching") >= 3.0, "{told}");
    // The fall's energy is lost, and never a part of it regained.
    assert!(number("lost") > 0.3 * weight && number("gained") < 1e-5 * number("lost"), "{told}");
}
