//! Functions by loops over tables: calls of the runtime's routines, and their arrays.

use crate::algorithms::Draft;
use crate::signatures::frames::ContactAt;
use crate::signatures::signature::{
    A, DDQ, DDQ_DQ, DDQ_DTAU, DDQ_DV, DTAU_DA, DTAU_DQ, DTAU_DV, FEXT, M, MINV, Q, TAU, TAU_GIVEN, V,
};
use crate::table::functions::Function;
use crate::table::routines;
use rbd_ir::calls::{Call, Routine, Terms};
use rbd_ir::kernel::ArrayId;
use rbd_ir::products::{ColumnGroup, Panels, Product, RowBlock, Support};
use rbd_runtime::loops::of_model::Owned;
use rbd_runtime::model::Body;
use rbd_runtime::{JointKind, Model};
use std::sync::Arc;

/// Drafts the calls that compute a function. `None` if the runtime has no loops for it or for this robot.
///
/// With `solves`, columns are solved for by articulated bodies, and M is not inverted.
pub fn draft(function: Function, model: &Model<f64>, solves: bool, draft: &mut Draft<'_>) -> Option<()> {
    if !function.has_loops() || !is_depth_first(model) {
        return None;
    }
    // Articulated bodies do not work if joints share a coordinate (docs/math.md#mimic-joints).
    let articulates = model.bodies.iter().all(|body| body.mimic.is_none());
    let inverts =
        matches!(function, Function::Minv | Function::AbaDerivatives | Function::AbaDerivativesFext);
    if solves && !(articulates && inverts) {
        return None;
    }
    let robot = Arc::new(Owned::from_model(model)?);
    let call = |routine: Routine, arguments: Vec<Option<ArrayId>>, results: Vec<ArrayId>| Call {
        routine,
        arguments,
        scratch: Vec::new(),
        results,
        robot: Some(robot.clone()),
        terms: None,
    };
    match function {
        Function::RneaDerivatives | Function::RneaDerivativesFext => {
            let state = [Q, V, A].map(|param| Some(draft.param(param)));
            let given = state.into_iter().chain([draft.optional(FEXT)]).collect();
            let out = [TAU, DTAU_DQ, DTAU_DV, DTAU_DA].map(|output| draft.make(output.name, output));
            draft.calls.push(call(Routine::RneaDerivatives, given, out.into()));
        }
        Function::Rnea | Function::RneaFext | Function::Bias | Function::Gravity => {
            let given =
                vec![Some(draft.param(Q)), draft.optional(V), draft.optional(A), draft.optional(FEXT)];
            let out = draft.make(TAU.name, TAU);
            draft.calls.push(call(Routine::Rnea, given, vec![out]));
        }
        Function::Aba | Function::AbaFext if articulates => {
            let state = [Q, V, TAU_GIVEN].map(|param| Some(draft.param(param)));
            let given = state.into_iter().chain([draft.optional(FEXT)]).collect();
            let out = draft.make(DDQ.name, DDQ);
            draft.calls.push(call(Routine::Aba, given, vec![out]));
        }
        Function::Crba => {
            let (q, out) = (draft.param(Q), draft.make(M.name, M));
            draft.calls.push(call(Routine::Crba, vec![Some(q)], vec![out]));
        }
        Function::Minv if solves => {
            let (q, out) = (draft.param(Q), draft.make(MINV.name, MINV));
            draft.calls.push(call(Routine::Minv, vec![Some(q)], vec![out]));
        }
        Function::Minv => {
            let (q, n) = (draft.param(Q), model.nv);
            let [m, g] = ["m", "g"].map(|name| draft.memory(name, None, (n, n)));
            let out = draft.make(MINV.name, MINV);
            draft.calls.push(call(Routine::Crba, vec![Some(q)], vec![m]));
            let terms = Some(routines::of_inverse(Panels::new(&relatives(model))));
            let inverse = call(Routine::Inverse, vec![Some(m)], vec![out]);
            draft.calls.push(Call { scratch: vec![g], robot: None, terms, ..inverse });
        }
        Function::AbaDerivatives | Function::AbaDerivativesFext => {
            let state = [Q, V, TAU_GIVEN].map(|param| Some(draft.param(param)));
            let given = state.into_iter().chain([draft.optional(FEXT)]).collect();
            let out = [DDQ, DDQ_DQ, DDQ_DV, DDQ_DTAU].map(|output| draft.make(output.name, output));
            if solves {
                draft.calls.push(call(Routine::AbaDerivativesSolved, given, out.into()));
                return Some(());
            }
            let terms = Some(Arc::new(terms_of_forward_dynamics(model, robot.knows_base())));
            draft.calls.push(Call { terms, ..call(Routine::AbaDerivatives, given, out.into()) });
        }
        _ => return None,
    }
    Some(())
}

