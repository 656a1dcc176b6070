//! Products of dense matrices and Cholesky factors, in loops with blocks in registers.
//!
//! By default, rustc compiles your code, nalgebra's products included, for the oldest processor of
//! the architecture; on x86-64 that is SSE2. Generated dynamics choose the best instructions at run
//! time ([`crate::dispatch`]), so a solver then spends its time in products. [`mul`] and the other
//! functions here choose at run time as well. They allocate nothing and cannot panic. A vector is a
//! matrix of one column.
//!
//!  One step of a Riccati recursion, with the feedback `K = Quu^-1 Qux`:
//!
//! ```
//! use nalgebra::{Matrix2, Matrix2x1, Matrix1, SMatrix};
//! use rbd_runtime::linalg::{self, Cholesky};
//! # fn main() -> Result<(), linalg::Indefinite> {
//! let (a, b) = (Matrix2::new(1.0, 0.1, 0.0, 1.0), Matrix2x1::new(0.005, 0.1));
//! let (mut qxx, mut quu, value) = (Matrix2::identity(), Matrix1::new(0.01), Matrix2::identity() * 3.0);
//! let (va, vb) = (linalg::mul(&value, &a), linalg::mul(&value, &b));
//! linalg::add_symmetric_tr_mul(&a, &va, &mut qxx); // Qxx += A^T V A
//! linalg::add_symmetric_tr_mul(&b, &vb, &mut quu); // Quu += B^T V B
//! let qux: SMatrix<f64, 1, 2> = linalg::tr_mul(&b, &va);
//! let feedback = Cholesky::new(&quu)?.solve(&qux);
//! assert!((quu * feedback - qux).norm() < 1e-12);
//! # Ok(())
//! # }
//! ```
//!
//! Nanoseconds of `f64` on an Intel Xeon with AVX2, not alone on the machine
//! (`cargo run --release -p rbd-runtime --example timings -- solver`), nalgebra as compiled for
//! SSE2:
//!
//! | | 14 states, 7 controls: nalgebra | here | 36 states, 12 controls: nalgebra | here |
//! |---|---|---|---|---|
//! | A B | 351 | 146 | 6755 | 2178 |
//! | A^T B | 993 | 211 | 10035 | 2580 |
//! | C += A^T A | 695 | 283 | 10244 | 2170 |
//! | A x | 26 | 18 | 186 | 78 |
//! | Cholesky of Quu | 126 | 134 | 267 | 302 |
//! | Quu^-1 Qux, factored | 237 | 120 | 3959 | 474 |
//!
//! # Block products
//!
//! The derivatives of forward dynamics end with `-M^-1 D`, where `D` are the derivatives of inverse
//! dynamics. M^-1 itself is a product of the factors of M. As straight-line code these products
//! would be the largest part of a robot's code by far, and slower for want of instruction cache.
//!
//! One product of `f64`, ns, on an AMD Zen 3 at 2.4 to 3.5 GHz (`benches/timings.rs`), for matrices
//! of a 7-joint arm, a quadruped and a humanoid; the last column leaves out the zeros of the tree:
//!
//! | N | nalgebra, SSE2 | here, SSE2 | AVX2 and FMA | with groups |
//! |---|---|---|---|---|
//! | 7 | 112 | 87 | 64 | - |
//! | 18 | 1413 | 964 | 410 | 312 |
//! | 38 | 9830 | 7750 | 2840 | 1737 |

mod cholesky;
mod gram;
mod grouped;
mod inverse;
mod kkt;
mod products;
mod solve;

pub use cholesky::{Cholesky, Indefinite};
pub use gram::GramProduct;
pub(crate) use grouped::{mul_groups_into, symmetric_tr_mul_groups_into};
pub use inverse::SymmetricInverse;
pub(crate) use kkt::{KktInverse, KktProduct};
pub(crate) use products::transpose_into;
pub use products::{add_mul, add_symmetric_tr_mul, add_tr_mul, mul, mul_into, tr_mul, tr_mul_into};
pub use solve::RefinedSolution;
pub(crate) use solve::multiply_add;

use crate::Scalar;
use crate::dispatch::{Recast, kernel};
use crate::loops::{LANES, Register};
use core::any::TypeId;
use core::marker::PhantomData;
use nalgebra::SMatrix;

/// From the first to before the last.
type Range = (usize, usize);

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
    /// Each column once.
    pub groups: &'a [ColumnGroup<'a>],
}

kernel!(NegativeProduct<N: usize>, X8);

