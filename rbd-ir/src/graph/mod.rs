//! The expression graph: pure arithmetic, which knows no robots.
//!
//! Nodes are hash-consed: an operation on given operands is a single node, so common subexpressions
//! are shared as they are written. Constants fold; products by 0 and 1 and sums with 0 vanish.
//! Signs are pulled out of every node (an [`Expr`] is a node or its negative), so that `a - b` and
//! `b - a` are one node too.
//!
//! A node holds one number, or `lanes` numbers that undergo the same operation at once: the legs of
//! a quadruped. A one-lane operand is broadcast; [`Expr::horizontal_sum`] goes back to one lane.

mod count;
mod eval;
mod expr;
mod rules;
mod verify;

pub use count::OperationCount;
pub use eval::Evaluator;
pub use expr::Expr;
pub use rules::{Rule, Rules};
pub use verify::Fault;

use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::hash_map::Entry;

/// The number of a node; operands have smaller numbers than the nodes that use them.
pub type Id = u32;

/// One operation. Signs live outside of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// A positive constant, by its bits.
    Const(u64),
    /// Constants that differ by lane: see [`Nodes::lane_constant`].
    LaneConst(u32),
    /// The `index`-th number of the `array`-th input.
    Input {
        /// Number of the input.
        array: u16,
        /// Index of the number.
        index: u32,
    },
    /// Scalars put side by side in lanes: see [`Nodes::gather`].
    Gather(u32),
    /// The sum over an operand's lanes.
    HorizontalSum(Id),
    /// One of an operand's lanes.
    Lane(Id, u8),
    /// Sine of an angle.
    Sin(Id),
    /// Cosine of an angle.
    Cos(Id),
    /// Sum.
    Add(Id, Id),
    /// Difference.
    Sub(Id, Id),
    /// Product.
    Mul(Id, Id),
    /// Reciprocal.
    Recip(Id),
    /// `sqrt(a^2 + b^2)`, of one lane. Even in both, so that signs are none of its business.
    Hypot(Id, Id),
}

impl Node {
    /// Operands that are nodes (a gather's are in its table).
    pub fn operands(self) -> impl Iterator<Item = Id> {
        let (a, b) = match self {
            Self::Const(_) | Self::LaneConst(_) | Self::Input { .. } | Self::Gather(_) => (None, None),
            Self::HorizontalSum(a) | Self::Lane(a, _) | Self::Sin(a) | Self::Cos(a) | Self::Recip(a) => {
                (Some(a), None)
            }
            Self::Add(a, b) | Self::Sub(a, b) | Self::Mul(a, b) | Self::Hypot(a, b) => (Some(a), Some(b)),
        };
        a.into_iter().chain(b)
    }
}

/// An [`Expr`] of a finished graph: a node or its negative, or a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A constant of any sign, equal in every lane.
    Const(f64),
    /// A node, negated or not.
    Node {
        /// The node.
        id: Id,
        /// True for the negative of the node.
        negated: bool,
    },
}

impl Value {
    /// The structural zero.
    pub const ZERO: Self = Self::Const(0.0);

    /// Returns whether this is a structural zero.
    pub fn is_zero(self) -> bool {
        self == Self::ZERO
    }

    /// Different for different values.
    fn key(self) -> (u64, u8) {
        match self {
            Self::Const(x) => (x.to_bits(), 2),
            Self::Node { id, negated } => (id.into(), negated.into()),
        }
    }
}

/// A graph under construction.
#[derive(Default, Debug)]
pub struct Graph {
    inner: RefCell<Nodes>,
    rules: Rules,
}

/// The nodes of a graph, operands before users.
#[derive(Default, Debug, Clone)]
pub struct Nodes {
    nodes: Vec<Node>,
    lanes: Vec<u8>,
    index: FxHashMap<Node, Id>,
    lane_constants: Vec<Vec<f64>>,
    gathers: Vec<Vec<Value>>,
    gather_index: FxHashMap<Vec<(u64, u8)>, u32>,
}

impl Graph {
    /// An empty graph.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty graph with these rules only.
    pub fn with(rules: Rules) -> Self {
        Self { rules, ..Self::default() }
    }

    /// An empty graph with room for about as many nodes as another graph has.
    pub fn like(other: &Nodes, rules: Rules) -> Self {
        let mut inner = Nodes::default();
        inner.nodes.reserve(other.len());
        inner.lanes.reserve(other.len());
        inner.index.reserve(other.index.len());
        Self { rules, inner: RefCell::new(inner) }
    }

    fn applies(&self, rule: Rule) -> bool {
        self.rules.contains(rule)
    }

