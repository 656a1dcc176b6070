//! `L D L^T` of a symmetric positive definite matrix, dense, column after column in a slice.
//! Without square roots and without pivots, so that it works for every scalar.

use crate::Scalar;

/// Factors the `n x n` matrix in place: L below the diagonal, 1/D on it. Reads the lower triangle only.
pub fn factor<T: Scalar>(a: &mut [T], n: usize) {
    for j in 0..n {
        let inverse = T::one() / a[j * n + j];
        a[j * n + j] = inverse;
        for k in j + 1..n {
            let l = a[j * n + k] * inverse;
            for i in k..n {
                a[k * n + i] -= a[j * n + i] * l;
            }
        }
        for i in j + 1..n {
            a[j * n + i] *= inverse;
        }
    }
}

/// Solves `L D L^T x = b` in place.
pub fn solve<T: Scalar>(factors: &[T], n: usize, x: &mut [T]) {
    for j in 0..n {
        for i in j + 1..n {
            x[i] -= factors[j * n + i] * x[j];
        }
    }
    for j in (0..n).rev() {
        x[j] *= factors[j * n + j];
        for i in j + 1..n {
            x[j] -= factors[j * n + i] * x[i];
        }
    }
}

/// The inverse, from the factors.
pub fn inverse<T: Scalar>(factors: &[T], n: usize, out: &mut [T]) {
    for c in 0..n {
        let column = &mut out[c * n..(c + 1) * n];
        column.fill(T::zero());
        column[c] = T::one();
        solve(factors, n, column);
    }
}