impl<T: Scalar, const N: usize> NegativeProduct<'_, T, N> {
    /// Computes the product with registers of type `L`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn with<S: Scalar, L: Register<Of = S>>(self, recast: Recast<T, S>) {
        let (a, x) = (&recast.matrix(self.a).data.0, &mut recast.matrix_mut(self.x).data.0);
        let kept = [[S::zero(); N]; 4];
        by_columns(self.groups, N, &mut Negative { a, x, kept, registers: PhantomData::<L> });
    }
}

/// `-a x`, in place of `x`.
struct Negative<'k, T, L, const N: usize> {
    a: &'k [[T; N]; N],
    x: &'k mut [[T; N]; N],
    /// `-x` in the columns that are made.
    kept: [[T; N]; 4],
    registers: PhantomData<L>,
}

impl<T: Scalar, L: Register<Of = T>, const N: usize> ByColumns for Negative<'_, T, L, N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn columns<const C: usize>(&mut self, column: usize, blocks: &[RowBlock<'_>]) {
        let columns = self.x.get_mut(column..).and_then(<[_]>::split_first_chunk_mut::<C>);
        let (Some((out, _)), Some(x)) = (columns, self.kept.first_chunk_mut::<C>()) else { return };
        for &(from, to) in blocks.iter().flat_map(|b| b.terms) {
            for k in from..to.min(N) {
                for (x, out) in x.iter_mut().zip(&*out) {
                    x[k] = -out[k];
                }
            }
        }
        Columns { a: self.a, first: 0, x, base: None, out }.make::<L>(blocks);
    }
}

/// A product that is made some columns at a time.
trait ByColumns {
    /// Makes `C` columns from `column` on, at most four.
    fn columns<const C: usize>(&mut self, column: usize, blocks: &[RowBlock<'_>]);
}

/// Computes the columns of these groups among the first `n`: four at once, or three if fewer than
/// three would remain, since so few keep the arithmetic waiting.
#[cfg_attr(not(debug_assertions), inline(always))]
fn by_columns<K: ByColumns>(groups: &[ColumnGroup<'_>], n: usize, product: &mut K) {
    for group in groups {
        let (mut column, end) = (group.columns.0, group.columns.1.min(n));
        while column < end {
            let left = end - column;
            let together = match left {
                0..=4 => left,
                _ if matches!(left % 4, 1 | 2) => 3,
                _ => 4,
            };
            match together {
                1 => product.columns::<1>(column, group.blocks),
                2 => product.columns::<2>(column, group.blocks),
                3 => product.columns::<3>(column, group.blocks),
                _ => product.columns::<4>(column, group.blocks),
            }
            column += together;
        }
    }
}

/// Columns of `base + a x` while they are made: `M` rows, as sums over `N` terms.
struct Columns<'k, T, const M: usize, const N: usize, const C: usize> {
    /// The columns of `a` that are in terms, and perhaps others.
    a: &'k [[T; M]],
    /// Index of the first term.
    first: usize,
    x: &'k [[T; N]; C],
    /// Summand of the result, if any.
    base: Option<&'k [[T; M]; C]>,
    out: &'k mut [[T; M]; C],
}

impl<T: Scalar, const M: usize, const N: usize, const C: usize> Columns<'_, T, M, N, C> {
    /// Computes these blocks, each from its last row up, as many rows at once as registers allow. A
    /// tile that exceeds its block overwrites rows that are computed, or computed again, after it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn make<L: Register<Of = T>>(&mut self, blocks: &[RowBlock<'_>]) {
        if L::IS_ONE {
            self.make_wide::<L>(blocks);
        } else {
            self.make_narrow(blocks);
        }
    }

