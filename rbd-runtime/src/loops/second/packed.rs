//! Tensors of inverse dynamics without what is zero for every state: a row of numbers for each pair of variables on one
//! path, over the path and the subtree that carry and are carried by them.

use super::super::tables::{Joint, Topology};
use super::super::{LANES, Register};
use super::packing::{Block, OfRoot, Packing, Sink, Sums, Tensor, Walk};
use super::state::floats;
use super::vectors::Wide;
use crate::Scalar;

/// Which entries a pair (c, d) has, a row of numbers for each that can differ from zero.
const H: u8 = 1;
const W: u8 = 2;
const BY_QV: u8 = 4;
const BY_VQ: u8 = 8;
const M: u8 = 16;
const E: u8 = 32;
const ALL: u8 = 63;
const OWN: u8 = H | W | BY_VQ | E;

/// Where the rows of numbers of each pair of a joint are.
#[derive(Clone, Copy, Debug)]
struct Sets {
    /// Whether a floating base carries everything.
    floats: bool,
    /// Rows on the path above the joint.
    above: usize,
    /// Numbers of a row.
    width: usize,
}

impl Sets {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn new<const P: usize>(floats: bool, packing: &Packing<P>) -> Self {
        Self { floats, above: packing.above, width: packing.rows.next_multiple_of(LANES) }
    }

    /// Those of a row of the joint and a row of the path.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of(&self, own: usize, d: usize) -> u8 {
        if self.floats && self.above == 0 {
            match (own, d) {
                (0..3, _) => 0,
                (_, 0..3) => W,
                _ => H | W,
            }
        } else if self.floats && d < 3 {
            BY_QV | M
        } else if self.floats && d < 6 {
            H | W | BY_QV | M
        } else if d < self.above {
            ALL
        } else {
            OWN
        }
    }

    /// How many numbers come before those of this pair.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn before(&self, own: usize, d: usize) -> usize {
        let rows = if self.floats && self.above == 0 {
            if own >= 3 { d + d.saturating_sub(3) } else { 0 }
        } else {
            let up = d.min(self.above);
            let root = if self.floats { 4 * up.min(3) + 2 * up.clamp(3, 6) - 6 } else { 0 };
            6 * up - root + 4 * (d - up)
        };
        rows * self.width
    }
}

/// Packed tensors while they are written.
pub struct Packed<'a, S> {
    of: &'a mut [S],
    sets: Sets,
    /// The joint's own row that is c, where its pairs begin, and those of the next one.
    own: usize,
    base: usize,
    next: usize,
    from: usize,
}

impl<'a, S: Scalar> Packed<'a, S> {
    /// Into this, [`packed_len`] numbers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn new(topology: &Topology<'_>, of: &'a mut [S]) -> Self {
        let sets = Sets { floats: floats(topology), above: 0, width: 0 };
        Self { of, sets, own: 0, base: 0, next: 0, from: 0 }
    }

    /// Entries of the pair with this row of the path; nothing beyond the end.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn put<X: Register<S>, const N: usize>(&mut self, d: usize, rows: [Wide<S, X>; N]) {
        let (at, width) = (self.base + self.sets.before(self.own, d) + self.from, self.sets.width);
        let Some(out) = self.of.get_mut(at..at + (N - 1) * width + LANES) else { return };
        for k in 0..N {
            let to = out.as_mut_ptr().wrapping_add(k * width).cast::<[S; LANES]>();
            // SAFETY: that many numbers from there on are within `out`, which goes on to the last row's.
            rows[k].0.store(unsafe { &mut *to });
        }
    }
}

