//! `G D G^T`, of a triangular matrix as sparse as a tree.

use crate::Scalar;
use crate::dispatch::{Recast, dispatched};
use crate::linalg::columns::{
    ByColumns, ByRows, ColumnGroup, Range, RowBlock, add_multiples, by_columns, by_rows, mirror, registers,
};
use crate::linalg::tiles::{Tile, Tiles, over_rows, store};
use crate::simd::{LANES, Register};
use nalgebra::{SMatrix, SVector};

/// `out = G D G^T` with a diagonal D: the inverse of a mass matrix from its factors.
///
/// Of each group's columns, the rows from the first column on are computed, then mirrored. A
/// group's last block, its own rows, has all the terms of its columns.
#[derive(Debug)]
pub struct GramProduct<'a, T, const N: usize> {
    /// G.
    pub g: &'a SMatrix<T, N, N>,
    /// The diagonal of D.
    pub d: &'a SVector<T, N>,
    /// The product.
    pub out: &'a mut SMatrix<T, N, N>,
    /// Groups of columns, with each column once.
    pub groups: &'a [ColumnGroup<'a>],
}

dispatched!(GramProduct<N: usize>, wide, X8);

impl<T: Scalar, const N: usize> GramProduct<'_, T, N> {
    /// Computes the product with registers of type `L`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, L: Register<Of = S>>(self, recast: Recast<T, S>) {
        let [d] = &recast.matrix(self.d).data.0;
        let g = &recast.matrix(self.g).data.0;
        gram::<S, L, N>(g, d, &mut recast.matrix_mut(self.out).data.0, self.groups);
    }
}

/// `out = g d g^T`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn gram<T: Scalar, L: Register<Of = T>, const N: usize>(
    g: &[[T; N]; N],
    d: &[T; N],
    out: &mut [[T; N]; N],
    groups: &[ColumnGroup<'_>],
) {
    if const { L::IS_ONE && N >= LANES } {
        let mut scaled = [[T::zero(); LANES]; N];
        // From the last columns to the first: a tile may overwrite rows above its columns' diagonal, which
        // columns before it mirror.
        for group in groups.iter().rev() {
            wide_group::<T, L, N>(g, d, out, &mut scaled, group);
        }
    } else {
        let scaled = [[T::zero(); 4]; N];
        by_columns::<_, N>(groups, &mut Gram { g, d, out, scaled });
        mirror(out);
    }
}

