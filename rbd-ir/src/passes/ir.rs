//! The representation that passes transform.

use super::{chain, factor};
use crate::calls::Call;
use crate::graph::{Nodes, OperationCount, Rules, Value};
use crate::kernel::{ArrayDecl, ArrayId};
use crate::products::Product;

/// A graph, and the destinations of its values: a kernel without an order.
#[derive(Clone, Debug)]
pub struct Ir {
    /// The arithmetic. Its inputs are arrays that are declared here.
    pub nodes: Nodes,
    /// The arrays.
    pub arrays: Vec<ArrayDecl>,
    /// The entries of those arrays that the graph gives, by columns.
    pub entries: Vec<(ArrayId, Vec<Value>)>,
    /// Calls to the runtime's loops after the graph, in order.
    pub calls: Vec<Call>,
    /// Products by loops after that, in order.
    pub products: Vec<Product>,
}

impl Ir {
    /// Every entry that the graph gives.
    pub fn values(&self) -> impl Iterator<Item = Value> + Clone + '_ {
        self.entries.iter().flat_map(|(_, values)| values.iter().copied())
    }

    /// The graph's arithmetic; products apart.
    pub fn count(&self) -> OperationCount {
        OperationCount::of(&self.nodes, self.values())
    }

    /// The passes from a graph to a graph, in order.
    #[must_use]
    pub fn simplified(self, rules: Rules) -> Self {
        self.then("an algorithm", |nodes, _| nodes)
            .then("taking out common factors", |nodes, values| factor(&nodes, values, rules))
            .then("making sums chains", |nodes, values| chain(&nodes, values, rules))
    }

    /// One pass; where debug assertions are on, the graph that it gives is verified.
    fn then(mut self, name: &str, pass: impl FnOnce(Nodes, &mut [Value]) -> Nodes) -> Self {
        let mut values: Vec<Value> = self.values().collect();
        let sizes: Vec<usize> = self.arrays.iter().map(ArrayDecl::len).collect();
        self.nodes = pass(std::mem::take(&mut self.nodes), &mut values).verified(name, &sizes, &values);
        let mut values = values.into_iter();
        for value in self.entries.iter_mut().flat_map(|(_, entries)| entries) {
            *value = values.next().expect("this is a bug of rbd: a pass lost an output");
        }
        self
    }
}
