//! Inverse of a mass matrix by its factors: `M = L^T D L` over the tree, `G = L^-1`,
//! `M^-1 = G D^-1 G^T`.
//!
//! Columns are processed in panels of at most four columns with the same ancestors and descendants.
//! Sums over a panel's descendants come first, in register blocks. A triangle of four and a
//! combination of four columns remain.
//!
//! There is no pivoting: M is positive definite, and factors in any order are as good as its
//! diagonal allows. An inverse built in place from blocks of four (Gauss-Jordan) loses two to four
//! more digits where M^-1 multiplies the derivatives of a chain of a hundred links.

#![allow(
    clippy::needless_range_loop,
    reason = "several arrays are indexed alike, and closures are not for kernels"
)]

pub(super) mod wide;

use super::gram::gram;
use crate::Scalar;
use crate::dispatch::{Recast, dispatched};
use crate::linalg::columns::{ColumnGroup, Columns};
use crate::simd::{LANES, Register};
use nalgebra::SMatrix;

/// `out = m^-1` for a symmetric positive definite `m` as sparse as a tree.
#[derive(Debug)]
pub struct SymmetricInverse<'a, T, const N: usize> {
    /// The matrix. Only the diagonal and the entries above it are read.
    pub m: &'a SMatrix<T, N, N>,
    /// Memory for G.
    pub g: &'a mut SMatrix<T, N, N>,
    /// The inverse.
    pub out: &'a mut SMatrix<T, N, N>,
    /// Panels of at most four columns, from the last to the first.
    ///
    /// Blocks are the rows of the panel and of its ancestors. Terms are all its descendants beyond
    /// it.
    pub factor: &'a [ColumnGroup<'a>],
    /// The panels for the inversion.
    ///
    /// Blocks are the rows of descendants beyond the panel. Terms are the columns beyond the panel
    /// on the path to those rows. Terms may include columns that are no ancestors, but lie below
    /// the diagonal or in the same rows.
    pub invert: &'a [ColumnGroup<'a>],
    /// Groups of columns, as in [`GramProduct`](super::GramProduct).
    pub gram: &'a [ColumnGroup<'a>],
}

dispatched!(SymmetricInverse<N: usize>, wide, X8);

impl<T: Scalar, const N: usize> SymmetricInverse<'_, T, N> {
    /// Computes the inverse with registers of type `L`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn with<S: Scalar, L: Register<Of = S>>(self, recast: Recast<T, S>) {
        let m = &recast.matrix(self.m).data.0;
        let g = &mut recast.matrix_mut(self.g).data.0;
        let out = &mut recast.matrix_mut(self.out).data.0;
        let (mut d, mut d_inv) = ([S::zero(); N], [S::zero(); N]);
        let mut x = [[S::zero(); N]; 4];
        // Until the product is made, its memory is L's: row k of L in column k, above the diagonal.
        for panel in self.factor {
            let d = [&mut d, &mut d_inv];
            match panel.columns.1.saturating_sub(panel.columns.0) {
                1 => factor::<S, L, N, 1>(m, out, d, &mut x, panel),
                2 => factor::<S, L, N, 2>(m, out, d, &mut x, panel),
                3 => factor::<S, L, N, 3>(m, out, d, &mut x, panel),
                _ => factor::<S, L, N, 4>(m, out, d, &mut x, panel),
            }
        }
        for panel in self.invert {
            match panel.columns.1.saturating_sub(panel.columns.0) {
                1 => invert::<S, L, N, 1>(out, g, &mut x, panel),
                2 => invert::<S, L, N, 2>(out, g, &mut x, panel),
                3 => invert::<S, L, N, 3>(out, g, &mut x, panel),
                _ => invert::<S, L, N, 4>(out, g, &mut x, panel),
            }
        }
        gram::<S, L, N>(g, &d_inv, out, self.gram);
    }
}

/// Columns and their part in each other: `below[c][b]` is L's entry in row c and column b of a panel.
type Square<T, const C: usize> = [[T; C]; C];

/// Columns, and those beyond them.
type Panel<'m, T, const N: usize, const C: usize> = (&'m mut [[T; N]; C], &'m [[T; N]]);

/// The panel's columns of `matrix`, and the columns beyond it.
#[cfg_attr(not(debug_assertions), inline(always))]
fn split<T, const N: usize, const C: usize>(
    matrix: &mut [[T; N]; N],
    first: usize,
) -> Option<Panel<'_, T, N, C>> {
    let (panel, beyond) = matrix.get_mut(first..)?.split_first_chunk_mut::<C>()?;
    Some((panel, beyond))
}

