//! Documentation of second derivatives that are not kernels.

use crate::search::cost::CostModel;
use crate::search::plan::Plan;
use crate::signatures::signature::TAU_GIVEN;
use crate::table::functions::Spec;
use rbd_runtime::Model;
use rbd_runtime::loops::of_model::Owned;

/// True for forward dynamics, whose second derivatives come with first ones.
pub fn is_forward(spec: &Spec) -> bool {
    spec.params.contains(&TAU_GIVEN)
}

/// True if the function calls loops over tables itself.
pub fn reads_tables(plan: &Plan) -> bool {
    plan.composition.as_ref().is_some_and(|of| of.way().reads_tables())
}

/// Formulation and cost, in a language of these costs.
pub fn made_of(model: &Model<f64>, plan: &Plan, costs: &CostModel) -> String {
    let spec = plan.spec();
    if reads_tables(plan) {
        let robot = Owned::from_model(model).expect("joints are numbered depth first");
        let costs = costs.tables.expect("the language has loops");
        let count = if spec.function.is_tensor() {
            costs.count_of_tensors(&robot)
        } else {
            costs.count_of_hessian(&robot)
        };
        let beside = plan.dependencies().first().map_or(String::new(), |dependency| {
            format!(", products with M^-1, and what {} takes", dependency.function.name())
        });
        return format!(
            "About {} additions and as many multiplications{beside}; formulation: {}.",
            count.adds, plan.strategy
        );
    }
    let dependencies: Vec<&str> =
        plan.dependencies().iter().map(|dependency| dependency.function.name()).collect();
    let times = if spec.function.is_tensor() { ", once for each row" } else { "" };
    let products = if is_forward(spec) { ", and products of matrices" } else { "" };
    format!("Made of {}{times}{products}.", dependencies.join(" and of "))
}