fn terms_of_forward_dynamics(model: &Model<f64>, knows_base: bool) -> Terms {
    let relatives = relatives(model);
    let known: [&[usize]; 2] = if knows_base { [&[0, 1, 2, 3, 4, 5], &[0, 1, 2]] } else { [&[], &[]] };
    // Only the pattern matters, so the array is arbitrary.
    let product = Product::negative((ArrayId(0), &relatives.inverse()), (ArrayId(0), &relatives));
    let [by_q, by_v] = known.map(|known| product.clone().without_columns(known).groups);
    Terms { panels: Panels::new(&relatives), by_q, by_v, knows_base }
}

/// Nonzero terms of products of a matrix with the sparsity of M and a full matrix.
pub fn products_with_full(model: &Model<f64>) -> Vec<ColumnGroup> {
    let relatives = relatives(model);
    // Only the pattern matters, so the array is arbitrary.
    Product::negative((ArrayId(0), &relatives), (ArrayId(0), &relatives.inverse())).groups
}

/// Nonzero terms of products of full matrices with derivatives of inverse dynamics by q and by v.
///
/// No torque depends on a floating base's position.
pub fn products_with_relatives(model: &Model<f64>) -> [Vec<ColumnGroup>; 2] {
    let full = Support::new(model.nv, |_, _| true);
    // Only the pattern matters, so the array is arbitrary.
    let product = Product::negative((ArrayId(0), &full), (ArrayId(0), &relatives(model)));
    let floats = model.bodies.first().is_some_and(|base| base.kind == JointKind::Floating);
    let known: &[usize] = if floats { &[0, 1, 2] } else { &[] };
    [product.clone().without_columns(known).groups, product.groups]
}

/// True if derivatives of dynamics under these contacts have columns that are known: those of a floating root
/// that carries everything (docs/math.md#root-columns).
///
/// Forces of closed loops turn, and couple coordinates of different paths: their products are left whole.
pub fn knows_root(model: &Model<f64>, contacts: &[ContactAt]) -> bool {
    let mut roots = model.bodies.iter().filter(|body| body.parent.is_none());
    let is_known = |root: &Body<f64>| {
        root.kind == JointKind::Floating && [root.armature, root.damping, root.friction] == [0.0; 3]
    };
    roots.next().is_some_and(is_known)
        && roots.next().is_none()
        && contacts.iter().all(|contact| contact.second.is_none())
}

/// [`products_with_relatives`] without terms in columns that are known.
pub fn products_beside_root(model: &Model<f64>) -> [Vec<ColumnGroup>; 2] {
    let blocks = vec![RowBlock { rows: (0, model.nv), terms: Vec::new() }];
    let mut products = products_with_relatives(model);
    for (groups, known) in products.iter_mut().zip([(3, 6), (0, 3)]) {
        let around = |group: ColumnGroup| {
            let (from, to) = group.columns;
            let parts = [(from, to.min(known.0)), (from.max(known.1), to)];
            let parts = parts.into_iter().filter(|(from, to)| from < to);
            parts.map(move |columns| ColumnGroup { columns, ..group.clone() })
        };
        *groups = groups.drain(..).flat_map(around).collect();
        groups.push(ColumnGroup { columns: known, blocks: blocks.clone() });
        groups.sort_by_key(|group| group.columns);
    }
    products
}

/// True if the bodies of every subtree are numbered consecutively. Models read from a URDF are.
fn is_depth_first(model: &Model<f64>) -> bool {
    let parent = |k: usize| model.bodies[k].parent;
    (1..model.bodies.len()).all(|k| {
        let mut on_path = std::iter::successors(Some(k - 1), |&k| parent(k));
        parent(k).is_none_or(|p| on_path.any(|k| k == p))
    })
}

/// Pairs of degrees of freedom on a common path from the root.
///
/// Only there are M and the derivatives of inverse dynamics nonzero.
fn relatives(model: &Model<f64>) -> Support {
    let n = model.nv;
    let mut related = vec![false; n * n];
    for (i, body) in model.bodies.iter().enumerate() {
        for on_path in std::iter::successors(Some(i), |&k| model.bodies[k].parent) {
            let ancestor = &model.bodies[on_path];
            for r in body.idx_v..body.idx_v + body.kind.nv() {
                for c in ancestor.idx_v..ancestor.idx_v + ancestor.kind.nv() {
                    related[r * n + c] = true;
                    related[c * n + r] = true;
                }
            }
        }
    }
    Support::new(n, |r, c| related[r * n + c])
}
