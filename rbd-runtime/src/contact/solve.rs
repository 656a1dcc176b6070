//! The Delassus matrix and its factors.

use crate::__private::zeros;
use crate::Scalar;
use crate::dispatch::{Kernel, Recast};
use crate::linalg;
use nalgebra::SMatrix;

/// `G = J M^-1 J^T` with factors `L D L^T` of `G + mu I`, of which rows that follow from others are left out.
pub(super) struct Delassus<T, const NR: usize> {
    pub matrix: SMatrix<T, NR, NR>,
    factors: SMatrix<T, NR, NR>,
    iterations: usize,
}

impl<T: Scalar, const NR: usize> Delassus<T, NR> {
    /// Rows that are not active are zero in `matrix`, and stay so.
    pub fn new(matrix: SMatrix<T, NR, NR>, active: &[bool; NR], mu: T, iterations: usize) -> Self {
        let mut factors = matrix;
        for (k, (column, active)) in factors.data.0.iter_mut().zip(active).enumerate() {
            if let (Some(x), true) = (column.get_mut(k), active) {
                *x += mu;
            }
        }
        T::dispatch(Factor { factors: &mut factors });
        Self { matrix, factors, iterations }
    }

    /// The solution `f` of `G f = rhs`, as far as the iterations lead.
    pub fn solve<const C: usize>(&self, rhs: &SMatrix<T, NR, C>) -> SMatrix<T, NR, C> {
        let mut f = *rhs;
        self.solve_in_place(&mut f);
        f
    }

    /// The same in the place of the right-hand side.
    pub fn solve_in_place<const C: usize>(&self, f: &mut SMatrix<T, NR, C>) {
        if self.iterations <= 1 {
            T::dispatch(Solve { factors: &self.factors, x: f });
            return;
        }
        let rhs = *f;
        T::dispatch(Solve { factors: &self.factors, x: f });
        for _ in 1..self.iterations {
            let mut rest = self.left(&rhs, f);
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

/// `L D L^T` in place: L below the diagonal, the reciprocals of D on it, zero where a pivot is lost in rounding.
///
/// Source: Golub and Van Loan, Matrix Computations, 4th edition, section 4.1.2.
struct Factor<'a, T, const N: usize> {
    factors: &'a mut SMatrix<T, N, N>,
}

impl<T: Scalar, const N: usize> Kernel<T> for Factor<'_, T, N> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    #[allow(clippy::needless_range_loop, reason = "indices are those of several columns")]
    fn run<S: Scalar>(self, recast: Recast<T, S>) {
        let f = &mut recast.matrix_mut(self.factors).data.0;
        // In numbers of seven digits the sum is one.
        let digits = (S::one() + S::from_f64(1e-10)) - S::one();
        let least = digits.select_lt(1e-11, S::from_f64(1e-5), S::from_f64(1e-12));
        // What is left of rows that cancel to nothing, as across the plane of a four-bar linkage: squares of rounding, beside the
        // two other rows of the same unit.
        let rounding = digits.select_lt(1e-11, S::from_f64(2e-11), S::from_f64(1e-28));
        let mut limits = [S::zero(); N];
        for j in 0..N {
            let mut largest = f[j][j];
            for i in 0..N {
                if i / 3 == j / 3 {
                    largest = (f[i][i] - largest).select_lt(0.0, largest, f[i][i]);
                }
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
                let factor = -(column[k] * reciprocal);
                for i in k..N {
                    f[k][i] = column[i].mul_add(factor, f[k][i]);
                }
            }
            for i in j + 1..N {
                f[j][i] = column[i] * reciprocal;
            }
            f[j][j] = reciprocal;
        }
    }
}

/// Solves in place, each column: L, then D, then L^T.
struct Solve<'a, T, const N: usize, const C: usize> {
    factors: &'a SMatrix<T, N, N>,
    x: &'a mut SMatrix<T, N, C>,
}

impl<T: Scalar, const N: usize, const C: usize> Kernel<T> for Solve<'_, T, N, C> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<S: Scalar>(self, recast: Recast<T, S>) {
        let f = &recast.matrix(self.factors).data.0;
        let (eights, rest) = recast.matrix_mut(self.x).data.0.as_chunks_mut::<8>();
        // Closures are not allowed a kernel's instructions.
        for columns in eights {
            side_by_side(f, columns);
        }
        let (twos, rest) = rest.as_chunks_mut::<2>();
        for columns in twos {
            side_by_side(f, columns);
        }
        for column in rest {
            side_by_side(f, core::array::from_mut(column));
        }
    }
}

/// Solves `W` columns at once: one waits for its own sums, which are one after the other, and several fill registers.
#[cfg_attr(not(debug_assertions), inline(always))]
#[allow(clippy::needless_range_loop, reason = "indices are those of several arrays")]
fn side_by_side<S: Scalar, const N: usize, const W: usize>(f: &[[S; N]; N], columns: &mut [[S; N]; W]) {
    let mut x = [[S::zero(); W]; N];
    for k in 0..N {
        for c in 0..W {
            x[k][c] = columns[c][k];
        }
    }
    for k in 0..N {
        let of_k = x[k];
        for i in k + 1..N {
            let factor = -f[k][i];
            for c in 0..W {
                x[i][c] = of_k[c].mul_add(factor, x[i][c]);
            }
        }
        for c in 0..W {
            x[k][c] = of_k[c] * f[k][k];
        }
    }
    for k in (0..N).rev() {
        let of_k = x[k];
        for i in 0..k {
            let factor = -f[i][k];
            for c in 0..W {
                x[i][c] = of_k[c].mul_add(factor, x[i][c]);
            }
        }
    }
    for k in 0..N {
        for c in 0..W {
            columns[c][k] = x[k][c];
        }
    }
}
