//! Products of matrices as the interpreter makes them: entry by entry.
//!
//! The arithmetic is that of `rbd_runtime::linalg`, whose sizes are the compiler's: each entry is a sum of
//! fused products in the order of its terms.

use crate::Number;
use crate::arrays::Arrays;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use rbd_ir::products::Range;
use rbd_ir::products::{Product, ProductKind};
use rbd_runtime::Scalar;
use rbd_runtime::dispatch::{Dispatched, Recast};

/// Makes a product of matrices with `rows` rows. From `free` on, the workspace is free for a column.
pub fn multiply<T: Number>(product: &Product, rows: usize, free: usize, arrays: &mut Arrays<'_, '_, T>) {
    let (mut arrays, free) = arrays.split_work(free);
    let second = &mut free[..rows];
    for group in &product.groups {
        for column in group.columns.0..group.columns.1 {
            let (a, result) = match product.kind {
                ProductKind::Negative { a, x } => {
                    let x = &arrays.get(x)[column * rows..];
                    second.iter_mut().zip(x).for_each(|(second, x)| *second = -*x);
                    (a, product.result())
                }
                ProductKind::Gram { g, d, out } => {
                    let (all, d) = (arrays.get(g), arrays.get(d));
                    for (k, second) in second.iter_mut().enumerate() {
                        *second = all[k * rows + column] * d[k];
                    }
                    (g, out)
                }
            };
            let is_gram = matches!(product.kind, ProductKind::Gram { .. });
            for block in &group.blocks {
                // Above the diagonal is the mirror image.
                let first = if is_gram { block.rows.0.max(column) } else { block.rows.0 };
                for row in first..block.rows.1 {
                    let a = &arrays.get(a)[row..];
                    let sum = T::dispatch(Sum { a, rows, second, terms: &block.terms });
                    let out = arrays.get_mut(result);
                    out[column * rows + row] = sum;
                    if is_gram {
                        out[row * rows + column] = sum;
                    }
                }
            }
        }
    }
}

/// Splits columns for machine code into chunks of nearly equal size, at most `most`. Returns the first column
/// and the number of columns of each.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub fn chunks((from, to): Range, most: usize) -> Vec<(usize, usize)> {
    let count = to - from;
    let chunks = count.div_ceil(most.max(1));
    (0..chunks)
        .map(|k| {
            let (begin, end) = (k * count / chunks, (k + 1) * count / chunks);
            (from + begin, end - begin)
        })
        .collect()
}

/// One entry.
struct Sum<'a, T> {
    /// A row of the first factor: every `rows`-th number.
    a: &'a [T],
    rows: usize,
    second: &'a [T],
    terms: &'a [(usize, usize)],
}

impl<T: Number> Dispatched<T> for Sum<'_, T> {
    type Output = T;

    #[inline(always)]
    fn run<S: Scalar>(self, recast: Recast<T, S>) -> T {
        let (a, second) = (recast.slice(self.a), recast.slice(self.second));
        let mut sum = S::zero();
        for &(from, to) in self.terms {
            for k in from..to {
                sum = a[k * self.rows].mul_add(second[k], sum);
            }
        }
        recast.back(sum)
    }
}
