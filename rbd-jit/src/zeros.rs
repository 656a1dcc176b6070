//! Entries of results that are zero in every state: two thirds of a humanoid's derivatives.

use crate::kept::Wired;
use rbd_build::plan::Wire;
use rbd_build::signature::Output;
use rbd_ir::kernel::{ArrayId, Kernel, Operand, Role, Signed, Stmt};
use rbd_ir::products::ProductKind;
use std::sync::Arc;

/// True, for each output, for each entry that may be nonzero.
pub fn nonzero(versions: &[Arc<Wired>], outputs: &[Output]) -> Vec<Vec<bool>> {
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

/// A version for results of which some are zero before its first run: of these, zeros are not written where
/// nobody writes anything else.
pub fn without(
    version: &Arc<Wired>,
    all: &[Arc<Wired>],
    is_zero_at_first: impl Fn(&Output) -> bool,
) -> Arc<Wired> {
    // Of results that loops read or write, or that another stage has, zeros may be overwritten.
    let loops = |kernel: &Kernel| {
        let products = kernel.products().flat_map(|product| match product.kind {
            ProductKind::Negative { a, x } => vec![a, x],
            ProductKind::Gram { g, d, out } => vec![g, d, out],
        });
        let calls = kernel.calls().flat_map(|call| call.reads().chain(call.results.iter().copied()));
        products.chain(calls).collect::<Vec<ArrayId>>()
    };
    let in_loops = loops(&version.kernel);
    let is_only = |id: ArrayId| {
        let wire = version.wire(id);
        let stages = all.iter().flat_map(|other| other.kernel.declared().map(move |(id, _)| other.wire(id)));
        version.kernel.array(id).role == Role::Out
            && matches!(&wire, Wire::Output(output) if is_zero_at_first(output))
            && !in_loops.contains(&id)
            && stages.filter(|other| *other == wire).count() == 1
    };
    let is_left_out = |stmt: &Stmt| match stmt {
        Stmt::Fill { array, with } => with.to_bits() == 0 && is_only(*array),
        Stmt::Store { to, from } => is_zero(*from) && is_only(to.array),
        _ => false,
    };
    let mut quiet = Wired::clone(version);
    quiet.kernel.body.retain(|stmt| !is_left_out(stmt));
    Arc::new(quiet)
}

fn of_array(kernel: &Kernel, id: ArrayId) -> Vec<bool> {
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
    is_nonzero
}

/// True if a number is the constant zero, without a sign.
fn is_zero(from: Signed) -> bool {
    matches!(from, Signed { operand: Operand::Const(x), negated: false } if x.to_bits() == 0)
}
