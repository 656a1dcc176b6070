//! Factors of positive semidefinite matrices, in which dependent rows are left out.

use crate::Scalar;
use crate::dispatch::{Recast, dispatched};
use crate::limbs::Limbs;
use crate::simd::{LANES, Register};
use core::ops::Mul;
use nalgebra::SMatrix;

/// Factors `L D L^T` in place: L below the diagonal, the reciprocals of D on it, zero for a pivot
/// that is lost in rounding.
///
/// Source: Golub and Van Loan, Matrix Computations, 4th edition, section 4.1.2.
pub(crate) struct Factor<'a, T, const N: usize> {
    pub factors: &'a mut SMatrix<T, N, N>,
}

dispatched!(Factor<N: usize>, R4);

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
        let mut j = 0;
        while j + 3 <= N {
            let of_block = [limits[j], limits[j + 1], limits[j + 2]];
            three_at_once::<S, Q, N>(f, j, of_block);
            j += 3;
        }
        for j in j..N {
            let pivot = f[j][j];
            let reciprocal = reciprocal(pivot, limits[j]);
            let column = f[j];
            for k in j + 1..N {
                eliminate::<S, Q, N, 1>(k, [-(column[k] * reciprocal)], [&column], &mut f[k]);
            }
            for i in j + 1..N {
                f[j][i] = column[i] * reciprocal;
            }
            f[j][j] = reciprocal;
        }
    }
}

/// The reciprocal of a pivot, or zero if it is below its limit.
#[cfg_attr(not(debug_assertions), inline(always))]
fn reciprocal<S: Scalar>(pivot: S, limit: S) -> S {
    (pivot - limit).select_lt(1e-30, S::zero(), S::one() / pivot)
}

/// Eliminates three columns from `j` on. The other columns are loaded and stored once, not three times.
#[cfg_attr(not(debug_assertions), inline(always))]
fn three_at_once<S: Scalar, Q: Limbs<S, 4>, const N: usize>(f: &mut [[S; N]; N], j: usize, limits: [S; 3]) {
    let Some((of_block, others)) = f.get_mut(j..).and_then(<[_]>::split_first_chunk_mut::<3>) else { return };
    let [first, second, third] = of_block;
    // The block on the diagonal, in scalars: they wait for one another, and for no register.
    let (x, y, z) = (first[j], first[j + 1], first[j + 2]);
    let a = reciprocal(x, limits[0]);
    let (ab, ac) = (y * a, z * a);
    let b = reciprocal((-ab).mul_add(y, second[j + 1]), limits[1]);
    let w = (-ab).mul_add(z, second[j + 2]);
    let bc = w * b;
    let c = reciprocal((-bc).mul_add(w, (-ac).mul_add(z, third[j + 2])), limits[2]);
    // Rows below it. Rows before are of no use.
    eliminate::<S, Q, N, 1>(j, [-ab], [first], second);
    eliminate::<S, Q, N, 2>(j, [-ac, -bc], [first, second], third);
    for (k, column) in others.iter_mut().enumerate() {
        let k = j + 3 + k;
        // Never true; the compiler does not see it.
        if k >= N {
            return;
        }
        let factors = [-(first[k] * a), -(second[k] * b), -(third[k] * c)];
        eliminate::<S, Q, N, 3>(k, factors, [first, second, third], column);
    }
    scale::<S, Q, N>(j, a, first);
    scale::<S, Q, N>(j, b, second);
    scale::<S, Q, N>(j, c, third);
    (first[j], first[j + 1], first[j + 2]) = (a, ab, ac);
    (second[j + 1], second[j + 2], third[j + 2]) = (b, bc, c);
}

/// `to += k columns` in the rows from this one on. Earlier rows of the same register change too:
/// entries above the diagonal are never read.
///
/// Registers are named. From arrays the compiler would gather numbers of several columns one by
/// one.
#[cfg_attr(not(debug_assertions), inline(always))]
#[allow(clippy::needless_range_loop, reason = "indices are those of several arrays")]
fn eliminate<S: Scalar, Q: Limbs<S, 4>, const N: usize, const C: usize>(
    from: usize,
    k: [S; C],
    columns: [&[S; N]; C],
    to: &mut [S; N],
) {
    let (fours, rest) = to.as_chunks_mut::<4>();
    for r in from / 4..fours.len() {
        let mut sum = Q::gather(fours[r]);
        for c in 0..C {
            if let Some(rows) = columns[c].as_chunks::<4>().0.get(r) {
                sum = Q::gather(*rows).mul_add(Q::splat(k[c]), sum);
            }
        }
        fours[r] = sum.lanes();
    }
    for r in 0..rest.len() {
        for c in 0..C {
            if let Some(x) = columns[c].as_chunks::<4>().1.get(r) {
                rest[r] = x.mul_add(k[c], rest[r]);
            }
        }
    }
}

