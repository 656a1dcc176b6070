//! Common factors: `a b + a c + d` becomes `a (b + c) + d`.
//!
//! A sum is taken together with the sums that only it uses. Where two or more of its products, used
//! nowhere else, share a factor, the factor is taken out, the commonest first. Sums without common
//! factors stay as the algorithm wrote them.

use super::rebuild::Rebuild;
use crate::graph::{Expr, Graph, Id, Node, Nodes, Rule, Rules, Value};

/// The graph with common factors taken out; `outputs` are replaced by their new values.
pub fn factor(nodes: &Nodes, outputs: &mut [Value], rules: Rules) -> Nodes {
    if !rules.contains(Rule::CommonFactors) {
        return nodes.clone();
    }
    let graph = Graph::like(nodes, rules);
    let new: Vec<Value> = {
        let mut pass = Factoring::new(nodes, outputs, &graph);
        let mut new = |output: &Value| {
            if let Value::Node { id, .. } = output {
                pass.expr(*id);
            }
            pass.rebuild.value(*output).value()
        };
        outputs.iter().map(&mut new).collect()
    };
    outputs.copy_from_slice(&new);
    graph.finish()
}

struct Factoring<'a, 'g> {
    nodes: &'a Nodes,
    /// Number of uses of each node, by live nodes and outputs.
    uses: Vec<u32>,
    rebuild: Rebuild<'a, 'g>,
}

/// A signed term of a sum.
type Term = (bool, Id);

impl<'a, 'g> Factoring<'a, 'g> {
    fn new(nodes: &'a Nodes, outputs: &[Value], graph: &'g Graph) -> Self {
        let live = nodes.live(outputs.iter().copied());
        let mut uses = vec![0; nodes.len()];
        for id in (0..nodes.len() as Id).filter(|&id| live[id as usize]) {
            nodes.for_each_operand(id, |operand| uses[operand as usize] += 1);
        }
        for output in outputs {
            if let Value::Node { id, .. } = output {
                uses[*id as usize] += 1;
            }
        }
        let mut pass = Self { nodes, uses, rebuild: Rebuild::new(nodes, graph) };
        // Operands before users, so that recursion never goes deeper than one sum.
        for id in (0..nodes.len() as Id).filter(|&id| live[id as usize]) {
            let inside_a_sum = pass.uses[id as usize] == 1
                && matches!(nodes.node(id), Node::Add(..) | Node::Sub(..) | Node::Mul(..));
            if !inside_a_sum {
                pass.expr(id);
            }
        }
        pass
    }

    fn expr(&mut self, id: Id) -> Expr<'g> {
        if let Some(known) = self.rebuild.known(id) {
            return known;
        }
        if matches!(self.nodes.node(id), Node::Add(..) | Node::Sub(..)) {
            let mut terms = Vec::new();
            self.collect(id, false, &mut terms);
            let products = terms.iter().map(|t| self.factors(*t, id)).collect::<Vec<_>>();
            if commonest(&products).is_some() {
                let sum = self.factored(products);
                self.rebuild.set(id, sum);
                return sum;
            }
        }
        let nodes = self.nodes;
        nodes.for_each_operand(id, |operand| _ = self.expr(operand));
        self.rebuild.copy(id);
        self.rebuild.get(id)
    }

    /// Terms of a sum, including the terms of sums that only it uses.
    fn collect(&self, id: Id, negated: bool, terms: &mut Vec<Term>) {
        let (a, b, minus) = match self.nodes.node(id) {
            Node::Add(a, b) => (a, b, false),
            Node::Sub(a, b) => (a, b, true),
            _ => return,
        };
        for (operand, negated) in [(a, negated), (b, negated != minus)] {
            let sum = matches!(self.nodes.node(operand), Node::Add(..) | Node::Sub(..));
            if sum && self.uses[operand as usize] == 1 && self.nodes.lanes(operand) == self.nodes.lanes(id) {
                self.collect(operand, negated, terms);
            } else {
                terms.push((negated, operand));
            }
        }
    }

    /// A term as a product, if nothing else uses the product; constant factors count like any
    /// other.
    fn factors(&self, (negated, id): Term, sum: Id) -> Product {
        match self.nodes.node(id) {
            Node::Mul(a, b)
                if self.uses[id as usize] == 1 && self.nodes.lanes(id) == self.nodes.lanes(sum) =>
            {
                Product { negated, factors: [Some(a), Some(b)] }
            }
            _ => Product { negated, factors: [Some(id), None] },
        }
    }

    /// Sum of these products with common factors taken out.
    fn factored(&mut self, products: Vec<Product>) -> Expr<'g> {
        let Some(factor) = commonest(&products) else {
            return products.into_iter().fold(Expr::ZERO, |sum, p| {
                let x = p.factors.into_iter().flatten().fold(Expr::ONE, |x, f| x * self.expr(f));
                if p.negated { sum - x } else { sum + x }
            });
        };
        let (with, without): (Vec<Product>, Vec<Product>) =
            products.into_iter().partition(|p| p.factors.contains(&Some(factor)) && p.factors[1].is_some());
        let rest_of = |p: Product| {
            let [a, b] = p.factors;
            Product { negated: p.negated, factors: [if a == Some(factor) { b } else { a }, None] }
        };
        let inner = self.factored(with.into_iter().map(rest_of).collect());
        let product = self.expr(factor) * inner;
        if without.is_empty() { product } else { self.factored(without) + product }
    }
}

/// A signed product of one or two nodes.
#[derive(Clone, Copy)]
struct Product {
    negated: bool,
    factors: [Option<Id>; 2],
}

/// The factor that most of the products of two share, the first among equals; none if no two share one.
fn commonest(products: &[Product]) -> Option<Id> {
    let two = || products.iter().filter_map(|p| Some((p.factors[0]?, p.factors[1]?)));
    two().nth(1)?;
    // Each factor of each product once. Sorted, since a hash table costs more than such short
    // lists.
    let factors: Vec<Id> = two().flat_map(|(a, b)| std::iter::once(a).chain((a != b).then_some(b))).collect();
    let mut sorted = factors.clone();
    sorted.sort_unstable();
    let count = |x| sorted.partition_point(|y| *y <= x) - sorted.partition_point(|y| *y < x);
    let mut best = None;
    for factor in factors {
        let n = count(factor);
        if n >= 2 && best.is_none_or(|(most, _)| n > most) {
            best = Some((n, factor));
        }
    }
    best.map(|(_, factor)| factor)
}
