//! Products some columns at a time, without the terms that a tree makes zero.

use crate::Scalar;
use crate::simd::{LANES, Register};
use core::any::TypeId;

/// Indices from the first to before the last.
pub(super) type Range = (usize, usize);

/// Rows of a product that are sums over the same terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowBlock<'a> {
    /// The first row, and the one after the last.
    pub rows: Range,
    /// The terms that may be nonzero: the first, and the one after the last, of each run.
    pub terms: &'a [Range],
}

/// Columns of a product, and its blocks of rows there.
///
/// In the derivatives of inverse dynamics, the column of a joint is zero except at its ancestors and
/// descendants, so a quadruped's leg has nothing in the rows of the other three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnGroup<'a> {
    /// First column, and the one after the last.
    pub columns: Range,
    /// Blocks of rows, from the last to the first. A block may overwrite rows before it, which are
    /// computed after it.
    pub blocks: &'a [RowBlock<'a>],
}

/// A product that is made some columns at a time.
pub(super) trait ByColumns {
    /// Makes `C` columns from `column` on, at most four.
    fn columns<const C: usize>(&mut self, column: usize, blocks: &[RowBlock<'_>]);
}

/// Computes the columns of these groups among the first `N`: four at once, or three if fewer than
/// three would remain, since so few keep the arithmetic waiting.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn by_columns<K: ByColumns, const N: usize>(groups: &[ColumnGroup<'_>], product: &mut K) {
    for group in groups {
        let (mut column, end) = (group.columns.0, group.columns.1.min(N));
        while column < end {
            let left = end - column;
            let together = match left {
                0..=4 => left,
                _ if matches!(left % 4, 1 | 2) => 3,
                _ => 4,
            };
            match together {
                1 => product.columns::<1>(column, group.blocks),
                2 if const { N >= 2 } => product.columns::<2>(column, group.blocks),
                3 if const { N >= 3 } => product.columns::<3>(column, group.blocks),
                _ if const { N >= 4 } => product.columns::<4>(column, group.blocks),
                _ => {}
            }
            column += together;
        }
    }
}

/// The most rows of a tile of so many columns that registers hold, if a register has 32 bytes. Tiles that
/// are never used are not even compiled: conditions that tell are constants.
const fn most_rows<T>(columns: usize) -> usize {
    match size_of::<T>() {
        0..=8 if columns < 4 => 12,
        0..=8 => 8,
        9..=16 => 4,
        17..=32 => 2,
        _ => 1,
    }
}

/// SSE2 has half the register bytes of AVX2, where `f64` comes as another type.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn has_few_registers<T: 'static>() -> bool {
    cfg!(all(target_arch = "x86_64", not(target_feature = "avx"))) && TypeId::of::<T>() == TypeId::of::<f64>()
}

/// Columns of `base + a x` while they are made: `M` rows, as sums over `N` terms.
pub(super) struct Columns<'k, T, const M: usize, const N: usize, const C: usize> {
    /// The columns of `a` that are in terms, and perhaps others.
    pub a: &'k [[T; M]],
    /// Index of the first term.
    pub first: usize,
    pub x: &'k [[T; N]; C],
    /// Summand of the result, if any.
    pub base: Option<&'k [[T; M]; C]>,
    pub out: &'k mut [[T; M]; C],
}

