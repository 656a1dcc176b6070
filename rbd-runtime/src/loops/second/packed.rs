//! Tensors of inverse dynamics without what is zero for every state: a row of numbers for each pair of variables on one
//! path, over the path and the subtree that carry and are carried by them.

use super::super::tables::{Joint, Topology};
use super::super::{LANES, Register};
use super::packing::{Block, OfRoot, Packing, Sink, Sums, Tensor, Walk};
use super::vectors::Wide;
use crate::Scalar;

/// Sets of entries of a pair.
const SETS: usize = 6;

/// Packed tensors while they are written.
pub struct Packed<'a, S> {
    of: &'a mut [S],
    base: usize,
    next: usize,
    width: usize,
    from: usize,
}

impl<'a, S: Scalar> Packed<'a, S> {
    /// Into this, [`packed_len`] numbers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn new(of: &'a mut [S]) -> Self {
        Self { of, base: 0, next: 0, width: 0, from: 0 }
    }
}

impl<S: Scalar> Packed<'_, S> {
    /// Sets of entries of the pair with this packed row; nothing beyond the end.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn put<X: Register<S>, const N: usize>(&mut self, d: usize, sets: [(usize, Wide<S, X>); N]) {
        let (at, width) = (self.base + d * SETS * self.width + self.from, self.width);
        let Some(out) = self.of.get_mut(at..at + (SETS - 1) * width + LANES) else { return };
        for (set, x) in sets {
            if set < SETS {
                let to = out.as_mut_ptr().wrapping_add(set * width).cast::<[S; LANES]>();
                // SAFETY: that many numbers from there on are within `out`, which goes on to the last set's.
                x.0.store(unsafe { &mut *to });
            }
        }
    }
}

impl<S: Scalar, X: Register<S>, const P: usize> Sink<S, X, P> for Packed<'_, S> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn begin(&mut self, packing: &Packing<P>) {
        self.width = packing.rows.next_multiple_of(LANES);
        self.base = self.next;
        self.next += packing.pairs * SETS * self.width;
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn rows(&mut self, block: &Block) {
        self.from = block.from;
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn pair(&mut self, _: usize, (d, _): (usize, usize), sums: &Sums<Wide<S, X>>) {
        let Sums { h, w, x, y, d: m, e } = *sums;
        self.put(d, [(0, h), (1, w), (2, x), (3, y), (4, m), (5, e)]);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn own(&mut self, _: usize, (d, _): (usize, usize), sums: &Sums<Wide<S, X>>) {
        let Sums { h, w, y, e, .. } = *sums;
        self.put(d, [(0, h), (1, w), (3, y), (5, e)]);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn root(&mut self, _: usize, of: &OfRoot<Wide<S, X>>) {
        let zero = Wide::splat(S::zero());
        for k in 0..3 {
            self.put(k, [(0, zero), (1, zero), (2, of.x[k]), (3, zero), (4, of.d[k]), (5, zero)]);
        }
        for k in 0..3 {
            let (x, m) = (of.x[3 + k], of.d[3 + k]);
            self.put(3 + k, [(0, of.h[k]), (1, of.w[k]), (2, x), (3, zero), (4, m), (5, zero)]);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn root_own(&mut self, _: usize, h: [Wide<S, X>; 3], w: [Wide<S, X>; 6]) {
        let zero = Wide::splat(S::zero());
        for k in 0..3 {
            self.put(k, [(0, zero), (1, w[k]), (3, zero), (5, zero)]);
            self.put(3 + k, [(0, h[k]), (1, w[3 + k]), (3, zero), (5, zero)]);
        }
    }
}

/// How many numbers packed tensors of this robot are.
#[must_use]
pub fn packed_len<const P: usize>(topology: &Topology<'_>) -> usize {
    let (mut len, mut walk) = (0, Walk::<P>::new());
    for joint in topology.joints {
        let count = joint.kind.nv();
        let packing = enter(&mut walk, topology, joint);
        len += count * packing.pairs * SETS * packing.rows.next_multiple_of(LANES);
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

/// Tensor, whether the deeper row c is the second variable, and the set of entries, of a pair (c, d).
const STEPS: [(Tensor, bool, usize); 8] = [
    (Tensor::Qq, false, 0),
    (Tensor::Qq, true, 0),
    (Tensor::Vv, false, 1),
    (Tensor::Vv, true, 1),
    (Tensor::Qv, false, 2),
    (Tensor::Qv, true, 3),
    (Tensor::Qa, false, 4),
    (Tensor::Qa, true, 5),
];

/// An iterator of the [`Entries`] of packed tensors, each ordered pair of coordinates of each tensor once.
#[derive(Clone, Debug)]
pub struct PackedEntries<'a, T, const P: usize> {
    topology: Topology<'a>,
    values: &'a [T],
    walk: Walk<P>,
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
    PackedEntries { topology: *topology, values, walk, joint: 0, own: 0, d: 0, step: 0, base: 0 }
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
            let width = packing.rows.next_multiple_of(LANES);
            if self.step == STEPS.len() {
                (self.step, self.d) = (0, self.d + 1);
            }
            if self.d == packing.pairs {
                (self.d, self.own) = (0, self.own + 1);
                self.base += packing.pairs * SETS * width;
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
            let there = match d.checked_sub(packing.above) {
                None => true,
                Some(other) => match step {
                    2 => other <= self.own,
                    3 => other < self.own,
                    _ => matches!(step, 0 | 5 | 7),
                },
            };
            if !there {
                continue;
            }
            let (tensor, swapped, set) = STEPS[step];
            let c = usize::from(joint.first) + self.own;
            let pair = [c, packing.row(d)];
            let [first, second] = if swapped { [pair[1], pair[0]] } else { pair };
            let coordinate = |row: usize| self.topology.coordinate.get(row).map(|&c| usize::from(c));
            let at = self.base + (d * SETS + set) * width;
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
