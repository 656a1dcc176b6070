//! Products with M^-1, in place.

mod few;
mod wide;

use crate::Scalar;
use crate::dispatch::{Recast, dispatched};
use crate::linalg::columns::{ByColumns, ColumnGroup, Columns, RowBlock, by_columns};
use crate::simd::Register;
use core::marker::PhantomData;
use nalgebra::SMatrix;

/// `-minv * d`, both full.
///
/// ```
/// use nalgebra::Matrix2;
/// let (m, d) = (Matrix2::new(2.0, 0.0, 0.0, 4.0), Matrix2::new(1.0, 2.0, 3.0, 4.0));
/// assert_eq!(rbd_runtime::linalg::neg_mul(&m, &d), Matrix2::new(-2.0, -4.0, -12.0, -16.0));
/// ```
#[must_use]
pub fn neg_mul<T: Scalar, const N: usize>(minv: &SMatrix<T, N, N>, d: &SMatrix<T, N, N>) -> SMatrix<T, N, N> {
    let mut out = *d;
    let groups = &[ColumnGroup { columns: (0, N), blocks: &[RowBlock { rows: (0, N), terms: &[(0, N)] }] }];
    T::dispatch(NegativeProduct { a: minv, x: &mut out, groups });
    out
}

/// `x = -a x`, with `groups` naming the entries that may be nonzero. Columns in no group stay as
/// they are. Rows and columns beyond `N` are ignored.
#[derive(Debug)]
pub struct NegativeProduct<'a, T, const N: usize> {
    /// The first factor.
    pub a: &'a SMatrix<T, N, N>,
    /// The second factor, and then the product.
    pub x: &'a mut SMatrix<T, N, N>,
    /// Groups of columns, with each column once.
    pub groups: &'a [ColumnGroup<'a>],
}

dispatched!(NegativeProduct<N: usize>, wide, X8);

impl<T: Scalar, const N: usize> NegativeProduct<'_, T, N> {
    /// Computes the product with registers of type `L`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn with<S: Scalar, L: Register<Of = S>>(self, recast: Recast<T, S>) {
        let (a, x) = (&recast.matrix(self.a).data.0, &mut recast.matrix_mut(self.x).data.0);
        if const { L::IS_ONE } && wide::multiply::<S, L, N>(a, x, self.groups) {
            return;
        }
        if const { !L::IS_ONE } && few::multiply(a, x, self.groups) {
            return;
        }
        let kept = [[S::zero(); N]; 4];
        by_columns::<_, N>(self.groups, &mut Negative { a, x, kept, registers: PhantomData::<L> });
    }
}

/// True if every row of each group's columns is a sum of all terms.
#[cfg_attr(not(debug_assertions), inline(always))]
fn are_full<const N: usize>(groups: &[ColumnGroup<'_>]) -> bool {
    for group in groups {
        let [RowBlock { rows: (0, rows), terms: [(0, terms)] }] = group.blocks else { return false };
        if *rows < N || *terms < N {
            return false;
        }
    }
    true
}

/// `-a x`, in place of `x`.
struct Negative<'k, T, L, const N: usize> {
    a: &'k [[T; N]; N],
    x: &'k mut [[T; N]; N],
    /// `x` in the columns that are made.
    kept: [[T; N]; 4],
    registers: PhantomData<L>,
}

impl<T: Scalar, L: Register<Of = T>, const N: usize> ByColumns for Negative<'_, T, L, N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn columns<const C: usize>(&mut self, column: usize, blocks: &[RowBlock<'_>]) {
        let columns = self.x.get_mut(column..).and_then(<[_]>::split_first_chunk_mut::<C>);
        let (Some((out, _)), Some(x)) = (columns, self.kept.first_chunk_mut::<C>()) else { return };
        *x = *out;
        Columns { a: self.a, first: 0, x, base: None, out }.make_negative(blocks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::tests::on_heap;

    fn matrix<const N: usize>(seed: usize) -> SMatrix<f64, N, N> {
        SMatrix::from_fn(|r, c| ((r * 7 + c * 3 + r * c + seed * 5) % 11) as f64 / 3.0 - 1.7)
    }

    /// The product with the processor's widest registers, and as compiled.
    fn products<const N: usize>(
        a: &SMatrix<f64, N, N>,
        x: &SMatrix<f64, N, N>,
        groups: &[ColumnGroup<'_>],
    ) -> [SMatrix<f64, N, N>; 2] {
        let (mut widest, mut compiled) = (*x, *x);
        f64::dispatch(NegativeProduct { a, x: &mut widest, groups });
        let product = NegativeProduct { a, x: &mut compiled, groups };
        product.with::<f64, crate::limbs::Plain<f64, 8>>(Recast::<f64, f64>::identity());
        [widest, compiled]
    }

    /// All columns but those from `from` to before `to`, which stay.
    fn check_full<const N: usize>(from: usize, to: usize) {
        let (a, x) = (matrix::<N>(1), matrix::<N>(2));
        let blocks = [RowBlock { rows: (0, N), terms: &[(0, N)] }];
        let groups = [(0, from), (to, N)].map(|columns| ColumnGroup { columns, blocks: &blocks });
        let product = on_heap(&a) * on_heap(&x);
        for out in products(&a, &x, &groups) {
            for r in 0..N {
                for c in 0..N {
                    let stays = (from..to).contains(&c);
                    let expected = if stays { x[(r, c)] } else { -product[(r, c)] };
                    assert!((out[(r, c)] - expected).abs() < 1e-12, "{N}: {r}, {c}");
                }
            }
        }
    }

    #[test]
    fn of_every_size_and_some_columns() {
        macro_rules! each {
            ($($n:literal)*) => { $(
                check_full::<$n>(0, 0);
                check_full::<$n>(0, 1);
                check_full::<$n>($n / 2, $n / 2 + 1);
                check_full::<$n>($n - 1, $n);
            )* };
        }
        each!(1 2 3 4 5 6 7 8 9 12 15 16 17 23 25 33);
    }

    /// A trunk of five and limbs of three and six: a limb's columns are zero in the other's rows, and what
    /// stands there is not read.
    #[test]
    fn of_limbs() {
        let limb = |k: usize| [0, 5, 8].iter().rposition(|first| k >= *first).unwrap();
        let reads = |r: usize, c: usize| limb(c) == 0 || limb(r) == 0 || limb(r) == limb(c);
        let (a, x) = (matrix::<14>(1), matrix::<14>(2));
        let zeroed = SMatrix::<f64, 14, 14>::from_fn(|r, c| if reads(r, c) { x[(r, c)] } else { 0.0 });
        let unread = SMatrix::<f64, 14, 14>::from_fn(|r, c| if reads(r, c) { x[(r, c)] } else { f64::NAN });
        let rows = (0, 14);
        let (trunk, first, second) = (
            [RowBlock { rows, terms: &[(0, 14)] }],
            [RowBlock { rows: (3, 14), terms: &[(0, 8)] }, RowBlock { rows: (0, 3), terms: &[(0, 8)] }],
            [RowBlock { rows, terms: &[(0, 5), (8, 14)] }],
        );
        let groups = [
            ColumnGroup { columns: (0, 5), blocks: &trunk },
            ColumnGroup { columns: (5, 8), blocks: &first },
            ColumnGroup { columns: (8, 14), blocks: &second },
        ];
        let expected =
            -SMatrix::<f64, 14, 14>::from_column_slice((on_heap(&a) * on_heap(&zeroed)).as_slice());
        for out in products(&a, &unread, &groups) {
            assert!((out - expected).abs().max() < 1e-12);
        }
    }
}
