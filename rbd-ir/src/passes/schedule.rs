//! From a graph to a kernel: order of operations, time of stores, and the zeros that have to be
//! written.
//!
//! Angles come first, so that all sines and cosines are computed at once. Operations follow in the
//! graph's order. Results are stored as soon as they are known, so that few values are alive at a
//! time. Products come last.

use super::fuse::{Operation, Statement, fuse};
use super::ir::Ir;
use crate::graph::{Id, Node, Nodes, Value};
use crate::kernel::{Angle, ArrayId, Kernel, Op, Operand, Place, Reg, Role, Signed, Stmt, Turned};
use rustc_hash::FxHashMap;

/// Kernel that computes the graph's values.
///
/// # Panics
/// If the kernel is not valid and debug assertions are on.
pub fn schedule(ir: &Ir) -> Kernel {
    let kernel = Scheduler::new(ir).kernel();
    if cfg!(debug_assertions)
        && let Err(what) = kernel.verify()
    {
        panic!("{what}");
    }
    kernel
}

struct Scheduler<'a> {
    ir: &'a Ir,
    /// The nodes that results depend on.
    live: Vec<bool>,
    /// Angles whose sines and cosines are computed, in order.
    angles: Vec<Id>,
    /// The kernel's numbers of the graph's lane constants.
    lane_constants: FxHashMap<u32, u32>,
}

impl<'a> Scheduler<'a> {
    fn new(ir: &'a Ir) -> Self {
        let nodes = &ir.nodes;
        let live = nodes.live(ir.values());
        let (mut angles, mut lane_constants) = (Vec::new(), FxHashMap::default());
        for id in (0..nodes.len() as Id).filter(|&id| live[id as usize]) {
            match nodes.node(id) {
                Node::Sin(a) | Node::Cos(a) => angles.push(a),
                Node::LaneConst(slot) => {
                    let next = lane_constants.len() as u32;
                    lane_constants.entry(slot).or_insert(next);
                }
                _ => {}
            }
        }
        angles.sort_unstable();
        angles.dedup();
        Self { ir, live, angles, lane_constants }
    }

    fn kernel(&self) -> Kernel {
        let nodes = &self.ir.nodes;
        let statements = fuse(nodes, self.ir.values());
        let early = nodes.live(self.angles.iter().map(|&id| Value::Node { id, negated: false }));
        let (before, after): (Vec<&Statement>, Vec<&Statement>) =
            statements.iter().partition(|s| early[s.id as usize]);

        let filled: Vec<bool> =
            self.ir.entries.iter().map(|(array, values)| self.fills(*array, values)).collect();
        let mut body: Vec<Stmt> = Vec::new();
        for ((array, _), _) in self.ir.entries.iter().zip(&filled).filter(|(_, filled)| **filled) {
            body.push(Stmt::Fill { array: *array, with: 0.0 });
        }
        body.extend(before.into_iter().map(|s| self.statement(s)));
        if !self.angles.is_empty() {
            body.push(Stmt::SinCos(self.angles.iter().map(|&id| self.angle(id)).collect()));
        }
        // Stores by the node that they wait for. Stores of constants wait for none.
        let mut waiting = vec![Vec::new(); nodes.len()];
        for ((array, values), filled) in self.ir.entries.iter().zip(filled) {
            for (k, value) in values.iter().enumerate() {
                if value.is_zero() && (filled || !self.is_needed(*array, k)) {
                    continue;
                }
                let to = Place { array: *array, index: k as u32 };
                let store = Stmt::Store { to, from: self.signed(*value) };
                match value {
                    Value::Const(_) => body.push(store),
                    Value::Node { id, .. } => waiting[*id as usize].push(store),
                }
            }
        }
        for s in after {
            body.push(self.statement(s));
            body.append(&mut waiting[s.id as usize]);
        }
        // Nodes without a statement of their own, such as inputs and sines.
        body.extend(waiting.into_iter().flatten());
        body.extend(self.ir.calls.iter().cloned().map(Stmt::Call));
        body.extend(self.ir.products.iter().cloned().map(Stmt::Product));
        Kernel { arrays: self.ir.arrays.clone(), lane_constants: self.lane_constants(), body }
    }

    fn lane_constants(&self) -> Vec<Vec<f64>> {
        let mut constants = vec![Vec::new(); self.lane_constants.len()];
        for (&slot, &number) in &self.lane_constants {
            constants[number as usize] = self.ir.nodes.lane_constant(slot).to_vec();
        }
        constants
    }

    /// Returns whether an array has so many zeros that it is zeroed first. A kernel's own memory is
    /// zeroed when it is made.
    fn fills(&self, array: ArrayId, values: &[Value]) -> bool {
        let zeros =
            values.iter().enumerate().filter(|(k, v)| v.is_zero() && self.is_needed(array, *k)).count();
        self.ir.arrays[array.index()].role == Role::Scratch || zeros * 2 > values.len()
    }

    /// Returns whether the `k`-th number of an array must be written even if it is zero.
    fn is_needed(&self, array: ArrayId, k: usize) -> bool {
        let rows = self.ir.arrays[array.index()].rows;
        let mut products = self.ir.products.iter().filter(|p| p.factors().contains(&array)).peekable();
        products.peek().is_none() || products.any(|p| p.needs(array, (k % rows, k / rows)))
    }

