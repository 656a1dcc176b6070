//! Factors of positive semidefinite matrices, in which dependent rows are left out.

use crate::Scalar;
use crate::dispatch::{Recast, dispatched};
use crate::limbs::Limbs;
use nalgebra::SMatrix;

/// Factors `L D L^T` in place: L below the diagonal, the reciprocals of D on it, zero for a pivot
/// that is lost in rounding.
///
/// Source: Golub and Van Loan, Matrix Computations, 4th edition, section 4.1.2.
pub(crate) struct Factor<'a, T, const N: usize> {
    pub factors: &'a mut SMatrix<T, N, N>,
}

dispatched!(Factor<N: usize>, X4);

impl<T: Scalar, const N: usize> Factor<'_, T, N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[allow(clippy::needless_range_loop, reason = "indices are those of several columns")]
    fn with<S: Scalar, Q: Limbs<S, 4>>(self, recast: Recast<T, S>) {
        let f = &mut recast.matrix_mut(self.factors).data.0;
        // In numbers of seven digits the sum is one.
        let digits = (S::one() + S::from_f64(1e-10)) - S::one();
        let least = digits.select_lt(1e-11, S::from_f64(1e-5), S::from_f64(1e-12));
        // A dependent row leaves squares of rounding errors, relative to the two other rows of the
        // same unit. Example: the row across the plane of a four-bar linkage.
        let rounding = digits.select_lt(1e-11, S::from_f64(2e-11), S::from_f64(1e-28));
        let mut limits = [S::zero(); N];
        for j in 0..N {
            let mut largest = f[j][j];
            let first = j - j % 3;
            for i in first..(first + 3).min(N) {
                largest = (f[i][i] - largest).select_lt(0.0, largest, f[i][i]);
            }
            let rounded = largest * rounding;
            limits[j] = f[j][j] * least;
            limits[j] = (limits[j] - rounded).select_lt(0.0, rounded, limits[j]);
        }
        for j in 0..N {
            let pivot = f[j][j];
            let reciprocal = (pivot - limits[j]).select_lt(1e-30, S::zero(), S::one() / pivot);
            let column = f[j];
            for k in j + 1..N {
                eliminate::<S, Q, N>(k, -(column[k] * reciprocal), &column, &mut f[k]);
            }
            for i in j + 1..N {
                f[j][i] = column[i] * reciprocal;
            }
            f[j][j] = reciprocal;
        }
    }
}

/// `to += k column` in the rows from this one on. Earlier rows of the same register change too:
/// entries above the diagonal are never read.
///
/// Registers are named. From arrays the compiler would gather numbers of several columns one by
/// one.
#[cfg_attr(not(debug_assertions), inline(always))]
fn eliminate<S: Scalar, Q: Limbs<S, 4>, const N: usize>(from: usize, k: S, column: &[S; N], to: &mut [S; N]) {
    let ((fours, rest), (column, rest_of_column)) = (to.as_chunks_mut::<4>(), column.as_chunks::<4>());
    let factor = Q::splat(k);
    for (to, column) in fours.iter_mut().zip(column).skip(from / 4) {
        *to = Q::gather(*column).mul_add(factor, Q::gather(*to)).lanes();
    }
    for (to, column) in rest.iter_mut().zip(rest_of_column) {
        *to = column.mul_add(k, *to);
    }
}

/// Solves in place, each column: L, then D, then L^T.
pub(crate) struct Solve<'a, T, const N: usize, const C: usize> {
    pub factors: &'a SMatrix<T, N, N>,
    pub x: &'a mut SMatrix<T, N, C>,
}

dispatched!(Solve<N: usize, C: usize>, X4);

