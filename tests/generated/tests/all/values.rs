//! Stored values of Pinocchio and MuJoCo, which share no code with this project.

use crate::common::{assert_agree, error};
use crate::interpreter::{self, evaluate_with_loops};
use generated_tests::{Inputs, Outputs, REPOSITORY, Subject, robots};
use nalgebra::{DMatrix, DVector, SVector};
use rbd_build::{Base, Function, Robot};
use rbd_runtime::Model;
use rbd_runtime::random::State;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The files in a folder of `tests/values` as (name with an underscore, content).
fn stored(folder: &str) -> Vec<(String, Value)> {
    let folder = Path::new(REPOSITORY).join("tests/values").join(folder);
    let mut files: Vec<PathBuf> =
        folder.read_dir().expect("the folder of stored values").map(|f| f.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "json"));
    files.sort();
    assert!(!files.is_empty());
    let name = |f: &PathBuf| f.file_stem().unwrap().to_str().unwrap().replace('.', "_");
    let parse = |f: &PathBuf| serde_json::from_str(&std::fs::read_to_string(f).unwrap()).unwrap();
    files.iter().map(|f| (name(f), parse(f))).collect()
}

fn numbers(x: &Value) -> Vec<f64> {
    x.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

/// A list of rows, or a vector as one column, or a number.
fn matrix(x: &Value) -> DMatrix<f64> {
    if let Some(number) = x.as_f64() {
        return DMatrix::from_element(1, 1, number);
    }
    let list = x.as_array().expect("a list");
    if !list.first().is_some_and(Value::is_array) {
        return DMatrix::from_column_slice(list.len(), 1, &numbers(x));
    }
    let rows: Vec<Vec<f64>> = list.iter().map(numbers).collect();
    DMatrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

fn state(x: &Value, bodies: usize) -> State {
    let vector = |name| DVector::from_vec(numbers(&x[name]));
    let fext = match x.get("fext") {
        Some(fext) => fext.as_array().unwrap().iter().map(|f| SVector::from_vec(numbers(f))).collect(),
        None => vec![SVector::zeros(); bodies],
    };
    State { q: vector("q"), v: vector("v"), a: vector("a"), tau: vector("tau"), fext }
}

/// A function's outputs with their names in the files.
fn keys(function: Function) -> &'static [(&'static str, &'static str)] {
    match function {
        Function::Rnea => &[("tau", "rnea")],
        Function::RneaFext => &[("tau", "rnea_fext")],
        Function::Bias => &[("tau", "bias")],
        Function::Gravity => &[("tau", "gravity")],
        Function::Aba => &[("ddq", "aba")],
        Function::AbaFext => &[("ddq", "aba_fext")],
        Function::Crba => &[("m", "crba")],
        Function::Minv => &[("minv", "minv")],
        Function::RneaDerivatives => {
            &[("tau", "rnea"), ("dtau_dq", "dtau_dq"), ("dtau_dv", "dtau_dv"), ("dtau_da", "crba")]
        }
        // Forces that turn with their bodies do not depend on velocities.
        Function::RneaDerivativesFext => {
            &[("tau", "rnea_fext"), ("dtau_dq", "dtau_dq_fext"), ("dtau_dv", "dtau_dv"), ("dtau_da", "crba")]
        }
        Function::AbaDerivatives => {
            &[("ddq", "aba"), ("ddq_dq", "ddq_dq"), ("ddq_dv", "ddq_dv"), ("ddq_dtau", "minv")]
        }
        Function::AbaDerivativesFext => {
            &[("ddq", "aba_fext"), ("ddq_dq", "ddq_dq_fext"), ("ddq_dv", "ddq_dv_fext"), ("ddq_dtau", "minv")]
        }
        Function::CenterOfMass => &[("com", "com")],
        Function::CentroidalMomentumMatrix => &[("momentum_matrix", "centroidal_momentum_matrix")],
        Function::KineticEnergy => &[("energy", "kinetic_energy")],
        Function::PotentialEnergy => &[("energy", "potential_energy")],
        Function::CoriolisMatrix => &[("coriolis", "coriolis_matrix")],
        _ => &[],
    }
}

/// Stored values of a function's outputs.
fn expected(function: Function, x: &Value) -> Outputs<f64> {
    keys(function).iter().filter_map(|(output, key)| Some((*output, matrix(x.get(key)?)))).collect()
}

fn compare(what: &str, function: Function, mut got: Outputs<f64>, x: &Value, inexact: f64) -> usize {
    let expected = expected(function, x);
    got.retain(|(name, _)| expected.iter().any(|(n, _)| n == name));
    assert_agree(what, function, &got, &expected, &matrix(&x["crba"]), inexact);
    expected.len()
}

/// The compiled robot of this name; all are, with the feature `all-robots`.
fn subject(name: &str) -> Option<&'static Subject<f64>> {
    let subject = robots::ALL.iter().find(|r| r.name == name);
    assert!(subject.is_some() || cfg!(not(feature = "all-robots")), "{name} has values but is not compiled");
    subject
}

