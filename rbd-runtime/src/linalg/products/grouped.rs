//! Products of matrices whose columns are nonzero in some rows only, by groups, such as contact
//! Jacobians.

use super::{Full, mirror_into, transpose_into, zeros};
use crate::Scalar;
use crate::dispatch::{Recast, dispatched};
use crate::limbs::Limbs;
use crate::linalg::columns::{ColumnGroup, Range, RowBlock, by_columns, mirror};
use crate::simd::Register;
use core::marker::PhantomData;
use nalgebra::{SMatrix, SVector};

/// `out = a b` in the grouped columns, as sums over the terms of the groups, in all rows. Other
/// columns stay as they are.
pub(crate) fn mul_groups_into<T: Scalar, const R: usize, const K: usize, const C: usize>(
    a: &SMatrix<T, R, K>,
    b: &SMatrix<T, K, C>,
    out: &mut SMatrix<T, R, C>,
    groups: &[ColumnGroup<'_>],
) {
    T::dispatch(Grouped { a, b, out, groups });
}

/// `out = a^T b`, which is symmetric, in the grouped columns. Rows of other columns are zero.
pub(crate) fn symmetric_tr_mul_groups_into<T: Scalar, const K: usize, const N: usize>(
    a: &SMatrix<T, K, N>,
    b: &SMatrix<T, K, N>,
    out: &mut SMatrix<T, N, N>,
    groups: &[ColumnGroup<'_>],
) {
    // Not in one: with AVX-512, the compiler would gather a transpose's numbers one by one.
    let mut transpose = zeros();
    transpose_into(a, &mut transpose);
    T::dispatch(SymmetricGrouped { a: &transpose, b, out: &mut *out, groups });
    mirror_into(out);
}

/// `out = a D a^T` with the diagonal D, in the grouped columns, as sums over the terms of the groups. Rows of
/// other columns are zero.
pub(crate) fn scaled_square_into<T: Scalar, const N: usize, const K: usize>(
    a: &SMatrix<T, N, K>,
    d: &SVector<T, K>,
    out: &mut SMatrix<T, N, N>,
    groups: &[ColumnGroup<'_>],
) {
    T::dispatch(ScaledSquare { a, d, out, groups });
}

/// `out = a b` in some columns.
struct Grouped<'a, T, const R: usize, const K: usize, const C: usize> {
    a: &'a SMatrix<T, R, K>,
    b: &'a SMatrix<T, K, C>,
    out: &'a mut SMatrix<T, R, C>,
    groups: &'a [ColumnGroup<'a>],
}

dispatched!(Grouped<R: usize, K: usize, C: usize>, wide, X8);

impl<T: Scalar, const R: usize, const K: usize, const C: usize> Grouped<'_, T, R, K, C> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, L: Register<Of = S>>(self, recast: Recast<T, S>) {
        let (a, b) = (&recast.matrix(self.a).data.0, &recast.matrix(self.b).data.0);
        let out = &mut recast.matrix_mut(self.out).data.0;
        by_columns::<_, C>(
            self.groups,
            &mut Full::<S, L, R, K, C, false> { a, b, out, registers: PhantomData },
        );
    }
}

/// `out = a b` in some columns, below the diagonal.
struct SymmetricGrouped<'a, T, const K: usize, const N: usize> {
    a: &'a SMatrix<T, N, K>,
    b: &'a SMatrix<T, K, N>,
    out: &'a mut SMatrix<T, N, N>,
    groups: &'a [ColumnGroup<'a>],
}

dispatched!(SymmetricGrouped<K: usize, N: usize>, wide, X8);

impl<T: Scalar, const K: usize, const N: usize> SymmetricGrouped<'_, T, K, N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, L: Register<Of = S>>(self, recast: Recast<T, S>) {
        let a = &recast.matrix(self.a).data.0;
        let (b, out) = (&recast.matrix(self.b).data.0, &mut recast.matrix_mut(self.out).data.0);
        for group in self.groups {
            for block in group.blocks {
                // Entries above the diagonal are mirrored later.
                let rows = (block.rows.0.max(group.columns.0), block.rows.1);
                let blocks = [RowBlock { rows, ..*block }];
                let below = [ColumnGroup { columns: group.columns, blocks: &blocks }];
                let out = &mut *out;
                let mut product = Full::<S, L, N, K, N, false> { a, b, out, registers: PhantomData };
                by_columns::<_, N>(&below, &mut product);
            }
        }
    }
}

/// `out = a D a^T` in some columns; entries above the diagonal are mirrored.
///
/// It is short, unlike products by [`by_columns`], and runs between straight lines that fill the instruction
/// cache. Three columns at a time are those of a point.
struct ScaledSquare<'a, T, const N: usize, const K: usize> {
    a: &'a SMatrix<T, N, K>,
    d: &'a SVector<T, K>,
    out: &'a mut SMatrix<T, N, N>,
    groups: &'a [ColumnGroup<'a>],
}

dispatched!(ScaledSquare<N: usize, K: usize>, R4);

impl<T: Scalar, const N: usize, const K: usize> ScaledSquare<'_, T, N, K> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>>(self, recast: Recast<T, S>) {
        let (a, [d]) = (&recast.matrix(self.a).data.0, &recast.matrix(self.d).data.0);
        let out = &mut recast.matrix_mut(self.out).data.0;
        for group in self.groups {
            for block in group.blocks {
                let mut column = group.columns.0;
                let (columns, end) = (group.columns.1.min(N), block.rows.1.min(N));
                while column + 3 <= columns {
                    below::<S, Q, N, K, 3>((a, d), out, (column, end), block.terms);
                    column += 3;
                }
                while column < columns {
                    below::<S, Q, N, K, 1>((a, d), out, (column, end), block.terms);
                    column += 1;
                }
            }
        }
        mirror(out);
    }
}

