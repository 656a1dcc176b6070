//! Linear systems of a size known at run time, by the best instructions of the processor.

use super::real::{Real, abs, is_finite};
use crate::Scalar;
use crate::dispatch::{Dispatched, Recast};
use crate::limbs::{LimbScalar, Limbs, Plain};

/// Implements [`Dispatched`] by a method `with`, generic over the scalar and a register of four numbers.
macro_rules! in_fours {
    ($name:ident, $output:ty) => {
        impl<T: Real> Dispatched<T> for $name<'_, T> {
            type Output = $output;

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn run<S: Scalar>(self, recast: Recast<T, S>) -> $output {
                self.with::<S, Plain<S, 4>>(recast)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn run_limbs<S: LimbScalar>(self, recast: Recast<T, S>) -> $output {
                self.with::<S, S::R4>(recast)
            }
        }
    };
}

/// `to += k x`, four numbers at a time, from the first four that number `from` is among.
///
/// Numbers before `from` may change.
#[cfg_attr(not(debug_assertions), inline(always))]
fn add_multiple<S: Scalar, Q: Limbs<S, 4>>(x: &[S], k: S, to: &mut [S], from: usize) {
    let first = from - from % 4;
    let (Some(x), Some(to)) = (x.get(first..), to.get_mut(first..)) else { return };
    let ((x4, x1), (to4, to1)) = (x.as_chunks::<4>(), to.as_chunks_mut::<4>());
    let factor = Q::splat(k);
    for (to, x) in to4.iter_mut().zip(x4) {
        *to = Q::gather(*x).mul_add(factor, Q::gather(*to)).lanes();
    }
    for (to, x) in to1.iter_mut().zip(x1) {
        *to = x.mul_add(k, *to);
    }
}

/// Sum of products, with the bits of [`dot`](super::real::dot).
#[cfg_attr(not(debug_assertions), inline(always))]
fn dot<S: Scalar, Q: Limbs<S, 4>>(a: &[S], b: &[S]) -> S {
    let ((a4, a1), (b4, b1)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = Q::splat(S::zero());
    for (a, b) in a4.iter().zip(b4) {
        sums = Q::gather(*a).mul_add(Q::gather(*b), sums);
    }
    let mut rest = S::zero();
    for (a, b) in a1.iter().zip(b1) {
        rest = a.mul_add(*b, rest);
    }
    let [a, b, c, d] = sums.lanes();
    ((a + b) + (c + d)) + rest
}

/// A number of a matrix by rows; zero beyond its end.
#[cfg_attr(not(debug_assertions), inline(always))]
fn at<S: Scalar>(of: &[S], index: usize) -> S {
    match of.get(index) {
        Some(x) => *x,
        None => S::zero(),
    }
}

/// Solves systems `A X = B` in place by elimination with row pivots. `ab` has the rows of `[A B]`.
///
/// Columns of B become those of X. An unknown whose pivot is lost in rounding is zero. False if there is one.
///
/// Source: Golub and Van Loan, Matrix Computations, 4th edition, section 3.4.
pub(super) fn solve<T: Real>(ab: &mut [T], n: usize, width: usize) -> bool {
    T::dispatch(Eliminate { ab, n, width })
}

struct Eliminate<'a, T> {
    ab: &'a mut [T],
    n: usize,
    width: usize,
}

in_fours!(Eliminate, bool);

impl<T: Real> Eliminate<'_, T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>>(self, recast: Recast<T, S>) -> bool {
        let Self { ab, n, width } = self;
        let ab = recast.slice_mut(ab);
        let least = T::from_f64(T::EPSILON * T::EPSILON);
        let mut is_regular = true;
        for k in 0..n {
            let Some(rows) = ab.get_mut(k * width..n * width) else { return false };
            let (mut pivot, mut largest) = (0, abs(recast.back(at(rows, k))));
            for row in 1..n - k {
                let x = abs(recast.back(at(rows, row * width + k)));
                if x > largest {
                    (pivot, largest) = (row, x);
                }
            }
            let Some((first, below)) = rows.split_at_mut_checked(width) else { return false };
            if pivot > 0
                && let Some(other) = below.get_mut((pivot - 1) * width..pivot * width)
            {
                for (a, b) in first.iter_mut().zip(other) {
                    (*a, *b) = (*b, *a);
                }
            }
            if !(largest > least && is_finite(largest)) {
                is_regular = false;
                continue;
            }
            let reciprocal = S::one() / at(first, k);
            for to in below.chunks_exact_mut(width.max(1)) {
                let factor = -(at(to, k) * reciprocal);
                if recast.back(factor) == T::zero() {
                    continue;
                }
                // Numbers left of the diagonal are not read any more.
                add_multiple::<S, Q>(first, factor, to, k);
            }
        }
        for k in 0..n {
            let k = n - 1 - k;
            let Some((before, from)) = ab.split_at_mut_checked(k * width) else { return false };
            let Some(own) = from.get_mut(..width) else { return false };
            let pivot = at(own, k);
            let size = abs(recast.back(pivot));
            let reciprocal = if size > least && is_finite(size) { S::one() / pivot } else { S::zero() };
            let Some(own) = own.get_mut(n..) else { return false };
            for x in own.iter_mut() {
                *x *= reciprocal;
            }
            for row in before.chunks_exact_mut(width.max(1)) {
                let factor = -at(row, k);
                if let Some(to) = row.get_mut(n..) {
                    add_multiple::<S, Q>(own, factor, to, 0);
                }
            }
        }
        is_regular
    }
}