    /// The `index`-th number of the `array`-th input.
    pub fn input(&self, array: u16, index: usize) -> Expr<'_> {
        let node = Node::Input { array, index: index as u32 };
        Expr::node(self, self.intern(node, 1))
    }

    /// A constant for each lane; a single number if all are equal.
    pub fn lane_constant(&self, values: &[f64]) -> Expr<'_> {
        if values.iter().all(|x| *x == values[0]) {
            return Expr::constant(values[0]);
        }
        // Sign convention: the first nonzero lane is positive.
        let negated = values.iter().find(|x| **x != 0.0).is_some_and(|x| *x < 0.0);
        // Adding 0.0 makes a zero lane positive zero, whatever the sign.
        let canonical: Vec<f64> = values.iter().map(|x| if negated { -x + 0.0 } else { x + 0.0 }).collect();
        let mut inner = self.inner.borrow_mut();
        let known = inner.lane_constants.iter().position(|c| *c == canonical);
        let slot = known.unwrap_or_else(|| {
            inner.lane_constants.push(canonical);
            inner.lane_constants.len() - 1
        });
        drop(inner);
        let id = self.intern(Node::LaneConst(slot as u32), values.len() as u8);
        Expr::node(self, id).negate_if(negated)
    }

    /// One scalar a lane. Equal scalars are one, broadcast; constants become a lane constant.
    pub fn gather<'g>(&'g self, scalars: &[Expr<'g>]) -> Expr<'g> {
        let values: Vec<Value> = scalars.iter().map(|e| e.value()).collect();
        if values.iter().all(|v| *v == values[0]) {
            return scalars[0];
        }
        let constants: Option<Vec<f64>> = scalars.iter().map(|e| e.as_constant()).collect();
        if let Some(constants) = constants {
            return self.lane_constant(&constants);
        }
        if let Some(whole) = self.taken_apart(&values) {
            return whole;
        }
        let slot = self.inner.borrow_mut().gather_slot(values);
        Expr::node(self, self.intern(Node::Gather(slot), scalars.len() as u8))
    }

    /// `lanes` lanes of an expression, from `first` on.
    pub fn part<'g>(&'g self, x: Expr<'g>, first: usize, lanes: usize) -> Expr<'g> {
        self.gather(&(first..first + lanes).map(|k| x.lane(k)).collect::<Vec<_>>())
    }

    /// The expression whose lanes, in order, are all these values.
    fn taken_apart(&self, values: &[Value]) -> Option<Expr<'_>> {
        let lane_of = |value: &Value| match *value {
            Value::Node { id, negated } => match self.get(id) {
                Node::Lane(whole, lane) => Some((whole, negated, usize::from(lane))),
                _ => None,
            },
            Value::Const(_) => None,
        };
        let (whole, negated, _) = lane_of(&values[0])?;
        let all = values.iter().enumerate().all(|(k, v)| lane_of(v) == Some((whole, negated, k)));
        (all && usize::from(self.lanes(whole)) == values.len())
            .then(|| Expr::node(self, whole).negate_if(negated))
    }

    /// The finished nodes.
    pub fn finish(self) -> Nodes {
        self.inner.into_inner()
    }

    fn intern(&self, node: Node, lanes: u8) -> Id {
        let mut inner = self.inner.borrow_mut();
        let inner = &mut *inner;
        // Inputs, sines and the like are not computed twice by anyone.
        let computed = matches!(node, Node::Add(..) | Node::Sub(..) | Node::Mul(..) | Node::Recip(_));
        let id = inner.nodes.len() as Id;
        match inner.index.entry(node) {
            Entry::Occupied(known) if !computed || self.applies(Rule::Sharing) => return *known.get(),
            entry => _ = entry.insert_entry(id),
        }
        inner.nodes.push(node);
        inner.lanes.push(lanes);
        id
    }

    fn lanes(&self, id: Id) -> u8 {
        self.inner.borrow().lanes[id as usize]
    }

    fn get(&self, id: Id) -> Node {
        self.inner.borrow().nodes[id as usize]
    }

    fn lane_values(&self, slot: u32) -> Vec<f64> {
        self.inner.borrow().lane_constants[slot as usize].clone()
    }
}

impl Nodes {
    fn gather_slot(&mut self, values: Vec<Value>) -> u32 {
        let key = values.iter().map(|v| v.key()).collect();
        let gathers = &mut self.gathers;
        *self.gather_index.entry(key).or_insert_with(|| {
            gathers.push(values);
            gathers.len() as u32 - 1
        })
    }

    /// Number of nodes, dead ones included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node `id`.
    pub fn node(&self, id: Id) -> Node {
        self.nodes[id as usize]
    }

    /// The number of a node that is there.
    pub fn find(&self, node: Node) -> Option<Id> {
        self.index.get(&node).copied()
    }

    /// Number of lanes of the node `id`.
    pub fn lanes(&self, id: Id) -> u8 {
        self.lanes[id as usize]
    }

    /// The numbers of a [`Node::LaneConst`].
    pub fn lane_constant(&self, slot: u32) -> &[f64] {
        &self.lane_constants[slot as usize]
    }

    /// The scalars of a [`Node::Gather`].
    pub fn gather(&self, slot: u32) -> &[Value] {
        &self.gathers[slot as usize]
    }

    /// Flags of the nodes that the given outputs need.
    pub fn live(&self, outputs: impl IntoIterator<Item = Value>) -> Vec<bool> {
        let mut live = vec![false; self.nodes.len()];
        for output in outputs {
            if let Value::Node { id, .. } = output {
                live[id as usize] = true;
            }
        }
        for id in (0..self.nodes.len()).rev() {
            if live[id] {
                self.for_each_operand(id as Id, |operand| live[operand as usize] = true);
            }
        }
        live
    }

    /// Calls `f` with each operand of the node `id`, a gather's scalars included.
    pub fn for_each_operand(&self, id: Id, mut f: impl FnMut(Id)) {
        let node = self.node(id);
        node.operands().for_each(&mut f);
        if let Node::Gather(slot) = node {
            for value in self.gather(slot) {
                if let Value::Node { id, .. } = value {
                    f(*id);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
