//! Value, gradient and Hessian of weighted accelerations (docs/math.md#contracted-second-derivatives).
//!
//! The steps are first derivatives, the Hessian of weighted torques at the accelerations, and matrix
//! products.
//! Intermediate values have no memory of their own, so first derivatives are results as well.
//! `dqda` of the torques is stored in `dqdtau`, and the torques' weights in `dtau`.

use super::Writer;
use super::function::Step;
use crate::search::plan::{Composition, Version, Wire};
use crate::signatures::second_order::{DQDA, DQDTAU, HDA, HDTAU, LAMBDA, MU, VALUE};
use crate::signatures::signature::{A, DDQ, Output, Sizes};
use crate::table::routines::Dependency;
use rbd_ir::kernel::Place;
use rbd_runtime::Model;

/// Remark in the documentation of a function with first derivatives.
pub const REMARK: &str =
    "/* The first derivatives that it is made from are results as well, the first four. */\n";

const WEIGHTS: &str = "/* Weights of torques that stand for those of accelerations, mu = -M^-1 lambda, until the last step in dtau; an \
                       entry. */";
const PRODUCTS: &str = "/* With D the derivatives of ddq and Z that of the gradient of mu . tau by a, which is in dqdtau: Z D + (Z D)^T \
                        by q, Z D by q\n * and v; a column, and of the symmetric sum what is above the diagonal and its mirror \
                        image. */";
const BY_TORQUES: &str = "/* A row of Z M^-1, in place, and an entry of M^-1 lambda. */";

/// Sentence in the documentation on the composition.
pub fn made_of(composition: &Composition) -> String {
    let dependencies: Vec<&str> =
        composition.dependencies.iter().map(|dependency| dependency.function.name()).collect();
    format!("Made of {}, and products of matrices.", dependencies.join(" and of "))
}

/// All steps.
pub fn steps(gpu: &Writer<'_>, model: &Model<f64>, composition: &Composition) -> Vec<Step> {
    if model.nv == 0 {
        // A robot without joints has nothing else to write.
        return vec![Step::Parts(vec![format!("RBD_AT(value, 0) = {};\n", gpu.real.number(0.0)).into()])];
    }
    let mut steps = first(gpu, model, composition);
    steps.extend(after_first(gpu, model, composition, LAMBDA.name, DDQ));
    steps
}

fn stages(composition: &Composition, of: Dependency) -> impl Iterator<Item = &Version> {
    let stages = composition.dependency(of).into_iter().flat_map(|dependency| &dependency.stages);
    stages.map(|stage| &stage.scalar)
}

/// Steps of the first derivatives.
fn first(gpu: &Writer<'_>, model: &Model<f64>, composition: &Composition) -> Vec<Step> {
    first_elsewhere(gpu, model, composition, |wire| wire)
}

/// Steps of the first derivatives, with their arrays elsewhere.
pub fn first_elsewhere(
    gpu: &Writer<'_>,
    model: &Model<f64>,
    composition: &Composition,
    to: impl Fn(Wire) -> Wire,
) -> Vec<Step> {
    let stages: Vec<Version> =
        stages(composition, Dependency::First).map(|version| version.rewired(&to)).collect();
    gpu.steps(Sizes::from(model), &stages.iter().collect::<Vec<_>>())
}

/// Steps after those of the first derivatives, which are at the accelerations `ddq`. The weights of
/// accelerations are in the array `weights`.
pub fn after_first(
    gpu: &Writer<'_>,
    model: &Model<f64>,
    composition: &Composition,
    weights: &str,
    ddq: Output,
) -> Vec<Step> {
    let alike = |doc: &'static str, text: &str| Step::Alike {
        parts: model.nv.into(),
        doc,
        text: gpu.text(text, model),
    };
    let weights = include_str!("text/hessian_weights.c").replace("WEIGHTS", weights);
    let mut steps = vec![alike(WEIGHTS, &weights)];
    let of_torques: Vec<Version> =
        stages(composition, Dependency::Hessian).map(|version| rewired(version, ddq)).collect();
    steps.extend(gpu.steps(Sizes::from(model), &of_torques.iter().collect::<Vec<_>>()));
    let products = product(["dqdtau", "ddq_dv", "dqdv"]) + &symmetric_product("dqdtau");
    steps.push(alike(PRODUCTS, &products));
    steps.push(alike(BY_TORQUES, include_str!("text/hessian_by_torques.c")));
    steps
}

/// Statements for a column that add the product of two matrices to a third.
pub fn product([factor, change, result]: [&str; 3]) -> String {
    let text = include_str!("text/hessian_product.c");
    text.replace("FACTOR", factor).replace("CHANGE", change).replace("RESULT", result)
}

/// Statements for a column that add P + P^T to `dqdq`, with P the product of a matrix and `ddq_dq`.
pub fn symmetric_product(factor: &str) -> String {
    include_str!("text/hessian_symmetric_product.c").replace("FACTOR", factor)
}

/// The Hessian of torques, at accelerations and weights of earlier steps. Unread results are left out.
fn rewired(version: &Version, ddq: Output) -> Version {
    let rewired = version.rewired(|wire| match wire {
        Wire::Param(A) => Wire::Output(ddq),
        Wire::Param(MU) => Wire::Output(HDTAU),
        Wire::Output(DQDA) => Wire::Output(DQDTAU),
        other => other,
    });
    let is_read = |place: Place| !matches!(version.wire(place.array), Wire::Output(output) if [VALUE, HDA].contains(&output));
    Version { kernel: version.kernel.part(is_read), ..rewired }
}
