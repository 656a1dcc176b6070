//! Dense tensors, written from packed rows.

use super::super::{LANES, Register, Tables};
use super::packing::{Block, OfRoot, Sums};
use super::vectors::Wide;
use crate::Scalar;

/// A tensor of second derivatives of inverse dynamics, by the two variables. Those by v and a, and by a twice, are
/// zero.
#[derive(Clone, Copy)]
enum Tensor {
    /// By q and q.
    Qq,
    /// By q and v.
    Qv,
    /// By v and v.
    Vv,
    /// By q and a.
    Qa,
}

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

    /// The same for both orders of the variables.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn both<X: Register<S>>(&mut self, tensor: Tensor, [first, second]: [usize; 2], x: Wide<S, X>) {
        self.add(tensor, [first, second], x);
        self.add(tensor, [second, first], x);
    }

    /// Adds lanes to the coordinates of their rows.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add<X: Register<S>>(&mut self, tensor: Tensor, variables: [usize; 2], x: Wide<S, X>) {
        self.add_lanes(tensor, variables, &x.lanes());
    }

    /// The same out of line: few robots have joints that follow others, and entries are added in many places.
    #[cold]
    #[inline(never)]
    fn add_lanes(&mut self, tensor: Tensor, [first, second]: [usize; 2], lanes: &[S; LANES]) {
        let (n, merged) = (self.n, self.merged);
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

/// Where a pair's columns begin, in any tensor: that of c first and d second, and the other way round.
struct Columns {
    down: usize,
    up: usize,
}

impl<S: Scalar> Dense<'_, S> {
    /// Those of a pair, if there are such columns.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn columns(&self, c: usize, d: usize) -> Option<Columns> {
        let n = self.n;
        if c < n && d < n { Some(Columns { down: (d * n + c) * n, up: (c * n + d) * n }) } else { None }
    }

    /// Lanes of a piece to a column of a tensor.
    ///
    /// # Safety
    /// The column is from [`Self::columns`], and the piece one of `pieces`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store<X: Register<S>>(
        &mut self,
        tensor: Tensor,
        column: usize,
        (row, lanes): (usize, u8),
        x: Wide<S, X>,
    ) {
        let to = self.of[tensor as usize].as_mut_ptr().wrapping_add(column.wrapping_add(row));
        // SAFETY: both variables are below n, and so are the rows of these lanes, so that the places are within the n^3 numbers
        // that the tensor has.
        unsafe { x.0.store_lanes(to, lanes) };
    }
}