/// Lower triangle in a group's columns and its mirror image, as many columns at once as registers allow: sums
/// are short, and more columns keep the arithmetic busy.
#[cfg_attr(not(debug_assertions), inline(always))]
fn wide_group<T: Scalar, L: Register<Of = T>, const N: usize>(
    g: &[[T; N]; N],
    d: &[T; N],
    out: &mut [[T; N]; N],
    scaled: &mut [[T; LANES]; N],
    group: &ColumnGroup<'_>,
) {
    let (from, mut end) = (group.columns.0, group.columns.1.min(N));
    while end > from {
        let together = (end - from).min(LANES);
        let column = end - together;
        // These columns of each row of D G^T, in one register, with neighbouring columns if there
        // are fewer than a register holds. Not D G: an error of a row of D G^T is the same in all
        // rows of the product.
        let first = column.min(N - LANES);
        for &(from, to) in group.blocks.last().map_or(&[][..], |own| own.terms) {
            for k in from..to.min(N) {
                if let Some([row]) = registers::<T, 1>(&g[k], first) {
                    (L::load(row) * L::splat(d[k])).store(&mut scaled[k]);
                }
            }
        }
        let (at, x, blocks) = ((column, column - first), &*scaled, group.blocks);
        match together {
            1 => wide_columns::<T, L, N, 1>(g, x, out, at, blocks),
            2 => wide_columns::<T, L, N, 2>(g, x, out, at, blocks),
            3 => wide_columns::<T, L, N, 3>(g, x, out, at, blocks),
            4 => wide_columns::<T, L, N, 4>(g, x, out, at, blocks),
            5 => wide_columns::<T, L, N, 5>(g, x, out, at, blocks),
            6 => wide_columns::<T, L, N, 6>(g, x, out, at, blocks),
            7 => wide_columns::<T, L, N, 7>(g, x, out, at, blocks),
            _ => wide_columns::<T, L, N, 8>(g, x, out, at, blocks),
        }
        end = column;
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn wide_columns<T: Scalar, L: Register<Of = T>, const N: usize, const C: usize>(
    g: &[[T; N]; N],
    x: &[[T; LANES]; N],
    out: &mut [[T; N]; N],
    (column, lane): (usize, usize),
    blocks: &[RowBlock<'_>],
) {
    let mut kernel = WideGram::<T, N, C> { g, x, lane, out, column, first: 0 };
    for block in blocks {
        kernel.first = block.rows.0;
        over_rows::<T, L, _>(&mut kernel, (block.rows.0, block.rows.1.min(N)), block.terms);
    }
    kernel.mirror_own_rows();
}

/// `C` columns of the product. Their numbers in each row of `D G^T` begin at lane `lane` of `x`.
struct WideGram<'k, T, const N: usize, const C: usize> {
    g: &'k [[T; N]; N],
    x: &'k [[T; LANES]; N],
    lane: usize,
    out: &'k mut [[T; N]; N],
    /// The first of the columns.
    column: usize,
    /// First row of the block, from which on rows are mirrored.
    first: usize,
}

impl<T: Scalar, const N: usize, const C: usize> WideGram<'_, T, N, C> {
    /// Writes rows of the block that are below the columns' own rows as columns.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[allow(clippy::needless_range_loop, reason = "indices are those of several arrays")]
    fn mirror<L: Register<Of = T>, const R: usize>(&mut self, tile: &Tile<L, C, R>, row: usize, end: usize) {
        let first = self.first.max(self.column + C);
        for r in 0..R {
            let at = row + r * LANES;
            let (from, to) = (first.saturating_sub(at), end.saturating_sub(at).min(LANES));
            let columns = self.out.get_mut(at..).and_then(<[_]>::first_chunk_mut::<LANES>);
            let (true, Some(columns)) = (from < to, columns) else { continue };
            let mut square = [L::splat(T::zero()); LANES];
            for c in 0..C {
                square[c] = tile[c][r];
            }
            let rows = L::transposed_square(square);
            // Most registers are whole: no lane has to be asked about.
            if (from, to) == (0, LANES) {
                for l in 0..LANES {
                    store_at::<T, L, N, C>(rows[l], &mut columns[l], self.column);
                }
                continue;
            }
            for l in 0..LANES {
                if from <= l && l < to {
                    store_at::<T, L, N, C>(rows[l], &mut columns[l], self.column);
                }
            }
        }
    }

    /// Mirrors the columns' own rows.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[allow(clippy::needless_range_loop, reason = "two columns are indexed crosswise")]
    fn mirror_own_rows(&mut self) {
        let columns = self.out.get_mut(self.column..).and_then(<[_]>::first_chunk_mut::<C>);
        let Some(columns) = columns else { return };
        // Rows are within the matrix. The compiler sees it only if told.
        for c in 0..C {
            for r in 0..c {
                columns[c][(self.column + r).min(N - 1)] = columns[r][(self.column + c).min(N - 1)];
            }
        }
    }
}

/// Stores the first `C` lanes in rows from `row` on.
#[cfg_attr(not(debug_assertions), inline(always))]
fn store_at<T: Scalar, L: Register<Of = T>, const N: usize, const C: usize>(
    x: L,
    column: &mut [T; N],
    row: usize,
) {
    if let Some(to) = column.get_mut(row..).and_then(<[_]>::first_chunk_mut::<C>) {
        x.store_first(to);
    }
}

impl<T: Scalar, L: Register<Of = T>, const N: usize, const C: usize> Tiles<T, L> for WideGram<'_, T, N, C> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn tile<const R: usize>(&mut self, row: usize, end: usize, terms: &[Range]) {
        let mut sum: Tile<L, C, R> = [[L::splat(T::zero()); R]; C];
        for &(from, to) in terms {
            let to = to.min(N);
            let (Some(g), Some(x)) = (self.g.get(from..to), self.x.get(from..to)) else { continue };
            for (g, x) in g.iter().zip(x) {
                let Some(rows) = registers::<T, R>(g, row) else { return };
                let Some(x) = x.get(self.lane..).and_then(<[T]>::first_chunk::<C>) else { return };
                let mut g = [L::splat(T::zero()); R];
                for r in 0..R {
                    g[r] = L::load(&rows[r]);
                }
                for c in 0..C {
                    let x = L::splat(x[c]);
                    for r in 0..R {
                        sum[c][r] = g[r].mul_add(x, sum[c][r]);
                    }
                }
            }
        }
        let columns = self.out.get_mut(self.column..).and_then(<[_]>::first_chunk_mut::<C>);
        let Some(columns) = columns else { return };
        store(&sum, columns, (row, end));
        self.mirror(&sum, row, end);
    }
}

/// The product's lower triangle, where a register of eight is several.
struct Gram<'k, T, const N: usize> {
    g: &'k [[T; N]; N],
    d: &'k [T; N],
    out: &'k mut [[T; N]; N],
    /// Rows of `D G^T` in the columns that are made.
    scaled: [[T; 4]; N],
}

impl<T: Scalar, const N: usize> ByColumns for Gram<'_, T, N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn columns<const C: usize>(&mut self, column: usize, blocks: &[RowBlock<'_>]) {
        let columns = self.out.get_mut(column..).and_then(<[_]>::first_chunk_mut::<C>);
        let Some(out) = columns else { return };
        for &(from, to) in blocks.last().map_or(&[][..], |own| own.terms) {
            for k in from..to.min(N) {
                let Some(row) = self.g[k].get(column..).and_then(<[T]>::first_chunk::<C>) else { return };
                for (scaled, g) in self.scaled[k].iter_mut().zip(row) {
                    *scaled = *g * self.d[k];
                }
            }
        }
        for block in blocks {
            let mut tiles = GramTiles::<T, N, C> { g: self.g, x: &self.scaled, terms: block.terms, out };
            by_rows::<T, _, N, C>((block.rows.0, block.rows.1.min(N)), &mut tiles);
        }
    }
}

