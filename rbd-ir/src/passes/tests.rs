//! Tests of each pass: its gain, and that it changes no value.

use super::fuse::{Operation, Statement, fuse};
use super::{chain, factor};
use crate::graph::{Evaluator, Expr, Graph, Node, Nodes, OperationCount, Rule, Rules, Value};

fn at(nodes: &Nodes, value: Value) -> f64 {
    Evaluator::new(nodes, &[&[0.3, -0.7, 1.1, 0.4, 2.0]]).get(value)
}

/// Operations before and after factoring; the value must stay.
fn factored(build: impl for<'g> FnOnce([Expr<'g>; 5]) -> Expr<'g>) -> (usize, usize) {
    let graph = Graph::new();
    let output = build([0, 1, 2, 3, 4].map(|k| graph.input(0, k))).value();
    let before = graph.finish();
    let mut outputs = [output];
    let after = factor(&before, &mut outputs, Rules::default());
    assert!((at(&before, output) - at(&after, outputs[0])).abs() < 1e-15);
    let count = |nodes: &Nodes, output| OperationCount::of(nodes, [output]).total();
    (count(&before, output), count(&after, outputs[0]))
}

#[test]
fn a_common_factor_is_taken_out_once() {
    assert_eq!(factored(|[a, b, c, ..]| a * b + a * c), (3, 2));
    assert_eq!(factored(|[a, b, c, ..]| a * b - a * c), (3, 2));
    assert_eq!(factored(|[a, b, c, d, e]| a * b + d * e + a * c - a * d), (7, 5));
    // b + c is formed once.
    assert_eq!(factored(|[a, b, c, d, _]| a * b + a * c + d * b + d * c), (7, 4));
}

#[test]
fn a_product_that_others_use_stays() {
    let kept = factored(|[a, b, c, d, _]| {
        let shared = a * b;
        (shared + a * c) * (shared + d)
    });
    assert_eq!(kept.0, kept.1);
}

#[test]
fn sums_without_common_factors_stay_as_they_were() {
    assert_eq!(factored(|[a, b, c, d, e]| a * b + c * d + e), (4, 4));
}

/// The statements of one output, and its value by its statements.
fn fused(build: impl for<'g> FnOnce([Expr<'g>; 5]) -> Expr<'g>) -> Vec<Statement> {
    let graph = Graph::new();
    let output = build([0, 1, 2, 3, 4].map(|k| graph.input(0, k))).value();
    fuse(&graph.finish(), [output])
}

#[test]
fn a_product_is_fused_with_the_sum_that_uses_it() {
    assert_eq!(fused(|[a, b, c, ..]| a * b + c).len(), 1);
    assert_eq!(fused(|[a, b, c, d, _]| a * b + c * d).len(), 2);
    assert_eq!(fused(|[a, b, c, d, e]| a * b + c * d + e * a + b).len(), 4);
    // A product that two sums use vanishes from both.
    assert_eq!(fused(|[a, b, c, d, _]| (a * b + c).square() + (a * b + d).recip()).len(), 4);
}

#[test]
fn signs_of_fused_products_are_kept() {
    for (statements, product, addend) in [
        (fused(|[a, b, c, ..]| c - a * b), true, false),
        (fused(|[a, b, c, ..]| a * b - c), false, true),
        (fused(|[a, b, c, ..]| a * b + c), false, false),
    ] {
        let [Statement { operation: Operation::MulAdd { negate_product, negate_addend, .. }, .. }] =
            statements[..]
        else {
            panic!("one fused statement: {statements:?}")
        };
        // The node may be the negative of the requested one; both signs are then reversed.
        let turned = (negate_product, negate_addend) == (!product, !addend);
        assert!(turned || (negate_product, negate_addend) == (product, addend), "{statements:?}");
    }
}

#[test]
fn what_is_dead_is_not_written() {
    let graph = Graph::new();
    let (a, b) = (graph.input(0, 0), graph.input(0, 1));
    let dead = (a - b) * b;
    let alive = (a * b).value();
    assert!(!dead.is_zero());
    let statements = fuse(&graph.finish(), [alive]);
    let [Statement { operation: Operation::Plain(Node::Mul(..)), .. }] = statements[..] else {
        panic!("one product: {statements:?}")
    };
}

/// Instructions before and after sums become chains; the value must stay.
fn chained(build: impl for<'g> FnOnce([Expr<'g>; 5]) -> Expr<'g>) -> (usize, usize) {
    let graph = Graph::new();
    let output = build([0, 1, 2, 3, 4].map(|k| graph.input(0, k))).value();
    let before = graph.finish();
    let mut outputs = [output];
    let after = chain(&before, &mut outputs, Rules::default());
    assert!((at(&before, output) - at(&after, outputs[0])).abs() < 1e-15);
    (fuse(&before, [output]).len(), fuse(&after, outputs).len())
}

#[test]
fn every_product_of_a_chain_is_fused() {
    assert_eq!(chained(|[a, b, c, d, e]| (a * b + c * d) + (e + a * d)), (4, 3));
    assert_eq!(chained(|[a, b, c, d, e]| (a * b - c * d) - (e * e - a * d)), (5, 4));
    assert_eq!(chained(|[a, b, c, d, e]| (a * b - c) - (d - e * a)), (3, 3));
    // A sum of sums without products stays as long.
    assert_eq!(chained(|[a, b, c, d, e]| (a + b) - ((c - d) + e)), (4, 4));
}

#[test]
fn what_is_known_last_is_added_last() {
    // A sum that began with `late`, which is no product, would make all other terms wait for it.
    let graph = Graph::new();
    let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|k| graph.input(0, k));
    let late = (a + b) * (c + d) * e;
    let late = late * late + a;
    let output = (late + (a * b + c * d)).value();
    let mut outputs = [output];
    let nodes = chain(&graph.finish(), &mut outputs, Rules::default());
    let Value::Node { id, .. } = outputs[0] else { panic!("a sum") };
    // The outermost sum takes the late term.
    let Node::Add(x, y) = nodes.node(id) else { panic!("{:?}", nodes.node(id)) };
    assert!([x, y].into_iter().any(|k| matches!(nodes.node(k), Node::Mul(i, j) if i == j)), "{x} {y}");
}

#[test]
fn sums_that_others_use_are_formed_once() {
    let shared = chained(|[a, b, c, d, e]| {
        let sum = a * b + c;
        (sum + d * e) * (sum - e)
    });
    assert_eq!(shared, (4, 4));
}

#[test]
fn twice_a_product_is_not_taken_in_by_itself() {
    let graph = Graph::with(Rules::default().without(Rule::LikeTerms));
    let [a, b] = [0, 1].map(|k| graph.input(0, k));
    let output = (a * b + a * b).value();
    let statements = fuse(&graph.finish(), [output]);
    assert_eq!(statements.len(), 2);
}