/// Entries of pairs of rows `(c, d)`, eight at a time.
impl<S: Scalar> Dense<'_, S> {
    /// The next entries are those of these packed rows.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn rows(&mut self, block: &Block) {
        self.count = 0;
        for &(row, lanes) in block.pieces() {
            // The row after that of the last lane.
            let end = row.wrapping_add(LANES - lanes.leading_zeros() as usize);
            let there = !self.merged.is_empty() || end <= self.n && row < end;
            if there && self.count < LANES {
                self.pieces[self.count] = (row, lanes);
                self.count += 1;
            }
        }
    }

    /// Of a row of a joint above that of c.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn pair<X: Register<S>>(&mut self, c: usize, d: usize, sums: &Sums<Wide<S, X>>) {
        let Sums { h, w, x, y, d: m, e } = *sums;
        if !self.merged.is_empty() {
            self.both(Tensor::Qq, [c, d], h);
            self.both(Tensor::Vv, [c, d], w);
            self.add(Tensor::Qv, [c, d], x);
            self.add(Tensor::Qv, [d, c], y);
            self.add(Tensor::Qa, [c, d], m);
            self.add(Tensor::Qa, [d, c], e);
            return;
        }
        let Some(Columns { down, up }) = self.columns(c, d) else { return };
        for k in 0..self.count.min(LANES) {
            let piece = self.pieces[k];
            // SAFETY: as `store` asks.
            unsafe {
                self.store(Tensor::Qq, down, piece, h);
                self.store(Tensor::Qq, up, piece, h);
                self.store(Tensor::Vv, down, piece, w);
                self.store(Tensor::Vv, up, piece, w);
                self.store(Tensor::Qv, down, piece, x);
                self.store(Tensor::Qv, up, piece, y);
                self.store(Tensor::Qa, down, piece, m);
                self.store(Tensor::Qa, up, piece, e);
            }
        }
    }

    /// Of a row of the joint of c: by q_c and q_d, q_d and v_c, and by q_d of M's column c. By v_c and v_d for d up
    /// to c.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn own<X: Register<S>>(&mut self, c: usize, d: usize, sums: &Sums<Wide<S, X>>) {
        let Sums { h, w, y, e, .. } = *sums;
        if !self.merged.is_empty() {
            self.add(Tensor::Qq, [c, d], h);
            if d < c {
                self.both(Tensor::Vv, [c, d], w);
            } else if d == c {
                self.add(Tensor::Vv, [c, d], w);
            }
            self.add(Tensor::Qv, [d, c], y);
            self.add(Tensor::Qa, [d, c], e);
            return;
        }
        let Some(Columns { down, up }) = self.columns(c, d) else { return };
        for k in 0..self.count.min(LANES) {
            let piece = self.pieces[k];
            // SAFETY: as `store` asks.
            unsafe {
                self.store(Tensor::Qq, down, piece, h);
                if d <= c {
                    self.store(Tensor::Vv, down, piece, w);
                }
                if d < c {
                    self.store(Tensor::Vv, up, piece, w);
                }
                self.store(Tensor::Qv, up, piece, y);
                self.store(Tensor::Qa, up, piece, e);
            }
        }
    }

    /// Of all rows of a floating base that carries c and everything else.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn root<X: Register<S>>(&mut self, c: usize, of: &OfRoot<Wide<S, X>>) {
        if !self.merged.is_empty() {
            for d in 0..6 {
                self.add(Tensor::Qv, [c, d], of.x[d]);
                self.add(Tensor::Qa, [c, d], of.d[d]);
            }
            for k in 0..3 {
                self.both(Tensor::Qq, [c, 3 + k], of.h[k]);
                self.both(Tensor::Vv, [c, 3 + k], of.w[k]);
            }
            return;
        }
        let (Some(first), Some(_)) = (self.columns(c, 0), self.columns(c, 5)) else { return };
        let (n, square) = (self.n, self.n * self.n);
        for k in 0..self.count.min(LANES) {
            let piece = self.pieces[k];
            // SAFETY: as `store` asks; these are the columns of the rows from 0 to 5.
            unsafe {
                for d in 0..6 {
                    self.store(Tensor::Qv, first.down + d * square, piece, of.x[d]);
                    self.store(Tensor::Qa, first.down + d * square, piece, of.d[d]);
                }
                for k in 0..3 {
                    self.store(Tensor::Qq, first.down + (3 + k) * square, piece, of.h[k]);
                    self.store(Tensor::Qq, first.up + (3 + k) * n, piece, of.h[k]);
                    self.store(Tensor::Vv, first.down + (3 + k) * square, piece, of.w[k]);
                    self.store(Tensor::Vv, first.up + (3 + k) * n, piece, of.w[k]);
                }
            }
        }
    }

    /// Of all rows of such a floating base, c being one of its rotations: by q_c and the angles q_d, and by v_c and
    /// v_d, six numbers of which those for d up to c are taken. Of its translations nothing is left.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn root_own<X: Register<S>>(&mut self, c: usize, h: [Wide<S, X>; 3], w: [Wide<S, X>; 6]) {
        for d in 0..6 {
            if !self.merged.is_empty() {
                if d >= 3 {
                    self.add(Tensor::Qq, [c, d], h[d - 3]);
                }
                if d < c {
                    self.both(Tensor::Vv, [c, d], w[d]);
                } else if d == c {
                    self.add(Tensor::Vv, [c, d], w[d]);
                }
                continue;
            }
            let Some(Columns { down, up }) = self.columns(c, d) else { return };
            for k in 0..self.count.min(LANES) {
                let piece = self.pieces[k];
                // SAFETY: as `store` asks.
                unsafe {
                    if d >= 3 {
                        self.store(Tensor::Qq, down, piece, h[d - 3]);
                    }
                    if d <= c {
                        self.store(Tensor::Vv, down, piece, w[d]);
                    }
                    if d < c {
                        self.store(Tensor::Vv, up, piece, w[d]);
                    }
                }
            }
        }
    }
}
