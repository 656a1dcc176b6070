//! Common factors: `a b + a c + d` becomes `a (b + c) + d`.
//!
//! A sum is taken together with the sums that only it uses. Where two or more of its products, used
//! nowhere else, share a factor, the factor is taken out, the commonest first. Sums without common
//! factors stay as the algorithm wrote them.

use crate::graph::{Expr, Graph, Id, Node, Nodes, Value};
use rustc_hash::FxHashMap;

/// The graph with common factors taken out, and what the outputs have become.
pub fn factor(nodes: &Nodes, outputs: &mut [Value]) -> Nodes {
    let graph = Graph::new();
    let new: Vec<Value> = {
        let mut pass = Factoring::new(nodes, outputs, &graph);
        outputs.iter().map(|v| pass.value(*v).value()).collect()
    };
    outputs.copy_from_slice(&new);
    graph.finish()
}

struct Factoring<'a, 'g> {
    nodes: &'a Nodes,
    graph: &'g Graph,
    /// How often each node is used, by live nodes and outputs.
    uses: Vec<u32>,
    new: Vec<Option<Expr<'g>>>,
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
        let mut pass = Self { nodes, graph, uses, new: vec![None; nodes.len()] };
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

    fn value(&mut self, value: Value) -> Expr<'g> {
        match value {
            Value::Const(x) => Expr::constant(x),
            Value::Node { id, negated } => {
                let x = self.expr(id);
                if negated { -x } else { x }
            }
        }
    }

    fn expr(&mut self, id: Id) -> Expr<'g> {
        if let Some(known) = self.new[id as usize] {
            return known;
        }
        let nodes = self.nodes;
        let new = match nodes.node(id) {
            Node::Const(bits) => Expr::constant(f64::from_bits(bits)),
            Node::LaneConst(slot) => self.graph.lane_constant(nodes.lane_constant(slot)),
            Node::Input { array, index } => self.graph.input(array, index as usize),
            Node::Gather(slot) => {
                let scalars: Vec<Expr> = nodes.gather(slot).iter().map(|v| self.value(*v)).collect();
                self.graph.gather(&scalars)
            }
            Node::HorizontalSum(a) => self.expr(a).horizontal_sum(nodes.lanes(a)),
            Node::Lane(a, lane) => self.expr(a).lane(lane.into()),
            Node::Sin(a) => self.expr(a).sin_cos().0,
            Node::Cos(a) => self.expr(a).sin_cos().1,
            Node::Mul(a, b) => self.expr(a) * self.expr(b),
            Node::Recip(a) => self.expr(a).recip(),
            Node::Add(a, b) | Node::Sub(a, b) => {
                let mut terms = Vec::new();
                self.collect(id, false, &mut terms);
                let products = terms.iter().map(|t| self.factors(*t, id)).collect::<Vec<_>>();
                if commonest(&products).is_some() {
                    self.factored(products)
                } else if matches!(nodes.node(id), Node::Add(..)) {
                    self.expr(a) + self.expr(b)
                } else {
                    self.expr(a) - self.expr(b)
                }
            }
        };
        self.new[id as usize] = Some(new);
        new
    }

    /// The terms of a sum, with those of the sums that only it uses.
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

    /// A term as a product, if it is one that nothing else uses; constant factors count as any other.
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

    /// The sum of these products, common factors out.
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
    let mut count: FxHashMap<Id, usize> = FxHashMap::default();
    let mut best = None;
    let two = || products.iter().filter_map(|p| Some((p.factors[0]?, p.factors[1]?)));
    for (a, b) in two() {
        *count.entry(a).or_default() += 1;
        if a != b {
            *count.entry(b).or_default() += 1;
        }
    }
    for factor in two().flat_map(|(a, b)| [a, b]) {
        let n = count[&factor];
        if n >= 2 && best.is_none_or(|(most, _)| n > most) {
            best = Some((n, factor));
        }
    }
    best.map(|(_, factor)| factor)
}