/// Rows of `C` columns of the product as sums over these terms.
struct GramTiles<'k, T, const N: usize, const C: usize> {
    g: &'k [[T; N]; N],
    x: &'k [[T; 4]; N],
    terms: &'k [Range],
    out: &'k mut [[T; N]; C],
}

impl<T: Scalar, const N: usize, const C: usize> ByRows for GramTiles<'_, T, N, C> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn rows<const R: usize>(&mut self, row: usize) {
        let mut sums = [[T::zero(); R]; C];
        for &(from, to) in self.terms {
            let to = to.min(N);
            let (Some(g), Some(x)) = (self.g.get(from..to), self.x.get(from..to)) else { continue };
            for (g, x) in g.iter().zip(x) {
                let Some(g) = g.get(row..).and_then(<[T]>::first_chunk::<R>) else { return };
                add_multiples(&mut sums, g, x);
            }
        }
        for (sums, out) in sums.iter().zip(&mut *self.out) {
            if let Some(out) = out.get_mut(row..).and_then(<[_]>::first_chunk_mut::<R>) {
                *out = *sums;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use crate::dispatch::Dispatched;
    use crate::lanes::F64x4;
    use crate::limbs::LimbScalar;
    use std::vec::Vec;

    /// Entries that may be nonzero in a factor of M^-1, for a trunk of two coordinates and limbs of
    /// three, one, eight and nine.
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

    /// Entries in no term may have any value: they are not read, or do not affect the result.
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

    /// The product with the widest registers of the processor, as table loops use it.
    struct Widest<'a, const N: usize>(GramProduct<'a, f64, N>);

    impl<const N: usize> Dispatched<f64> for Widest<'_, N> {
        type Output = ();
        const WIDE: bool = true;

        #[cfg_attr(not(debug_assertions), inline(always))]
        fn run<S: Scalar>(self, recast: Recast<f64, S>) {
            self.0.run(recast);
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn run_limbs<S: LimbScalar>(self, recast: Recast<f64, S>) {
            self.0.run_limbs(recast);
        }
    }

    /// Checks a trunk and limbs of the given widths. Entries that no term names are NaN.
    fn check_limbs<const N: usize>(widths: &[usize]) {
        let firsts: Vec<usize> =
            widths.iter().scan(0, |at, w| Some(core::mem::replace(at, *at + w))).collect();
        let limb = |k: usize| firsts.iter().rposition(|first| k >= *first).unwrap();
        let in_term = |r: usize, c: usize| limb(c) == 0 || limb(r) == limb(c);
        let g = SMatrix::<f64, N, N>::from_fn(|r, c| match (in_term(r, c), c <= r) {
            (true, true) => ((r * 7 + c * 3 + r * c) % 11) as f64 - 5.0,
            (true, false) => 0.0,
            _ => f64::NAN,
        });
        let d = SVector::<f64, N>::from_fn(|k, _| (k % 5) as f64 + 1.0);
        let related = g.map(|x| if x.is_nan() { 0.0 } else { x });
        let expected = related * SMatrix::from_diagonal(&d) * related.transpose();

        let trunk = (0, widths[0]);
        let own: Vec<_> = firsts.iter().zip(widths).map(|(first, w)| [trunk, (*first, first + w)]).collect();
        let blocks: Vec<_> = own
            .iter()
            .map(|terms| {
                let [_, rows] = *terms;
                let terms = if rows == trunk { &terms[..1] } else { &terms[..] };
                [RowBlock { rows: (rows.1, N), terms: &own[0][..1] }, RowBlock { rows, terms }]
            })
            .collect();
        let groups: Vec<_> = own
            .iter()
            .zip(&blocks)
            .map(|([_, columns], blocks)| ColumnGroup { columns: *columns, blocks })
            .collect();
        let mut out = SMatrix::repeat(f64::NAN);
        f64::dispatch(Widest(GramProduct { g: &g, d: &d, out: &mut out, groups: &groups }));
        assert_eq!(out, expected, "{widths:?}");
    }

    #[test]
    fn limbs_of_every_width() {
        check_limbs::<36>(&[1, 2, 3, 4, 5, 6, 7, 8]);
        check_limbs::<36>(&[8, 7, 6, 5, 4, 3, 2, 1]);
        check_limbs::<35>(&[6, 6, 6, 3, 7, 7]);
        check_limbs::<30>(&[3, 17, 10]);
        check_limbs::<25>(&[25]);
        check_limbs::<9>(&[1, 8]);
        check_limbs::<8>(&[3, 5]);
        check_limbs::<7>(&[2, 5]);
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
