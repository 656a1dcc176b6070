//! Products of matrices by loops that know the tree's zeros, for sizes that are known at run time.
//!
//! The arithmetic is that of `rbd_runtime::linalg`, whose sizes are the compiler's: each entry is a sum of
//! fused products in the order of its terms.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators are not compiled with the instructions that a kernel may use"
)]

use crate::arrays::Arrays;
use crate::lower::COLUMNS;
use rbd_ir::products::{ColumnGroup, Product, ProductKind, RowBlock};
use rbd_runtime::Scalar;
use rbd_runtime::dispatch::{Kernel, Recast};

/// Makes a product of matrices of so many rows, of several states side by side. From `columns` on the
/// kernel's own memory is free for [`COLUMNS`] columns.
pub fn multiply(product: &Product, rows: usize, columns: usize, states: usize, arrays: &mut Arrays<'_, '_>) {
    match states {
        1 => f64::dispatch(Multiply::<1> { product, rows, columns, arrays }),
        4 => f64::dispatch(Multiply::<4> { product, rows, columns, arrays }),
        8 => f64::dispatch(Multiply::<8> { product, rows, columns, arrays }),
        _ => unreachable!("{states} states side by side"),
    }
}

/// Rows that are made together.
const ROWS: usize = 8;

struct Multiply<'a, 'b, 'm, const W: usize> {
    product: &'a Product,
    rows: usize,
    columns: usize,
    arrays: &'a mut Arrays<'b, 'm>,
}

impl<const W: usize> Kernel<f64> for Multiply<'_, '_, '_, W> {
    type Output = ();

    #[inline(always)]
    fn run<S: Scalar>(mut self, recast: Recast<f64, S>) {
        let product = self.product;
        for group in &product.groups {
            let mut column = group.columns.0;
            while column < group.columns.1 {
                let count = (group.columns.1 - column).min(COLUMNS);
                self.factor_columns::<S>(recast, group, column, count);
                for block in &group.blocks {
                    self.block::<S>(recast, block, column, count);
                }
                column += count;
            }
        }
    }
}

impl<const W: usize> Multiply<'_, '_, '_, W> {
    fn is_gram(&self) -> bool {
        matches!(self.product.kind, ProductKind::Gram { .. })
    }

    /// The columns of the second factor, `-x` or `D G^T`, which the product may overwrite.
    #[inline(always)]
    fn factor_columns<S: Scalar>(
        &mut self,
        recast: Recast<f64, S>,
        group: &ColumnGroup,
        column: usize,
        count: usize,
    ) {
        let n = self.rows;
        // A symmetric product's last block has all terms of its columns.
        let blocks = match group.blocks.last() {
            Some(last) if self.is_gram() => std::slice::from_ref(last),
            _ => &group.blocks[..],
        };
        for block in blocks {
            for &(from, to) in &block.terms {
                for c in 0..count {
                    let column = column + c;
                    let begin = (self.columns + c * n) * W;
                    match self.product.kind {
                        ProductKind::Negative { x, .. } => {
                            let (arrays, free) = self.arrays.split_work(begin);
                            let x = recast.slice(&arrays.get(x)[column * n * W..][..n * W]);
                            let free = recast.slice_mut(&mut free[..n * W]);
                            for k in from * W..to * W {
                                free[k] = -x[k];
                            }
                        }
                        ProductKind::Gram { g, d, .. } => {
                            let (arrays, free) = self.arrays.split_work(begin);
                            let (g, d) = (recast.slice(arrays.get(g)), recast.slice(arrays.get(d)));
                            let free = recast.slice_mut(&mut free[..n * W]);
                            for k in from..to {
                                let g = lanes::<S, W>(g, k * n + column);
                                for lane in 0..W {
                                    free[k * W + lane] = g[lane] * d[k * W + lane];
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Rows of some columns.
    #[inline(always)]
    fn block<S: Scalar>(&mut self, recast: Recast<f64, S>, block: &RowBlock, column: usize, count: usize) {
        // Above the diagonal is the mirror image.
        let mut row = if self.is_gram() { block.rows.0.max(column) } else { block.rows.0 };
        let n = self.rows;
        while row < block.rows.1 {
            // Rows before the block's fill registers, if need be. Their results are not kept.
            let left = block.rows.1 - row;
            let (full, half) = (row.min(n.saturating_sub(ROWS)), row.min(n.saturating_sub(ROWS / 2)));
            let kept = match W {
                1 if left > ROWS / 2 && n >= ROWS => {
                    self.tile::<S, ROWS>(recast, block, (full, row, column), count);
                    left.min(ROWS)
                }
                1 if n >= ROWS / 2 => {
                    self.tile::<S, { ROWS / 2 }>(recast, block, (half, row, column), count);
                    left.min(ROWS / 2)
                }
                _ => {
                    self.tile::<S, W>(recast, block, (row, row, column), count);
                    1
                }
            };
            row += kept;
        }
    }

    /// Computes `N` numbers of each of four columns from the row `begin` on: that many rows, or a row of all
    /// states. Rows before `kept` stay as they are.
    #[inline(always)]
    fn tile<S: Scalar, const N: usize>(
        &mut self,
        recast: Recast<f64, S>,
        block: &RowBlock,
        (begin, kept, column): (usize, usize, usize),
        count: usize,
    ) {
        let n = self.rows;
        let (a, result) = match self.product.kind {
            ProductKind::Negative { a, x } => (a, x),
            ProductKind::Gram { g, out, .. } => (g, out),
        };
        // Of columns beyond the last one, what is in memory is computed with, and nothing is kept.
        let zero = [S::zero(); N];
        let (mut first, mut second, mut third, mut fourth) = (zero, zero, zero, zero);
        {
            let a = recast.slice(self.arrays.get(a));
            let x = recast.slice(&self.arrays.work[self.columns * W..]);
            for &(from, to) in &block.terms {
                for k in from..to {
                    let Some(a) = a[(k * n + begin) * W..].first_chunk::<N>() else { return };
                    add::<S, N, W>(&mut first, a, lanes(x, k));
                    add::<S, N, W>(&mut second, a, lanes(x, n + k));
                    add::<S, N, W>(&mut third, a, lanes(x, 2 * n + k));
                    add::<S, N, W>(&mut fourth, a, lanes(x, 3 * n + k));
                }
            }
        }
        // A copy: what is indexed by a variable is in memory, and sums are to stay in registers.
        let sums = [first, second, third, fourth];
        let is_gram = self.is_gram();
        let out = recast.slice_mut(self.arrays.get_mut(result));
        for c in 0..count {
            let column = column + c;
            for row in kept..(begin + N / W).min(block.rows.1) {
                let number = &sums[c][(row - begin) * W..][..W];
                if !is_gram || row >= column {
                    out[(column * n + row) * W..][..W].copy_from_slice(number);
                }
                if is_gram && row > column {
                    out[(row * n + column) * W..][..W].copy_from_slice(number);
                }
            }
        }
    }
}

/// Adds products with one number, or with one of each state.
#[inline(always)]
fn add<S: Scalar, const N: usize, const W: usize>(sum: &mut [S; N], a: &[S; N], x: &[S; W]) {
    for k in 0..N {
        sum[k] = a[k].mul_add(x[k % W], sum[k]);
    }
}

/// A number of each state.
#[inline(always)]
fn lanes<S: Scalar, const W: usize>(numbers: &[S], index: usize) -> &[S; W] {
    numbers[index * W..].first_chunk().expect("within the matrix")
}
