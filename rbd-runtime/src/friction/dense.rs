//! Linear systems of a size known at run time.

use super::real::{Real, abs, dot, is_finite};

/// Two different rows of a matrix by rows; `None` beyond its end.
fn two_rows<T>(of: &mut [T], first: usize, second: usize, width: usize) -> Option<(&mut [T], &mut [T])> {
    let (before, from) = of.split_at_mut_checked(second * width)?;
    let end = (first + 1) * width;
    Some((before.get_mut(first * width..end)?, from.get_mut(..width)?))
}

/// Solves systems `A X = B` in place by elimination with row pivots. `ab` has the rows of `[A B]`.
///
/// Columns of B become those of X. An unknown whose pivot is lost in rounding is zero.
///
/// Source: Golub and Van Loan, Matrix Computations, 4th edition, section 3.4.
pub(super) fn solve<T: Real>(ab: &mut [T], n: usize, width: usize) {
    let (zero, least) = (T::zero(), T::from_f64(T::EPSILON * T::EPSILON));
    let at = |ab: &[T], row: usize, column: usize| ab.get(row * width + column).copied().unwrap_or(zero);
    for k in 0..n {
        let (mut pivot, mut largest) = (k, abs(at(ab, k, k)));
        for row in k + 1..n {
            let x = abs(at(ab, row, k));
            if x > largest {
                (pivot, largest) = (row, x);
            }
        }
        if pivot != k
            && let Some((a, b)) = two_rows(ab, k, pivot, width)
        {
            a.swap_with_slice_of_same_length(b);
        }
        if !(largest > least && is_finite(largest)) {
            continue;
        }
        let reciprocal = T::one() / at(ab, k, k);
        for row in k + 1..n {
            let Some((of_pivot, to)) = two_rows(ab, k, row, width) else { continue };
            let (Some(of_pivot), Some(to)) = (of_pivot.get(k..), to.get_mut(k..)) else { continue };
            let Some(factor) = to.first().map(|x| -(*x * reciprocal)) else { continue };
            if factor == zero {
                continue;
            }
            for (to, x) in to.iter_mut().zip(of_pivot) {
                *to = x.mul_add(factor, *to);
            }
        }
    }
    for k in (0..n).rev() {
        let pivot = at(ab, k, k);
        let reciprocal = if abs(pivot) > least && is_finite(pivot) { T::one() / pivot } else { zero };
        if let Some(own) = ab.get_mut(k * width + n..(k + 1) * width) {
            own.iter_mut().for_each(|x| *x *= reciprocal);
        }
        for row in 0..k {
            let Some((to, own)) = two_rows(ab, row, k, width) else { continue };
            let Some(factor) = to.get(k).map(|x| -*x) else { continue };
            for (to, x) in to.iter_mut().zip(own.iter()).skip(n) {
                *to = x.mul_add(factor, *to);
            }
        }
    }
}

/// Swaps slices of one length without a check that could panic.
trait Swap {
    fn swap_with_slice_of_same_length(&mut self, other: &mut Self);
}

impl<T> Swap for [T] {
    fn swap_with_slice_of_same_length(&mut self, other: &mut Self) {
        for (a, b) in self.iter_mut().zip(other) {
            core::mem::swap(a, b);
        }
    }
}

/// Factors a matrix in place: `L D L^T`, by columns, L below the diagonal and reciprocals of D on it.
///
/// The matrix is positive definite.
pub(super) fn factor<T: Real>(a: &mut [T], n: usize) {
    let zero = T::zero();
    for j in 0..n {
        let pivot = a.get(j * n + j).copied().unwrap_or(zero);
        let reciprocal = if pivot > zero { T::one() / pivot } else { zero };
        for k in j + 1..n {
            let Some((column, to)) = two_rows(a, j, k, n) else { continue };
            let Some(factor) = column.get(k).map(|x| -(*x * reciprocal)) else { continue };
            for (to, x) in to.iter_mut().zip(column.iter()).skip(k) {
                *to = x.mul_add(factor, *to);
            }
        }
        if let Some(column) = a.get_mut(j * n + j..(j + 1) * n) {
            column.iter_mut().for_each(|x| *x *= reciprocal);
            if let Some(diagonal) = column.first_mut() {
                *diagonal = reciprocal;
            }
        }
    }
}

/// Solves in place by factors of [`factor`].
pub(super) fn solve_factored<T: Real>(factors: &[T], x: &mut [T]) {
    let n = x.len();
    for (j, column) in factors.chunks_exact(n.max(1)).enumerate() {
        let Some((first, rest)) = x.get_mut(j..).and_then(<[T]>::split_first_mut) else { continue };
        for (to, l) in rest.iter_mut().zip(column.iter().skip(j + 1)) {
            *to = l.mul_add(-*first, *to);
        }
    }
    for (j, column) in factors.chunks_exact(n.max(1)).enumerate().rev() {
        let Some((first, rest)) = x.get_mut(j..).and_then(<[T]>::split_first_mut) else { continue };
        let (Some(reciprocal), Some(below)) = (column.get(j), column.get(j + 1..)) else { continue };
        *first = *first * *reciprocal - dot(below, rest);
    }
}
