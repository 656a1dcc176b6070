//! Running a graph without compiling it, so that tests can try thousands of robots.

use super::{Id, Node, Nodes, Value};
use rbd_runtime::Scalar;

/// A graph's values for one set of inputs.
#[derive(Debug)]
pub struct Evaluator<T = f64> {
    values: Vec<Vec<T>>,
}

impl<T: Scalar> Evaluator<T> {
    /// Evaluates every node, without fusing, at `inputs[array][index]`.
    pub fn new(nodes: &Nodes, inputs: &[&[T]]) -> Self {
        let mut values: Vec<Vec<T>> = Vec::with_capacity(nodes.len());
        for id in 0..nodes.len() as Id {
            let lanes = nodes.lanes(id) as usize;
            let get = |a: Id, k: usize| {
                let v = &values[a as usize];
                if v.len() == 1 { v[0] } else { v[k] }
            };
            let value = (0..lanes)
                .map(|k| match nodes.node(id) {
                    Node::Const(bits) => T::from_f64(f64::from_bits(bits)),
                    Node::LaneConst(slot) => T::from_f64(nodes.lane_constant(slot)[k]),
                    Node::Input { array, index } => inputs[array as usize][index as usize],
                    Node::Gather(slot) => match nodes.gather(slot)[k] {
                        Value::Const(x) => T::from_f64(x),
                        Value::Node { id, negated } => signed(negated, get(id, 0)),
                    },
                    Node::HorizontalSum(a) => values[a as usize].iter().fold(T::zero(), |sum, x| sum + *x),
                    Node::Lane(a, lane) => get(a, lane as usize),
                    Node::Sin(a) => get(a, k).sin_cos().0,
                    Node::Cos(a) => get(a, k).sin_cos().1,
                    Node::Add(a, b) => get(a, k) + get(b, k),
                    Node::Sub(a, b) => get(a, k) - get(b, k),
                    Node::Mul(a, b) => get(a, k) * get(b, k),
                    Node::Recip(a) => T::one() / get(a, k),
                    Node::Hypot(a, b) => (get(a, k) * get(a, k) + get(b, k) * get(b, k)).sqrt(),
                })
                .collect();
            values.push(value);
        }
        Self { values }
    }

    /// Value of an output of one lane.
    pub fn get(&self, value: Value) -> T {
        match value {
            Value::Const(x) => T::from_f64(x),
            Value::Node { id, negated } => signed(negated, self.values[id as usize][0]),
        }
    }
}

fn signed<T: Scalar>(negated: bool, x: T) -> T {
    if negated { -x } else { x }
}
