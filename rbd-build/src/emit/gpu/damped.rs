//! Steps under damping at their end: accelerations x = (1 + dt M^-1 D)^-1 aba, D being joint damping
//! (docs/math.md#implicit-damping).
//!
//! x are those of `aba` at other torques, which are found first. Derivatives are those of `aba` there, solved
//! with the factors of the matrix.

use super::Writer;
use super::function::Step;
use super::memory::Memory;
use super::second_order::{product, symmetric_product};
use super::step::Parts;
use crate::search::plan::Wire;
use crate::signatures::signature::{DDQ, MINV, Output, TAU_GIVEN};
use crate::table::functions::Function;
use rbd_runtime::Model;
use std::fmt::Write;

/// The inverse of the mass matrix, then the factors.
pub const FACTORS: Output = Output { name: "factors", ..MINV };
/// The torques at which `aba` gives x.
pub const AT: Output = Output { name: "found_tau", ..DDQ };
/// Accelerations of `aba` there, which are x but for rounding.
pub const LATER: Output = Output { name: "later_ddq", ..DDQ };

const SOLVED: &str = "/* A column of the derivatives of accelerations. */";
const MOVED: &str = "/* A column of what the motion of the torques adds. */";

/// Memory that the steps share: damping, factors, and torques.
pub fn memory(model: &Model<f64>) -> Memory {
    let n = model.nv;
    Memory { pieces: vec![("damping", n), (FACTORS.name, n * n), (AT.name, n)] }
}

/// Memory for accelerations that are not the step's.
pub fn later(model: &Model<f64>) -> (&'static str, usize) {
    (LATER.name, model.nv)
}

/// Arrays of kernels of forward dynamics at the torques that were found.
pub fn at_found(wire: Wire) -> Wire {
    match wire {
        Wire::Param(TAU_GIVEN) => Wire::Output(AT),
        Wire::Output(DDQ) => Wire::Output(LATER),
        other => other,
    }
}

/// Steps that find x, in the array of accelerations.
pub fn found(parts: &Parts<'_>) -> Vec<Step> {
    let mut steps = parts.kernels(Function::Minv, |wire| match wire {
        Wire::Output(MINV) => Wire::Output(FACTORS),
        other => other,
    });
    steps.push(Step::Parts(vec![find(parts.gpu, parts.model).into()]));
    steps
}

/// Statements that find x, by accelerations and, in the memory of the factors, their derivatives by torques.
pub fn find(gpu: &Writer<'_>, model: &Model<f64>) -> String {
    let mut text = format!("const {} time = RBD_AT(dt, 0);\n", gpu.real.name());
    for (k, damping) in model.damping().into_iter().enumerate() {
        let _ = writeln!(text, "RBD_AT(damping, {k}) = {};", gpu.real.number(damping));
    }
    text + &gpu.text(include_str!("text/damped_find.c"), model)
}

/// Statements that make weights of `aba` of weights of x.
pub fn weights(gpu: &Writer<'_>, model: &Model<f64>) -> String {
    gpu.text(include_str!("text/damped_weights.c"), model)
}

/// Steps from the derivatives and the Hessian of `aba` to those of x.
pub fn hessian(gpu: &Writer<'_>, model: &Model<f64>) -> [Step; 2] {
    let n = model.nv;
    let solved = gpu.text(include_str!("text/damped_columns.c"), model);
    let moved = symmetric_product("through")
        + &product(["through", "ddq_dv", "dqdv"])
        + &product(["through", "ddq_dtau", "dqdtau"]);
    [
        Step::Alike { parts: (3 * n).into(), doc: SOLVED, text: solved },
        Step::Alike { parts: n.into(), doc: MOVED, text: gpu.text(&moved, model) },
    ]
}
