//! Products of full matrices, in loops with blocks held in registers.
//!
//! The last step of the derivatives of forward dynamics is `-M^-1 D`, with `D` the derivatives of inverse
//! dynamics. Written out for one robot it would be the largest part of the code by far, and run slower
//! than this for want of instruction cache.

use crate::Scalar;
use nalgebra::SMatrix;

/// Columns of a matrix that are zero outside the same rows.
///
/// In the derivatives of inverse dynamics, the column of a joint is zero except at its ancestors and
/// descendants, so a quadruped's leg has nothing in the rows of the other three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnGroup<'a> {
    /// First column, and the one after the last.
    pub columns: (usize, usize),
    /// Rows that may be nonzero: the first, and the one after the last, of each run.
    pub rows: &'a [(usize, usize)],
}

/// `-minv * d`, both full.
///
/// ```
/// use nalgebra::Matrix2;
/// let (m, d) = (Matrix2::new(2.0, 0.0, 0.0, 4.0), Matrix2::new(1.0, 2.0, 3.0, 4.0));
/// assert_eq!(rbd_runtime::linalg::neg_mul(&m, &d), Matrix2::new(-2.0, -4.0, -12.0, -16.0));
/// ```
#[inline(always)]
#[must_use]
pub fn neg_mul<T: Scalar, const N: usize>(minv: &SMatrix<T, N, N>, d: &SMatrix<T, N, N>) -> SMatrix<T, N, N> {
    let mut out = SMatrix::zeros();
    neg_mul_into(minv, d, &mut out);
    out
}

/// [`neg_mul`] into the caller's matrix.
#[inline(always)]
pub fn neg_mul_into<T: Scalar, const N: usize>(
    minv: &SMatrix<T, N, N>,
    d: &SMatrix<T, N, N>,
    out: &mut SMatrix<T, N, N>,
) {
    neg_mul_groups(minv, d, &[ColumnGroup { columns: (0, N), rows: &[(0, N)] }], out);
}

/// `-minv * d` for a full `minv` and a `d` whose nonzero elements all lie in `groups`. Columns in no
/// group are left as they are in `out`; rows and columns beyond `N` are ignored.
#[inline(always)]
pub fn neg_mul_groups<T: Scalar, const N: usize>(
    minv: &SMatrix<T, N, N>,
    d: &SMatrix<T, N, N>,
    groups: &[ColumnGroup<'_>],
    out: &mut SMatrix<T, N, N>,
) {
    let (minv, d, out) = (&minv.data.0, &d.data.0, &mut out.data.0);
    for group in groups {
        let (mut column, end) = (group.columns.0, group.columns.1.min(N));
        while column + 4 <= end {
            columns::<T, N, 4>(minv, d, column, group.rows, out);
            column += 4;
        }
        match end.saturating_sub(column) {
            0 => {}
            1 => columns::<T, N, 1>(minv, d, column, group.rows, out),
            2 => columns::<T, N, 2>(minv, d, column, group.rows, out),
            _ => columns::<T, N, 3>(minv, d, column, group.rows, out),
        }
    }
}

/// `C` columns of the product, in tiles of 8 rows, then 4. The last tile moves up to end at the last
/// row and does some rows again, which is quicker than doing what is left one by one.
#[inline(always)]
fn columns<T: Scalar, const N: usize, const C: usize>(
    minv: &[[T; N]; N],
    d: &[[T; N]; N],
    column: usize,
    rows: &[(usize, usize)],
    out: &mut [[T; N]; N],
) {
    let mut row = 0;
    if size_of::<T>() <= 8 {
        while row + 8 <= N {
            tile::<T, N, 8, C>(minv, d, (row, column), rows, out);
            row += 8;
        }
    }
    if N >= 4 {
        while row < N {
            tile::<T, N, 4, C>(minv, d, (row.min(N - 4), column), rows, out);
            row += 4;
        }
    }
    while row < N {
        tile::<T, N, 1, C>(minv, d, (row, column), rows, out);
        row += 1;
    }
}

/// `R` rows and `C` columns of the product, from `at` on, summed in registers.
#[inline(always)]
fn tile<T: Scalar, const N: usize, const R: usize, const C: usize>(
    minv: &[[T; N]; N],
    d: &[[T; N]; N],
    at: (usize, usize),
    rows: &[(usize, usize)],
    out: &mut [[T; N]; N],
) {
    let mut sum = [[T::zero(); R]; C];
    let Some((d, _)) = d.get(at.1..).and_then(<[_]>::split_first_chunk::<C>) else { return };
    for &(from, to) in rows {
        for k in from..to.min(N) {
            let Some((m, _)) = minv[k].get(at.0..).and_then(<[_]>::split_first_chunk::<R>) else { return };
            for c in 0..C {
                let factor = -d[c][k];
                for r in 0..R {
                    sum[c][r] = m[r].mul_add(factor, sum[c][r]);
                }
            }
        }
    }
    let Some((out, _)) = out.get_mut(at.1..).and_then(<[_]>::split_first_chunk_mut::<C>) else { return };
    for c in 0..C {
        if let Some((out, _)) = out[c].get_mut(at.0..).and_then(<[_]>::split_first_chunk_mut::<R>) {
            *out = sum[c];
        }
    }
}
