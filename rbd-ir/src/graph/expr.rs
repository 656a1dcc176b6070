//! Expressions, in which algorithms are written.

use super::{Graph, Id, Node, Rule, Value};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A symbolic number: a constant, or a node of a graph or its negative.
///
/// It is `Copy` and has the usual operators, so that an algorithm reads as in the paper. Every
/// simplification happens here, as the operators are applied.
#[derive(Clone, Copy)]
pub struct Expr<'g>(Repr<'g>);

#[derive(Clone, Copy)]
enum Repr<'g> {
    Const(f64),
    Node { graph: &'g Graph, id: Id, negated: bool },
}
use Repr::Const;

impl<'g> Expr<'g> {
    /// The structural zero: whatever is multiplied by it vanishes.
    pub const ZERO: Self = Self(Const(0.0));
    /// The structural one.
    pub const ONE: Self = Self(Const(1.0));

    /// A constant.
    pub const fn constant(x: f64) -> Self {
        Self(Const(x))
    }

    pub(super) fn node(graph: &'g Graph, id: Id) -> Self {
        Self(Repr::Node { graph, id, negated: false })
    }

    /// This expression without its graph's lifetime.
    pub fn value(self) -> Value {
        match self.0 {
            Const(x) => Value::Const(x),
            Repr::Node { id, negated, .. } => Value::Node { id, negated },
        }
    }

    /// The constant, if this is a constant with equal lanes.
    pub fn as_constant(self) -> Option<f64> {
        match self.0 {
            Const(x) => Some(x),
            Repr::Node { .. } => None,
        }
    }

    /// Returns whether this is a structural zero.
    pub fn is_zero(self) -> bool {
        self.as_constant() == Some(0.0)
    }

    /// Returns whether this is a structural one.
    pub fn is_one(self) -> bool {
        self.as_constant() == Some(1.0)
    }

    /// Number of lanes; a uniform constant has one.
    pub fn lanes(self) -> u8 {
        match self.0 {
            Const(_) => 1,
            Repr::Node { graph, id, .. } => graph.lanes(id),
        }
    }

    /// The sum of the lanes, where `lanes` is how many numbers a broadcast value stands for.
    pub fn horizontal_sum(self, lanes: u8) -> Self {
        match self.0 {
            Repr::Node { graph, id, negated } if graph.lanes(id) > 1 => {
                if let Node::LaneConst(slot) = graph.get(id) {
                    let total: f64 = graph.lane_values(slot).iter().sum();
                    return Self::constant(total).negate_if(negated);
                }
                let sum = graph.intern(Node::HorizontalSum(id), 1);
                Self::node(graph, sum).negate_if(negated)
            }
            _ => self * f64::from(lanes),
        }
    }

    /// The number in one lane.
    pub fn lane(self, lane: usize) -> Self {
        match self.0 {
            Repr::Node { graph, id, negated } if graph.lanes(id) > 1 => {
                let one = match graph.get(id) {
                    Node::LaneConst(slot) => Self::constant(graph.lane_values(slot)[lane]),
                    Node::Gather(slot) => graph.gathered(slot, lane),
                    _ => Self::node(graph, graph.intern(Node::Lane(id, lane as u8), 1)),
                };
                one.negate_if(negated)
            }
            _ => self,
        }
    }

    /// `1 / self`.
    pub fn recip(self) -> Self {
        match self.0 {
            Const(x) => Self::constant(1.0 / x),
            Repr::Node { graph, id, negated } => {
                let recip = graph.intern(Node::Recip(id), graph.lanes(id));
                Self::node(graph, recip).negate_if(negated)
            }
        }
    }