/// `column *= k` in the rows from this one on.
#[cfg_attr(not(debug_assertions), inline(always))]
fn scale<S: Scalar, Q: Limbs<S, 4>, const N: usize>(from: usize, k: S, column: &mut [S; N]) {
    let (fours, rest) = column.as_chunks_mut::<4>();
    for four in fours.iter_mut().skip(from / 4) {
        *four = (Q::gather(*four) * Q::splat(k)).lanes();
    }
    for x in rest {
        *x *= k;
    }
}

/// Solves in place, each column: L, then D, then L^T.
pub(crate) struct Solve<'a, T, const N: usize, const C: usize> {
    pub factors: &'a SMatrix<T, N, N>,
    pub x: &'a mut SMatrix<T, N, C>,
}

dispatched!(Solve<N: usize, C: usize>, R4);

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
        if let [column] = rest {
            // Alone it is solved in scalars: nothing is moved into lanes and out.
            let mut x = [[One(S::zero())]; N];
            for (x, number) in x.iter_mut().zip(&*column) {
                x[0].0 = *number;
            }
            substitute(f, &mut x);
            for (number, x) in column.iter_mut().zip(&x) {
                *number = x[0].0;
            }
        } else if !rest.is_empty() {
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

/// The inverse of the matrix with these factors.
pub(crate) struct Inverse<'a, T, const N: usize> {
    pub factors: &'a SMatrix<T, N, N>,
    /// The identity, and then the inverse, which is symmetric.
    pub out: &'a mut SMatrix<T, N, N>,
}

dispatched!(Inverse<N: usize>, wide, R4, X8);

impl<T: Scalar, const N: usize> Inverse<'_, T, N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>, L: Register<Of = S>>(self, recast: Recast<T, S>) {
        if const { !L::IS_ONE || N < LANES } {
            Solve::<T, N, N> { factors: self.factors, x: self.out }.with::<S, Q>(recast);
            return;
        }
        let (f, rows) = (&recast.matrix(self.factors).data.0, &mut recast.matrix_mut(self.out).data.0);
        solve_rows::<S, L, N, N>(f, rows);
    }
}

/// Solves in place for every column. Each row of `rows` has a number of every column, of which there are at
/// least eight.
#[cfg_attr(not(debug_assertions), inline(always))]
fn solve_rows<S: Scalar, L: Register<Of = S>, const N: usize, const M: usize>(
    f: &[[S; N]; N],
    rows: &mut [[S; M]; N],
) {
    let mut first = 0;
    while first + 2 * LANES <= M {
        rows_side_by_side::<S, L, N, M, 2>(f, rows, [first, first + LANES]);
        first += 2 * LANES;
    }
    if const { M.is_multiple_of(2 * LANES) } {
        return;
    }
    // The last registers begin in columns that are solved already: their right-hand sides are gone. Copies
    // move all columns to the front of wider rows.
    let mut rest = [[S::zero(); 16]; N];
    for (rest, row) in rest.iter_mut().zip(&*rows) {
        for (to, from) in rest.iter_mut().zip(row.iter().skip(first)) {
            *to = *from;
        }
    }
    if const { M % (2 * LANES) > LANES } {
        rows_side_by_side::<S, L, N, 16, 2>(f, &mut rest, [0, LANES]);
    } else {
        rows_side_by_side::<S, L, N, 16, 1>(f, &mut rest, [0]);
    }
    for (row, rest) in rows.iter_mut().zip(&rest) {
        for (to, from) in row.iter_mut().skip(first).zip(rest) {
            *to = *from;
        }
    }
}

