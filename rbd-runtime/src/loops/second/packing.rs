//! Which rows a tensor's entries are for: the path of a joint, then its subtree, without gaps.

use super::super::tables::{Topology, WORLD};
use super::vectors::Wide;

/// A tensor of second derivatives of inverse dynamics, by the two variables. That by v and a, and that by a twice, are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tensor {
    /// By q and q.
    Qq,
    /// By q and v.
    Qv,
    /// By v and v.
    Vv,
    /// By q and a.
    Qa,
}

/// What takes the entries, eight at a time.
pub trait Sink<S, X, const P: usize> {
    /// Whether entries that are always zero must be put as well.
    const TAKES_ZEROS: bool;
    /// The next entries are those of a row and the rows related to it.
    fn begin(&mut self, packing: &Packing<P>);
    /// The next entries are those of the packed rows from this one on.
    fn rows(&mut self, packing: &Packing<P>, from: usize);
    /// Entries of one tensor for the rows of its two variables. Each pair has six sets of entries: `of` is the packed row of
    /// the pair's upper one, and which set.
    fn put(&mut self, tensor: Tensor, variables: [usize; 2], of: (usize, usize), x: Wide<S, X>);
}

/// The rows that are nonzero for one joint, packed: pieces `(packed, row, count)`.
#[derive(Clone, Copy, Debug)]
pub struct Packing<const P: usize> {
    pieces: [(u16, u16, u16); P],
    count: usize,
    /// The rows above, from the root, and the joint's first one.
    path: [u16; P],
    /// Rows on the path above the joint.
    pub above: usize,
    /// All rows.
    pub rows: usize,
    /// Rows that each of the joint's own makes a pair with: those above, then the joint's own.
    pub pairs: usize,
}

impl<const P: usize> Packing<P> {
    /// Of the joint with these rows, and its subtree's end.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn new(topology: &Topology<'_>, first: usize, end: usize, count: usize) -> Self {
        let mut out =
            Self { pieces: [(0, 0, 0); P], count: 0, path: [first as u16; P], above: 0, rows: 0, pairs: 0 };
        let mut chain = [0_u16; P];
        let mut row = first;
        // The path from the joint up, then turned round.
        while row < topology.first.len() && row < topology.parent.len() && out.above < P {
            let up =
                if usize::from(topology.first[row]) < row { (row - 1) as u16 } else { topology.parent[row] };
            if up == WORLD {
                break;
            }
            chain[out.above] = up;
            out.above += 1;
            row = usize::from(up);
        }
        for k in (0..out.above.min(P)).rev() {
            if let Some(row) = out.path.get_mut(out.above - 1 - k) {
                *row = chain[k];
            }
            out.push(chain[k], 1);
        }
        out.push(first as u16, end.saturating_sub(first) as u16);
        out.pairs = out.above + count;
        out
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn push(&mut self, row: u16, count: u16) {
        let packed = self.rows as u16;
        self.rows += usize::from(count);
        if self.count > 0 && self.count <= P {
            let last = &mut self.pieces[self.count - 1];
            if last.1 + last.2 == row {
                last.2 += count;
                return;
            }
        }
        if self.count < P {
            self.pieces[self.count] = (packed, row, count);
            self.count += 1;
        }
    }

    /// Stretches of rows that follow one another: packed, row, count.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn pieces(&self) -> &[(u16, u16, u16)] {
        match self.pieces.get(..self.count) {
            Some(pieces) => pieces,
            None => &self.pieces,
        }
    }

    /// The row of a packed number, for the pairs.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn row(&self, packed: usize) -> usize {
        let up = packed.min(self.above).min(P - 1);
        usize::from(self.path[up]) + packed - packed.min(self.above)
    }
}
