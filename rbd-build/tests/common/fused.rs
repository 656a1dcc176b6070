//! Running the statements that are written as text, without compiling the text.

use rbd_build::graph::{Id, Node, Nodes, Value};
use rbd_build::passes::{Operation, Program};
use rbd_runtime::Scalar;

/// The outputs' numbers, each sum and product rounded on its own: to the bit what the graph gives.
pub fn run(nodes: &Nodes, outputs: &[Value], inputs: &[&[f64]]) -> Vec<f64> {
    let program = Program::new(nodes, outputs.iter().copied());
    let mut statements = program.statements.iter().peekable();
    // What no statement computes stays not-a-number, so that its use is seen.
    let mut values: Vec<Vec<f64>> = Vec::with_capacity(nodes.len());
    for id in 0..nodes.len() as Id {
        let operation = statements.next_if(|s| s.id == id).map(|s| s.operation);
        let lanes = nodes.lanes(id) as usize;
        let value = (0..lanes).map(|k| lane(nodes, &values, inputs, nodes.node(id), operation, k)).collect();
        values.push(value);
    }
    assert!(statements.next().is_none(), "statements are in order");
    outputs.iter().map(|v| number(&values, *v)).collect()
}

fn number(values: &[Vec<f64>], value: Value) -> f64 {
    match value {
        Value::Const(x) => x,
        Value::Node { id, negated } => signed(values[id as usize][0], negated),
    }
}

fn signed(x: f64, negated: bool) -> f64 {
    if negated { -x } else { x }
}

fn lane(
    nodes: &Nodes,
    values: &[Vec<f64>],
    inputs: &[&[f64]],
    node: Node,
    operation: Option<Operation>,
    k: usize,
) -> f64 {
    let of = |id: Id| {
        let lanes = &values[id as usize];
        if lanes.len() == 1 { lanes[0] } else { lanes[k] }
    };
    match operation {
        Some(Operation::MulAdd { a, b, c, negate_product, negate_addend }) => {
            signed(of(a) * of(b), negate_product) + signed(of(c), negate_addend)
        }
        Some(Operation::Plain(node)) => match node {
            Node::Add(a, b) => of(a) + of(b),
            Node::Sub(a, b) => of(a) - of(b),
            Node::Mul(a, b) => of(a) * of(b),
            Node::Recip(a) => 1.0 / of(a),
            Node::Gather(slot) => number(values, nodes.gather(slot)[k]),
            Node::HorizontalSum(a) => values[a as usize].iter().sum(),
            Node::Lane(a, lane) => values[a as usize][lane as usize],
            other => panic!("{other:?} is no statement"),
        },
        // These are written where they are used.
        None => match node {
            Node::Const(bits) => f64::from_bits(bits),
            Node::LaneConst(slot) => nodes.lane_constant(slot)[k],
            Node::Input { array, index } => inputs[array as usize][index as usize],
            Node::Sin(a) => Scalar::sin_cos(of(a)).0,
            Node::Cos(a) => Scalar::sin_cos(of(a)).1,
            _ => f64::NAN,
        },
    }
}
