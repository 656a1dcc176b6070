//! Running a graph without compiling it, so that tests can try thousands of robots.

use super::{Id, Node, Nodes, Value};

/// A graph's values for one set of inputs.
#[derive(Debug)]
pub struct Evaluator {
    values: Vec<Vec<f64>>,
}

impl Evaluator {
    /// Evaluates every node, in `f64` and without fusing, at `inputs[array][index]`.
    pub fn new(nodes: &Nodes, inputs: &[&[f64]]) -> Self {
        let mut values: Vec<Vec<f64>> = Vec::with_capacity(nodes.len());
        for id in 0..nodes.len() as Id {
            let lanes = nodes.lanes(id) as usize;
            let get = |a: Id, k: usize| {
                let v = &values[a as usize];
                if v.len() == 1 { v[0] } else { v[k] }
            };
            let value = (0..lanes)
                .map(|k| match nodes.node(id) {
                    Node::Const(bits) => f64::from_bits(bits),
                    Node::LaneConst(slot) => nodes.lane_constant(slot)[k],
                    Node::Input { array, index } => inputs[array as usize][index as usize],
                    Node::Gather(slot) => match nodes.gather(slot)[k] {
                        Value::Const(x) => x,
                        Value::Node { id, negated } => sign(negated) * get(id, 0),
                    },
                    Node::HorizontalSum(a) => values[a as usize].iter().sum(),
                    Node::Lane(a, lane) => get(a, lane as usize),
                    Node::Sin(a) => get(a, k).sin(),
                    Node::Cos(a) => get(a, k).cos(),
                    Node::Add(a, b) => get(a, k) + get(b, k),
                    Node::Sub(a, b) => get(a, k) - get(b, k),
                    Node::Mul(a, b) => get(a, k) * get(b, k),
                    Node::Recip(a) => 1.0 / get(a, k),
                })
                .collect();
            values.push(value);
        }
        Self { values }
    }

    /// An output, which has one lane.
    pub fn get(&self, value: Value) -> f64 {
        match value {
            Value::Const(x) => x,
            Value::Node { id, negated } => sign(negated) * self.values[id as usize][0],
        }
    }
}

fn sign(negated: bool) -> f64 {
    if negated { -1.0 } else { 1.0 }
}