/// Factors a matrix in place: `L D L^T`, by columns, L below the diagonal and reciprocals of D on it.
///
/// The matrix is positive definite.
pub(super) fn factor<T: Real>(a: &mut [T], n: usize) {
    T::dispatch(Factor { a, n });
}

struct Factor<'a, T> {
    a: &'a mut [T],
    n: usize,
}

in_fours!(Factor, ());

impl<T: Real> Factor<'_, T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>>(self, recast: Recast<T, S>) {
        let Self { a, n } = self;
        let a = recast.slice_mut(a);
        for j in 0..n {
            let Some(columns) = a.get_mut(j * n..n * n) else { return };
            let Some((own, others)) = columns.split_at_mut_checked(n) else { return };
            let pivot = at(own, j);
            let is_positive = recast.back(pivot) > T::zero();
            let reciprocal = if is_positive { S::one() / pivot } else { S::zero() };
            let mut k = j;
            for to in others.chunks_exact_mut(n.max(1)) {
                k += 1;
                let factor = -(at(own, k) * reciprocal);
                // Numbers above the diagonal are not read any more.
                add_multiple::<S, Q>(own, factor, to, k);
            }
            if let Some(column) = own.get_mut(j..) {
                for x in column.iter_mut() {
                    *x *= reciprocal;
                }
                if let Some(diagonal) = column.first_mut() {
                    *diagonal = reciprocal;
                }
            }
        }
    }
}

/// Solves in place by factors of [`factor`].
pub(super) fn solve_factored<T: Real>(factors: &[T], x: &mut [T]) {
    T::dispatch(Solve { factors, x });
}

struct Solve<'a, T> {
    factors: &'a [T],
    x: &'a mut [T],
}

in_fours!(Solve, ());

impl<T: Real> Solve<'_, T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>>(self, recast: Recast<T, S>) {
        let (factors, x) = (recast.slice(self.factors), recast.slice_mut(self.x));
        let n = x.len();
        let mut j = 0;
        for column in factors.chunks_exact(n.max(1)) {
            let Some((before, rest)) = x.split_at_mut_checked(j + 1) else { break };
            if let (Some(first), Some(below)) = (before.last(), column.get(j + 1..)) {
                add_multiple::<S, Q>(below, -*first, rest, 0);
            }
            j += 1;
        }
        for column in factors.chunks_exact(n.max(1)).rev() {
            j = j.saturating_sub(1);
            let Some((before, rest)) = x.split_at_mut_checked(j + 1) else { break };
            let (Some(first), Some(below)) = (before.last_mut(), column.get(j + 1..)) else { break };
            *first = *first * at(column, j) - dot::<S, Q>(below, rest);
        }
    }
}

/// Writes `c = G f + g`, for a symmetric matrix.
pub(super) fn affine<T: Real>(matrix: &[T], f: &[T], g: &[T], c: &mut [T]) {
    T::dispatch(Affine { matrix, f, g, c });
}

struct Affine<'a, T> {
    matrix: &'a [T],
    f: &'a [T],
    g: &'a [T],
    c: &'a mut [T],
}

in_fours!(Affine, ());

impl<T: Real> Affine<'_, T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>>(self, recast: Recast<T, S>) {
        let (matrix, f, g) = (recast.slice(self.matrix), recast.slice(self.f), recast.slice(self.g));
        let c = recast.slice_mut(self.c);
        for ((c, g), row) in c.iter_mut().zip(g).zip(matrix.chunks_exact(f.len().max(1))) {
            *c = dot::<S, Q>(row, f) + *g;
        }
    }
}

/// Columns that [`add_product`] takes at once.
const TOGETHER: usize = 4;

