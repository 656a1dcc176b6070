//! Tiles of a matrix: some columns by some registers of eight rows, computed at once.

use super::columns::Range;
use crate::Scalar;
use crate::simd::{LANES, Register};

/// Registers of rows of some columns.
pub(super) type Tile<L, const C: usize, const R: usize> = [[L; R]; C];

/// Writes the rows before `end`. All but those of the last register are within the matrix.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn store<T: Scalar, L: Register<Of = T>, const N: usize, const C: usize, const R: usize>(
    tile: &Tile<L, C, R>,
    columns: &mut [[T; N]; C],
    (row, end): (usize, usize),
) {
    for c in 0..C {
        if R == 1 && end < row + LANES {
            if let Some(rows) = columns[c].get_mut(row..end) {
                tile[c][0].store_first(rows);
            }
            continue;
        }
        let rows = columns[c].get_mut(row..).and_then(|rows| rows.as_chunks_mut().0.first_chunk_mut::<R>());
        if let Some(rows) = rows {
            for r in 0..R {
                tile[c][r].store(&mut rows[r]);
            }
        }
    }
}

/// An operation on tiles of rows.
pub(super) trait Tiles<T, L> {
    /// Makes `R` registers of rows from `row` to `end`.
    fn tile<const R: usize>(&mut self, row: usize, end: usize, terms: &[Range]);
}

/// Visits rows from the last up. A tile that exceeds its block overwrites rows that are computed
/// after it. If there are none, finished rows stay as they are.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn over_rows<T, L, K: Tiles<T, L>>(tiles: &mut K, (from, mut end): Range, terms: &[Range]) {
    while end > from {
        let rows = end - from;
        if rows > 2 * LANES && end >= 3 * LANES {
            tiles.tile::<3>(end - 3 * LANES, end, terms);
            end -= 3 * LANES;
        } else if rows > LANES && end >= 2 * LANES {
            tiles.tile::<2>(end - 2 * LANES, end, terms);
            end -= 2 * LANES;
        } else {
            tiles.tile::<1>(end.saturating_sub(LANES), end, terms);
            end = end.saturating_sub(LANES);
        }
    }
}
