//! Small square matrices as arrays of columns.

use super::Columns;
use crate::Scalar;

/// `a x`.
#[inline(always)]
pub(crate) fn times<T: Scalar, const N: usize>(a: &Columns<T, N>, x: &[T; N]) -> [T; N] {
    let mut sum = [T::zero(); N];
    for (a, x) in a.iter().zip(x) {
        for (sum, a) in sum.iter_mut().zip(a) {
            *sum = a.mul_add(*x, *sum);
        }
    }
    sum
}

/// `a^T x`.
pub(crate) fn transposed_times<T: Scalar, const N: usize>(a: &Columns<T, N>, x: &[T; N]) -> [T; N] {
    a.map(|column| column.iter().zip(x).fold(T::zero(), |sum, (a, x)| a.mul_add(*x, sum)))
}

/// `a b`.
pub(crate) fn product<T: Scalar, const N: usize>(a: &Columns<T, N>, b: &Columns<T, N>) -> Columns<T, N> {
    b.map(|column| times(a, &column))
}

/// `a^T`.
pub(crate) fn transposed<T: Scalar, const N: usize>(a: &Columns<T, N>) -> Columns<T, N> {
    let mut to = *a;
    for (j, to) in to.iter_mut().enumerate() {
        for (to, a) in to.iter_mut().zip(a) {
            if let Some(x) = a.get(j) {
                *to = *x;
            }
        }
    }
    to
}

/// `a + b s`.
pub(crate) fn plus_scaled<T: Scalar, const N: usize>(
    a: &Columns<T, N>,
    b: &Columns<T, N>,
    s: f64,
) -> Columns<T, N> {
    let (mut sum, s) = (*a, T::from_f64(s));
    for (sum, b) in sum.iter_mut().zip(b) {
        for (sum, b) in sum.iter_mut().zip(b) {
            *sum = b.mul_add(s, *sum);
        }
    }
    sum
}