/// Solves `W` times four columns at once, four columns a register.
#[cfg_attr(not(debug_assertions), inline(always))]
#[allow(clippy::needless_range_loop, reason = "indices are those of several arrays")]
fn side_by_side<S: Scalar, Q: Limbs<S, 4>, const N: usize, const W: usize>(
    f: &[[S; N]; N],
    columns: &mut [[[S; N]; 4]; W],
) {
    let mut x = [[Four(Q::splat(S::zero())); W]; N];
    for k in 0..N {
        for w in 0..W {
            let of = &columns[w];
            x[k][w] = Four(Q::gather([of[0][k], of[1][k], of[2][k], of[3][k]]));
        }
    }
    substitute(f, &mut x);
    for k in 0..N {
        for w in 0..W {
            let lanes = x[k][w].0.lanes();
            for c in 0..4 {
                columns[w][c][k] = lanes[c];
            }
        }
    }
}

/// Solves for the numbers in eight columns from each of these on. Each row of `rows` has a number of every
/// column.
#[cfg_attr(not(debug_assertions), inline(always))]
#[allow(clippy::needless_range_loop, reason = "indices are those of several arrays")]
fn rows_side_by_side<S: Scalar, L: Register<Of = S>, const N: usize, const M: usize, const W: usize>(
    f: &[[S; N]; N],
    rows: &mut [[S; M]; N],
    columns: [usize; W],
) {
    let mut x = [[Eight(L::splat(S::zero())); W]; N];
    for k in 0..N {
        for w in 0..W {
            let Some(numbers) = rows[k].get(columns[w]..).and_then(<[S]>::first_chunk) else { return };
            x[k][w] = Eight(L::load(numbers));
        }
    }
    substitute(f, &mut x);
    for k in 0..N {
        for w in 0..W {
            let Some(to) = rows[k].get_mut(columns[w]..).and_then(<[S]>::first_chunk_mut) else { return };
            x[k][w].0.store(to);
        }
    }
}

/// Numbers of several columns, which undergo the same operations.
trait Across<S>: Copy + Mul<Output = Self> {
    /// The number `x` in every column.
    fn splat(x: S) -> Self;
    /// `self * a + b`.
    fn mul_add(self, a: Self, b: Self) -> Self;
}

/// The number of one column.
#[derive(Clone, Copy)]
struct One<S>(S);

/// Numbers of four columns.
#[derive(Clone, Copy)]
struct Four<Q>(Q);

/// Numbers of eight columns.
#[derive(Clone, Copy)]
struct Eight<L>(L);

impl<S: Scalar> Mul for One<S> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul(self, other: Self) -> Self {
        Self(self.0 * other.0)
    }
}

impl<Q: Mul<Output = Q>> Mul for Four<Q> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul(self, other: Self) -> Self {
        Self(self.0 * other.0)
    }
}

impl<L: Mul<Output = L>> Mul for Eight<L> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul(self, other: Self) -> Self {
        Self(self.0 * other.0)
    }
}

impl<S: Scalar> Across<S> for One<S> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn splat(x: S) -> Self {
        Self(x)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Self(self.0.mul_add(a.0, b.0))
    }
}

impl<S: Scalar, Q: Limbs<S, 4>> Across<S> for Four<Q> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn splat(x: S) -> Self {
        Self(Q::splat(x))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Self(self.0.mul_add(a.0, b.0))
    }
}

impl<S: Scalar, L: Register<Of = S>> Across<S> for Eight<L> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn splat(x: S) -> Self {
        Self(L::splat(x))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Self(self.0.mul_add(a.0, b.0))
    }
}

/// Solves for `W` registers of columns: L, then D, then L^T.
///
/// A single column would wait for its own sums, which depend on one another. Three rows are
/// eliminated together, so that the others are loaded and stored a third as often.
#[cfg_attr(not(debug_assertions), inline(always))]
#[allow(clippy::needless_range_loop, reason = "indices are those of several arrays")]
fn substitute<S: Scalar, X: Across<S>, const N: usize, const W: usize>(f: &[[S; N]; N], x: &mut [[X; W]; N]) {
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
        let reciprocal = X::splat(f[k][k]);
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
}

/// `x + k a`.
#[cfg_attr(not(debug_assertions), inline(always))]
#[allow(clippy::needless_range_loop, reason = "indices are those of two arrays")]
fn add_multiple<S: Scalar, X: Across<S>, const W: usize>(k: S, a: &[X; W], mut x: [X; W]) -> [X; W] {
    for w in 0..W {
        x[w] = X::splat(k).mul_add(a[w], x[w]);
    }
    x
}