impl<T: Scalar, const M: usize, const N: usize, const C: usize> Columns<'_, T, M, N, C> {
    /// Computes these blocks, each from its last row up, as many rows at once as registers allow. A
    /// tile that exceeds its block overwrites rows that are computed, or computed again, after it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn make<L: Register<Of = T>>(&mut self, blocks: &[RowBlock<'_>]) {
        if const { L::IS_ONE } {
            self.make_wide::<L>(blocks);
        } else {
            self.make_narrow::<false>(blocks);
        }
    }

    /// [`Self::make`] of `-a x`, or `base - a x`, where a register of eight is several.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn make_negative(&mut self, blocks: &[RowBlock<'_>]) {
        self.make_narrow::<true>(blocks);
    }

    /// [`Self::make`] with registers of eight, of which there are 32. From arrays, the compiler
    /// makes registers of four even where it may use eight.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn make_wide<L: Register<Of = T>>(&mut self, blocks: &[RowBlock<'_>]) {
        for block in blocks {
            let (from, to) = (block.rows.0, block.rows.1.min(M));
            if const { M < LANES } || to < LANES {
                self.make_narrow::<false>(core::slice::from_ref(block));
                continue;
            }
            let mut end = to;
            while end > from {
                let rows = end - from;
                if const { M > 2 * LANES } && rows > 2 * LANES {
                    self.wide_tile::<L, 3>(end, block.terms);
                    end = end.saturating_sub(3 * LANES);
                } else if const { M > LANES } && rows > LANES {
                    self.wide_tile::<L, 2>(end, block.terms);
                    end = end.saturating_sub(2 * LANES);
                } else {
                    // Rows before the first one are computed once more.
                    self.wide_tile::<L, 1>(end.max(LANES), block.terms);
                    end = end.saturating_sub(LANES);
                }
            }
        }
    }

    /// `R` registers of rows up to `end`, as sums over the given terms. The first two overlap if there are
    /// fewer rows.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[allow(clippy::needless_range_loop, reason = "indices are those of several arrays")]
    fn wide_tile<L: Register<Of = T>, const R: usize>(&mut self, end: usize, terms: &[Range]) {
        let mut rows = [0; R];
        for r in 0..R {
            rows[r] = end.saturating_sub((R - r) * LANES);
        }
        let mut sum = [[L::splat(T::zero()); R]; C];
        for (sum, base) in sum.iter_mut().zip(self.base.into_iter().flatten()) {
            for r in 0..R {
                let Some([numbers]) = registers::<T, 1>(base, rows[r]) else { return };
                sum[r] = L::load(numbers);
            }
        }
        for &(from, to) in terms {
            for k in from..to.min(N) {
                let Some(column) = self.a.get(k.wrapping_sub(self.first)) else { return };
                let mut a = [L::splat(T::zero()); R];
                for r in 0..R {
                    let Some([numbers]) = registers::<T, 1>(column, rows[r]) else { return };
                    a[r] = L::load(numbers);
                }
                for (sum, x) in sum.iter_mut().zip(self.x) {
                    let x = L::splat(x[k]);
                    for r in 0..R {
                        sum[r] = a[r].mul_add(x, sum[r]);
                    }
                }
            }
        }
        for (sum, out) in sum.iter().zip(&mut *self.out) {
            for r in 0..R {
                let Some(numbers) = out.get_mut(rows[r]..).and_then(<[T]>::first_chunk_mut) else { return };
                sum[r].store(numbers);
            }
        }
    }

    /// [`Self::make`] where a register of eight is several, of `-a` if it is negative.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn make_narrow<const IS_NEGATIVE: bool>(&mut self, blocks: &[RowBlock<'_>]) {
        for block in blocks {
            let rows = (block.rows.0, block.rows.1.min(M));
            by_rows::<T, _, M, C>(
                rows,
                &mut NarrowTiles::<_, _, _, _, IS_NEGATIVE> { of: self, terms: block.terms },
            );
        }
    }

    /// `R` rows from `row` on, as sums over the given terms in registers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn tile<const R: usize, const IS_NEGATIVE: bool>(&mut self, row: usize, terms: &[Range]) {
        let mut sum = [[T::zero(); R]; C];
        for (sum, base) in sum.iter_mut().zip(self.base.into_iter().flatten()) {
            let Some((base, _)) = base.get(row..).and_then(<[_]>::split_first_chunk::<R>) else { return };
            *sum = *base;
        }
        for &(from, to) in terms {
            for k in from..to.min(N) {
                let Some(a) = self.a.get(k.wrapping_sub(self.first)) else { return };
                let Some((a, _)) = a.get(row..).and_then(<[_]>::split_first_chunk::<R>) else { return };
                if const { IS_NEGATIVE } {
                    add_products(&mut sum, &minus(a), self.x, k);
                } else {
                    add_products(&mut sum, a, self.x, k);
                }
            }
        }
        for (sum, out) in sum.iter().zip(&mut *self.out) {
            if let Some((out, _)) = out.get_mut(row..).and_then(<[_]>::split_first_chunk_mut::<R>) {
                *out = *sum;
            }
        }
    }
}

/// Rows of [`Columns`] as sums over these terms.
struct NarrowTiles<'t, 'k, T, const M: usize, const N: usize, const C: usize, const IS_NEGATIVE: bool> {
    of: &'t mut Columns<'k, T, M, N, C>,
    terms: &'t [Range],
}

