//! Operation counts of a graph.

use super::{Id, Node, Nodes, Value};
use std::ops::Add;

/// Operations before fusing. A node with lanes counts once, as it is one instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperationCount {
    /// Additions and subtractions.
    pub adds: usize,
    /// Multiplications.
    pub muls: usize,
    /// Divisions, and roots of sums of squares.
    pub divs: usize,
    /// Angles whose sine, cosine or both are computed.
    pub sin_cos: usize,
    /// Moves between scalars and lanes.
    pub moves: usize,
}

impl OperationCount {
    /// Counts the operations that the outputs need.
    pub fn of(nodes: &Nodes, outputs: impl IntoIterator<Item = Value>) -> Self {
        let mut count = Self::default();
        let mut angles = Vec::new();
        for (id, live) in nodes.live(outputs).into_iter().enumerate() {
            if !live {
                continue;
            }
            match nodes.node(id as Id) {
                Node::Add(..) | Node::Sub(..) => count.adds += 1,
                Node::HorizontalSum(a) => count.adds += nodes.lanes(a) as usize - 1,
                Node::Mul(..) => count.muls += 1,
                Node::Recip(_) | Node::Hypot(..) => count.divs += 1,
                Node::Gather(_) => count.moves += nodes.lanes(id as Id) as usize,
                Node::Lane(..) => count.moves += 1,
                Node::Sin(a) | Node::Cos(a) => angles.push(a),
                Node::Const(_) | Node::LaneConst(_) | Node::Input { .. } => {}
            }
        }
        angles.sort_unstable();
        angles.dedup();
        count.sin_cos = angles.len();
        count
    }

    /// Additions and multiplications: the figure that papers compare.
    pub fn adds_and_muls(self) -> usize {
        self.adds + self.muls
    }

    /// All operations except sines and cosines.
    pub fn total(self) -> usize {
        self.adds + self.muls + self.divs
    }
}

impl Add for OperationCount {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            adds: self.adds + other.adds,
            muls: self.muls + other.muls,
            divs: self.divs + other.divs,
            sin_cos: self.sin_cos + other.sin_cos,
            moves: self.moves + other.moves,
        }
    }
}
