//! Which rows a tensor's entries are for: the path of a joint, then its subtree, which may begin with a
//! register of its own: the lanes before it hold no entry.

use super::super::LANES;
use super::super::tables::{Topology, WORLD};

/// The entries of a pair of rows c and d of the path of c, for eight packed rows.
pub struct Sums<L> {
    /// By q_c and q_d.
    pub h: L,
    /// By v_c and v_d.
    pub w: L,
    /// By q_c and v_d.
    pub x: L,
    /// By q_d and v_c.
    pub y: L,
    /// By q_c of M's column d.
    pub d: L,
    /// By q_d of M's column c.
    pub e: L,
}

/// The entries of c and each row d of a floating base that carries everything, the path's first joint. Those by q_d and v_c, and
/// by q_d of M's column c, are zero, and so are, along translations, all by q_d and by v_c and v_d.
pub struct OfRoot<L> {
    /// By q_c and the angles q_d.
    pub h: [L; 3],
    /// By v_c and the angular velocities v_d.
    pub w: [L; 3],
    /// By q_c and v_d.
    pub x: [L; 6],
    /// By q_c of M's column d.
    pub d: [L; 6],
}

/// Eight packed rows, as stretches of rows that follow one another.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    pieces: [(usize, u8); LANES],
    count: usize,
}

impl Block {
    /// Of each stretch, the row that the first lane would be of, and its lanes. There is one at least.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn pieces(&self) -> &[(usize, u8)] {
        match self.pieces.get(..self.count) {
            Some(pieces) => pieces,
            None => &self.pieces,
        }
    }
}

/// Lanes below this packed row, of a register that begins at another one.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn before(limit: usize, from: usize) -> u8 {
    ((1_u32 << limit.saturating_sub(from).min(LANES)) - 1) as u8
}

/// The rows that are nonzero for one joint, packed: pieces `(packed, row, count)`.
#[derive(Debug)]
pub struct Packing<const P: usize> {
    pieces: [(u16, u16, u16); P],
    count: usize,
    /// The rows above, from the root, and the joint's own.
    path: [u16; P],
    /// Rows on the path above the joint.
    pub above: usize,
    /// The joint's first row, packed.
    pub at: usize,
    /// All packed rows: the path, then the subtree. A limb that does not follow what carries it begins with a register, if that
    /// takes no more of them.
    pub rows: usize,
}

impl<const P: usize> Packing<P> {
    /// Stretches of rows that follow one another: packed, row, count.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn pieces(&self) -> &[(u16, u16, u16)] {
        match self.pieces.get(..self.count) {
            Some(pieces) => pieces,
            None => &self.pieces,
        }
    }

    /// The packed rows from this one on.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn block(&self, from: usize) -> Block {
        let mut block = Block { pieces: [(0, 0); LANES], count: 0 };
        for &(packed, row, count) in self.pieces() {
            let (packed, row) = (usize::from(packed), usize::from(row));
            let lanes = before(packed + usize::from(count), from) & !before(packed, from);
            if lanes != 0 && block.count < LANES {
                block.pieces[block.count] = ((row + from).wrapping_sub(packed), lanes);
                block.count += 1;
            }
        }
        block
    }

    /// The row at this place of the path, for the pairs.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn row(&self, place: usize) -> usize {
        usize::from(self.path[place.min(P - 1)])
    }
}

/// The packing of one joint after the other, in their order: what the path has above a joint is kept from its parent.
#[derive(Debug)]
pub struct Walk<const P: usize> {
    /// That of the current joint.
    pub packing: Packing<P>,
    /// Of each row of the path, the packed row of its joint's first one.
    starts: [u16; P],
    /// The packed row after it.
    nexts: [u16; P],
    /// How many pieces the path has up to it.
    numbers: [u16; P],
    /// Of each row of a path, its place there.
    places: [u16; P],
}

impl<const P: usize> Walk<P> {
    /// At no joint yet.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn new() -> Self {
        let (pieces, path) = ([(0, 0, 0); P], [0; P]);
        let packing = Packing { pieces, count: 0, path, above: 0, at: 0, rows: 0 };
        Self { packing, starts: [0; P], nexts: [0; P], numbers: [0; P], places: [0; P] }
    }

    /// To the next joint, of this many rows, and its subtree's end.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn enter(&mut self, topology: &Topology<'_>, first: usize, end: usize, count: usize) {
        let Self { packing, starts, nexts, numbers, places } = self;
        let parent = match topology.parent.get(first) {
            Some(parent) => *parent,
            None => WORLD,
        };
        let above = match places.get(usize::from(parent)) {
            Some(place) if parent != WORLD => usize::from(*place) + 1,
            _ => 0,
        };
        let above = above.min(P);
        let subtree = end.saturating_sub(first);
        let (mut pieces, mut at) = match above {
            0 => (0, 0),
            _ => (usize::from(numbers[above - 1]), usize::from(nexts[above - 1])),
        };
        let mut follows = false;
        if pieces > 0 && pieces <= P {
            // The last stretch, as far as it is above.
            let last = &mut packing.pieces[pieces - 1];
            last.2 = (at as u16).saturating_sub(last.0);
            follows = usize::from(last.1) + usize::from(last.2) == first;
            if follows {
                last.2 = last.2.wrapping_add(subtree as u16);
            }
        }
        if !follows {
            let aligned = at.next_multiple_of(LANES);
            let blocks = |at: usize| (at + subtree).div_ceil(LANES);
            if blocks(aligned) == blocks(at) && is_chain(topology, first, end) {
                at = aligned;
            }
            if pieces < P {
                packing.pieces[pieces] = (at as u16, first as u16, subtree as u16);
                pieces += 1;
            }
        }
        (packing.count, packing.above, packing.at) = (pieces, above, at);
        packing.rows = at + subtree;
        for k in 0..count {
            let (row, place) = (first + k, above + k);
            if row < P && place < P {
                places[row] = place as u16;
                packing.path[place] = row as u16;
                (starts[place], nexts[place], numbers[place]) =
                    (at as u16, (at + k + 1) as u16, pieces as u16);
            }
        }
    }

    /// Of a row of the path, by its place there, the packed row of its joint's first one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn start(&self, place: usize) -> usize {
        usize::from(self.starts[place.min(P - 1)])
    }
}

/// Whether these rows, those of a subtree, are a chain without branches.
#[cfg_attr(not(debug_assertions), inline(always))]
fn is_chain(topology: &Topology<'_>, first: usize, end: usize) -> bool {
    for row in first..end.min(topology.end.len()) {
        if usize::from(topology.end[row]) != end {
            return false;
        }
    }
    true
}