/// Rows of L, above the diagonal of `l`, of one panel.
#[cfg_attr(not(debug_assertions), inline(always))]
fn factor<T: Scalar, L: Register<Of = T>, const N: usize, const C: usize>(
    m: &[[T; N]; N],
    l: &mut [[T; N]; N],
    [d, d_inv]: [&mut [T; N]; 2],
    x: &mut [[T; N]; 4],
    panel: &ColumnGroup<'_>,
) {
    if const { L::IS_ONE && N >= LANES } {
        return wide::factor::<T, L, N, C>(m, l, [d, d_inv], panel);
    }
    let first = panel.columns.0;
    // So that the compiler knows that the panel's own rows are there.
    if C > N || first > N - C {
        return;
    }
    let Some((out, beyond)) = split::<T, N, C>(l, first) else { return };
    let Some((base, _)) = m.get(first..).and_then(<[_]>::split_first_chunk::<C>) else { return };
    let Some(x) = x.first_chunk_mut::<C>() else { return };
    for &(from, to) in panel.blocks.first().map_or(&[][..], |own| own.terms) {
        for k in from..to.min(N) {
            let Some(row) = beyond.get(k.wrapping_sub(first + C)).and_then(|l| l.get(first..)) else {
                return;
            };
            for (x, l) in x.iter_mut().zip(row) {
                x[k] = -(*l * d[k]);
            }
        }
    }
    Columns { a: beyond, first: first + C, x, base: Some(base), out }.make::<L>(panel.blocks);

    let mut own = [[T::zero(); C]; C];
    for c in 0..C {
        for b in 0..C {
            own[c][b] = out[c][first + b];
        }
    }
    let (mut below, mut inverses) = ([[T::zero(); C]; C], [T::zero(); C]);
    for c in (0..C).rev() {
        inverses[c] = T::one() / own[c][c];
        (d[first + c], d_inv[first + c]) = (own[c][c], inverses[c]);
        for b in 0..c {
            below[c][b] = own[c][b] * inverses[c];
        }
        for b in 0..c {
            for a in 0..=b {
                own[b][a] = (-own[c][a]).mul_add(below[c][b], own[b][a]);
            }
        }
    }
    let mut row = 0;
    // Rows of the panel itself, which a register overwrote, are written again.
    while row < first {
        if row + 4 <= N {
            combine::<T, N, C, 4>(out, row, &below, Some(&inverses));
            row += 4;
        } else {
            combine::<T, N, C, 1>(out, row, &below, Some(&inverses));
            row += 1;
        }
    }
    for c in 1..C {
        for b in 0..c {
            out[c][first + b] = below[c][b];
        }
    }
}

/// The panel's columns of `G = L^-1`, and zeros above.
#[cfg_attr(not(debug_assertions), inline(always))]
fn invert<T: Scalar, L: Register<Of = T>, const N: usize, const C: usize>(
    l: &[[T; N]; N],
    g: &mut [[T; N]; N],
    x: &mut [[T; N]; 4],
    panel: &ColumnGroup<'_>,
) {
    if const { L::IS_ONE && N >= LANES } {
        return wide::invert::<T, L, N, C>(l, g, panel);
    }
    let first = panel.columns.0;
    // So that the compiler knows that the panel's own rows are there.
    if C > N || first > N - C {
        return;
    }
    let Some((out, beyond)) = split::<T, N, C>(g, first) else { return };
    let Some(x) = x.first_chunk_mut::<C>() else { return };
    for &(from, to) in panel.blocks.iter().flat_map(|b| b.terms) {
        for k in from..to.min(N) {
            let Some(row) = l[k].get(first..) else { return };
            for (x, l) in x.iter_mut().zip(row) {
                x[k] = -*l;
            }
        }
    }
    // L's unit diagonal makes each column of L beyond the panel a term of its own row.
    Columns { a: beyond, first: first + C, x, base: None, out }.make::<L>(panel.blocks);

    let mut below = [[T::zero(); C]; C];
    for c in 1..C {
        let row = l.get(first + c).and_then(|l| l.get(first..first + c));
        let Some(row) = row else { return };
        below[c][..c].copy_from_slice(row);
    }
    if C > 1 {
        let mut row = N;
        // Rows before those beyond the panel, which a register overwrote, are written again.
        while row > first + C {
            if row >= 4 {
                row -= 4;
                combine::<T, N, C, 4>(out, row, &below, None);
            } else {
                row -= 1;
                combine::<T, N, C, 1>(out, row, &below, None);
            }
        }
    }
    own_columns(out, first, &below);
}

/// The own rows of a panel of G, from those of L below the diagonal, with zeros above.
#[cfg_attr(not(debug_assertions), inline(always))]
fn own_columns<T: Scalar, const N: usize, const C: usize>(
    out: &mut [[T; N]; C],
    first: usize,
    below: &Square<T, C>,
) {
    let mut own = [[T::zero(); C]; C];
    for c in (0..C).rev() {
        own[c][c] = T::one();
        for b in 0..c {
            for r in c..C {
                own[b][r] = (-own[c][r]).mul_add(below[c][b], own[b][r]);
            }
        }
    }
    for c in 0..C {
        out[c][..first].fill(T::zero());
        for r in 0..C {
            out[c][first + r] = own[c][r];
        }
    }
}

/// Subtracts the part below each entry in `R` rows of a panel, and scales the entry.
///
/// Columns come from the last to the first.
#[cfg_attr(not(debug_assertions), inline(always))]
fn combine<T: Scalar, const N: usize, const C: usize, const R: usize>(
    panel: &mut [[T; N]; C],
    row: usize,
    below: &Square<T, C>,
    scale: Option<&[T; C]>,
) {
    let mut x = [[T::zero(); R]; C];
    for (x, column) in x.iter_mut().zip(&*panel) {
        let Some((rows, _)) = column.get(row..).and_then(<[_]>::split_first_chunk::<R>) else { return };
        *x = *rows;
    }
    for c in (1..C).rev() {
        for b in 0..c {
            for r in 0..R {
                x[b][r] = (-x[c][r]).mul_add(below[c][b], x[b][r]);
            }
        }
    }
    for (c, (x, column)) in x.iter_mut().zip(panel).enumerate() {
        if let Some(scale) = scale {
            for x in x.iter_mut() {
                *x *= scale[c];
            }
        }
        if let Some((rows, _)) = column.get_mut(row..).and_then(<[_]>::split_first_chunk_mut::<R>) {
            *rows = *x;
        }
    }
}
