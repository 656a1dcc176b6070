//! Tensors of inverse dynamics without what is zero for every state: a row of numbers for each pair of variables on one
//! path, over the path and the subtree that carry and are carried by them.

use super::super::tables::Topology;
use super::super::{LANES, Register};
use super::packing::{Packing, Sink, Tensor};
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

impl<S: Scalar, X: Register<S>, const P: usize> Sink<S, X, P> for Packed<'_, S> {
    const TAKES_ZEROS: bool = true;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn begin(&mut self, packing: &Packing<P>) {
        self.width = packing.rows.next_multiple_of(LANES);
        self.base = self.next;
        self.next += packing.pairs * SETS * self.width;
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn rows(&mut self, _: &Packing<P>, from: usize) {
        self.from = from;
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn put(&mut self, _: Tensor, _: [usize; 2], (d, set): (usize, usize), x: Wide<S, X>) {
        let at = self.base + (d * SETS + set) * self.width + self.from;
        if let Some(out) = self.of.get_mut(at..).and_then(<[S]>::first_chunk_mut) {
            x.0.store(out);
        }
    }
}

/// How many numbers packed tensors of this robot are.
#[must_use]
pub fn packed_len<const P: usize>(topology: &Topology<'_>) -> usize {
    let mut len = 0;
    for joint in topology.joints {
        let (first, count) = (usize::from(joint.first), joint.kind.nv());
        let Some(end) = topology.end.get(first) else { break };
        let packing = Packing::<P>::new(topology, first, usize::from(*end), count);
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
    packing: Packing<P>,
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
    let packing = packing_of(topology, 0);
    PackedEntries { topology: *topology, values, packing, joint: 0, own: 0, d: 0, step: 0, base: 0 }
}

/// Of the joint with this number.
fn packing_of<const P: usize>(topology: &Topology<'_>, joint: usize) -> Packing<P> {
    let joint = topology.joints.get(joint);
    let end = joint.and_then(|j| topology.end.get(usize::from(j.first)));
    match (joint, end) {
        (Some(j), Some(&end)) => Packing::new(topology, usize::from(j.first), usize::from(end), j.kind.nv()),
        _ => Packing::new(topology, 0, 0, 0),
    }
}

impl<'a, T: Copy, const P: usize> Iterator for PackedEntries<'a, T, P> {
    type Item = Entries<'a, T, P>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let joint = self.topology.joints.get(self.joint)?;
            let packing = self.packing;
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
                self.packing = packing_of(&self.topology, self.joint);
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
                packing,
            });
        }
    }
}
