//! Sums as chains: `(a b + c d) + (e + f g)` becomes `((e + a b) + c d) + f g`, where every product
//! is fused.
//!
//! A sum of p products and n other terms takes p + n - 1 instructions if it begins with one of the
//! others and adds one term at a time. A sum of two sums cannot fuse. A sum includes the sums that
//! only it uses. Terms that are known first are added first, so that little remains to do after the
//! last term.

use super::rebuild::Rebuild;
use crate::graph::{Expr, Graph, Id, Node, Nodes, Rule, Rules, Value};

/// The graph with its sums as chains; `outputs` are replaced by their new values.
pub fn chain(nodes: &Nodes, outputs: &mut [Value], rules: Rules) -> Nodes {
    if !rules.contains(Rule::Chains) {
        return nodes.clone();
    }
    let graph = Graph::like(nodes, rules);
    let new: Vec<Value> = {
        let mut rebuild = Rebuild::new(nodes, &graph);
        let uses = Uses::new(nodes, outputs);
        let mut chains: Vec<Chain> = Vec::new();
        // Chains by the node that they wait for.
        let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
        for root in (0..nodes.len() as Id).filter(|&id| uses.is_whole_sum(id)) {
            let chain = Chain { root, left: uses.terms(root).into_iter(), sum: Expr::ZERO };
            waiting[chain.next() as usize].push(chains.len());
            chains.push(chain);
        }
        for id in 0..nodes.len() as Id {
            if uses.live[id as usize] && !uses.is_sum(id) {
                rebuild.copy(id);
            }
            // A chain that is complete is a term that others may wait for; those are of later sums.
            let mut ready = std::mem::take(&mut waiting[id as usize]);
            while let Some(k) = ready.pop() {
                match chains[k].extend(&rebuild, id) {
                    Some(next) => waiting[next as usize].push(k),
                    None => rebuild.set(chains[k].root, chains[k].sum),
                }
            }
        }
        outputs.iter().map(|v| rebuild.value(*v).value()).collect()
    };
    outputs.copy_from_slice(&new);
    graph.finish()
}

/// Number of nodes beyond which the number of instructions matters more than latency (measured).
const LARGE: usize = 1500;

/// A signed term of a sum.
type Term = (bool, Id);

/// A sum on its way.
struct Chain<'g> {
    root: Id,
    left: std::vec::IntoIter<Term>,
    sum: Expr<'g>,
}

impl<'g> Chain<'g> {
    /// The node that it waits for.
    fn next(&self) -> Id {
        self.left.as_slice()[0].1
    }

    /// Adds the terms that are known once node `id` is, and returns the next node.
    fn extend(&mut self, rebuild: &Rebuild<'_, 'g>, id: Id) -> Option<Id> {
        while let Some(&(negated, term)) = self.left.as_slice().first() {
            if term > id {
                return Some(term);
            }
            let term = rebuild.get(term);
            self.sum = if negated { self.sum - term } else { self.sum + term };
            self.left.next();
        }
        None
    }
}

struct Uses<'a> {
    nodes: &'a Nodes,
    live: Vec<bool>,
    /// The sum that is a node's only user.
    only_sum: Vec<Option<Id>>,
    /// Instructions from the inputs to each node, one waiting for the other.
    depth: Vec<u32>,
    /// True if there are so many operations that latency does not matter.
    is_large: bool,
}

impl<'a> Uses<'a> {
    fn new(nodes: &'a Nodes, outputs: &[Value]) -> Self {
        let live = nodes.live(outputs.iter().copied());
        let mut count = vec![0; nodes.len()];
        let mut only_sum = vec![None; nodes.len()];
        for id in (0..nodes.len() as Id).filter(|&id| live[id as usize]) {
            let sum = matches!(nodes.node(id), Node::Add(..) | Node::Sub(..));
            nodes.for_each_operand(id, |operand| {
                count[operand as usize] += 1;
                only_sum[operand as usize] = (sum && nodes.lanes(operand) == nodes.lanes(id)).then_some(id);
            });
        }
        for output in outputs {
            if let Value::Node { id, .. } = output {
                count[*id as usize] += 1;
            }
        }
        for (only, count) in only_sum.iter_mut().zip(&count) {
            *only = only.filter(|_| *count == 1);
        }
        let mut depth = vec![0; nodes.len()];
        for id in 0..nodes.len() as Id {
            let mut deepest = 0;
            nodes.for_each_operand(id, |operand| deepest = deepest.max(depth[operand as usize]));
            let computed = matches!(nodes.node(id), Node::Add(..) | Node::Sub(..) | Node::Mul(..));
            depth[id as usize] = deepest + u32::from(computed);
        }
        let is_large = live.iter().filter(|live| **live).count() > LARGE;
        Self { nodes, live, only_sum, depth, is_large }
    }

    fn is_sum(&self, id: Id) -> bool {
        matches!(self.nodes.node(id), Node::Add(..) | Node::Sub(..))
    }

    /// Returns whether this is a sum that is not part of another.
    fn is_whole_sum(&self, id: Id) -> bool {
        self.live[id as usize] && self.is_sum(id) && self.only_sum[id as usize].is_none()
    }

    /// Terms of a sum, in the order of their addition.
    fn terms(&self, root: Id) -> Vec<Term> {
        let mut terms = Vec::new();
        self.collect(root, false, &mut terms);
        terms.sort_by_key(|&(_, id)| (self.depth[id as usize], id));
        if let Some(first) = terms.iter().position(|t| !self.is_product(t)) {
            let mut shortest = terms.clone();
            shortest[..=first].rotate_right(1);
            if self.is_large || self.ready(&shortest) <= self.ready(&terms) {
                return shortest;
            }
        }
        terms
    }

    /// Returns whether a term is a product that the sum can fuse.
    fn is_product(&self, &(_, id): &Term) -> bool {
        matches!(self.nodes.node(id), Node::Mul(..)) && self.only_sum[id as usize].is_some()
    }

    /// Depth of the sum of these terms, added in this order.
    fn ready(&self, terms: &[Term]) -> u32 {
        let mut sum = None;
        for term in terms {
            let depth = self.depth[term.1 as usize];
            let fused = u32::from(self.is_product(term) && sum.is_some());
            sum = Some(sum.map_or(depth, |sum: u32| sum.max(depth - fused) + 1));
        }
        sum.unwrap_or_default()
    }

    fn collect(&self, id: Id, negated: bool, terms: &mut Vec<Term>) {
        let (a, b, minus) = match self.nodes.node(id) {
            Node::Add(a, b) => (a, b, false),
            Node::Sub(a, b) => (a, b, true),
            _ => return,
        };
        for (operand, negated) in [(a, negated), (b, negated != minus)] {
            if self.is_sum(operand) && self.only_sum[operand as usize].is_some() {
                self.collect(operand, negated, terms);
            } else {
                terms.push((negated, operand));
            }
        }
    }
}
