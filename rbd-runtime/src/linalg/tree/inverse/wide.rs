//! Factors and their inverse with registers of eight numbers.
//!
//! The columns of a panel are combined before they are stored, and sums read their factors in
//! place.

use super::{Square, split};
use crate::Scalar;
use crate::linalg::columns::{ColumnGroup, Range, registers};
use crate::linalg::tiles::{Tile, Tiles, over_rows, store};
use crate::simd::{LANES, Register};

/// Operands of the sums.
///
/// Columns of `a` from `first` on are multiplied by the panel's factors, which stand in the same
/// columns of `x` from `at` on. Terms may be scaled.
struct Terms<'m, T, const N: usize> {
    a: &'m [[T; N]],
    x: &'m [[T; N]],
    by: Option<&'m [T]>,
    first: usize,
    at: usize,
}

impl<T: Scalar, const N: usize> Terms<'_, T, N> {
    /// `tile - a x` in the rows from `row` on.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn taken_from<L: Register<Of = T>, const C: usize, const R: usize>(
        &self,
        mut tile: Tile<L, C, R>,
        row: usize,
        terms: &[Range],
    ) -> Tile<L, C, R> {
        for &(from, to) in terms {
            let (from, to) = (from.wrapping_sub(self.first), to.min(N).wrapping_sub(self.first));
            let (Some(a), Some(x)) = (self.a.get(from..to), self.x.get(from..to)) else { continue };
            if self.by.is_some_and(|by| by.len() < to) {
                continue;
            }
            for (k, (a, x)) in a.iter().zip(x).enumerate() {
                let Some(rows) = registers::<T, R>(a, row) else { return tile };
                let Some(x) = x.get(self.at..).and_then(<[T]>::first_chunk::<C>) else { return tile };
                let mut minus = [L::splat(T::zero()); R];
                for r in 0..R {
                    let a = L::load(&rows[r]);
                    minus[r] = if let Some(by) = self.by { -(a * L::splat(by[from + k])) } else { -a };
                }
                for c in 0..C {
                    let x = L::splat(x[c]);
                    for r in 0..R {
                        tile[c][r] = minus[r].mul_add(x, tile[c][r]);
                    }
                }
            }
        }
        tile
    }
}

/// Subtracts from each column the part below it, from the last to the first.
#[cfg_attr(not(debug_assertions), inline(always))]
fn combined<T: Scalar, L: Register<Of = T>, const C: usize, const R: usize>(
    mut tile: Tile<L, C, R>,
    below: &Square<T, C>,
) -> Tile<L, C, R> {
    for c in (1..C).rev() {
        for b in 0..c {
            let factor = L::splat(-below[c][b]);
            for r in 0..R {
                tile[b][r] = tile[c][r].mul_add(factor, tile[b][r]);
            }
        }
    }
    tile
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn load<T: Scalar, L: Register<Of = T>, const N: usize, const C: usize, const R: usize>(
    columns: &[[T; N]; C],
    row: usize,
) -> Tile<L, C, R> {
    let mut tile = [[L::splat(T::zero()); R]; C];
    for c in 0..C {
        if let Some(rows) = registers::<T, R>(&columns[c], row) {
            for r in 0..R {
                tile[c][r] = L::load(&rows[r]);
            }
        }
    }
    tile
}

struct Factor<'m, T, const N: usize, const C: usize> {
    terms: Terms<'m, T, N>,
    base: &'m [[T; N]; C],
    below: Square<T, C>,
    inverses: [T; C],
    out: &'m mut [[T; N]; C],
}

impl<T: Scalar, const N: usize, const C: usize> Factor<'_, T, N, C> {
    /// Rows of L, from the sums.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn finish<L: Register<Of = T>, const R: usize>(&mut self, tile: Tile<L, C, R>, row: usize, end: usize) {
        let mut tile = combined::<T, L, C, R>(tile, &self.below);
        for c in 0..C {
            let inverse = L::splat(self.inverses[c]);
            for r in 0..R {
                tile[c][r] = tile[c][r] * inverse;
            }
        }
        store(&tile, self.out, (row, end));
    }
}

impl<T: Scalar, L: Register<Of = T>, const N: usize, const C: usize> Tiles<T, L> for Factor<'_, T, N, C> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn tile<const R: usize>(&mut self, row: usize, end: usize, terms: &[Range]) {
        let base = load::<T, L, N, C, R>(self.base, row);
        let tile = self.terms.taken_from::<L, C, R>(base, row, terms);
        self.finish::<L, R>(tile, row, end);
    }
}

