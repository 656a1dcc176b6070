//! Sums and multiples of whole matrices.
//!
//! Columns are loops of their own, since the compiler makes no registers of flattened ones.

use crate::Scalar;
use nalgebra::SMatrix;

/// `to += from s`.
#[inline(always)]
pub(super) fn add_scaled<T: Scalar, const R: usize, const C: usize>(
    to: &mut SMatrix<T, R, C>,
    from: &SMatrix<T, R, C>,
    s: T,
) {
    for (to, from) in to.data.0.iter_mut().zip(&from.data.0) {
        for (to, from) in to.iter_mut().zip(from) {
            *to = from.mul_add(s, *to);
        }
    }
}

/// `a + b s`.
#[inline(always)]
pub(super) fn plus_scaled<T: Scalar, const R: usize, const C: usize>(
    a: &SMatrix<T, R, C>,
    b: &SMatrix<T, R, C>,
    s: T,
) -> SMatrix<T, R, C> {
    let mut sum = *a;
    add_scaled(&mut sum, b, s);
    sum
}

/// `to = from s`.
#[inline(always)]
pub(super) fn scale<T: Scalar, const R: usize, const C: usize>(
    to: &mut SMatrix<T, R, C>,
    from: &SMatrix<T, R, C>,
    s: T,
) {
    for (to, from) in to.data.0.iter_mut().zip(&from.data.0) {
        for (to, from) in to.iter_mut().zip(from) {
            *to = *from * s;
        }
    }
}

/// Adds `x` to each entry of the diagonal.
#[inline(always)]
pub(super) fn add_diagonal<T: Scalar, const N: usize>(to: &mut SMatrix<T, N, N>, x: T) {
    for (k, column) in to.data.0.iter_mut().enumerate() {
        if let Some(to) = column.get_mut(k) {
            *to += x;
        }
    }
}
