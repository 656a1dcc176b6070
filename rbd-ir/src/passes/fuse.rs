//! Fused multiply-add, and removal of dead nodes.
//!
//! Rust never contracts `a * b + c`, so the products to fuse are chosen here. A product vanishes if
//! every use of it is a sum that fuses it. A sum can fuse one product.

use crate::graph::{Id, Node, Nodes, Value};

/// A statement: the node that it computes, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statement {
    /// The node; its number names the variable.
    pub id: Id,
    /// Operation that computes the node.
    pub operation: Operation,
}

/// One instruction's worth of arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The node as in the graph.
    Plain(Node),
    /// `a * b + c`, with the signs of the product and of c.
    MulAdd {
        /// A factor.
        a: Id,
        /// The other factor.
        b: Id,
        /// The addend.
        c: Id,
        /// True if the product is subtracted.
        negate_product: bool,
        /// True if the addend is subtracted.
        negate_addend: bool,
    },
}

/// The fused statements that the outputs need, operands before users. Constants, inputs, sines and
/// cosines are not among them.
pub fn fuse(nodes: &Nodes, outputs: impl IntoIterator<Item = Value> + Clone) -> Vec<Statement> {
    let live = nodes.live(outputs.clone());
    let fused = fused_products(nodes, &live, outputs);
    let mut statements = Vec::new();
    let mut vanished = vec![false; nodes.len()];
    for (_, product) in fused.iter().flatten() {
        vanished[*product as usize] = true;
    }
    for id in 0..nodes.len() as Id {
        let node = nodes.node(id);
        let elsewhere = matches!(
            node,
            Node::Const(_) | Node::LaneConst(_) | Node::Input { .. } | Node::Sin(_) | Node::Cos(_)
        );
        if !live[id as usize] || vanished[id as usize] || elsewhere {
            continue;
        }
        let operation = match fused[id as usize] {
            None => Operation::Plain(node),
            Some((addend, product)) => {
                let Node::Mul(a, b) = nodes.node(product) else { unreachable!("only products are fused") };
                // The second operand of a difference is negative.
                let subtracts = |operand: Id| matches!(node, Node::Sub(_, second) if second == operand);
                Operation::MulAdd {
                    a,
                    b,
                    c: addend,
                    negate_product: subtracts(product),
                    negate_addend: subtracts(addend),
                }
            }
        };
        statements.push(Statement { id, operation });
    }
    statements
}

/// For each sum that fuses a product: its other operand and the product.
fn fused_products(
    nodes: &Nodes,
    live: &[bool],
    outputs: impl IntoIterator<Item = Value>,
) -> Vec<Option<(Id, Id)>> {
    let n = nodes.len();
    // Sums that use each product; `None` once it is used in any other way.
    let mut uses: Vec<Option<Vec<Id>>> = vec![Some(Vec::new()); n];
    for id in (0..n as Id).filter(|&id| live[id as usize]) {
        // In a sum of twice the same product, neither can be fused.
        let sum = matches!(nodes.node(id), Node::Add(a, b) | Node::Sub(a, b) if a != b);
        nodes.for_each_operand(id, |operand| {
            let uses = &mut uses[operand as usize];
            match uses {
                // A scalar product in a sum of lanes would be computed once a lane.
                Some(list) if sum && nodes.lanes(operand) == nodes.lanes(id) => list.push(id),
                _ => *uses = None,
            }
        });
    }
    for output in outputs {
        if let Value::Node { id, .. } = output {
            uses[id as usize] = None;
        }
    }
    let mut fused: Vec<Option<(Id, Id)>> = vec![None; n];
    // The fewer uses, the surer the gain: a product used once costs no other sum its chance.
    let mut products: Vec<Id> = (0..n as Id)
        .filter(|&id| live[id as usize] && matches!(nodes.node(id), Node::Mul(..)))
        .filter(|&id| uses[id as usize].as_ref().is_some_and(|u| !u.is_empty()))
        .collect();
    // Of a sum's two products the younger is taken in: the older one has been waited for already.
    products.sort_by_key(|&id| (uses[id as usize].as_ref().map_or(0, Vec::len), std::cmp::Reverse(id)));
    for product in products {
        let sums = uses[product as usize].take().unwrap_or_default();
        if sums.iter().any(|&sum| fused[sum as usize].is_some()) {
            continue;
        }
        for sum in sums {
            let (Node::Add(a, b) | Node::Sub(a, b)) = nodes.node(sum) else { continue };
            fused[sum as usize] = Some((if a == product { b } else { a }, product));
        }
    }
    fused
}
