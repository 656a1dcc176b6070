//! The Delassus matrix and its factors.

use crate::__private::zeros;
use crate::Scalar;
use crate::dispatch::{Recast, kernel};
use crate::limbs::Limbs;
use crate::linalg;
use nalgebra::SMatrix;

/// Delassus matrix `G = J M^-1 J^T`, with factors `L D L^T` of `G + mu I` that leave out dependent
/// rows.
pub(super) struct Delassus<T, const NR: usize> {
    pub matrix: SMatrix<T, NR, NR>,
    factors: SMatrix<T, NR, NR>,
    iterations: usize,
}

impl<T: Scalar, const NR: usize> Delassus<T, NR> {
    /// The matrix of no active row, with a number of iterations.
    #[inline(always)]
    pub fn zeros(iterations: usize) -> Self {
        Self { matrix: zeros(), factors: zeros(), iterations }
    }

    /// Makes the factors of the matrix that is there. Rows that are not active are zero in it, and stay so.
    pub fn factor(&mut self, active: &[bool; NR], mu: T) {
        self.factors = self.matrix;
        for (k, (column, active)) in self.factors.data.0.iter_mut().zip(active).enumerate() {
            if let (Some(x), true) = (column.get_mut(k), active) {
                *x += mu;
            }
        }
        T::dispatch(Factor { factors: &mut self.factors });
    }

    /// The solution `f` of `G f = rhs`, as far as the iterations lead.
    pub fn solve<const C: usize>(&self, rhs: &SMatrix<T, NR, C>) -> SMatrix<T, NR, C> {
        let mut f = *rhs;
        T::dispatch(Solve { factors: &self.factors, x: &mut f });
        self.refine(rhs, &mut f);
        f
    }

    /// Returns whether the active rows are so independent that products with an inverse are as good
    /// as solutions.
    ///
    /// Each row must keep a thousandth of its diagonal entry (in numbers of seven digits, a tenth)
    /// next to the rows before it, without `mu`. If rows nearly depend on others, the inverse is
    /// huge, and digits that cancel in solutions do not cancel in products. Several states in lanes
    /// are judged together.
    pub fn is_regular(&self, active: &[bool; NR], mu: T) -> bool {
        let (zero, one) = (T::zero(), T::one());
        let mut lost = zero;
        let digits = (one + T::from_f64(1e-10)) - one;
        let kept = digits.select_lt(1e-11, T::from_f64(0.1), T::from_f64(1e-3));
        let columns = self.matrix.data.0.iter().zip(&self.factors.data.0).zip(active);
        for (k, ((column, factors), _)) in columns.enumerate().filter(|(_, (_, active))| **active) {
            let (Some(&entry), Some(&reciprocal)) = (column.get(k), factors.get(k)) else { continue };
            // NaN is not less.
            let small = entry * kept + mu;
            let large = (small * reciprocal - one).select_lt(0.0, zero, one);
            // The quotient of entry and pivot is at least 1, or zero for a row that is left out.
            lost += ((entry + mu) * reciprocal - T::from_f64(0.5)).select_lt(0.0, one, large);
        }
        lost == zero
    }

    /// The solutions for all unit vectors: the inverse. It is symmetric.
    pub fn inverse(&self) -> SMatrix<T, NR, NR> {
        let mut f = unit();
        T::dispatch(Solve { factors: &self.factors, x: &mut f });
        if self.iterations > 1 {
            self.refine(&unit(), &mut f);
        }
        f
    }

    /// Adds the iterations after the first to a solution.
    fn refine<const C: usize>(&self, rhs: &SMatrix<T, NR, C>, f: &mut SMatrix<T, NR, C>) {
        for _ in 1..self.iterations {
            let mut rest = self.left(rhs, f);
            T::dispatch(Solve { factors: &self.factors, x: &mut rest });
            *f += rest;
        }
    }

    /// `rhs - G f`.
    pub fn left<const C: usize>(&self, rhs: &SMatrix<T, NR, C>, f: &SMatrix<T, NR, C>) -> SMatrix<T, NR, C> {
        let mut taken = zeros();
        linalg::mul_into(&self.matrix, f, &mut taken);
        *rhs - taken
    }
}

/// The identity.
pub(super) fn unit<T: Scalar, const N: usize>() -> SMatrix<T, N, N> {
    let mut unit: SMatrix<T, N, N> = zeros();
    for (k, column) in unit.data.0.iter_mut().enumerate() {
        if let Some(x) = column.get_mut(k) {
            *x = T::one();
        }
    }
    unit
}

/// Factors `L D L^T` in place: L below the diagonal, the reciprocals of D on it, zero for a pivot
/// that is lost in rounding.
///
/// Source: Golub and Van Loan, Matrix Computations, 4th edition, section 4.1.2.
struct Factor<'a, T, const N: usize> {
    factors: &'a mut SMatrix<T, N, N>,
}

kernel!(Factor<N: usize>, X4);

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
struct Solve<'a, T, const N: usize, const C: usize> {
    factors: &'a SMatrix<T, N, N>,
    x: &'a mut SMatrix<T, N, C>,
}

kernel!(Solve<N: usize, C: usize>, X4);

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
