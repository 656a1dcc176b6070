//! Every function of every robot in `robots/` against stored values of Pinocchio, which shares no code with
//! this project (`tests/values/README.md` says how they were made). Graphs are run by the interpreter.

mod common;

use common::{evaluate, relative_error};
use nalgebra::{DMatrix, DVector, SVector};
use rbd_build::{Base, Function, Robot};
use rbd_runtime::random::State;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn numbers(x: &Value) -> Vec<f64> {
    x.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

/// A list of rows, or a vector as one column.
fn matrix(x: &Value) -> DMatrix<f64> {
    let list = x.as_array().expect("a list");
    if !list.first().is_some_and(Value::is_array) {
        return DMatrix::from_column_slice(list.len(), 1, &numbers(x));
    }
    let rows: Vec<Vec<f64>> = list.iter().map(numbers).collect();
    DMatrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
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
    }
}

/// Rotations are taken as the files have them: by default, right angles that they write with eleven digits are taken
/// for right, which is another robot (`tests/generated` checks what that changes).
#[test]
fn every_robot_agrees_with_pinocchio() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
    let mut files: Vec<PathBuf> =
        root.join("tests/values").read_dir().expect("stored values").map(|f| f.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "json"));
    files.sort();
    assert!(files.len() >= 20);
    let mut compared = 0;
    for path in files {
        let file: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let base = if file["base"] == "floating" { Base::Floating } else { Base::Fixed };
        let urdf = file["urdf"].as_str().unwrap();
        let robot = Robot::from_urdf(root.join(urdf)).base(base).allow_unphysical_inertia(true).snap(0.0);
        let generated = robot.trace().unwrap_or_else(|e| panic!("{urdf}: {e}"));
        let model = &generated.model;
        let joints: Vec<&str> =
            file["joints"].as_array().unwrap().iter().map(|j| j.as_str().unwrap()).collect();
        assert!(joints.iter().eq(model.bodies.iter().map(|b| &b.joint)), "{urdf}: other joints");
        for (i, x) in file["states"].as_array().unwrap().iter().enumerate() {
            let vector = |name| DVector::from_vec(numbers(&x[name]));
            // The state at rest stores what does not depend on forces.
            let fext = match x.get("fext") {
                Some(fext) => {
                    fext.as_array().unwrap().iter().map(|f| SVector::from_vec(numbers(f))).collect()
                }
                None => vec![SVector::zeros(); model.bodies.len()],
            };
            let state = State { q: vector("q"), v: vector("v"), a: vector("a"), tau: vector("tau"), fext };
            // What M is inverted for cannot be nearer than rounding times M's condition.
            let eigenvalues = matrix(&x["crba"]).symmetric_eigenvalues();
            let condition = eigenvalues.max() / eigenvalues.min();
            for traced in &generated.functions {
                let name = traced.function.name();
                let inverts = ["aba", "minv"].iter().any(|f| name.starts_with(f));
                let tolerance = if inverts { (condition * 1e-13).max(1e-10) } else { 1e-10 };
                for (output, found) in evaluate(traced, &state) {
                    let key = keys(traced.function).iter().find(|(o, _)| *o == output).expect("a key").1;
                    let Some(expected) = x.get(key) else { continue };
                    let error = relative_error(&found, &matrix(expected));
                    compared += 1;
                    assert!(
                        error <= tolerance,
                        "{urdf}, state {i}, {name}.{output}: {error:e} > {tolerance:e}"
                    );
                }
            }
        }
    }
    // Twenty-two files of one to four states with up to twenty-four outputs each.
    assert!(compared > 800, "{compared}");
}
