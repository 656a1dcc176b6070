//! Running traced functions without compiling them, and what the reference says.
#![allow(dead_code, reason = "each test uses its part")]

mod fused;

use nalgebra::{DMatrix, DVector};
use rbd_build::function::{Finish, Function, Traced};
use rbd_build::graph::Evaluator;
use rbd_runtime::Model;
use rbd_runtime::random::State;

/// A traced function's outputs at a state, by name, from the graph; its fused statements give the same.
pub fn evaluate(traced: &Traced, state: &State) -> Vec<(&'static str, DMatrix<f64>)> {
    let third = match traced.function.name() {
        name if name.starts_with("aba") => &state.tau,
        _ => &state.a,
    };
    let fext: Vec<f64> = state.fext.iter().flat_map(|f| f.iter().copied()).collect();
    let inputs = [state.q.as_slice(), state.v.as_slice(), third.as_slice(), &fext];
    let at = Evaluator::new(&traced.nodes, &inputs);
    let values: Vec<_> = traced.values().collect();
    for (value, fused) in values.iter().zip(fused::run(&traced.nodes, &values, &inputs)) {
        assert_eq!(at.get(*value), fused, "{}, fused", traced.function.name());
    }
    let mut outputs: Vec<(&'static str, DMatrix<f64>)> = traced
        .outputs
        .iter()
        .map(|o| (o.name, DMatrix::from_iterator(o.rows, o.columns, o.values.iter().map(|v| at.get(*v)))))
        .collect();
    if traced.finish == Finish::MinusMinvTimes {
        let find = |name| outputs.iter().find(|(n, _)| *n == name).expect("an output").1.clone();
        let (minv, dq, dv) = (find("ddq_dtau"), find("dtau_dq"), find("dtau_dv"));
        outputs.retain(|(name, _)| !name.starts_with("dtau"));
        outputs.push(("ddq_dq", -&minv * dq));
        outputs.push(("ddq_dv", -&minv * dv));
    }
    outputs
}

/// What the reference gives, by the same names.
pub fn reference(function: Function, model: &Model<f64>, s: &State) -> Vec<(&'static str, DMatrix<f64>)> {
    let (q, v, a, tau) = (s.q.as_slice(), s.v.as_slice(), s.a.as_slice(), s.tau.as_slice());
    let vector = |x: DVector<f64>| DMatrix::from_column_slice(x.len(), 1, x.as_slice());
    let derivatives = |fext| {
        let d = model.rnea_derivatives(q, v, a, fext);
        vec![("tau", vector(d.tau)), ("dtau_dq", d.dtau_dq), ("dtau_dv", d.dtau_dv), ("dtau_da", d.dtau_da)]
    };
    let forward_derivatives = |fext| {
        let d = model.aba_derivatives(q, v, tau, fext);
        vec![("ddq", vector(d.ddq)), ("ddq_dq", d.ddq_dq), ("ddq_dv", d.ddq_dv), ("ddq_dtau", d.ddq_dtau)]
    };
    match function {
        Function::Rnea => vec![("tau", vector(model.rnea(q, v, a)))],
        Function::RneaFext => vec![("tau", vector(model.rnea_fext(q, v, a, &s.fext)))],
        Function::Bias => vec![("tau", vector(model.bias(q, v)))],
        Function::Gravity => vec![("tau", vector(model.gravity_torques(q)))],
        Function::Aba => vec![("ddq", vector(model.aba(q, v, tau)))],
        Function::AbaFext => vec![("ddq", vector(model.aba_fext(q, v, tau, &s.fext)))],
        Function::Crba => vec![("m", model.crba(q))],
        Function::Minv => vec![("minv", model.minv(q))],
        Function::RneaDerivatives => derivatives(None),
        Function::RneaDerivativesFext => derivatives(Some(&s.fext[..])),
        Function::AbaDerivatives => forward_derivatives(None),
        Function::AbaDerivativesFext => forward_derivatives(Some(&s.fext[..])),
    }
}

/// The largest difference, relative to the largest entry.
pub fn relative_error(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    assert_eq!(a.shape(), b.shape());
    let difference = (a - b).amax();
    // NaN must not pass for small.
    if difference.is_nan() { f64::INFINITY } else { difference / b.amax().max(1.0) }
}
