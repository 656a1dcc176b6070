//! Dense tensors, written from packed rows.

use super::super::{LANES, Register, Tables};
use super::packing::{Packing, Sink, Tensor};
use super::vectors::Wide;
use crate::Scalar;

/// Four dense tensors: element `[k][(i, j)]` is entry i of the derivative by the first variable's j and the second one's k.
/// Only what can differ from zero is written, unless joints follow others.
pub struct Dense<'a, S> {
    /// By q and q, q and v, v and v, q and a.
    pub of: [&'a mut [S]; 4],
    n: usize,
    merged: &'a [u16],
    /// The current register's lanes: from, row, count.
    pieces: [(usize, usize, usize); LANES],
    count: usize,
}

impl<'a, S: Scalar> Dense<'a, S> {
    /// On these tensors, n^3 numbers each, zero at first.
    #[inline(always)]
    pub fn new<const P: usize>(tables: &Tables<'a, P>, of: [&'a mut [S]; 4]) -> Self {
        let merges = tables.topology.merges();
        let merged = if merges { tables.topology.coordinate } else { &[] };
        let out = Self { of, n: tables.damping.len(), merged, pieces: [(0, 0, 0); LANES], count: 0 };
        if merges {
            // Entries are added up.
            for k in 0..4 {
                for x in out.of[k].iter_mut() {
                    *x = S::zero();
                }
            }
        }
        out
    }
}

impl<S: Scalar, X: Register<S>, const P: usize> Sink<S, X, P> for Dense<'_, S> {
    #[inline(always)]
    fn begin(&mut self, _: &Packing<P>) {}

    #[inline(always)]
    fn rows(&mut self, packing: &Packing<P>, from: usize) {
        self.count = 0;
        for &(packed, row, count) in packing.pieces() {
            let (packed, row) = (usize::from(packed), usize::from(row));
            let (low, high) = (packed.max(from), (packed + usize::from(count)).min(from + LANES));
            if low < high && self.count < LANES {
                self.pieces[self.count] = (low - from, row + low - packed, high - low);
                self.count += 1;
            }
        }
    }

    #[inline(always)]
    fn put(&mut self, tensor: Tensor, [first, second]: [usize; 2], _: (usize, usize), x: Wide<S, X>) {
        let n = self.n;
        let merged = self.merged;
        let out = &mut *self.of[tensor as usize];
        if !merged.is_empty() {
            let lanes = x.lanes();
            let at = |row: usize| if row < merged.len() { usize::from(merged[row]) } else { n };
            let column = (at(second) * n + at(first)) * n;
            for k in 0..self.count {
                let (lane, row, count) = self.pieces[k];
                for l in 0..count {
                    if let Some(to) = out.get_mut(column + at(row + l)) {
                        *to += lanes[(lane + l) % LANES];
                    }
                }
            }
            return;
        }
        let column = (second * n + first) * n;
        let mut whole = [S::zero(); LANES];
        for k in 0..self.count {
            let (lane, row, count) = self.pieces[k];
            if count == LANES {
                if let Some(out) = out.get_mut(column + row..).and_then(<[S]>::first_chunk_mut) {
                    x.0.store(out);
                }
            } else if let Some(out) = out.get_mut(column + row..column + row + count) {
                if lane == 0 {
                    x.0.store_first(out);
                } else {
                    x.0.store(&mut whole);
                    for l in 0..count {
                        out[l] = whole[(lane + l) % LANES];
                    }
                }
            }
        }
    }
}
