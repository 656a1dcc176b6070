//! Copying a graph, with some of its nodes replaced.

use crate::graph::{Expr, Graph, Id, Node, Nodes, Value};

/// A graph that is being built after another.
pub struct Rebuild<'a, 'g> {
    nodes: &'a Nodes,
    graph: &'g Graph,
    new: Vec<Option<Expr<'g>>>,
}

impl<'a, 'g> Rebuild<'a, 'g> {
    /// Nothing is copied yet.
    pub fn new(nodes: &'a Nodes, graph: &'g Graph) -> Self {
        Self { nodes, graph, new: vec![None; nodes.len()] }
    }

    /// New expression of a node, if it has been copied or replaced.
    pub fn known(&self, id: Id) -> Option<Expr<'g>> {
        self.new[id as usize]
    }

    /// New expression of a node.
    ///
    /// # Panics
    /// If that is not known yet: operands come before their users.
    pub fn get(&self, id: Id) -> Expr<'g> {
        self.known(id).expect("operands come before users")
    }

    /// Sets the new expression of a node.
    pub fn set(&mut self, id: Id, x: Expr<'g>) {
        self.new[id as usize] = Some(x);
    }

    /// New expression of a value.
    pub fn value(&self, value: Value) -> Expr<'g> {
        match value {
            Value::Const(x) => Expr::constant(x),
            Value::Node { id, negated } => {
                let x = self.get(id);
                if negated { -x } else { x }
            }
        }
    }

    /// Copies a node: its operation on the new operands.
    pub fn copy(&mut self, id: Id) {
        let new = match self.nodes.node(id) {
            Node::Const(bits) => Expr::constant(f64::from_bits(bits)),
            Node::LaneConst(slot) => self.graph.lane_constant(self.nodes.lane_constant(slot)),
            Node::Input { array, index } => self.graph.input(array, index as usize),
            Node::Gather(slot) => {
                let scalars: Vec<Expr> = self.nodes.gather(slot).iter().map(|v| self.value(*v)).collect();
                self.graph.gather(&scalars)
            }
            Node::HorizontalSum(a) => self.get(a).horizontal_sum(self.nodes.lanes(a)),
            Node::Lane(a, lane) => self.get(a).lane(lane.into()),
            Node::Sin(a) => self.get(a).sin_cos().0,
            Node::Cos(a) => self.get(a).sin_cos().1,
            Node::Mul(a, b) => self.get(a) * self.get(b),
            Node::Recip(a) => self.get(a).recip(),
            Node::Hypot(a, b) => self.get(a).hypot(self.get(b)),
            Node::Add(a, b) => self.get(a) + self.get(b),
            Node::Sub(a, b) => self.get(a) - self.get(b),
        };
        self.set(id, new);
    }
}
