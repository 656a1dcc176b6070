//! Running traced functions without compiling them, and what the reference says.
#![allow(dead_code, reason = "each test uses its part")]

mod fused;

use nalgebra::{DMatrix, DVector};
use rbd_build::Function;
use rbd_build::function::Traced;
use rbd_build::graph::{Evaluator, Value};
use rbd_build::products::{Product, ProductKind, SCRATCH};
use rbd_runtime::Model;
use rbd_runtime::random::State;

/// A traced function's outputs at a state, by name, from the graph; its fused statements give the same.
pub fn evaluate(traced: &Traced, state: &State) -> Vec<(&'static str, DMatrix<f64>)> {
    let mut state = state.clone();
    let mut outputs: Vec<(&'static str, DMatrix<f64>)> = Vec::new();
    for stage in traced.stages() {
        let third = match stage.function.name() {
            name if name.starts_with("aba") => &state.tau,
            _ => &state.a,
        };
        let fext: Vec<f64> = state.fext.iter().flat_map(|f| f.iter().copied()).collect();
        let inputs = [state.q.as_slice(), state.v.as_slice(), third.as_slice(), &fext];
        let at = Evaluator::new(&stage.nodes, &inputs);
        let values: Vec<_> = stage.values().collect();
        for (value, fused) in values.iter().zip(fused::run(&stage.nodes, &values, &inputs)) {
            assert_eq!(at.get(*value), fused, "{}, fused", stage.function.name());
        }
        outputs.extend(stage.outputs.iter().map(|o| {
            let value = |(k, v): (usize, &Value)| {
                let place = (k % o.rows, k / o.rows);
                let mut factor_of = stage.products.iter().filter(|p| [p.a, p.x].contains(&o.name)).peekable();
                // Generated code does not write those.
                let absent =
                    v.is_zero() && factor_of.peek().is_some() && !factor_of.any(|p| p.needs(o.name, place));
                if absent { f64::NAN } else { at.get(*v) }
            };
            (o.name, DMatrix::from_iterator(o.rows, o.columns, o.values.iter().enumerate().map(value)))
        }));
        for product in &stage.products {
            multiply(&mut outputs, product);
        }
        if let Some((_, ddq)) = outputs.iter().find(|(name, _)| *name == "ddq") {
            state.a = ddq.column(0).into_owned();
        }
    }
    outputs.retain(|(name, _)| *name != SCRATCH);
    outputs
}

/// The terms that the product's blocks name and no others; where there are none, the second factor stays.
fn multiply(outputs: &mut Vec<(&'static str, DMatrix<f64>)>, product: &Product) {
    let take = |outputs: &[(&str, DMatrix<f64>)], name| {
        outputs.iter().position(|(n, _)| *n == name).expect("an output")
    };
    let a = outputs[take(outputs, product.a)].1.clone();
    let (_, x) = outputs.remove(take(outputs, product.x));
    let gram = product.kind == ProductKind::Gram;
    let (sign, x) = if gram {
        let scaled = |r: usize, c: usize| x[(r, 0)] * a[(c, r)];
        (1.0, DMatrix::from_fn(a.nrows(), a.ncols(), scaled))
    } else {
        (-1.0, x)
    };
    let mut result = x.clone();
    for group in &product.groups {
        for column in group.columns.0..group.columns.1 {
            for block in &group.blocks {
                for row in block.rows.0..block.rows.1 {
                    let terms = block.terms.iter().flat_map(|run| run.0..run.1);
                    result[(row, column)] = sign * terms.map(|k| a[(row, k)] * x[(k, column)]).sum::<f64>();
                }
            }
        }
    }
    if gram {
        result.fill_upper_triangle_with_lower_triangle();
    }
    outputs.push((product.result, result));
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
    // NaN must not pass for small, as it does in `amax`.
    let difference = a - b;
    if difference.iter().any(|x| x.is_nan()) { f64::INFINITY } else { difference.amax() / b.amax().max(1.0) }
}