/// Columns of `a D a^T` from the first one's diagonal down to `end`, from the last row up. Rows before the
/// diagonal may change: they are mirrored later.
#[cfg_attr(not(debug_assertions), inline(always))]
fn below<S: Scalar, Q: Limbs<S, 4>, const N: usize, const K: usize, const C: usize>(
    (a, d): (&[[S; N]; K], &[S; K]),
    out: &mut [[S; N]; N],
    (column, mut end): Range,
    terms: &[Range],
) {
    while end > column {
        if C == 3 && end > column + 4 && end >= 12 {
            end -= 12;
            scaled_tile::<S, Q, N, K, C, 3>((a, d), out, (column, end), terms);
        } else if end >= 4 {
            end -= 4;
            scaled_tile::<S, Q, N, K, C, 1>((a, d), out, (column, end), terms);
        } else if N >= 4 {
            end = 0;
            scaled_tile::<S, Q, N, K, C, 1>((a, d), out, (column, end), terms);
        } else {
            end -= 1;
            for c in column..column + C {
                let mut sum = S::zero();
                for &(from, to) in terms {
                    for k in from..to.min(K) {
                        sum = (a[k][end] * d[k]).mul_add(a[k][c], sum);
                    }
                }
                out[c][end] = sum;
            }
        }
    }
}

/// `R` registers of rows in `C` columns of `a D a^T`.
#[cfg_attr(not(debug_assertions), inline(always))]
#[allow(clippy::needless_range_loop, reason = "indices are those of several arrays")]
fn scaled_tile<S: Scalar, Q: Limbs<S, 4>, const N: usize, const K: usize, const C: usize, const R: usize>(
    (a, d): (&[[S; N]; K], &[S; K]),
    out: &mut [[S; N]; N],
    (column, row): (usize, usize),
    terms: &[Range],
) {
    let mut sums = [[Q::splat(S::zero()); R]; C];
    for &(from, to) in terms {
        for k in from..to.min(K) {
            let rows = a[k].get(row..).and_then(|rows| rows.as_chunks::<4>().0.first_chunk::<R>());
            let of_columns = a[k].get(column..).and_then(<[S]>::first_chunk::<C>);
            let (Some(rows), Some(of_columns)) = (rows, of_columns) else { return };
            for c in 0..C {
                let x = Q::splat(of_columns[c] * d[k]);
                for r in 0..R {
                    sums[c][r] = Q::gather(rows[r]).mul_add(x, sums[c][r]);
                }
            }
        }
    }
    let Some(out) = out.get_mut(column..).and_then(<[_]>::first_chunk_mut::<C>) else { return };
    for c in 0..C {
        let rows = out[c].get_mut(row..).and_then(|rows| rows.as_chunks_mut::<4>().0.first_chunk_mut::<R>());
        let Some(rows) = rows else { return };
        for r in 0..R {
            rows[r] = sums[c][r].lanes();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::F64x4;
    use num_traits::Zero;

    /// Columns of three contacts with 3, 6 and 3 rows, each with its own coordinates. The second
    /// one may be inactive.
    const SUPPORT: [&[(usize, usize)]; 3] = [&[(0, 2), (4, 5)], &[(0, 1), (2, 4)], &[(4, 7)]];
    const COLUMNS: [(usize, usize); 3] = [(0, 3), (3, 9), (9, 12)];

    /// Small whole numbers, so that sums are exact in any order; zero where no contact moves.
    fn matrices<T: Scalar>(active: [bool; 3]) -> (SMatrix<T, 7, 7>, SMatrix<T, 7, 12>) {
        let number = |r: usize, c: usize| ((r * 7 + c * 3 + r * c) % 11) as f64 - 5.0;
        let m = SMatrix::from_fn(|r, c| T::from_f64(number(r, c) + number(c, r)));
        let jt = SMatrix::from_fn(|r, c| {
            let k = COLUMNS.iter().position(|(from, to)| (*from..*to).contains(&c)).unwrap();
            let is_there = active[k] && SUPPORT[k].iter().any(|(from, to)| (*from..*to).contains(&r));
            T::from_f64(if is_there { number(c, r + 1) } else { 0.0 })
        });
        (m, jt)
    }

    fn check<T: Scalar>(active: [bool; 3]) {
        let (m, jt) = matrices::<T>(active);
        let blocks = SUPPORT.map(|terms| [RowBlock { rows: (0, usize::MAX), terms }]);
        let groups: [ColumnGroup<'_>; 3] = core::array::from_fn(|k| {
            let (from, to) = COLUMNS[k];
            ColumnGroup { columns: (from, if active[k] { to } else { from }), blocks: &blocks[k] }
        });
        let (mut product, mut square) = (SMatrix::zero(), SMatrix::zero());
        mul_groups_into(&m, &jt, &mut product, &groups);
        assert_eq!(product, m * jt);
        // More columns than rows.
        symmetric_tr_mul_groups_into(&product, &jt, &mut square, &groups);
        assert_eq!(square, jt.transpose() * m * jt);
        let d = SVector::from_fn(|k, _| T::from_f64(k as f64 - 2.0));
        let mut square = SMatrix::zero();
        scaled_square_into(&jt.transpose(), &d, &mut square, &groups);
        assert_eq!(square, jt.transpose() * SMatrix::from_diagonal(&d) * jt);
    }

    #[test]
    fn are_the_products_of_what_differs_from_zero() {
        for active in [[true; 3], [true, false, true], [false, true, false], [false; 3]] {
            check::<f64>(active);
            check::<F64x4>(active);
        }
    }
}