impl<T: Scalar, const M: usize, const N: usize, const C: usize, const IS_NEGATIVE: bool> ByRows
    for NarrowTiles<'_, '_, T, M, N, C, IS_NEGATIVE>
{
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn rows<const R: usize>(&mut self, row: usize) {
        self.of.tile::<R, IS_NEGATIVE>(row, self.terms);
    }
}

/// A product of which so many columns are made some rows at a time.
pub(super) trait ByRows {
    /// Makes `R` rows from this one on.
    fn rows<const R: usize>(&mut self, row: usize);
}

/// Makes these rows of `M`, the last ones first, as many at once as registers of four numbers hold with `C`
/// columns. Rows before the first may be made too, if they are overwritten later.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn by_rows<T: Scalar, K: ByRows, const M: usize, const C: usize>(
    (from, to): Range,
    product: &mut K,
) {
    let most = if has_few_registers::<T>() { most_rows::<T>(C).min(4) } else { most_rows::<T>(C) };
    let mut end = to;
    while end > from {
        let rows = end - from;
        if const { most_rows::<T>(C) >= 12 && M >= 12 } && most >= 12 && rows > 8 && to >= 12 {
            end = end.saturating_sub(12);
            product.rows::<12>(end);
        } else if const { most_rows::<T>(C) >= 8 && M >= 8 } && most >= 8 && rows > 4 && to >= 8 {
            end = end.saturating_sub(8);
            product.rows::<8>(end);
        } else if const { most_rows::<T>(C) >= 4 && M >= 4 }
            && (most >= 4 && rows > 2 || most >= 8)
            && to >= 4
        {
            end = end.saturating_sub(4);
            product.rows::<4>(end);
        } else if const { most_rows::<T>(C) >= 2 && M >= 2 } && most >= 2 && rows > 1 {
            end -= 2;
            product.rows::<2>(end);
        } else {
            end -= 1;
            product.rows::<1>(end);
        }
    }
}

/// The rows of `R` registers from this one on.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn registers<T, const R: usize>(column: &[T], row: usize) -> Option<&[[T; LANES]; R]> {
    column.get(row..)?.as_chunks().0.first_chunk()
}

/// `-a`, without a closure, which would not be allowed the kernel's instructions.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn minus<T: Scalar, const R: usize>(a: &[T; R]) -> [T; R] {
    let mut minus = *a;
    for a in &mut minus {
        *a = -*a;
    }
    minus
}

/// Adds to each column's sums `a` times the column's `k`-th number.
///
/// The columns are written out. The compiler does not split a loop over columns around one over
/// rows, and the sums would stay in memory.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn add_products<T: Scalar, const N: usize, const R: usize, const C: usize>(
    sum: &mut [[T; R]; C],
    a: &[T; R],
    x: &[[T; N]; C],
    k: usize,
) {
    let (mut sums, mut columns) = (sum.iter_mut(), x.iter());
    add_product(sums.next(), a, columns.next(), k);
    add_product(sums.next(), a, columns.next(), k);
    add_product(sums.next(), a, columns.next(), k);
    add_product(sums.next(), a, columns.next(), k);
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn add_product<T: Scalar, const N: usize, const R: usize>(
    sum: Option<&mut [T; R]>,
    a: &[T; R],
    x: Option<&[T; N]>,
    k: usize,
) {
    if let Some(x) = x {
        add_multiple(sum, a, x[k]);
    }
}

/// [`add_products`] by the numbers of a row: adds to each column's sums `a` times its number.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn add_multiples<T: Scalar, const R: usize, const C: usize>(
    sum: &mut [[T; R]; C],
    a: &[T; R],
    x: &[T; 4],
) {
    let mut sums = sum.iter_mut();
    add_multiple(sums.next(), a, x[0]);
    add_multiple(sums.next(), a, x[1]);
    add_multiple(sums.next(), a, x[2]);
    add_multiple(sums.next(), a, x[3]);
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn add_multiple<T: Scalar, const R: usize>(sum: Option<&mut [T; R]>, a: &[T; R], x: T) {
    if let Some(sum) = sum {
        for (sum, a) in sum.iter_mut().zip(a) {
            *sum = a.mul_add(x, *sum);
        }
    }
}

/// Mirrors the lower triangle to the upper one: blocks of four by four, then single entries that
/// are in no block. The last block may overlap the blocks before it.
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
