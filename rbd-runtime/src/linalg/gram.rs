//! `G D G^T`, of a triangular matrix as sparse as a tree.

use super::{ByColumns, ColumnGroup, Columns, RowBlock, by_columns};
use crate::Scalar;
use crate::dispatch::{Kernel, Recast};
use crate::limbs::{LimbScalar, Plain};
use crate::loops::{LANES, Register};
use core::marker::PhantomData;
use nalgebra::{SMatrix, SVector};

/// `out = G D G^T` with a diagonal D: the inverse of a mass matrix by its factors. Of each group's columns the rows
/// from its first column on, and their mirror image. A group's last block, of its own rows, has all the terms that its
/// columns have.
#[derive(Debug)]
pub struct GramProduct<'a, T, const N: usize> {
    /// G.
    pub g: &'a SMatrix<T, N, N>,
    /// The diagonal of D.
    pub d: &'a SVector<T, N>,
    /// The product.
    pub out: &'a mut SMatrix<T, N, N>,
    /// Each column once.
    pub groups: &'a [ColumnGroup<'a>],
}

impl<T: Scalar, const N: usize> Kernel<T> for GramProduct<'_, T, N> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<S: Scalar>(self, recast: Recast<T, S>) {
        self.with::<S, Plain<S, LANES>>(recast);
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run_limbs<S: LimbScalar>(self, recast: Recast<T, S>) {
        self.with::<S, S::X8>(recast);
    }
}

impl<T: Scalar, const N: usize> GramProduct<'_, T, N> {
    /// The product, with these registers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, L: Register<S>>(self, recast: Recast<T, S>) {
        let [d] = &recast.matrix(self.d).data.0;
        let g = &recast.matrix(self.g).data.0;
        gram::<S, L, N>(g, d, &mut recast.matrix_mut(self.out).data.0, self.groups);
    }
}

/// `out = g d g^T`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn gram<T: Scalar, L: Register<T>, const N: usize>(
    g: &[[T; N]; N],
    d: &[T; N],
    out: &mut [[T; N]; N],
    groups: &[ColumnGroup<'_>],
) {
    let scaled = [[T::zero(); N]; 4];
    by_columns(groups, N, &mut Gram { g, d, out, scaled, registers: PhantomData::<L> });
    mirror(out);
}

/// The product's lower triangle.
struct Gram<'k, T, L, const N: usize> {
    g: &'k [[T; N]; N],
    d: &'k [T; N],
    out: &'k mut [[T; N]; N],
    /// `D G^T` in the columns that are made.
    scaled: [[T; N]; 4],
    registers: PhantomData<L>,
}

impl<T: Scalar, L: Register<T>, const N: usize> ByColumns for Gram<'_, T, L, N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn columns<const C: usize>(&mut self, column: usize, blocks: &[RowBlock<'_>]) {
        let columns = self.out.get_mut(column..).and_then(<[_]>::split_first_chunk_mut::<C>);
        let (Some((out, _)), Some(scaled)) = (columns, self.scaled.first_chunk_mut::<C>()) else { return };
        for &(from, to) in blocks.last().map_or(&[][..], |own| own.terms) {
            for k in from..to.min(N) {
                let Some(row) = self.g[k].get(column..) else { return };
                for (scaled, g) in scaled.iter_mut().zip(row) {
                    scaled[k] = *g * self.d[k];
                }
            }
        }
        Columns { a: self.g, first: 0, x: scaled, base: None, out }.make::<L>(blocks);
    }
}