    /// [`Self::make`] with registers of eight, of which there are 32. From arrays, the compiler
    /// makes registers of four even where it may use eight.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn make_wide<L: Register<Of = T>>(&mut self, blocks: &[RowBlock<'_>]) {
        for block in blocks {
            let (from, to) = (block.rows.0, block.rows.1.min(M));
            if to < LANES {
                self.make_narrow(core::slice::from_ref(block));
                continue;
            }
            let mut end = to;
            while end > from {
                let rows = end - from;
                if rows > 2 * LANES && to >= 3 * LANES {
                    end = end.saturating_sub(3 * LANES);
                    self.wide_tile::<L, 3>(end, block.terms);
                } else if rows > LANES && to >= 2 * LANES {
                    end = end.saturating_sub(2 * LANES);
                    self.wide_tile::<L, 2>(end, block.terms);
                } else {
                    end = end.saturating_sub(LANES);
                    self.wide_tile::<L, 1>(end, block.terms);
                }
            }
        }
    }

    /// `R` registers of rows from `row` on, as sums over the given terms.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn wide_tile<L: Register<Of = T>, const R: usize>(&mut self, row: usize, terms: &[Range]) {
        let mut sum = [[L::splat(T::zero()); R]; C];
        for (sum, base) in sum.iter_mut().zip(self.base.into_iter().flatten()) {
            let Some(rows) = registers::<T, R>(base, row) else { return };
            for r in 0..R {
                sum[r] = L::load(&rows[r]);
            }
        }
        for &(from, to) in terms {
            for k in from..to.min(N) {
                let Some(a) = self.a.get(k.wrapping_sub(self.first)) else { return };
                let Some(rows) = registers::<T, R>(a, row) else { return };
                let mut a = [L::splat(T::zero()); R];
                for r in 0..R {
                    a[r] = L::load(&rows[r]);
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
            let rows = out.get_mut(row..).and_then(|rows| rows.as_chunks_mut().0.first_chunk_mut::<R>());
            let Some(rows) = rows else { return };
            for r in 0..R {
                sum[r].store(&mut rows[r]);
            }
        }
    }

    /// [`Self::make`] where a register of eight is several.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn make_narrow(&mut self, blocks: &[RowBlock<'_>]) {
        // SSE2 has half the register bytes of AVX2, where `f64` comes as another type.
        let few_registers = cfg!(all(target_arch = "x86_64", not(target_feature = "avx")))
            && TypeId::of::<T>() == TypeId::of::<f64>();
        let most = match size_of::<T>() {
            0..=8 if !few_registers && C < 4 => 12,
            0..=8 if !few_registers => 8,
            0..=16 => 4,
            17..=32 => 2,
            _ => 1,
        };
        for block in blocks {
            let (from, to) = (block.rows.0, block.rows.1.min(M));
            let mut end = to;
            while end > from {
                let rows = end - from;
                if most >= 12 && rows > 8 && to >= 12 {
                    end = end.saturating_sub(12);
                    self.tile::<12>(end, block.terms);
                } else if most >= 8 && rows > 4 && to >= 8 {
                    end = end.saturating_sub(8);
                    self.tile::<8>(end, block.terms);
                } else if (most >= 4 && rows > 2 || most >= 8) && to >= 4 {
                    end = end.saturating_sub(4);
                    self.tile::<4>(end, block.terms);
                } else if most >= 2 && rows > 1 {
                    end -= 2;
                    self.tile::<2>(end, block.terms);
                } else {
                    end -= 1;
                    self.tile::<1>(end, block.terms);
                }
            }
        }
    }

    /// `R` rows from `row` on, as sums over the given terms in registers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn tile<const R: usize>(&mut self, row: usize, terms: &[Range]) {
        let mut sum = [[T::zero(); R]; C];
        for (sum, base) in sum.iter_mut().zip(self.base.into_iter().flatten()) {
            let Some((base, _)) = base.get(row..).and_then(<[_]>::split_first_chunk::<R>) else { return };
            *sum = *base;
        }
        for &(from, to) in terms {
            for k in from..to.min(N) {
                let Some(a) = self.a.get(k.wrapping_sub(self.first)) else { return };
                let Some((a, _)) = a.get(row..).and_then(<[_]>::split_first_chunk::<R>) else { return };
                add_products(&mut sum, a, self.x, k);
            }
        }
        for (sum, out) in sum.iter().zip(&mut *self.out) {
            if let Some((out, _)) = out.get_mut(row..).and_then(<[_]>::split_first_chunk_mut::<R>) {
                *out = *sum;
            }
        }
    }
}

/// The rows of `R` registers from this one on.
#[cfg_attr(not(debug_assertions), inline(always))]
fn registers<T, const R: usize>(column: &[T], row: usize) -> Option<&[[T; LANES]; R]> {
    column.get(row..)?.as_chunks().0.first_chunk()
}

/// Adds to each column's sums `a` times the column's `k`-th number.
///
/// The columns are written out. The compiler does not split a loop over columns around one over
/// rows, and the sums would stay in memory.
#[cfg_attr(not(debug_assertions), inline(always))]
fn add_products<T: Scalar, const N: usize, const R: usize, const C: usize>(
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
    if let (Some(sum), Some(x)) = (sum, x) {
        for (sum, a) in sum.iter_mut().zip(a) {
            *sum = a.mul_add(x[k], *sum);
        }
    }
}

#[cfg(test)]
mod tests;