/// Rows of L, above the diagonal of `l`, of one panel.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn factor<T: Scalar, L: Register<Of = T>, const N: usize, const C: usize>(
    m: &[[T; N]; N],
    l: &mut [[T; N]; N],
    [d, d_inv]: [&mut [T; N]; 2],
    panel: &ColumnGroup<'_>,
) {
    let first = panel.columns.0;
    // So that the compiler knows that the panel's own rows are there.
    if C > N || first > N - C {
        return;
    }
    let (end, at) = (first + C, (first + C).saturating_sub(LANES));
    let Some((out, beyond)) = split::<T, N, C>(l, first) else { return };
    let Some((d, d_beyond)) = d.split_at_mut_checked(end) else { return };
    let Some((base, _)) = m.get(first..).and_then(<[_]>::split_first_chunk::<C>) else { return };
    let Some((own, above)) = panel.blocks.split_first() else { return };
    let terms = Terms { a: beyond, x: beyond, by: Some(d_beyond), first: end, at: first };
    let tile = terms.taken_from::<L, C, 1>(load::<T, L, N, C, 1>(base, at), at, own.terms);

    let mut rows = [[T::zero(); LANES]; C];
    for c in 0..C {
        tile[c][0].store(&mut rows[c]);
    }
    let mut square = [[T::zero(); C]; C];
    for c in 0..C {
        for b in 0..=c {
            square[c][b] = rows[c][(first - at + b) % LANES];
        }
    }
    let (mut below, mut inverses) = ([[T::zero(); C]; C], [T::zero(); C]);
    for c in (0..C).rev() {
        inverses[c] = T::one() / square[c][c];
        (d[first + c], d_inv[first + c]) = (square[c][c], inverses[c]);
        for b in 0..c {
            below[c][b] = square[c][b] * inverses[c];
        }
        for b in 0..c {
            for a in 0..=b {
                square[b][a] = (-square[c][a]).mul_add(below[c][b], square[b][a]);
            }
        }
    }
    let mut kernel = Factor { terms, base, below, inverses, out };
    kernel.finish::<L, 1>(tile, at, end);
    over_rows::<T, L, _>(&mut kernel, (own.rows.0, own.rows.1.min(at)), own.terms);
    for block in above {
        over_rows::<T, L, _>(&mut kernel, (block.rows.0, block.rows.1.min(first)), block.terms);
    }
}

struct Invert<'m, T, const N: usize, const C: usize> {
    terms: Terms<'m, T, N>,
    below: Square<T, C>,
    out: &'m mut [[T; N]; C],
}

impl<T: Scalar, L: Register<Of = T>, const N: usize, const C: usize> Tiles<T, L> for Invert<'_, T, N, C> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn tile<const R: usize>(&mut self, row: usize, end: usize, terms: &[Range]) {
        let zero = [[L::splat(T::zero()); R]; C];
        let tile = self.terms.taken_from::<L, C, R>(zero, row, terms);
        store(&combined::<T, L, C, R>(tile, &self.below), self.out, (row, end));
    }
}

/// The panel's columns of `G = L^-1`, and zeros above.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn invert<T: Scalar, L: Register<Of = T>, const N: usize, const C: usize>(
    l: &[[T; N]; N],
    g: &mut [[T; N]; N],
    panel: &ColumnGroup<'_>,
) {
    let first = panel.columns.0;
    // So that the compiler knows that the panel's own rows are there.
    if C > N || first > N - C {
        return;
    }
    let end = first + C;
    let Some((out, beyond)) = split::<T, N, C>(g, first) else { return };
    let Some((own, l_beyond)) = l.get(first..).and_then(<[_]>::split_first_chunk::<C>) else { return };
    let mut below = [[T::zero(); C]; C];
    for c in 1..C {
        for b in 0..c {
            below[c][b] = own[c][first + b];
        }
    }
    // L's unit diagonal makes each column of L beyond the panel a term of its own row.
    let terms = Terms { a: beyond, x: l_beyond, by: None, first: end, at: first };
    let mut kernel = Invert { terms, below, out };
    for block in panel.blocks {
        over_rows::<T, L, _>(&mut kernel, (block.rows.0.max(end), block.rows.1.min(N)), block.terms);
    }
    super::own_columns(kernel.out, first, &below);
}
