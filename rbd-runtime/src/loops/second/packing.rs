//! Packing of a tensor's rows: the path of a joint, then its subtree.
//!
//! The subtree may begin with a register of its own. Lanes before it are empty.

use super::super::LANES;
use super::super::tables::{Topology, WORLD};

/// Entries of a pair of rows c and d on the path of c, for eight packed rows.
pub struct Sums<L> {
    /// Entries by q_c and q_d.
    pub h: L,
    /// Entries by v_c and v_d.
    pub w: L,
    /// Entries by q_c and v_d.
    pub x: L,
    /// Entries by q_d and v_c.
    pub y: L,
    /// Derivatives by q_c of M's column d.
    pub d: L,
    /// Derivatives by q_d of M's column c.
    pub e: L,
}

/// Entries of c and each row d of a floating base that carries everything.
///
/// Entries by q_d and v_c, and by q_d of M's column c, are zero.
/// For translations d, entries by q_d, and by v_c and v_d, are zero as well.
pub struct OfRoot<L> {
    /// Entries by q_c and the rotations q_d.
    pub h: [L; 3],
    /// Entries by v_c and the angular velocities v_d.
    pub w: [L; 3],
    /// Entries by q_c and v_d.
    pub x: [L; 6],
    /// Derivatives by q_c of M's column d.
    pub d: [L; 6],
}

/// Eight packed rows, as runs of consecutive rows.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    pieces: [(usize, u8); LANES],
    count: usize,
}

impl Block {
    /// Runs: the row that lane 0 would hold, and a mask of lanes. There is at least one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn pieces(&self) -> &[(usize, u8)] {
        match self.pieces.get(..self.count) {
            Some(pieces) => pieces,
            None => &self.pieces,
        }
    }
}

/// Mask of the lanes below packed row `limit`, in a register that begins at packed row `from`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn before(limit: usize, from: usize) -> u8 {
    ((1_u32 << limit.saturating_sub(from).min(LANES)) - 1) as u8
}

/// Packing of the rows that are nonzero for one joint, with pieces `(packed, row, count)`.
#[derive(Debug)]
pub struct Packing<const P: usize> {
    pieces: [(u16, u16, u16); P],
    count: usize,
    /// Rows of the path from the root, the joint's own included.
    path: [u16; P],
    /// Number of rows above the joint.
    pub above: usize,
    /// Packed index of the joint's first row.
    pub at: usize,
    /// Number of packed rows: the path, then the subtree.
    /// A limb whose rows do not follow its parent's begins with a register, if that takes no extra register.
    pub rows: usize,
}

impl<const P: usize> Packing<P> {
    /// Runs of consecutive rows: packed index, row, count.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn pieces(&self) -> &[(u16, u16, u16)] {
        match self.pieces.get(..self.count) {
            Some(pieces) => pieces,
            None => &self.pieces,
        }
    }

    /// Eight packed rows from `from` on.
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

    /// Row at a place of the path.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn row(&self, place: usize) -> usize {
        usize::from(self.path[place.min(P - 1)])
    }
}

/// Packings of all joints in order. The rows above a joint are kept from its parent's packing.
#[derive(Debug)]
pub struct Walk<const P: usize> {
    /// Packing of the current joint.
    pub packing: Packing<P>,
    /// For each row of the path, the packed index of its joint's first row.
    starts: [u16; P],
    /// For each row of the path, one past its packed index.
    nexts: [u16; P],
    /// For each row of the path, the number of pieces up to it.
    numbers: [u16; P],
    /// For each row of a path, its place there.
    places: [u16; P],
}

impl<const P: usize> Walk<P> {
    /// Before the first joint.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn new() -> Self {
        let (pieces, path) = ([(0, 0, 0); P], [0; P]);
        let packing = Packing { pieces, count: 0, path, above: 0, at: 0, rows: 0 };
        Self { packing, starts: [0; P], nexts: [0; P], numbers: [0; P], places: [0; P] }
    }

    /// Moves to the next joint, of `count` rows. Its subtree ends before row `end`.
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
            // Cut the last run where the path ends.
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

    /// For a place on the path, the packed index of its joint's first row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn start(&self, place: usize) -> usize {
        usize::from(self.starts[place.min(P - 1)])
    }
}

/// True if the rows of a subtree form a chain without branches.
#[cfg_attr(not(debug_assertions), inline(always))]
fn is_chain(topology: &Topology<'_>, first: usize, end: usize) -> bool {
    for row in first..end.min(topology.end.len()) {
        if usize::from(topology.end[row]) != end {
            return false;
        }
    }
    true
}
