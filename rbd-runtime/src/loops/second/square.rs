//! Square matrices over coordinates, written from registers over rows.

use super::super::{LANES, Register};
use crate::Scalar;

/// A square matrix by columns, indexed by rows of the tables. It must be zero at first.
///
/// If several rows share a coordinate (mimic joints), entries are added up.
pub struct Square<'a, S> {
    /// Numbers.
    pub of: &'a mut [S],
    /// Number of rows and of columns.
    pub n: usize,
    /// Coordinate of each row. Empty if rows are coordinates.
    pub merged: &'a [u16],
}

impl<S: Scalar> Square<'_, S> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn coordinate(&self, row: usize) -> usize {
        if row < self.merged.len() { usize::from(self.merged[row]) } else { row }
    }

    /// Adds lanes from `skip` to before `count`, along a column with `step` `[1, 0]` or a row with `[0, 1]`.
    ///
    /// Out of line, since it has many callers and few robots have mimic joints.
    #[cold]
    #[inline(never)]
    fn add(
        &mut self,
        [row, column]: [usize; 2],
        step: [usize; 2],
        lanes: &[S; LANES],
        skip: usize,
        count: usize,
    ) {
        for k in skip..count.min(LANES) {
            let at = self.coordinate(column + k * step[1]) * self.n + self.coordinate(row + k * step[0]);
            if let Some(to) = self.of.get_mut(at) {
                *to += lanes[k];
            }
        }
    }

    /// Writes lanes from `skip` to before `count` to the rows from `row` on of one column.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn column<X: Register<Of = S>>(
        &mut self,
        row: usize,
        column: usize,
        x: X,
        skip: usize,
        count: usize,
    ) {
        if self.merged.is_empty() {
            let at = column * self.n + row;
            let count = count.min(LANES);
            if skip < count && at + count <= self.of.len() {
                let mask = (u8::MAX << skip) & (u8::MAX >> (LANES - count));
                // SAFETY: `at + count` is within the slice, and the mask has no lane beyond `count`.
                unsafe { x.store_lanes(self.of.as_mut_ptr().wrapping_add(at), mask) };
            }
            return;
        }
        self.add([row, column], [1, 0], &x.lanes(), skip, count);
    }

    /// Writes lanes from `skip` to before `count` to the columns from `column` on of one row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn row<X: Register<Of = S>>(&mut self, row: usize, column: usize, x: X, skip: usize, count: usize) {
        let lanes = x.lanes();
        let count = count.min(LANES);
        if self.merged.is_empty() {
            let mut at = (column + skip) * self.n + row;
            // One bounds check for all lanes.
            if skip < count && at + (count - 1 - skip) * self.n < self.of.len() {
                for k in skip..count {
                    // SAFETY: places increase, and the last one is within the slice.
                    unsafe { *self.of.get_unchecked_mut(at) = lanes[k] };
                    at += self.n;
                }
            }
            return;
        }
        self.add([row, column], [0, 1], &lanes, skip, count);
    }
}

/// Adds lanes from 0 to before `count` to the elements of a vector over coordinates.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn add_to<S: Scalar, X: Register<Of = S>>(
    to: &mut [S],
    coordinate: &[u16],
    row: usize,
    x: X,
    count: usize,
) {
    let lanes = x.lanes();
    for k in 0..count.min(LANES) {
        if row + k < coordinate.len()
            && let Some(to) = to.get_mut(usize::from(coordinate[row + k]))
        {
            *to += lanes[k];
        }
    }
}