    /// `sqrt(self^2 + other^2)`, each lane by itself: registers have no roots.
    pub fn hypot(self, other: Self) -> Self {
        let Some(graph) = self.graph().or(other.graph()) else {
            return self.fold(other, |a, b| (a * a + b * b).sqrt()).expect("both are constants");
        };
        let lanes = self.lanes().max(other.lanes());
        if lanes > 1 {
            let lane = |k: usize| self.lane(k).hypot(other.lane(k));
            return graph.gather(&(0..usize::from(lanes)).map(lane).collect::<Vec<_>>());
        }
        let ((a, _), (b, _)) = (self.parts(graph), other.parts(graph));
        Self::node(graph, graph.intern(Node::Hypot(a, b), 1))
    }

    /// Sine and cosine of an angle in radians.
    pub fn sin_cos(self) -> (Self, Self) {
        match self.0 {
            Const(x) => (Self::constant(x.sin()), Self::constant(x.cos())),
            Repr::Node { graph, id, negated } => {
                let lanes = graph.lanes(id);
                let sin = Self::node(graph, graph.intern(Node::Sin(id), lanes)).negate_if(negated);
                (sin, Self::node(graph, graph.intern(Node::Cos(id), lanes)))
            }
        }
    }

    /// `self * self`.
    pub fn square(self) -> Self {
        self * self
    }

    pub(super) fn negate_if(self, negate: bool) -> Self {
        if negate { -self } else { self }
    }

    /// The lanes' constants, if every lane is constant.
    fn constant_lanes(self) -> Option<(Option<&'g Graph>, Vec<f64>)> {
        match self.0 {
            Const(x) => Some((None, vec![x])),
            Repr::Node { graph, id, negated } => match graph.get(id) {
                Node::LaneConst(slot) => {
                    let mut values = graph.lane_values(slot);
                    if negated {
                        values.iter_mut().for_each(|x| *x = -*x);
                    }
                    Some((Some(graph), values))
                }
                _ => None,
            },
        }
    }

    /// Folds an operation on two lane constants.
    fn fold(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Option<Self> {
        let (graph_a, a) = self.constant_lanes()?;
        let (graph_b, b) = other.constant_lanes()?;
        let Some(graph) = graph_a.or(graph_b) else {
            return Some(Self::constant(f(a[0], b[0])));
        };
        let lane = |x: &[f64], k: usize| if x.len() == 1 { x[0] } else { x[k] };
        let n = a.len().max(b.len());
        let folded: Vec<f64> = (0..n).map(|k| f(lane(&a, k), lane(&b, k))).collect();
        Some(graph.lane_constant(&folded))
    }

    /// Splits `c * x` into the constant `c` and `x`; anything else is `1 * x`.
    fn split_coefficient(self) -> (Self, Self) {
        if let Repr::Node { graph, id, negated } = self.0
            && let Node::Mul(a, b) = graph.get(id)
            && matches!(graph.get(a), Node::Const(_) | Node::LaneConst(_))
        {
            return (graph.expr(a).negate_if(negated), graph.expr(b));
        }
        (Self::ONE, self)
    }

    fn parts(self, graph: &'g Graph) -> (Id, bool) {
        match self.0 {
            Const(x) => (graph.intern(Node::Const(x.abs().to_bits()), 1), x < 0.0),
            Repr::Node { id, negated, .. } => (id, negated),
        }
    }

    fn graph(self) -> Option<&'g Graph> {
        match self.0 {
            Const(_) => None,
            Repr::Node { graph, .. } => Some(graph),
        }
    }
}

/// Returns whether a rule applies to an operation on these operands.
fn applies(a: Expr<'_>, b: Expr<'_>, rule: Rule) -> bool {
    a.graph().or(b.graph()).is_none_or(|graph| graph.applies(rule))
}

impl Graph {
    fn gathered(&self, slot: u32, lane: usize) -> Expr<'_> {
        match self.inner.borrow().gathers[slot as usize][lane] {
            Value::Const(x) => Expr::constant(x),
            Value::Node { id, negated } => Expr::node(self, id).negate_if(negated),
        }
    }

    /// A node as an expression; a constant node as a constant.
    fn expr(&self, id: Id) -> Expr<'_> {
        match self.get(id) {
            Node::Const(bits) => Expr::constant(f64::from_bits(bits)),
            _ => Expr::node(self, id),
        }
    }
}