/// What is below the diagonal, above it as well: blocks of four by four, the last of which may share rows with those before,
/// and one by one what is in none.
#[cfg_attr(not(debug_assertions), inline(always))]
#[allow(clippy::needless_range_loop, reason = "over iterators it takes twice as long")]
pub(super) fn mirror<T: Scalar, const N: usize>(x: &mut [[T; N]; N]) {
    for row in (0..N).step_by(4) {
        let at = row.min(N.saturating_sub(4));
        let in_blocks = if N < 4 { 0 } else { at & !3 };
        for column in (0..in_blocks).step_by(4) {
            mirror_block(x, at, column);
        }
        for row in row..(row + 4).min(N) {
            for column in in_blocks..row {
                // Not by index: of some sizes the compiler does not see that they are inside.
                let below = x.get(column).and_then(|below| below.get(row)).copied();
                let above = x.get_mut(row).and_then(|above| above.get_mut(column));
                if let (Some(below), Some(above)) = (below, above) {
                    *above = below;
                }
            }
        }
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn mirror_block<T: Scalar, const N: usize>(x: &mut [[T; N]; N], row: usize, column: usize) {
    let mut block = [[T::zero(); 4]; 4];
    for (c, block) in block.iter_mut().enumerate() {
        let below = x.get(column + c).and_then(|below| below.get(row..));
        let Some((below, _)) = below.and_then(<[_]>::split_first_chunk) else { return };
        *block = *below;
    }
    for r in 0..4 {
        let above = x.get_mut(row + r).and_then(|above| above.get_mut(column..));
        if let Some((above, _)) = above.and_then(<[_]>::split_first_chunk_mut) {
            *above = block.map(|column| column[r]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::F64x4;

    /// Where a trunk of two and limbs of three, one, eight and nine coordinates may have a factor of M^-1.
    fn related(row: usize, column: usize) -> bool {
        let limb = |k: usize| [0, 2, 5, 6, 14].iter().rposition(|first| k >= *first);
        column <= row && (limb(row) == limb(column) || limb(column) == Some(0))
    }

    const TRUNK: (usize, usize) = (0, 2);
    const GROUPS: [ColumnGroup<'_>; 5] = [
        ColumnGroup { columns: (0, 2), blocks: &[RowBlock { rows: (0, 23), terms: &[TRUNK] }] },
        ColumnGroup {
            columns: (2, 5),
            blocks: &[
                RowBlock { rows: (5, 23), terms: &[TRUNK] },
                RowBlock { rows: (2, 5), terms: &[TRUNK, (2, 5)] },
            ],
        },
        ColumnGroup {
            columns: (5, 6),
            blocks: &[
                RowBlock { rows: (6, 23), terms: &[TRUNK] },
                RowBlock { rows: (5, 6), terms: &[TRUNK, (5, 6)] },
            ],
        },
        ColumnGroup {
            columns: (6, 14),
            blocks: &[
                RowBlock { rows: (14, 23), terms: &[TRUNK] },
                RowBlock { rows: (6, 14), terms: &[TRUNK, (6, 14)] },
            ],
        },
        ColumnGroup { columns: (14, 23), blocks: &[RowBlock { rows: (14, 23), terms: &[TRUNK, (14, 23)] }] },
    ];

    fn factors(seed: usize) -> (SMatrix<f64, 23, 23>, SVector<f64, 23>) {
        let number = |r: usize, c: usize| ((r * 7 + c * 3 + r * c + seed) % 11) as f64 - 5.0;
        let g = SMatrix::from_fn(|r, c| if related(r, c) { number(r, c) } else { 0.0 });
        (g, SVector::from_fn(|k, _| (k % 5) as f64 + 1.0))
    }

    fn expected(seed: usize) -> SMatrix<f64, 23, 23> {
        let (g, d) = factors(seed);
        g * SMatrix::from_diagonal(&d) * g.transpose()
    }

    /// What is in no term may be anything: it is not read, or what comes of it does not stay.
    #[test]
    fn only_terms_are_read_and_everything_is_written() {
        let (mut g, d) = factors(0);
        for row in 0..23 {
            for column in 0..23 {
                let limbs = |k: usize| [0, 2, 5, 6, 14].iter().rposition(|first| k >= *first);
                let read = limbs(row) == limbs(column) || limbs(column) == Some(0);
                if !read {
                    g[(row, column)] = f64::NAN;
                }
            }
        }
        let mut out = SMatrix::repeat(f64::NAN);
        f64::dispatch(GramProduct { g: &g, d: &d, out: &mut out, groups: &GROUPS });
        assert_eq!(out, expected(0));
        let mut out = SMatrix::repeat(f64::NAN);
        GramProduct { g: &g, d: &d, out: &mut out, groups: &GROUPS }.run(Recast::<f64, f64>::identity());
        assert_eq!(out, expected(0));
    }

    #[test]
    fn lanes_are_states_of_their_own() {
        let each = [0, 1, 2, 3].map(factors);
        let g =
            SMatrix::<F64x4, 23, 23>::from_fn(|r, c| F64x4::from([0, 1, 2, 3].map(|l| each[l].0[(r, c)])));
        let d = SVector::<F64x4, 23>::from_fn(|k, _| F64x4::splat(each[0].1[k]));
        let mut out = SMatrix::zeros();
        F64x4::dispatch(GramProduct { g: &g, d: &d, out: &mut out, groups: &GROUPS });
        for lane in 0..4 {
            assert_eq!(out.map(|x| x.to_array()[lane]), expected(lane));
        }
    }

    #[test]
    fn groups_beyond_the_matrix_are_cut_off() {
        let g = SMatrix::<f64, 3, 3>::new(1.0, 0.0, 0.0, 2.0, 3.0, 0.0, 4.0, 5.0, 6.0);
        let d = SVector::<f64, 3>::new(1.0, 2.0, 3.0);
        let groups = [
            ColumnGroup { columns: (0, 9), blocks: &[RowBlock { rows: (0, 9), terms: &[(0, 90), (4, 2)] }] },
            ColumnGroup {
                columns: (usize::MAX - 1, usize::MAX),
                blocks: &[RowBlock { rows: (7, 9), terms: &[] }],
            },
        ];
        let mut out = SMatrix::zeros();
        f64::dispatch(GramProduct { g: &g, d: &d, out: &mut out, groups: &groups });
        assert_eq!(out, g * SMatrix::from_diagonal(&d) * g.transpose());
    }
}
