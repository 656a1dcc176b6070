//! Value, gradient and Hessian of weighted accelerations (docs/math.md#contracted-second-derivatives).
//!
//! The steps are first derivatives, the Hessian of weighted torques at the accelerations, and matrix
//! products.
//! Intermediate values have no memory of their own, so first derivatives are results as well.
//! `dqda` of the torques is stored in `dqdtau`, and the torques' weights in `dtau`.

use super::Writer;
use super::function::Step;
use crate::search::plan::{Composition, Version, Wire};
use crate::signatures::second_order::{DQDA, DQDTAU, HDA, HDTAU, MU, VALUE};
use crate::signatures::signature::{A, DDQ, Sizes};
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
    let (sizes, n) = (Sizes::from(model), model.nv);
    if n == 0 {
        // A robot without joints has nothing else to write.
        return vec![Step::Parts(vec![format!("RBD_AT(value, 0) = {};\n", gpu.real.number(0.0)).into()])];
    }
    let stages =
        |dependency| composition.dependency(dependency).into_iter().flat_map(|dependency| &dependency.stages);
    let first: Vec<&Version> = stages(Dependency::First).map(|stage| &stage.scalar).collect();
    let mut steps = gpu.steps(sizes, &first);
    let alike = |doc: &'static str, text: &str| Step::Alike { count: n, doc, text: gpu.text(text, model) };
    steps.push(alike(WEIGHTS, include_str!("text/hessian_weights.c")));
    let of_torques: Vec<Version> = stages(Dependency::Hessian).map(|stage| rewired(&stage.scalar)).collect();
    steps.extend(gpu.steps(sizes, &of_torques.iter().collect::<Vec<_>>()));
    steps.push(alike(PRODUCTS, include_str!("text/hessian_products.c")));
    steps.push(alike(BY_TORQUES, include_str!("text/hessian_by_torques.c")));
    steps
}

/// The Hessian of torques, at accelerations and weights of earlier steps. Unread results are left out.
fn rewired(version: &Version) -> Version {
    let wire = |wire: &Wire| match *wire {
        Wire::Param(A) => Wire::Output(DDQ),
        Wire::Param(MU) => Wire::Output(HDTAU),
        Wire::Output(DQDA) => Wire::Output(DQDTAU),
        other => other,
    };
    let is_read = |place: Place| !matches!(version.wire(place.array), Wire::Output(output) if [VALUE, HDA].contains(&output));
    Version {
        wires: version.wires.iter().map(wire).collect(),
        kernel: version.kernel.part(is_read),
        ..version.clone()
    }
}