impl<'g> Add for Expr<'g> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let neutral = applies(self, other, Rule::Neutral);
        if self.is_zero() && neutral {
            return other;
        }
        if other.is_zero() && neutral {
            return self;
        }
        if let Some(folded) = self.fold(other, |a, b| a + b) {
            return folded;
        }
        let graph = self.graph().or(other.graph()).expect("constants were folded");
        // c1 * x + c2 * x = (c1 + c2) * x, which covers x + x and x - x.
        let ((c1, x1), (c2, x2)) = (self.split_coefficient(), other.split_coefficient());
        if let (Repr::Node { id: i1, negated: n1, .. }, Repr::Node { id: i2, negated: n2, .. }) = (x1.0, x2.0)
            && i1 == i2
            && graph.applies(Rule::LikeTerms)
        {
            return (c1 + c2.negate_if(n1 != n2)) * x1;
        }
        let ((mut a, mut na), (mut b, mut nb)) = (self.parts(graph), other.parts(graph));
        if a > b {
            ((a, na), (b, nb)) = ((b, nb), (a, na));
        }
        let lanes = graph.lanes(a).max(graph.lanes(b));
        if na && !nb && !graph.applies(Rule::Signs) {
            return Self::node(graph, graph.intern(Node::Sub(b, a), lanes));
        }
        let node = if na == nb { Node::Add(a, b) } else { Node::Sub(a, b) };
        Self::node(graph, graph.intern(node, lanes)).negate_if(na)
    }
}

impl<'g> Mul for Expr<'g> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        if applies(self, other, Rule::Neutral) {
            if self.is_zero() || other.is_zero() {
                return Self::ZERO;
            }
            for (one, rest) in [(self, other), (other, self)] {
                match one.as_constant() {
                    Some(1.0) => return rest,
                    Some(-1.0) => return -rest,
                    _ => {}
                }
            }
        }
        if let Some(folded) = self.fold(other, |a, b| a * b) {
            return folded;
        }
        let graph = self.graph().or(other.graph()).expect("constants were folded");
        // Constants gather in front: c1 * (c2 * x) = (c1 c2) * x.
        for (constant, rest) in [(self, other), (other, self)] {
            let (c, x) = rest.split_coefficient();
            if constant.constant_lanes().is_some() && !c.is_one() && graph.applies(Rule::Constants) {
                return (constant * c) * x;
            }
        }
        let ((a, na), (b, nb)) = (self.parts(graph), other.parts(graph));
        let is_constant = |id| matches!(graph.get(id), Node::Const(_) | Node::LaneConst(_));
        // A constant factor comes first, otherwise the older node.
        let (a, b) = match (is_constant(a), is_constant(b)) {
            (true, _) => (a, b),
            (_, true) => (b, a),
            _ => (a.min(b), a.max(b)),
        };
        let lanes = graph.lanes(a).max(graph.lanes(b));
        Self::node(graph, graph.intern(Node::Mul(a, b), lanes)).negate_if(na != nb)
    }
}

impl Neg for Expr<'_> {
    type Output = Self;
    fn neg(self) -> Self {
        match self.0 {
            Const(x) => Self::constant(if x == 0.0 { 0.0 } else { -x }),
            Repr::Node { graph, id, negated } => Self(Repr::Node { graph, id, negated: !negated }),
        }
    }
}

impl Sub for Expr<'_> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul<f64> for Expr<'_> {
    type Output = Self;
    fn mul(self, other: f64) -> Self {
        self * Self::constant(other)
    }
}

impl AddAssign for Expr<'_> {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Expr<'_> {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Sum for Expr<'_> {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, |a, b| a + b)
    }
}

impl From<f64> for Expr<'_> {
    fn from(x: f64) -> Self {
        Self::constant(x)
    }
}
