//! Dense tensors, written from packed rows.

use super::super::{LANES, Register, Tables};
use super::packing::{Packing, Sink, Tensor};
use super::vectors::Wide;
use crate::Scalar;

/// Four dense tensors: element `[k][(i, j)]` is entry i of the derivative by the first variable's j and the second one's k.
/// Only what can differ from zero is written, unless joints follow others.
pub struct Dense<'a, S> {
    /// By q and q, q and v, v and v, q and a: n^3 numbers each.
    of: [&'a mut [S]; 4],
    n: usize,
    merged: &'a [u16],
    /// The current register's lanes: each piece's first row less its first lane (wrapping), and its lanes. All rows of these
    /// lanes are below n, where no joint follows another.
    pieces: [(usize, u8); LANES],
    count: usize,
}

impl<'a, S: Scalar> Dense<'a, S> {
    /// On these tensors, n^3 numbers each, zero at first. Others are left alone.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn new<const P: usize>(tables: &Tables<'a, P>, of: [&'a mut [S]; 4]) -> Self {
        let merges = tables.topology.merges();
        let merged = if merges { tables.topology.coordinate } else { &[] };
        let mut n = tables.damping.len();
        for k in 0..4 {
            if n.checked_mul(n).and_then(|square| square.checked_mul(n)).is_none_or(|cube| of[k].len() < cube)
            {
                n = 0;
            }
        }
        if merges {
            // Entries are added up.
            for k in 0..4 {
                for x in of[k].iter_mut() {
                    *x = S::zero();
                }
            }
        }
        Self { of, n, merged, pieces: [(0, 0); LANES], count: 0 }
    }

    /// Adds lanes to the coordinates of their rows.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add<X: Register<S>>(&mut self, tensor: Tensor, [first, second]: [usize; 2], x: Wide<S, X>) {
        let (n, merged) = (self.n, self.merged);
        let lanes = x.lanes();
        let at = |row: usize| if row < merged.len() { usize::from(merged[row]) } else { n };
        let column = (at(second) * n + at(first)) * n;
        for k in 0..self.count.min(LANES) {
            let (row, mask) = self.pieces[k];
            for l in 0..LANES {
                if mask >> l & 1 == 1
                    && let Some(to) = self.of[tensor as usize].get_mut(column + at(row.wrapping_add(l)))
                {
                    *to += lanes[l];
                }
            }
        }
    }
}

impl<S: Scalar, X: Register<S>, const P: usize> Sink<S, X, P> for Dense<'_, S> {
    const TAKES_ZEROS: bool = false;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn begin(&mut self, _: &Packing<P>) {}

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn rows(&mut self, packing: &Packing<P>, from: usize) {
        self.count = 0;
        for &(packed, row, count) in packing.pieces() {
            let (packed, row) = (usize::from(packed), usize::from(row));
            let (low, high) = (packed.max(from), (packed + usize::from(count)).min(from + LANES));
            let there = !self.merged.is_empty() || row + usize::from(count) <= self.n;
            if low < high && there && self.count < LANES {
                let lanes = (u8::MAX >> (LANES - (high - low))) << (low - from);
                self.pieces[self.count] = ((row + from).wrapping_sub(packed), lanes);
                self.count += 1;
            }
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn put(&mut self, tensor: Tensor, variables: [usize; 2], _: (usize, usize), x: Wide<S, X>) {
        if !self.merged.is_empty() {
            self.add(tensor, variables, x);
            return;
        }
        let (n, [first, second]) = (self.n, variables);
        if first >= n || second >= n {
            return;
        }
        let column = self.of[tensor as usize].as_mut_ptr().wrapping_add((second * n + first) * n);
        for k in 0..self.count.min(LANES) {
            let (row, lanes) = self.pieces[k];
            // SAFETY: both variables are below n, and so are the rows of these lanes, so that the places are within the n^3
            // numbers that the tensor has.
            unsafe { x.0.store_lanes(column.wrapping_add(row), lanes) };
        }
    }
}
