//! What was made against the generic reference, at one random state.

use crate::{Error, Id, Robot};
use rbd_build::signature::{A, FEXT, GRAVITY, INERTIA, Q, TAU_GIVEN, V};
use rbd_runtime::Model;
use rbd_runtime::random::{State, random_state};

/// The seed of the state.
const SEED: u64 = 1;

/// Relative to a result's largest entry, as far as results may be from the reference's (TRUST.md); where M
/// is inverted, times its condition number.
const TOLERANCE: f64 = 1e-11;
const TOLERANCE_OF_INVERSES: f64 = 1e-13;

/// Compares the dynamics with the reference. Functions of frames, and robots with inertias or gravity of
/// their own at run time, are not looked at.
pub fn check(robot: &Robot) -> Result<(), Error> {
    let model = robot.model();
    if !model.run_time.is_none() || model.nv == 0 {
        return Ok(());
    }
    let state = random_state(model, SEED);
    let mut workspace = robot.workspace();
    let mut condition = None;
    for function in robot.functions().iter().filter(|f| f.frame().is_none()) {
        let Some(id) = Id::from_name(function.name()) else { continue };
        let expected = reference(id, model, &state);
        if expected.is_empty() {
            continue;
        }
        let is_inverse =
            [Id::Aba, Id::AbaFext, Id::Minv, Id::AbaDerivatives, Id::AbaDerivativesFext].contains(&id);
        let tolerance = if is_inverse {
            let condition = *condition.get_or_insert_with(|| condition_of(model, &state));
            TOLERANCE_OF_INVERSES * condition.max(1e3)
        } else {
            TOLERANCE
        };
        let inputs: Vec<Vec<f64>> = function.inputs().iter().map(|a| argument(a.name, &state)).collect();
        let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
        let mut results: Vec<Vec<f64>> =
            function.outputs().iter().map(|a| vec![f64::NAN; a.length]).collect();
        let mut outputs: Vec<&mut [f64]> = results.iter_mut().map(Vec::as_mut_slice).collect();
        function.call(&mut workspace, &inputs, &mut outputs)?;
        for ((output, found), expected) in function.outputs().iter().zip(&results).zip(&expected) {
            let error = relative_error(found, expected);
            if error > tolerance {
                return Err(Error::Disagrees { function: function.name(), output: output.name, error });
            }
        }
    }
    Ok(())
}

/// The largest difference, relative to the largest entry or one.
fn relative_error(found: &[f64], expected: &[f64]) -> f64 {
    let largest = expected.iter().fold(1.0, |a: f64, b| a.max(b.abs()));
    // NaN must not pass for small, as it does in `max`.
    let larger = |a: f64, b: f64| if b.is_nan() { f64::INFINITY } else { a.max(b) };
    found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, larger) / largest
}

fn condition_of(model: &Model<f64>, state: &State) -> f64 {
    let eigenvalues = model.crba(state.q.as_slice()).symmetric_eigenvalues();
    eigenvalues.max() / eigenvalues.min()
}

/// The value of an argument at a state.
fn argument(name: &str, state: &State) -> Vec<f64> {
    let known = [(Q, &state.q), (V, &state.v), (A, &state.a), (TAU_GIVEN, &state.tau)];
    match known.iter().find(|(param, _)| param.name == name) {
        Some((_, value)) => value.as_slice().to_vec(),
        None if name == FEXT.name => state.fext.iter().flat_map(|f| f.iter().copied()).collect(),
        None => unreachable!("{name}, beside {} and {}", INERTIA.name, GRAVITY.name),
    }
}

/// The reference's results, in the table's order; nothing of functions that are not compared.
fn reference(id: Id, model: &Model<f64>, s: &State) -> Vec<Vec<f64>> {
    let (q, v, a, tau) = (s.q.as_slice(), s.v.as_slice(), s.a.as_slice(), s.tau.as_slice());
    let forces = |id: Id| id.name().ends_with(FEXT.name).then_some(&s.fext[..]);
    let rows = |all: [&[f64]; 4]| all.map(<[f64]>::to_vec).to_vec();
    match id {
        Id::Rnea => vec![model.rnea(q, v, a).as_slice().to_vec()],
        Id::RneaFext => vec![model.rnea_fext(q, v, a, &s.fext).as_slice().to_vec()],
        Id::Bias => vec![model.bias(q, v).as_slice().to_vec()],
        Id::Gravity => vec![model.gravity_torques(q).as_slice().to_vec()],
        Id::Aba => vec![model.aba(q, v, tau).as_slice().to_vec()],
        Id::AbaFext => vec![model.aba_fext(q, v, tau, &s.fext).as_slice().to_vec()],
        Id::Crba => vec![model.crba(q).as_slice().to_vec()],
        Id::Minv => vec![model.minv(q).as_slice().to_vec()],
        Id::RneaDerivatives | Id::RneaDerivativesFext => {
            let d = model.rnea_derivatives(q, v, a, forces(id));
            rows([d.tau.as_slice(), d.dtau_dq.as_slice(), d.dtau_dv.as_slice(), d.dtau_da.as_slice()])
        }
        Id::AbaDerivatives | Id::AbaDerivativesFext => {
            let d = model.aba_derivatives(q, v, tau, forces(id));
            rows([d.ddq.as_slice(), d.ddq_dq.as_slice(), d.ddq_dv.as_slice(), d.ddq_dtau.as_slice()])
        }
        _ => Vec::new(),
    }
}