    fn angle(&self, id: Id) -> Angle {
        let lanes = self.ir.nodes.lanes(id);
        let used = |node: Node| {
            let id = self.ir.nodes.find(node)?;
            self.live[id as usize].then_some(Reg { number: id, lanes })
        };
        Angle {
            of: self.operand(id),
            sin: used(Node::Sin(id)),
            cos: used(Node::Cos(id)),
            turned: turned(&self.ir.nodes, id),
        }
    }

    fn statement(&self, s: &Statement) -> Stmt {
        let of = |id: Id| self.operand(id);
        let signed = |id: Id, negated: bool| Signed { operand: of(id), negated };
        let op = match s.operation {
            Operation::MulAdd { a, b, c, negate_product, negate_addend } => {
                Op::MulAdd { a: signed(a, negate_product), b: of(b), c: signed(c, negate_addend) }
            }
            Operation::Plain(node) => match node {
                Node::Add(a, b) => Op::Add(of(a), of(b)),
                Node::Sub(a, b) => Op::Sub(of(a), of(b)),
                Node::Mul(a, b) => Op::Mul(of(a), of(b)),
                Node::Recip(a) => Op::Recip(of(a)),
                Node::Hypot(a, b) => Op::Hypot(of(a), of(b)),
                Node::Gather(slot) => {
                    Op::Gather(self.ir.nodes.gather(slot).iter().map(|v| self.signed(*v)).collect())
                }
                Node::HorizontalSum(a) => Op::Sum(of(a)),
                Node::Lane(a, lane) => Op::Lane(of(a), lane),
                Node::Const(_) | Node::LaneConst(_) | Node::Input { .. } | Node::Sin(_) | Node::Cos(_) => {
                    unreachable!("{node:?} is no statement")
                }
            },
        };
        Stmt::Let { reg: self.reg(s.id), op }
    }

    fn signed(&self, value: Value) -> Signed {
        match value {
            Value::Const(x) => Signed { operand: Operand::Const(x), negated: false },
            Value::Node { id, negated } => Signed { operand: self.operand(id), negated },
        }
    }

    fn operand(&self, id: Id) -> Operand {
        match self.ir.nodes.node(id) {
            Node::Const(bits) => Operand::Const(f64::from_bits(bits)),
            Node::LaneConst(slot) => Operand::LaneConst(self.lane_constants[&slot]),
            Node::Input { array, index } => Operand::Load(Place { array: ArrayId(array), index }),
            _ => Operand::Reg(self.reg(id)),
        }
    }

    /// A variable has its node's number.
    fn reg(&self, id: Id) -> Reg {
        Reg { number: id, lanes: self.ir.nodes.lanes(id) }
    }
}

/// The input that an angle is, up to a sign and a constant.
fn turned(nodes: &Nodes, angle: Id) -> Option<Turned> {
    let (of, sign, offset) = affine(nodes, angle)?;
    (sign.abs() == 1.0).then_some(Turned { of: of?, sign, offset })
}

/// The input that a node is a multiple of, the multiple, and the offset.
fn affine(nodes: &Nodes, id: Id) -> Option<(Option<Place>, f64, f64)> {
    let sum = |a, b, sign: f64| {
        let ((p, m, c), (q, n, d)) = (affine(nodes, a)?, affine(nodes, b)?);
        (p.is_none() || q.is_none()).then_some((p.or(q), m + sign * n, c + sign * d))
    };
    match nodes.node(id) {
        Node::Const(bits) => Some((None, 0.0, f64::from_bits(bits))),
        Node::Input { array, index } => Some((Some(Place { array: ArrayId(array), index }), 1.0, 0.0)),
        Node::Add(a, b) => sum(a, b, 1.0),
        Node::Sub(a, b) => sum(a, b, -1.0),
        Node::Mul(a, b) => {
            let ((p, m, c), (q, n, d)) = (affine(nodes, a)?, affine(nodes, b)?);
            match (p, q) {
                (_, None) => Some((p, m * d, c * d)),
                (None, _) => Some((q, n * c, d * c)),
                _ => None,
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Expr, Graph};

    /// The angle that is recognised for a sine.
    fn found(angle: impl Fn(Expr<'_>) -> Expr<'_>) -> Option<Turned> {
        let graph = Graph::new();
        let (sine, _) = angle(graph.input(0, 3)).sin_cos();
        let Value::Node { id, .. } = sine.value() else { return None };
        let nodes = graph.finish();
        let Node::Sin(angle) = nodes.node(id) else { return None };
        turned(&nodes, angle)
    }

    #[test]
    fn joints_angles_are_a_coordinate_and_a_constant() {
        let constant = Expr::constant;
        let place = Place { array: ArrayId(0), index: 3 };
        let of = |sign, offset| Some(Turned { of: place, sign, offset });
        assert_eq!(found(|q| q), of(1.0, 0.0));
        assert_eq!(found(|q| q + constant(0.3)), of(1.0, 0.3));
        // Signs are pulled out of nodes: of one of the two it is the negative that is meant.
        let minus = [found(|q| constant(0.3) - q), found(|q| -q + constant(0.3))];
        assert!(minus.iter().all(|m| *m == of(-1.0, 0.3) || *m == of(1.0, -0.3)), "{minus:?}");
        assert_eq!(found(|q| q * constant(2.0) + constant(0.3)), None);
        assert_eq!(found(|q| q * q), None);
    }
}
