//! Verification of graphs: conditions that each pass may rely on and must keep.

use super::{Id, Node, Nodes, Value};
use thiserror::Error;

/// Reason why a list of nodes is no graph.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// An operand is not computed when its user is.
    #[error("node {user} needs node {operand}, which is not older")]
    Order {
        /// The node.
        user: Id,
        /// The operand.
        operand: Id,
    },
    /// The numbers of lanes of a node and of its operands do not go together.
    #[error("node {id} has {lanes} lanes, which is not what its operands make")]
    Lanes {
        /// The node.
        id: Id,
        /// Number of lanes it has.
        lanes: u8,
    },
    /// A gather or a constant by lane is not in its table.
    #[error("node {id} is entry {slot} of a table that has {entries}")]
    Table {
        /// The node.
        id: Id,
        /// Slot of the missing entry.
        slot: u32,
        /// Number of entries.
        entries: usize,
    },
    /// Missing input.
    #[error("node {id} is number {index} of input {array}, which has no such number")]
    Input {
        /// The node.
        id: Id,
        /// Number of the input.
        array: u16,
        /// Index of the missing number.
        index: u32,
    },
    /// A constant is infinite or not a number, or has a sign where signs live outside of nodes.
    #[error("node {id} has a constant that is none: {value}")]
    Constant {
        /// The node.
        id: Id,
        /// The constant.
        value: String,
    },
    /// An output is no node with one lane, nor a finite constant.
    #[error("output {output} is no number of this graph")]
    Output {
        /// Index in the list of outputs.
        output: usize,
    },
}

impl Nodes {
    /// Checks a graph, dead nodes included. `inputs` are the inputs' lengths.
    ///
    /// # Errors
    /// The first fault.
    pub fn verify(&self, inputs: &[usize], outputs: &[Value]) -> Result<(), Fault> {
        for id in 0..self.len() as Id {
            self.verify_table(id)?;
            let mut newer = None;
            self.for_each_operand(id, |operand| newer = newer.or((operand >= id).then_some(operand)));
            if let Some(operand) = newer {
                return Err(Fault::Order { user: id, operand });
            }
            self.verify_constants(id)?;
            match self.node(id) {
                Node::Input { array, index }
                    if inputs.get(usize::from(array)).is_none_or(|n| index as usize >= *n) =>
                {
                    return Err(Fault::Input { id, array, index });
                }
                _ if !self.lanes_agree(id) => return Err(Fault::Lanes { id, lanes: self.lanes(id) }),
                _ => {}
            }
        }
        let is_number = |value: &Value| match *value {
            Value::Const(x) => x.is_finite(),
            Value::Node { id, .. } => (id as usize) < self.len() && self.lanes(id) == 1,
        };
        match outputs.iter().position(|value| !is_number(value)) {
            Some(output) => Err(Fault::Output { output }),
            None => Ok(()),
        }
    }

    /// The graph, which is verified first if debug assertions are on. `by` names the pass that made
    /// it.
    ///
    /// # Panics
    /// If verification fails, which is a bug of the generator.
    #[must_use]
    pub(crate) fn verified(self, by: &str, inputs: &[usize], outputs: &[Value]) -> Self {
        if cfg!(debug_assertions)
            && let Err(fault) = self.verify(inputs, outputs)
        {
            panic!("this is a bug of rbd: {by} made a graph of which {fault}");
        }
        self
    }

    /// Checks that a node's table entry exists.
    fn verify_table(&self, id: Id) -> Result<(), Fault> {
        let (slot, entries) = match self.node(id) {
            Node::Gather(slot) => (slot, self.gathers.len()),
            Node::LaneConst(slot) => (slot, self.lane_constants.len()),
            _ => return Ok(()),
        };
        if (slot as usize) < entries { Ok(()) } else { Err(Fault::Table { id, slot, entries }) }
    }

    fn verify_constants(&self, id: Id) -> Result<(), Fault> {
        let wrong = match self.node(id) {
            Node::Const(bits) => {
                Some(f64::from_bits(bits)).filter(|x| !(x.is_finite() && x.is_sign_positive()))
            }
            Node::LaneConst(slot) => self.lane_constant(slot).iter().copied().find(|x| !x.is_finite()),
            Node::Gather(slot) => self.gather(slot).iter().find_map(|value| match value {
                Value::Const(x) => Some(*x).filter(|x| !x.is_finite()),
                Value::Node { .. } => None,
            }),
            _ => None,
        };
        wrong.map_or(Ok(()), |x| Err(Fault::Constant { id, value: x.to_string() }))
    }