impl<S: Scalar, X: Register<S>, const P: usize> Sink<S, X, P> for Packed<'_, S> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn begin(&mut self, packing: &Packing<P>, own: usize) {
        self.sets = Sets::new(self.sets.floats, packing);
        (self.own, self.base) = (own, self.next);
        self.next += self.sets.before(own, packing.pairs);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn rows(&mut self, block: &Block) {
        self.from = block.from;
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn pair(&mut self, _: usize, (d, _): (usize, usize), sums: &Sums<Wide<S, X>>) {
        let Sums { h, w, x, y, d: m, e } = *sums;
        self.put(d, [h, w, x, y, m, e]);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn own(&mut self, _: usize, (d, _): (usize, usize), sums: &Sums<Wide<S, X>>) {
        let Sums { h, w, y, e, .. } = *sums;
        self.put(d, [h, w, y, e]);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn root(&mut self, _: usize, of: &OfRoot<Wide<S, X>>) {
        for k in 0..3 {
            self.put(k, [of.x[k], of.d[k]]);
        }
        for k in 0..3 {
            self.put(3 + k, [of.h[k], of.w[k], of.x[3 + k], of.d[3 + k]]);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn root_own(&mut self, _: usize, h: [Wide<S, X>; 3], w: [Wide<S, X>; 6]) {
        for k in 0..3 {
            self.put(k, [w[k]]);
        }
        for k in 0..3 {
            self.put(3 + k, [h[k], w[3 + k]]);
        }
    }
}

/// How many numbers packed tensors of this robot are.
#[must_use]
pub fn packed_len<const P: usize>(topology: &Topology<'_>) -> usize {
    let (mut len, mut walk) = (0, Walk::<P>::new());
    for joint in topology.joints {
        let packing = enter(&mut walk, topology, joint);
        let sets = Sets::new(floats(topology), packing);
        for own in 0..joint.kind.nv() {
            len += sets.before(own, packing.pairs);
        }
    }
    len
}

/// The entries that can differ from zero of one tensor, for the coordinates of its first and its second variable.
#[derive(Clone, Copy, Debug)]
pub struct Entries<'a, T, const P: usize> {
    /// The tensor.
    pub tensor: Tensor,
    /// The first variable's coordinate.
    pub first: usize,
    /// The second variable's coordinate.
    pub second: usize,
    coordinate: &'a [u16],
    values: &'a [T],
    packing: Packing<P>,
}

impl<T: Copy, const P: usize> Entries<'_, T, P> {
    /// `(i, entry)`: the output's coordinate, and the second derivative. Where joints follow others, entries of one coordinate
    /// are to be added up, and so are those of equal variables.
    pub fn rows(&self) -> impl Iterator<Item = (usize, T)> {
        let (values, coordinate) = (self.values, self.coordinate);
        self.packing.pieces().iter().flat_map(move |&(packed, row, count)| {
            (0..usize::from(count)).filter_map(move |k| {
                let value = values.get(usize::from(packed) + k)?;
                Some((usize::from(*coordinate.get(usize::from(row) + k)?), *value))
            })
        })
    }
}

/// Tensor, whether the deeper row c is the second variable, and the entries, of a pair (c, d).
const STEPS: [(Tensor, bool, u8); 8] = [
    (Tensor::Qq, false, H),
    (Tensor::Qq, true, H),
    (Tensor::Vv, false, W),
    (Tensor::Vv, true, W),
    (Tensor::Qv, false, BY_QV),
    (Tensor::Qv, true, BY_VQ),
    (Tensor::Qa, false, M),
    (Tensor::Qa, true, E),
];

/// An iterator of the [`Entries`] of packed tensors, each ordered pair of coordinates of each tensor once.
#[derive(Clone, Debug)]
pub struct PackedEntries<'a, T, const P: usize> {
    topology: Topology<'a>,
    values: &'a [T],
    walk: Walk<P>,
    floats: bool,
    joint: usize,
    own: usize,
    d: usize,
    step: usize,
    base: usize,
}

/// All entries of packed tensors, each ordered pair of coordinates of each tensor once.
pub fn packed_entries<'a, T: Copy, const P: usize>(
    topology: &Topology<'a>,
    values: &'a [T],
) -> PackedEntries<'a, T, P> {
    let mut walk = Walk::new();
    if let Some(joint) = topology.joints.first() {
        enter(&mut walk, topology, joint);
    }
    let floats = floats(topology);
    PackedEntries { topology: *topology, values, walk, floats, joint: 0, own: 0, d: 0, step: 0, base: 0 }
}

/// The packing of the next joint.
fn enter<'w, const P: usize>(
    walk: &'w mut Walk<P>,
    topology: &Topology<'_>,
    joint: &Joint,
) -> &'w Packing<P> {
    let first = usize::from(joint.first);
    let end = match topology.end.get(first) {
        Some(end) => usize::from(*end),
        None => first,
    };
    walk.enter(topology, first, end, joint.kind.nv());
    &walk.packing
}

impl<'a, T: Copy, const P: usize> Iterator for PackedEntries<'a, T, P> {
    type Item = Entries<'a, T, P>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let joint = self.topology.joints.get(self.joint)?;
            let packing = &self.walk.packing;
            let sets = Sets::new(self.floats, packing);
            if self.step == STEPS.len() {
                (self.step, self.d) = (0, self.d + 1);
            }
            if self.d == packing.pairs {
                self.base += sets.before(self.own, packing.pairs);
                (self.d, self.own) = (0, self.own + 1);
            }
            if self.own == joint.kind.nv() {
                (self.own, self.joint) = (0, self.joint + 1);
                if let Some(joint) = self.topology.joints.get(self.joint) {
                    enter(&mut self.walk, &self.topology, joint);
                }
                continue;
            }
            let (step, d) = (self.step, self.d);
            self.step += 1;
            let (of, (tensor, swapped, entries)) = (sets.of(self.own, d), STEPS[step]);
            let there = match d.checked_sub(packing.above) {
                // Within a joint, what is symmetric is there once.
                Some(other) if tensor == Tensor::Vv => {
                    if swapped {
                        other < self.own
                    } else {
                        other <= self.own
                    }
                }
                Some(_) if tensor == Tensor::Qq => !swapped,
                _ => true,
            };
            if !there || of & entries == 0 {
                continue;
            }
            let c = usize::from(joint.first) + self.own;
            let pair = [c, packing.row(d)];
            let [first, second] = if swapped { [pair[1], pair[0]] } else { pair };
            let coordinate = |row: usize| self.topology.coordinate.get(row).map(|&c| usize::from(c));
            let before = (of & (entries - 1)).count_ones() as usize;
            let at = self.base + sets.before(self.own, d) + before * sets.width;
            return Some(Entries {
                tensor,
                first: coordinate(first)?,
                second: coordinate(second)?,
                coordinate: self.topology.coordinate,
                values: self.values.get(at..at + packing.rows)?,
                packing: *packing,
            });
        }
    }
}
