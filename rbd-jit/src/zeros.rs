//! Entries of results that are zero in every state: two thirds of a humanoid's derivatives.

use crate::kept::Wired;
use rbd_build::plan::Wire;
use rbd_build::signature::Output;
use rbd_ir::kernel::{ArrayId, Kernel, Operand, Role, Signed, Stmt};
use std::sync::Arc;

/// The entries of each output that are not zero in every state.
pub fn nonzero(versions: &[Arc<Wired>], outputs: &[Output]) -> Vec<Vec<u32>> {
    let of = |output: &Output| {
        let made = versions.iter().find_map(|version| {
            let is_it = |id: ArrayId| version.wire(id) == Wire::Output(*output);
            let mut made = version.kernel.declared().filter(|(_, decl)| decl.role == Role::Out);
            made.find(|(id, _)| is_it(*id)).map(|(id, _)| of_array(&version.kernel, id))
        });
        made.unwrap_or_default()
    };
    outputs.iter().map(of).collect()
}

fn of_array(kernel: &Kernel, id: ArrayId) -> Vec<u32> {
    let is_whole = kernel.body.iter().any(|stmt| match stmt {
        Stmt::Fill { array, with } => *array == id && with.to_bits() != 0,
        Stmt::Product(product) => product.result() == id,
        Stmt::Call(call) => call.results.contains(&id),
        _ => false,
    });
    let mut is_nonzero = vec![is_whole; kernel.array(id).len()];
    for stmt in &kernel.body {
        if let Stmt::Store { to, from } = stmt
            && to.array == id
            && !is_zero(*from)
        {
            is_nonzero[to.index as usize] = true;
        }
    }
    (0..).zip(is_nonzero).filter(|(_, is)| *is).map(|(k, _)| k).collect()
}

/// Whether it is zero, without a sign.
fn is_zero(from: Signed) -> bool {
    matches!(from, Signed { operand: Operand::Const(x), negated: false } if x.to_bits() == 0)
}
