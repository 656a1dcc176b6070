//! Dense tensors, written from packed rows.

use super::super::{LANES, Register, Tables};
use super::packing::{Block, OfRoot, Sums};
use crate::Scalar;

/// A tensor of second derivatives of inverse dynamics, named by its two variables.
///
/// Derivatives by v and a, and by a twice, are zero.
#[derive(Clone, Copy)]
enum Tensor {
    /// Derivatives by q and q.
    Qq,
    /// Derivatives by q and v.
    Qv,
    /// Derivatives by v and v.
    Vv,
    /// Derivatives by q and a.
    Qa,
}

/// Four dense tensors, n^3 numbers each.
///
/// Element `[k][(i, j)]` is output i, differentiated by component j of the first variable and k of the
/// second.
/// Structural zeros are not written, unless joints mimic others.
pub struct Dense<'a, S> {
    /// Tensors by q and q, q and v, v and v, q and a.
    of: [&'a mut [S]; 4],
    n: usize,
    merged: &'a [u16],
    /// Pieces of the current register: the first row minus the first lane (wrapping), and a mask of lanes.
    /// Without mimic joints, all rows of the lanes are below n.
    pieces: [(usize, u8); LANES],
    count: usize,
}

impl<'a, S: Scalar> Dense<'a, S> {
    /// Tensors to be filled, n^3 numbers each, zero at first. If one is too short, nothing is written.
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
            // Mimic joints add several entries to one place.
            for k in 0..4 {
                for x in of[k].iter_mut() {
                    *x = S::zero();
                }
            }
        }
        Self { of, n, merged, pieces: [(0, 0); LANES], count: 0 }
    }

    /// Adds lanes for both orders of the variables.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn both<X: Register<Of = S>>(&mut self, tensor: Tensor, [first, second]: [usize; 2], x: X) {
        self.add(tensor, [first, second], x);
        self.add(tensor, [second, first], x);
    }

    /// Adds lanes at the coordinates of their rows.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add<X: Register<Of = S>>(&mut self, tensor: Tensor, variables: [usize; 2], x: X) {
        self.add_lanes(tensor, variables, &x.lanes());
    }

    /// Adds lanes at the coordinates of their rows. Out of line, since it has many callers and few robots
    /// need it.
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

/// Beginning of a pair's columns in any tensor: c first and d second, then d first and c second.
struct Columns {
    down: usize,
    up: usize,
}

impl<S: Scalar> Dense<'_, S> {
    /// Beginning of a pair's columns, if c and d are coordinates.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn columns(&self, c: usize, d: usize) -> Option<Columns> {
        let n = self.n;
        if c < n && d < n { Some(Columns { down: (d * n + c) * n, up: (c * n + d) * n }) } else { None }
    }

    /// Stores a piece's lanes in a column of a tensor.
    ///
    /// # Safety
    /// The column is from [`Self::columns`], and the piece one of `pieces`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store<X: Register<Of = S>>(
        &mut self,
        tensor: Tensor,
        column: usize,
        (row, lanes): (usize, u8),
        x: X,
    ) {
        let to = self.of[tensor as usize].as_mut_ptr().wrapping_add(column.wrapping_add(row));
        // SAFETY: both variables are below n, and so are the rows of the lanes.
        // All places are therefore within the tensor's n^3 numbers.
        unsafe { x.store_lanes(to, lanes) };
    }
}

/// Entries of pairs of rows `(c, d)`, for eight packed rows at a time.
impl<S: Scalar> Dense<'_, S> {
    /// Selects the packed rows of the next entries.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn rows(&mut self, block: &Block) {
        self.count = 0;
        for &(row, lanes) in block.pieces() {
            // One past the row of the last lane.
            let end = row.wrapping_add(LANES - lanes.leading_zeros() as usize);
            let there = !self.merged.is_empty() || end <= self.n && row < end;
            if there && self.count < LANES {
                self.pieces[self.count] = (row, lanes);
                self.count += 1;
            }
        }
    }

    /// Writes entries of c and d, where the joint of d is above that of c.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn pair<X: Register<Of = S>>(&mut self, c: usize, d: usize, sums: &Sums<X>) {
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
            // SAFETY: `columns` returned the columns, and the piece is one of `pieces`.
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

    /// Writes entries of c and d, which are rows of one joint.
    ///
    /// They are by q_c and q_d, by q_d and v_c, and by q_d of M's column c.
    /// Entries by v_c and v_d are written for d up to c.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn own<X: Register<Of = S>>(&mut self, c: usize, d: usize, sums: &Sums<X>) {
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
            // SAFETY: `columns` returned the columns, and the piece is one of `pieces`.
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

    /// Writes entries of c with all rows of a floating base that carries everything.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn root<X: Register<Of = S>>(&mut self, c: usize, of: &OfRoot<X>) {
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
            // SAFETY: columns of rows 0 to 5 are within the tensor, since `columns` accepted both ends.
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

    /// Writes entries of c and d, where c is a rotation of a floating base that carries everything.
    ///
    /// They are by q_c and the rotations q_d, and by v_c and v_d for d up to c.
    /// Translations of the base have no entries.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn root_own<X: Register<Of = S>>(&mut self, c: usize, h: [X; 3], w: [X; 6]) {
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
                // SAFETY: `columns` returned the columns, and the piece is one of `pieces`.
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