/// `to += A X` for a square matrix of `n` rows. All matrices are by columns.
pub(super) fn add_product<T: Real>(a: &[T], n: usize, x: &[T], to: &mut [T]) {
    T::dispatch(Product { a, n, x, to });
}

struct Product<'a, T> {
    a: &'a [T],
    n: usize,
    x: &'a [T],
    to: &'a mut [T],
}

in_fours!(Product, ());

impl<T: Real> Product<'_, T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>>(self, recast: Recast<T, S>) {
        let (a, x, to) = (recast.slice(self.a), recast.slice(self.x), recast.slice_mut(self.to));
        // Never zero; the compiler does not see that a product is not.
        let (n, wide) = (self.n.max(1), (TOGETHER * self.n).max(1));
        let whole = to.len() - to.len() % wide;
        let (Some((x, last_x)), Some((to, last_to))) =
            (x.split_at_checked(whole), to.split_at_mut_checked(whole))
        else {
            return;
        };
        for (x, to) in x.chunks_exact(wide).zip(to.chunks_exact_mut(wide)) {
            columns::<S, Q, TOGETHER>(a, n, x, to);
        }
        for (x, to) in last_x.chunks_exact(n).zip(last_to.chunks_exact_mut(n)) {
            columns::<S, Q, 1>(a, n, x, to);
        }
    }
}

/// Columns of A whose factors are put side by side.
const BLOCK: usize = 24;

/// `to += A X` for C columns.
#[cfg_attr(not(debug_assertions), inline(always))]
fn columns<S: Scalar, Q: Limbs<S, 4>, const C: usize>(a: &[S], n: usize, x: &[S], to: &mut [S]) {
    let mut first = 0;
    for a in a.chunks((BLOCK * n).max(1)) {
        let mut factors = [[S::zero(); C]; BLOCK];
        for (c, x) in x.chunks_exact(n).enumerate() {
            let Some(x) = x.get(first..) else { return };
            for (to, x) in factors.iter_mut().zip(x) {
                if let Some(to) = to.get_mut(c) {
                    *to = *x;
                }
            }
        }
        first += BLOCK;
        block::<S, Q, C>(a, n, &factors, to);
    }
}

/// `to += A X` for C columns and at most [`BLOCK`] columns of A: eight rows at a time, then four, then one.
#[cfg_attr(not(debug_assertions), inline(always))]
fn block<S: Scalar, Q: Limbs<S, 4>, const C: usize>(
    a: &[S],
    n: usize,
    factors: &[[S; C]; BLOCK],
    to: &mut [S],
) {
    let mut row = 0;
    while row + 8 <= n {
        rows::<S, Q, C, 2>(a, (n, row), factors, to);
        row += 8;
    }
    if row + 4 <= n {
        rows::<S, Q, C, 1>(a, (n, row), factors, to);
        row += 4;
    }
    while row < n {
        for (c, to) in to.chunks_exact_mut(n).enumerate() {
            let Some(to) = to.get_mut(row) else { return };
            for (factors, column) in factors.iter().zip(a.chunks_exact(n)) {
                *to = at(column, row).mul_add(at(factors, c), *to);
            }
        }
        row += 1;
    }
}

/// `to += A X` in R fours of rows of C columns.
#[cfg_attr(not(debug_assertions), inline(always))]
fn rows<S: Scalar, Q: Limbs<S, 4>, const C: usize, const R: usize>(
    a: &[S],
    (n, row): (usize, usize),
    factors: &[[S; C]; BLOCK],
    to: &mut [S],
) {
    let mut sums = [[Q::splat(S::zero()); R]; C];
    for (sums, to) in sums.iter_mut().zip(to.chunks_exact(n)) {
        if let Some(to) = to.get(row..) {
            for (sum, to) in sums.iter_mut().zip(to.as_chunks::<4>().0) {
                *sum = Q::gather(*to);
            }
        }
    }
    for (factors, column) in factors.iter().zip(a.chunks_exact(n)) {
        let Some(rows) = column.get(row..row + 4 * R) else { return };
        let Some(fours) = rows.as_chunks::<4>().0.first_chunk::<R>() else { return };
        for c in 0..C {
            let factor = Q::splat(factors[c]);
            for r in 0..R {
                sums[c][r] = Q::gather(fours[r]).mul_add(factor, sums[c][r]);
            }
        }
    }
    for (sums, to) in sums.iter().zip(to.chunks_exact_mut(n)) {
        if let Some(to) = to.get_mut(row..) {
            for (sum, to) in sums.iter().zip(to.as_chunks_mut::<4>().0) {
                *to = sum.lanes();
            }
        }
    }
}
