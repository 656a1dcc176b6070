//! Plans of second derivatives that are composed of others.

use rbd_build::plan::Plan;
use rbd_build::tree::Tree;
use rbd_build::{Function, Function as F};
use rbd_runtime::Model;

/// Tensors of second derivatives.
pub const TENSORS: [Function; 4] = [
    F::RneaSecondDerivatives,
    F::RneaSecondDerivativesFext,
    F::AbaSecondDerivatives,
    F::AbaSecondDerivativesFext,
];

/// These plans, Hessians of accelerations and the given tensors, which are composed of them.
pub fn with_composed(model: &Model<f64>, mut all: Vec<Plan>, tensors: &[Function]) -> Vec<Plan> {
    for function in [F::AbaHessian, F::AbaHessianFext].iter().chain(tensors) {
        let parts = function.dependencies_without_loops();
        let is_part = |plan: &&Plan| parts.contains(&plan.function) && plan.dependencies().is_empty();
        let parts: Vec<Plan> = all.iter().filter(is_part).cloned().collect();
        all.push(Plan::composed(*function, model, parts));
    }
    all
}

/// All second derivatives, from a tree's straight lines.
pub fn straight(model: &Model<f64>, tree: &Tree) -> Vec<Plan> {
    let functions = [F::AbaDerivatives, F::AbaDerivativesFext, F::RneaHessian, F::RneaHessianFext];
    with_composed(model, functions.map(|f| f.trace_all(tree).remove(0)).to_vec(), &TENSORS)
}
