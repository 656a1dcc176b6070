//! Structural zeros of matrices, which `RBD_LEAVE_ZEROS` leaves alone.

use super::Writer;
use crate::emit::c_family::Dialect;
use crate::search::plan::{Version, Wire};
use crate::search::steps::Step;
use crate::signatures::signature::{Dims, Output};
use rbd_ir::kernel::{Role, Stmt};
use std::fmt::Write;

/// Matrices whose zeros can be left alone: no step reads them, writes them by loops or keeps other numbers in
/// their memory.
pub fn left(steps: &[Step]) -> Vec<Output> {
    let versions = || steps.iter().flat_map(|step| &step.shares).flatten();
    let matrices = versions().flat_map(|version| version.outputs(Role::Out)).map(|(_, output)| output);
    let mut all: Vec<Output> = Vec::new();
    for output in matrices.filter(|output| matches!(output.shape, Dims::Matrix(..))) {
        if !all.contains(&output) && versions().all(|version| only_stores(version, output)) {
            all.push(output);
        }
    }
    all
}

/// True if a kernel only stores entries of a result, each on its own.
fn only_stores(version: &Version, output: Output) -> bool {
    let in_loops = version.in_loops();
    let mut arrays = version.kernel.declared().filter(|(id, _)| version.wire(*id) == Wire::Output(output));
    arrays.all(|(id, decl)| {
        let is_filled = |stmt: &Stmt| matches!(stmt, Stmt::Fill { array, .. } if *array == id);
        decl.role == Role::Out && !in_loops.contains(&id) && !version.kernel.body.iter().any(is_filled)
    })
}

/// A kernel without stores of zeros to these results, and these stores as text.
pub fn apart(gpu: &Writer<'_>, version: &Version, left: &[Output]) -> (Version, String) {
    let is_left = |wire: Wire| matches!(wire, Wire::Output(output) if left.contains(&output));
    let mut text = String::new();
    for stmt in &version.kernel.body {
        if let Stmt::Store { to, from } = stmt
            && from.is_zero()
            && is_left(version.wire(to.array))
            && let wire @ Wire::Output(output) = version.wire(to.array)
        {
            let entry = gpu.entry(wire, &gpu.output(output), &to.index.to_string());
            let _ = writeln!(text, "{entry} = {};", gpu.real.number(0.0));
        }
    }
    if !text.is_empty() {
        text = format!("#ifndef RBD_LEAVE_ZEROS\n{text}#endif\n");
    }
    (version.without_zeros_of(|array| is_left(version.wire(array))), text)
}