fn compiled_agree_with(folder: &str) -> usize {
    let mut compared = 0;
    for (name, file) in stored(folder) {
        let Some(robot) = subject(&name) else { continue };
        let model = (robot.model)();
        same_coordinates(&name, &model, &file);
        // Right angles written to eleven decimals or more are snapped here, while the libraries
        // take them as written. One such rotation a body.
        let inexact = 1e-11 * model.bodies.len() as f64;
        for (i, x) in file["states"].as_array().unwrap().iter().enumerate() {
            let inputs = Inputs::from(&state(x, model.bodies.len()));
            for function in robot.functions() {
                compared += compare(
                    &format!("{name}, state {i}"),
                    function,
                    robot.run(function, &inputs),
                    x,
                    inexact,
                );
            }
        }
    }
    compared
}

fn same_coordinates(name: &str, model: &Model<f64>, file: &Value) {
    let sizes = ["nq", "nv", "nb"].map(|k| file[k].as_u64().unwrap() as usize);
    assert_eq!(sizes, [model.nq, model.nv, model.bodies.len()], "{name}");
    let joints: Vec<&str> = file["joints"].as_array().unwrap().iter().map(|j| j.as_str().unwrap()).collect();
    assert!(joints.iter().eq(model.bodies.iter().map(|b| &b.joint)), "{name}: other joints");
}

/// The functions that are compiled (see `generated_tests::robots`).
#[test]
fn compiled_functions_agree_with_pinocchio() {
    let compared = compiled_agree_with("");
    // Seven robots with a dozen functions, some of several outputs, at several states.
    assert!(compared > 500, "{compared}");
}

/// Comparison with a second library.
#[test]
fn compiled_functions_agree_with_mujoco() {
    let compared = compiled_agree_with("mujoco");
    // Four robots.
    assert!(compared > 80, "{compared}");
}

/// Every function of every robot, small and large, by the interpreter of kernels, before code
/// becomes text.
///
/// Compiling all functions of the largest robots would take minutes for each. Rotations are taken
/// as they are in the files, to the last digit.
#[test]
fn traced_functions_agree_with_pinocchio() {
    // Twenty-two files of one to four states with up to twenty-four outputs each.
    use Function as F;
    let whole_body = [
        F::CenterOfMass,
        F::CentroidalMomentumMatrix,
        F::KineticEnergy,
        F::PotentialEnergy,
        F::CoriolisMatrix,
    ];
    let functions: Vec<Function> = Function::dynamics().chain(whole_body).collect();
    let compared = traced_agree_with("", &functions);
    assert!(compared > 800, "{compared}");
}

/// Comparison with a second library.
#[test]
fn traced_functions_agree_with_mujoco() {
    let compared =
        traced_agree_with("mujoco", &[Function::Rnea, Function::Bias, Function::Aba, Function::Crba]);
    assert!(compared > 100, "{compared}");
}

/// Every other file on a thread of its own.
fn traced_agree_with(folder: &str, functions: &[Function]) -> usize {
    let files = stored(folder);
    let of = |(name, file): &(String, Value)| traced_agrees_with(name, file, functions);
    std::thread::scope(|threads| {
        let other = threads.spawn(|| files.iter().skip(1).step_by(2).map(of).sum::<usize>());
        let compared: usize = files.iter().step_by(2).map(of).sum();
        compared + other.join().expect("the other thread says why")
    })
}

fn traced_agrees_with(name: &str, file: &Value, functions: &[Function]) -> usize {
    let mut compared = 0;
    let base = if file["base"] == "floating" { Base::Floating } else { Base::Fixed };
    let robot = Robot::from_urdf(file["urdf"].as_str().unwrap())
        .relative_to(REPOSITORY)
        .base(base)
        .snap(0.0)
        .functions(functions.iter().copied())
        // Two links of Tiago.
        .allow_unphysical_inertia(name.starts_with("tiago"));
    let generated = robot.trace().unwrap_or_else(|e| panic!("{name}: {e}"));
    let model = &generated.model;
    same_coordinates(name, model, file);
    for (i, x) in file["states"].as_array().unwrap().iter().enumerate() {
        let state = state(x, model.bodies.len());
        for traced in &generated.functions {
            let function = traced.function;
            let what = format!("{name}, state {i}");
            let got = evaluate_with_loops(traced, &state);
            // The same formulas with limbs as lanes.
            if let Some(packed) = traced.packed() {
                compare(&format!("{what}, limbs"), function, evaluate_with_loops(&packed, &state), x, 0.0);
            }
            // Where values are left out of the large files, the reference has them.
            let m = matrix(&x["crba"]);
            let reference = interpreter::reference(function, model, &state);
            assert_agree(&what, function, &got, &reference, &m, 0.0);
            compared += compare(&what, function, got, x, 0.0);
        }
    }
    compared
}

/// Integration and difference on the manifold.
#[test]
fn manifolds_agree_with_pinocchio() {
    for (name, file) in stored("") {
        let (Some(robot), x) = (subject(&name), &file["manifold"]) else { continue };
        let [q0, q1, dv] = ["q0", "q1", "dv"].map(|k| numbers(&x[k]));
        for (key, got) in
            [("integrate", (robot.integrate)(&q0, &dv)), ("difference", (robot.difference)(&q0, &q1))]
        {
            let got = DMatrix::from_column_slice(got.len(), 1, &got);
            let e = error(&got, &matrix(&x[key]), 1.0);
            assert!(e < 1e-13, "{name}, {key}: {e:.1e}");
        }
    }
}
