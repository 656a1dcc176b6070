//! Products of full matrices, in loops with blocks held in registers.
//!
//! The last step of the derivatives of forward dynamics is `-M^-1 D`, with `D` the derivatives of inverse
//! dynamics. Written out for one robot it would be the largest part of the code by far, and run slower
//! than this for want of instruction cache.
//!
//! Two products of `f64`, ns, on an AMD Zen 3 at 2.4 to 3.5 GHz (`examples/timings.rs`), for matrices of a
//! 7-joint arm, a quadruped and a humanoid; the last column leaves out the zeros of the tree:
//!
//! | N | nalgebra, SSE2 | here, SSE2 | AVX2 and FMA | with groups |
//! |---|---|---|---|---|
//! | 7 | 206 | 134 | 92 | - |
//! | 18 | 2744 | 1778 | 659 | 578 |
//! | 38 | 23336 | 15056 | 5814 | 3617 |

use crate::Scalar;
use core::any::TypeId;
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
        while end.saturating_sub(column) >= 4 {
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

/// `C` columns of the product, in tiles of as many rows as registers hold. Where rows are left over, the
/// last tile moves up to end at the last row and does some again, which is quicker than one by one.
#[inline(always)]
fn columns<T: Scalar, const N: usize, const C: usize>(
    minv: &[[T; N]; N],
    d: &[[T; N]; N],
    column: usize,
    rows: &[(usize, usize)],
    out: &mut [[T; N]; N],
) {
    // SSE2 has half the register bytes of AVX2, where `f64` comes as another type.
    let few_registers = cfg!(all(target_arch = "x86_64", not(target_feature = "avx")))
        && TypeId::of::<T>() == TypeId::of::<f64>();
    let mut row = 0;
    if size_of::<T>() <= 8 && !few_registers {
        while row + 8 <= N {
            tile::<T, N, 8, C>(minv, d, (row, column), rows, out);
            row += 8;
        }
    }
    if size_of::<T>() <= 16 && N >= 4 {
        while row < N {
            tile::<T, N, 4, C>(minv, d, (row.min(N - 4), column), rows, out);
            row += 4;
        }
    }
    if size_of::<T>() <= 32 && N >= 2 {
        while row < N {
            tile::<T, N, 2, C>(minv, d, (row.min(N - 2), column), rows, out);
            row += 2;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::{Kernel, Recast};
    use crate::lanes::{F32x16, F64x4};

    struct Product<'a, T, const N: usize> {
        minv: &'a SMatrix<T, N, N>,
        d: &'a SMatrix<T, N, N>,
        groups: &'a [ColumnGroup<'a>],
        out: &'a mut SMatrix<T, N, N>,
    }
    impl<T: Scalar, const N: usize> Kernel<T> for Product<'_, T, N> {
        type Output = ();
        #[inline(always)]
        fn run<S: Scalar>(self, recast: Recast<T, S>) {
            let (minv, d) = (recast.matrix(self.minv), recast.matrix(self.d));
            neg_mul_groups(minv, d, self.groups, recast.matrix_mut(self.out));
        }
    }

    /// Small whole numbers, so that sums are exact in any order; the seed tells the lanes apart.
    fn matrix<const N: usize>(seed: usize) -> SMatrix<f64, N, N> {
        SMatrix::from_fn(|r, c| ((r * 7 + c * 3 + r * c + seed * 5) % 11) as f64 - 5.0)
    }

    fn check<const N: usize>() {
        let (minv, d) = (matrix::<N>(1), matrix::<N>(4));
        let expected = -minv * d;
        assert_eq!(neg_mul(&minv, &d), expected);
        let groups = [ColumnGroup { columns: (0, N), rows: &[(0, N)] }];
        let mut out = SMatrix::from_element(f64::NAN);
        f64::dispatch(Product { minv: &minv, d: &d, groups: &groups, out: &mut out });
        assert_eq!(out, expected);
        assert_eq!(neg_mul(&minv.map(|x| x as f32), &d.map(|x| x as f32)), expected.map(|x| x as f32));

        let lanes = |m: fn(usize) -> SMatrix<f64, N, N>| {
            let each = [m(0), m(1), m(2), m(3)];
            SMatrix::<F64x4, N, N>::from_fn(|r, c| F64x4::from(each.map(|m| m[(r, c)])))
        };
        let (a, b) = (lanes(matrix), lanes(|l| matrix(2 * l + 1)));
        let mut out = SMatrix::from_element(F64x4::splat(f64::NAN));
        F64x4::dispatch(Product { minv: &a, d: &b, groups: &groups, out: &mut out });
        assert_eq!(out, neg_mul(&a, &b));
        for lane in 0..4 {
            let expected = -matrix::<N>(lane) * matrix::<N>(2 * lane + 1);
            assert_eq!(out.map(|x| x.to_array()[lane]), expected);
        }
        let wide = |m: SMatrix<f64, N, N>| m.map(F32x16::from_f64);
        assert_eq!(neg_mul(&wide(minv), &wide(d)), wide(expected));
    }

    #[test]
    fn agrees_with_nalgebra_for_every_size_of_remainder() {
        check::<0>();
        check::<1>();
        check::<2>();
        check::<3>();
        check::<4>();
        check::<5>();
        check::<6>();
        check::<7>();
        check::<8>();
        check::<9>();
        check::<12>();
        check::<18>();
        check::<23>();
    }

    #[test]
    fn groups_say_where_the_zeros_are() {
        const N: usize = 12;
        let groups = [
            ColumnGroup { columns: (0, 6), rows: &[(0, 12)] },
            ColumnGroup { columns: (6, 8), rows: &[(0, 3), (6, 8)] },
            ColumnGroup { columns: (8, 12), rows: &[(1, 2), (8, 12)] },
        ];
        let inside = |r: usize, c: usize| {
            let group = groups.iter().find(|g| (g.columns.0..g.columns.1).contains(&c)).unwrap();
            group.rows.iter().any(|rows| (rows.0..rows.1).contains(&r))
        };
        let (minv, full) = (matrix::<N>(1), matrix::<N>(4));
        let d = SMatrix::from_fn(|r, c| if inside(r, c) { full[(r, c)] } else { 0.0 });
        let expected = -minv * d;
        // What the groups leave out is not read: the full matrix gives the same.
        for d in [&d, &full] {
            let mut out = SMatrix::from_element(f64::NAN);
            neg_mul_groups(&minv, d, &groups, &mut out);
            assert_eq!(out, expected);
            f64::dispatch(Product { minv: &minv, d, groups: &groups, out: &mut out });
            assert_eq!(out, expected);
        }
    }

    #[test]
    fn groups_beyond_the_matrix_are_cut_off() {
        let (minv, d) = (matrix::<5>(1), matrix::<5>(4));
        let mut out = SMatrix::from_element(7.0);
        let groups = [
            ColumnGroup { columns: (3, 9), rows: &[(0, 90), (4, 2)] },
            ColumnGroup { columns: (8, 6), rows: &[(0, 5)] },
            ColumnGroup { columns: (usize::MAX - 1, usize::MAX), rows: &[(usize::MAX, usize::MAX)] },
            ColumnGroup { columns: (2, 2), rows: &[] },
        ];
        neg_mul_groups(&minv, &d, &groups, &mut out);
        let expected = -minv * d;
        assert_eq!(out.columns(3, 2), expected.columns(3, 2));
        assert!(out.columns(0, 3).iter().all(|&x| x == 7.0));
    }
}