    /// Returns whether a node has the lanes that its operation gives for its operands.
    fn lanes_agree(&self, id: Id) -> bool {
        let lanes = self.lanes(id);
        match self.node(id) {
            Node::Const(_) | Node::Input { .. } => lanes == 1,
            Node::LaneConst(slot) => lanes > 1 && self.lane_constant(slot).len() == usize::from(lanes),
            Node::Gather(slot) => {
                let one = |value: &Value| match *value {
                    Value::Const(_) => true,
                    Value::Node { id, .. } => self.lanes(id) == 1,
                };
                lanes > 1
                    && self.gather(slot).len() == usize::from(lanes)
                    && self.gather(slot).iter().all(one)
            }
            Node::HorizontalSum(a) => lanes == 1 && self.lanes(a) > 1,
            Node::Lane(a, lane) => lanes == 1 && self.lanes(a) > 1 && lane < self.lanes(a),
            Node::Sin(a) | Node::Cos(a) | Node::Recip(a) => lanes == self.lanes(a),
            Node::Hypot(a, b) => [lanes, self.lanes(a), self.lanes(b)] == [1; 3],
            Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) => {
                // One lane is broadcast.
                let (a, b) = (self.lanes(a), self.lanes(b));
                lanes == a.max(b) && (a == b || a.min(b) == 1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Expr, Graph};

    /// One node of every kind, and its last as the output.
    fn every_kind() -> (Nodes, Vec<Value>) {
        let g = Graph::new();
        let (x, y) = (g.input(0, 0), g.input(1, 2));
        let (s, c) = (x - y).sin_cos();
        let lanes =
            g.gather(&[s, c, x, Expr::constant(2.0)]) * g.lane_constant(&[2.0, 3.0, 5.0, 7.0]) + x * 0.5;
        let outputs = vec![lanes.horizontal_sum(4).recip().value(), lanes.lane(2).value(), Value::Const(3.0)];
        (g.finish(), outputs)
    }

    const INPUTS: [usize; 2] = [1, 3];

    fn find(nodes: &Nodes, is: impl Fn(Node) -> bool) -> usize {
        nodes.nodes.iter().position(|n| is(*n)).expect("one of every kind")
    }

    /// The fault that is found after this change to a valid graph.
    fn found(plant: impl FnOnce(&mut Nodes, &mut Vec<Value>)) -> Fault {
        let (mut nodes, mut outputs) = every_kind();
        plant(&mut nodes, &mut outputs);
        nodes.verify(&INPUTS, &outputs).expect_err("a fault was planted")
    }

    #[test]
    fn what_the_operators_make_is_in_order() {
        let (nodes, outputs) = every_kind();
        assert_eq!(nodes.verify(&INPUTS, &outputs), Ok(()));
        let of = |is: fn(&Node) -> bool| nodes.nodes.iter().any(is);
        assert!(of(|n| matches!(n, Node::Gather(_))) && of(|n| matches!(n, Node::LaneConst(_))));
        assert!(of(|n| matches!(n, Node::Lane(..))) && of(|n| matches!(n, Node::HorizontalSum(_))));
    }

    #[test]
    fn operands_that_are_not_older_are_found() {
        let later = found(|nodes, _| {
            let (product, last) = (find(nodes, |n| matches!(n, Node::Mul(..))), nodes.len() as Id - 1);
            nodes.nodes[product] = Node::Mul(last, last);
        });
        assert!(matches!(later, Fault::Order { user, operand } if operand > user), "{later}");
        let itself = found(|nodes, _| {
            let sine = find(nodes, |n| matches!(n, Node::Sin(_)));
            nodes.nodes[sine] = Node::Sin(sine as Id);
        });
        assert!(matches!(itself, Fault::Order { user, operand } if operand == user), "{itself}");
        let gathered = found(|nodes, _| {
            nodes.gathers[0][1] = Value::Node { id: nodes.nodes.len() as Id, negated: false };
        });
        assert!(matches!(gathered, Fault::Order { .. }), "{gathered}");
    }

    #[test]
    fn lanes_that_do_not_go_together_are_found() {
        type Is = fn(Node) -> bool;
        let kinds: [(Is, u8); 8] = [
            (|n| matches!(n, Node::Gather(_)), 2),
            (|n| matches!(n, Node::LaneConst(_)), 2),
            (|n| matches!(n, Node::HorizontalSum(_)), 4),
            (|n| matches!(n, Node::Lane(..)), 4),
            (|n| matches!(n, Node::Sin(_)), 4),
            (|n| matches!(n, Node::Recip(_)), 4),
            (|n| matches!(n, Node::Input { .. }), 4),
            (|n| matches!(n, Node::Mul(..)), 2),
        ];
        for (is, lanes) in kinds {
            let mut planted = 0;
            let fault = found(|nodes, _| {
                planted = find(nodes, is);
                nodes.lanes[planted] = lanes;
            });
            assert_eq!(fault, Fault::Lanes { id: planted as Id, lanes });
        }
        // A lane that does not exist, and the sum over an operand of one lane.
        for wrong in [Node::Lane, |a, _| Node::HorizontalSum(a)] as [fn(Id, u8) -> Node; 2] {
            let fault = found(|nodes, _| {
                let lane = find(nodes, |n| matches!(n, Node::Lane(..)));
                let Node::Lane(whole, _) = nodes.nodes[lane] else { unreachable!() };
                let (whole, one) = if wrong(0, 0) == Node::Lane(0, 0) { (whole, 4) } else { (0, 0) };
                nodes.nodes[lane] = wrong(whole, one);
            });
            assert!(matches!(fault, Fault::Lanes { .. }), "{fault}");
        }
    }

    #[test]
    fn what_is_out_of_range_is_found() {
        let (gather, constant) = (
            found(|nodes, _| nodes.gathers.clear()),
            found(|nodes, _| {
                let at = find(nodes, |n| matches!(n, Node::LaneConst(_)));
                nodes.nodes[at] = Node::LaneConst(1);
            }),
        );
        assert!(matches!(gather, Fault::Table { slot: 0, entries: 0, .. }), "{gather}");
        assert!(matches!(constant, Fault::Table { slot: 1, entries: 1, .. }), "{constant}");
        let (nodes, outputs) = every_kind();
        for inputs in [&[1][..], &[1, 2], &[0, 3]] {
            let fault = nodes.verify(inputs, &outputs).expect_err("an input is missing");
            assert!(matches!(fault, Fault::Input { .. }), "{fault}");
        }
    }

    #[test]
    fn constants_that_are_none_are_found() {
        for x in [f64::NAN, f64::INFINITY, -1.0] {
            let fault = found(|nodes, _| {
                let at = find(nodes, |n| matches!(n, Node::Const(_)));
                nodes.nodes[at] = Node::Const(x.to_bits());
            });
            assert!(matches!(fault, Fault::Constant { .. }), "{fault}");
        }
        let (lane, gathered) = (
            found(|nodes, _| nodes.lane_constants[0][3] = f64::INFINITY),
            found(|nodes, _| nodes.gathers[0][3] = Value::Const(f64::NAN)),
        );
        assert!(matches!((&lane, &gathered), (Fault::Constant { .. }, Fault::Constant { .. })));
    }

    #[test]
    fn outputs_that_are_no_numbers_are_found() {
        let nowhere = found(|nodes, outputs| {
            outputs[1] = Value::Node { id: nodes.len() as Id, negated: true };
        });
        assert_eq!(nowhere, Fault::Output { output: 1 });
        let lanes = found(|nodes, outputs| {
            let id = find(nodes, |n| matches!(n, Node::Gather(_))) as Id;
            outputs[0] = Value::Node { id, negated: false };
        });
        assert_eq!(lanes, Fault::Output { output: 0 });
        assert_eq!(found(|_, outputs| outputs[2] = Value::Const(f64::NAN)), Fault::Output { output: 2 });
    }

    #[test]
    #[should_panic(expected = "this is a bug of rbd: a pass made a graph of which output 0")]
    fn a_broken_graph_stops_the_generator() {
        let (nodes, _) = every_kind();
        let _ = nodes.verified("a pass", &INPUTS, &[Value::Const(f64::INFINITY)]);
    }
}