impl<T: Scalar, const N: usize, const C: usize> Solve<'_, T, N, C> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>>(self, recast: Recast<T, S>) {
        let f = &recast.matrix(self.factors).data.0;
        let (fours, rest) = recast.matrix_mut(self.x).data.0.as_chunks_mut::<4>();
        let (eights, fours) = fours.as_chunks_mut::<2>();
        // Closures are not allowed a kernel's instructions.
        for columns in eights {
            side_by_side::<S, Q, N, 2>(f, columns);
        }
        for columns in fours {
            side_by_side::<S, Q, N, 1>(f, core::array::from_mut(columns));
        }
        if !rest.is_empty() {
            let mut columns = [[[S::zero(); N]; 4]];
            for (to, column) in columns[0].iter_mut().zip(&*rest) {
                *to = *column;
            }
            side_by_side::<S, Q, N, 1>(f, &mut columns);
            for (column, from) in rest.iter_mut().zip(&columns[0]) {
                *column = *from;
            }
        }
    }
}

/// Solves `W` times four columns at once, four columns a register.
///
/// A single column would wait for its own sums, which depend on one another. Three rows are
/// eliminated together, so that the others are loaded and stored a third as often.
#[cfg_attr(not(debug_assertions), inline(always))]
#[allow(clippy::needless_range_loop, reason = "indices are those of several arrays")]
fn side_by_side<S: Scalar, Q: Limbs<S, 4>, const N: usize, const W: usize>(
    f: &[[S; N]; N],
    columns: &mut [[[S; N]; 4]; W],
) {
    let mut x = [[Q::splat(S::zero()); W]; N];
    for k in 0..N {
        for w in 0..W {
            let of = &columns[w];
            x[k][w] = Q::gather([of[0][k], of[1][k], of[2][k], of[3][k]]);
        }
    }
    let mut k = 0;
    while k + 3 <= N {
        let (b, c, d) = (-f[k][k + 1], -f[k][k + 2], -f[k + 1][k + 2]);
        let first = x[k];
        let second = add_multiple(b, &first, x[k + 1]);
        let third = add_multiple(d, &second, add_multiple(c, &first, x[k + 2]));
        (x[k + 1], x[k + 2]) = (second, third);
        for i in k + 3..N {
            let sum = add_multiple(-f[k + 1][i], &second, add_multiple(-f[k][i], &first, x[i]));
            x[i] = add_multiple(-f[k + 2][i], &third, sum);
        }
        k += 3;
    }
    for k in k..N {
        let of_k = x[k];
        for i in k + 1..N {
            x[i] = add_multiple(-f[k][i], &of_k, x[i]);
        }
    }
    for k in 0..N {
        let reciprocal = Q::splat(f[k][k]);
        for w in 0..W {
            x[k][w] = x[k][w] * reciprocal;
        }
    }
    let mut end = N;
    while end >= 3 {
        let k = end - 3;
        let (b, c, d) = (-f[k][k + 1], -f[k][k + 2], -f[k + 1][k + 2]);
        let third = x[k + 2];
        let second = add_multiple(d, &third, x[k + 1]);
        let first = add_multiple(b, &second, add_multiple(c, &third, x[k]));
        (x[k], x[k + 1]) = (first, second);
        for i in 0..k {
            let sum = add_multiple(-f[i][k + 1], &second, add_multiple(-f[i][k + 2], &third, x[i]));
            x[i] = add_multiple(-f[i][k], &first, sum);
        }
        end = k;
    }
    for k in (0..end).rev() {
        let of_k = x[k];
        for i in 0..k {
            x[i] = add_multiple(-f[i][k], &of_k, x[i]);
        }
    }
    for k in 0..N {
        for w in 0..W {
            let lanes = x[k][w].lanes();
            for c in 0..4 {
                columns[w][c][k] = lanes[c];
            }
        }
    }
}

/// `x + k a`.
#[cfg_attr(not(debug_assertions), inline(always))]
#[allow(clippy::needless_range_loop, reason = "indices are those of two arrays")]
fn add_multiple<S: Scalar, Q: Limbs<S, 4>, const W: usize>(k: S, a: &[Q; W], mut x: [Q; W]) -> [Q; W] {
    for w in 0..W {
        x[w] = Q::splat(k).mul_add(a[w], x[w]);
    }
    x
}
