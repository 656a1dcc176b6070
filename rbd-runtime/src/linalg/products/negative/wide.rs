//! Products with M^-1 where eight numbers are one register.

#![allow(
    clippy::needless_range_loop,
    reason = "several arrays are indexed alike, and closures are not for kernels"
)]

use super::are_full;
use crate::Scalar;
use crate::linalg::columns::{ColumnGroup, Range, RowBlock, registers};
use crate::linalg::tiles::{Tile, Tiles, over_rows, store};
use crate::simd::{LANES, Register};

/// `x = -a x` in the groups' columns. False, with nothing done, if there is no way for so few rows.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn multiply<T: Scalar, L: Register<Of = T>, const N: usize>(
    a: &[[T; N]; N],
    x: &mut [[T; N]; N],
    groups: &[ColumnGroup<'_>],
) -> bool {
    if N < LANES {
        let is_small = N * N >= LANES && are_full::<N>(groups);
        if is_small {
            small::<T, L, N>(a, x, groups);
        }
        return is_small;
    }
    for group in groups {
        by_group::<T, L, N>(a, x, group);
    }
    true
}

/// The product of matrices of which each column fits into a register.
///
/// All sums are computed before the first is stored. The store of a column's seven numbers would hold up
/// the load of the next column's first one: it is at an address that the register covers.
#[cfg_attr(not(debug_assertions), inline(always))]
fn small<T: Scalar, L: Register<Of = T>, const N: usize>(
    a: &[[T; N]; N],
    x: &mut [[T; N]; N],
    groups: &[ColumnGroup<'_>],
) {
    let mut columns = [L::splat(T::zero()); N];
    for k in 0..N {
        let Some(column) = padded::<T, L, N>(a, k) else { return };
        columns[k] = column;
    }
    let mut sums = [L::splat(T::zero()); N];
    for c in 0..N {
        for k in 0..N {
            sums[c] = columns[k].mul_add(L::splat(-x[c][k]), sums[c]);
        }
    }
    for group in groups {
        for c in group.columns.0..group.columns.1.min(N) {
            sums[c].store_first(&mut x[c]);
        }
    }
}

/// A column of fewer numbers than a register has lanes; the other lanes are any numbers.
///
/// A register reads on into the next column. The last column's register begins before it, and moves down.
#[cfg_attr(not(debug_assertions), inline(always))]
fn padded<T: Scalar, L: Register<Of = T>, const N: usize>(a: &[[T; N]; N], column: usize) -> Option<L> {
    let (all, first) = (a.as_flattened(), column * N);
    if let Some(numbers) = all.get(first..).and_then(<[T]>::first_chunk) {
        return Some(L::load(numbers));
    }
    let mut register = L::load(all.last_chunk()?);
    let beyond = (first + LANES).saturating_sub(N * N);
    if beyond & 1 != 0 {
        register = register.shift::<1>();
    }
    if beyond & 2 != 0 {
        register = register.shift::<2>();
    }
    if beyond & 4 != 0 {
        register = register.shift::<4>();
    }
    Some(register)
}

/// A group's columns, as many at once as registers allow: sums are short, and more columns keep the
/// arithmetic busy.
#[cfg_attr(not(debug_assertions), inline(always))]
fn by_group<T: Scalar, L: Register<Of = T>, const N: usize>(
    a: &[[T; N]; N],
    x: &mut [[T; N]; N],
    group: &ColumnGroup<'_>,
) {
    let (mut column, end) = (group.columns.0, group.columns.1.min(N));
    while column < end {
        let left = end - column;
        // Few columns keep the arithmetic waiting: none are left over.
        let together = match left {
            0..=8 => left,
            9..=16 => left.div_ceil(2),
            17..=24 => left.div_ceil(3),
            _ => LANES,
        };
        match together {
            1 => columns::<T, L, N, 1>(a, x, column, group.blocks),
            2 => columns::<T, L, N, 2>(a, x, column, group.blocks),
            3 => columns::<T, L, N, 3>(a, x, column, group.blocks),
            4 => columns::<T, L, N, 4>(a, x, column, group.blocks),
            5 => columns::<T, L, N, 5>(a, x, column, group.blocks),
            6 => columns::<T, L, N, 6>(a, x, column, group.blocks),
            7 => columns::<T, L, N, 7>(a, x, column, group.blocks),
            _ => columns::<T, L, N, 8>(a, x, column, group.blocks),
        }
        column += together;
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn columns<T: Scalar, L: Register<Of = T>, const N: usize, const C: usize>(
    a: &[[T; N]; N],
    x: &mut [[T; N]; N],
    column: usize,
    blocks: &[RowBlock<'_>],
) {
    let Some(out) = x.get_mut(column..).and_then(<[_]>::first_chunk_mut::<C>) else { return };
    let kept = *out;
    let mut tiles = Columns { a, x: &kept, out };
    for block in blocks {
        over_rows::<T, L, _>(&mut tiles, (block.rows.0, block.rows.1.min(N)), block.terms);
    }
}

/// `C` columns of the product.
struct Columns<'k, T, const N: usize, const C: usize> {
    a: &'k [[T; N]; N],
    x: &'k [[T; N]; C],
    out: &'k mut [[T; N]; C],
}

impl<T: Scalar, L: Register<Of = T>, const N: usize, const C: usize> Tiles<T, L> for Columns<'_, T, N, C> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn tile<const R: usize>(&mut self, row: usize, end: usize, terms: &[Range]) {
        let mut sum: Tile<L, C, R> = [[L::splat(T::zero()); R]; C];
        for &(from, to) in terms {
            for k in from..to.min(N) {
                let Some(rows) = registers::<T, R>(&self.a[k], row) else { return };
                let mut a = [L::splat(T::zero()); R];
                for r in 0..R {
                    a[r] = L::load(&rows[r]);
                }
                for c in 0..C {
                    let x = L::splat(-self.x[c][k]);
                    for r in 0..R {
                        sum[c][r] = a[r].mul_add(x, sum[c][r]);
                    }
                }
            }
        }
        store(&sum, self.out, (row, end));
    }
}
