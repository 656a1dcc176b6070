//! The graph's simplifications, one by one.

use super::*;

fn operations(graph: Graph, outputs: &[Value]) -> usize {
    OperationCount::of(&graph.finish(), outputs.iter().copied()).total()
}

#[test]
fn zeros_and_ones_vanish() {
    let g = Graph::new();
    let x = g.input(0, 0);
    assert_eq!((x * Expr::ZERO).value(), Value::ZERO);
    assert_eq!((x * Expr::ONE).value(), x.value());
    assert_eq!((x * -1.0).value(), (-x).value());
    assert_eq!((x + Expr::ZERO).value(), x.value());
    assert_eq!((x - x).value(), Value::ZERO);
    assert_eq!((x + -x).value(), Value::ZERO);
}

#[test]
fn the_same_operation_is_one_node_up_to_sign() {
    let g = Graph::new();
    let (x, y) = (g.input(0, 0), g.input(0, 1));
    assert_eq!((x - y).value(), (-(y - x)).value());
    assert_eq!((-x * y).value(), (-(y * x)).value());
    assert_eq!((x + y).value(), (y + x).value());
    let out = [(x - y) * (y - x)];
    let values = out.map(Expr::value);
    assert_eq!(operations(g, &values), 2);
}

#[test]
fn constants_gather_and_fold() {
    let g = Graph::new();
    let x = g.input(0, 0);
    assert_eq!(((x * 2.0) * 3.0).value(), (x * 6.0).value());
    assert_eq!((x * 2.0 + x * 3.0).value(), (x * 5.0).value());
    assert_eq!((x + x).value(), (x * 2.0).value());
    assert_eq!((x * 2.0 - x).value(), x.value());
    assert_eq!((Expr::constant(2.0) * Expr::constant(4.0)).as_constant(), Some(8.0));
}

#[test]
fn sine_is_odd_and_cosine_even() {
    let g = Graph::new();
    let x = g.input(0, 0);
    let ((s, c), (sn, cn)) = (x.sin_cos(), (-x).sin_cos());
    assert_eq!(sn.value(), (-s).value());
    assert_eq!(cn.value(), c.value());
}

#[test]
fn dead_nodes_are_not_counted() {
    let g = Graph::new();
    let (x, y) = (g.input(0, 0), g.input(0, 1));
    let _dead = (x + y) * y;
    let out = (x * y).value();
    assert_eq!(operations(g, &[out]), 1);
}

#[test]
fn equal_and_zero_lanes_fold_back() {
    let g = Graph::new();
    let x = g.input(0, 0);
    assert_eq!(g.lane_constant(&[2.0, 2.0]).as_constant(), Some(2.0));
    let a = g.lane_constant(&[1.0, -1.0]);
    assert_eq!((a * a).as_constant(), Some(1.0));
    assert_eq!((a - a).as_constant(), Some(0.0));
    assert_eq!(g.lane_constant(&[-1.0, 1.0]).value(), (-a).value());
    assert_eq!(g.gather(&[x, x]).value(), x.value());
    assert_eq!(a.horizontal_sum(2).as_constant(), Some(0.0));
    assert_eq!(x.horizontal_sum(4).value(), (x * 4.0).value());
}

#[test]
fn evaluation_follows_signs_lanes_and_sums() {
    let g = Graph::new();
    let (x, y) = (g.input(0, 0), g.input(1, 0));
    let lanes = g.gather(&[x, -y]) * g.lane_constant(&[3.0, 5.0]) - x;
    let total = lanes.horizontal_sum(2).recip();
    let (first, second, total) = (lanes.lane(0).value(), lanes.lane(1).value(), total.value());
    let nodes = g.finish();
    let at = Evaluator::new(&nodes, &[&[0.5], &[0.25]]);
    assert_eq!(at.get(first), 0.5 * 3.0 - 0.5);
    assert_eq!(at.get(second), -0.25 * 5.0 - 0.5);
    assert_eq!(at.get(total), 1.0 / (1.0 - 1.75));
}

/// One operation an instruction, however many lanes it has; a sum over four lanes is three
/// additions. An angle counts once, whether its sine, its cosine or both are taken.
#[test]
fn operations_of_every_kind_are_counted() {
    let g = Graph::new();
    let (x, y) = (g.input(0, 0), g.input(0, 1));
    let (s, c) = (x - y).sin_cos();
    let lanes = g.gather(&[s, c, x, y]) * g.lane_constant(&[2.0, 3.0, 5.0, 7.0]);
    let outputs = [lanes.horizontal_sum(4).recip().value(), (lanes.lane(2) * y.sin_cos().1).value()];
    let count = OperationCount::of(&g.finish(), outputs);
    assert_eq!(count, OperationCount { adds: 4, muls: 2, divs: 1, sin_cos: 2, moves: 5 });
    assert_eq!((count.adds_and_muls(), count.total()), (6, 7));
    let twice = OperationCount { adds: 8, muls: 4, divs: 2, sin_cos: 4, moves: 10 };
    assert_eq!(count + count, twice);
}
