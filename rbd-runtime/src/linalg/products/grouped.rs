//! Products of matrices whose columns are nonzero in some rows only, by groups, such as contact
//! Jacobians.

use super::{Full, transposed};
use crate::Scalar;
use crate::dispatch::{Dispatched, Recast, dispatched};
use crate::limbs::Limbs;
use crate::linalg::columns::{ColumnGroup, RowBlock, by_columns, mirror};
use nalgebra::SMatrix;

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
    T::dispatch(SymmetricGrouped { a, b, out, groups });
}

/// `out = a b` in some columns.
struct Grouped<'a, T, const R: usize, const K: usize, const C: usize> {
    a: &'a SMatrix<T, R, K>,
    b: &'a SMatrix<T, K, C>,
    out: &'a mut SMatrix<T, R, C>,
    groups: &'a [ColumnGroup<'a>],
}

impl<T: Scalar, const R: usize, const K: usize, const C: usize> Dispatched<T> for Grouped<'_, T, R, K, C> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<S: Scalar>(self, recast: Recast<T, S>) {
        let (a, b) = (&recast.matrix(self.a).data.0, &recast.matrix(self.b).data.0);
        let out = &mut recast.matrix_mut(self.out).data.0;
        by_columns(self.groups, C, &mut Full::<S, R, K, C, false> { a, b, out });
    }
}

/// `out = a^T b` in some columns; entries above the diagonal are mirrored.
struct SymmetricGrouped<'a, T, const K: usize, const N: usize> {
    a: &'a SMatrix<T, K, N>,
    b: &'a SMatrix<T, K, N>,
    out: &'a mut SMatrix<T, N, N>,
    groups: &'a [ColumnGroup<'a>],
}

dispatched!(SymmetricGrouped<K: usize, N: usize>, X4);

impl<T: Scalar, const K: usize, const N: usize> SymmetricGrouped<'_, T, K, N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>>(self, recast: Recast<T, S>) {
        let a = &transposed::<S, Q, N, K>(&recast.matrix(self.a).data.0);
        let (b, out) = (&recast.matrix(self.b).data.0, &mut recast.matrix_mut(self.out).data.0);
        for group in self.groups {
            for block in group.blocks {
                // Entries above the diagonal are mirrored later.
                let rows = (block.rows.0.max(group.columns.0), block.rows.1);
                let blocks = [RowBlock { rows, ..*block }];
                let below = [ColumnGroup { columns: group.columns, blocks: &blocks }];
                by_columns(&below, N, &mut Full::<S, N, K, N, false> { a, b, out: &mut *out });
            }
        }
        mirror(out);
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
    }

    #[test]
    fn are_the_products_of_what_differs_from_zero() {
        for active in [[true; 3], [true, false, true], [false, true, false], [false; 3]] {
            check::<f64>(active);
            check::<F64x4>(active);
        }
    }
}
