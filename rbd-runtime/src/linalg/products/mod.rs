//! Products of matrices of any size.

mod grouped;
mod negative;
mod square;

pub(crate) use grouped::{mul_groups_into, scaled_square_into, symmetric_tr_mul_groups_into};
pub use negative::{NegativeProduct, neg_mul};
pub use square::SquareProduct;

use crate::Scalar;
use crate::dispatch::{Dispatched, Recast, dispatched};
use crate::limbs::{Limbs, Plain};
use crate::linalg::columns::{ByColumns, ColumnGroup, Columns, RowBlock, by_columns, mirror};
use crate::simd::{LANES, Register};
use core::marker::PhantomData;
use nalgebra::{ArrayStorage, SMatrix};

fn zeros<T: Scalar, const R: usize, const C: usize>() -> SMatrix<T, R, C> {
    SMatrix::from_data(ArrayStorage([[T::zero(); R]; C]))
}

/// `a b`.
///
/// ```
/// use nalgebra::{Matrix2, Vector2};
/// let product = rbd_runtime::linalg::mul(&Matrix2::new(1.0, 2.0, 3.0, 4.0), &Vector2::new(1.0, -1.0));
/// assert_eq!(product, Vector2::new(-1.0, -1.0));
/// ```
#[must_use]
pub fn mul<T: Scalar, const R: usize, const K: usize, const C: usize>(
    a: &SMatrix<T, R, K>,
    b: &SMatrix<T, K, C>,
) -> SMatrix<T, R, C> {
    let mut out = zeros();
    mul_into(a, b, &mut out);
    out
}

/// `out = a b`.
pub fn mul_into<T: Scalar, const R: usize, const K: usize, const C: usize>(
    a: &SMatrix<T, R, K>,
    b: &SMatrix<T, K, C>,
    out: &mut SMatrix<T, R, C>,
) {
    T::dispatch(Product::<T, R, K, C, false> { a, b, out });
}

/// `out += a b`.
pub fn add_mul<T: Scalar, const R: usize, const K: usize, const C: usize>(
    a: &SMatrix<T, R, K>,
    b: &SMatrix<T, K, C>,
    out: &mut SMatrix<T, R, C>,
) {
    T::dispatch(Product::<T, R, K, C, true> { a, b, out });
}

/// `a^T b`.
///
/// ```
/// use nalgebra::Matrix2;
/// let (a, b) = (Matrix2::new(1.0, 2.0, 3.0, 4.0), Matrix2::new(0.0, 1.0, 1.0, 0.0));
/// assert_eq!(rbd_runtime::linalg::tr_mul(&a, &b), a.transpose() * b);
/// ```
#[must_use]
pub fn tr_mul<T: Scalar, const R: usize, const K: usize, const C: usize>(
    a: &SMatrix<T, K, R>,
    b: &SMatrix<T, K, C>,
) -> SMatrix<T, R, C> {
    let mut out = zeros();
    tr_mul_into(a, b, &mut out);
    out
}

/// `out = a^T b`.
pub fn tr_mul_into<T: Scalar, const R: usize, const K: usize, const C: usize>(
    a: &SMatrix<T, K, R>,
    b: &SMatrix<T, K, C>,
    out: &mut SMatrix<T, R, C>,
) {
    T::dispatch(Transposed::<T, R, K, C, false> { a, b, out });
}

/// `out += a^T b`.
pub fn add_tr_mul<T: Scalar, const R: usize, const K: usize, const C: usize>(
    a: &SMatrix<T, K, R>,
    b: &SMatrix<T, K, C>,
    out: &mut SMatrix<T, R, C>,
) {
    T::dispatch(Transposed::<T, R, K, C, true> { a, b, out });
}

/// `out += a^T b` for a symmetric product and a symmetric `out`.
///
/// Examples: `A^T (V A)` with a symmetric V, or the rank update `out += a^T a`. It takes about half
/// the work of [`add_tr_mul`]: entries above the diagonal are mirrored.
///
///
///
/// ```
/// use nalgebra::{Matrix2, RowVector2};
/// let (mut m, a) = (Matrix2::identity(), RowVector2::new(2.0, 3.0));
/// rbd_runtime::linalg::add_symmetric_tr_mul(&a, &a, &mut m);
/// assert_eq!(m, Matrix2::new(5.0, 6.0, 6.0, 10.0));
/// ```
pub fn add_symmetric_tr_mul<T: Scalar, const K: usize, const N: usize>(
    a: &SMatrix<T, K, N>,
    b: &SMatrix<T, K, N>,
    out: &mut SMatrix<T, N, N>,
) {
    T::dispatch(Symmetric { a, b, out });
}

/// `out = a b`, or `out += a b`.
struct Product<'a, T, const R: usize, const K: usize, const C: usize, const ADD: bool> {
    a: &'a SMatrix<T, R, K>,
    b: &'a SMatrix<T, K, C>,
    out: &'a mut SMatrix<T, R, C>,
}

impl<T: Scalar, const R: usize, const K: usize, const C: usize, const ADD: bool> Dispatched<T>
    for Product<'_, T, R, K, C, ADD>
{
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<S: Scalar>(self, recast: Recast<T, S>) {
        let (a, b) = (&recast.matrix(self.a).data.0, &recast.matrix(self.b).data.0);
        full::<S, R, K, C, ADD>(a, b, &mut recast.matrix_mut(self.out).data.0);
    }
}

/// `out = a^T`. `nalgebra`'s takes several times as long.
pub(crate) fn transpose_into<T: Scalar, const R: usize, const K: usize>(
    a: &SMatrix<T, K, R>,
    out: &mut SMatrix<T, R, K>,
) {
    T::dispatch(Transposition { a, out });
}

/// Copies the lower triangle to the upper one.
pub(in crate::linalg) fn mirror_into<T: Scalar, const N: usize>(x: &mut SMatrix<T, N, N>) {
    T::dispatch(Mirror { x });
}

struct Mirror<'a, T, const N: usize> {
    x: &'a mut SMatrix<T, N, N>,
}

impl<T: Scalar, const N: usize> Dispatched<T> for Mirror<'_, T, N> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<S: Scalar>(self, recast: Recast<T, S>) {
        mirror(&mut recast.matrix_mut(self.x).data.0);
    }
}

/// `out += k a`.
pub(crate) fn add_multiple<T: Scalar, const R: usize, const C: usize>(
    k: T,
    a: &SMatrix<T, R, C>,
    out: &mut SMatrix<T, R, C>,
) {
    T::dispatch(Multiple { k, a, out });
}

/// `out += k a^T`.
pub(crate) fn add_transposed_multiple<T: Scalar, const R: usize, const C: usize>(
    k: T,
    a: &SMatrix<T, C, R>,
    out: &mut SMatrix<T, R, C>,
) {
    let mut transposed = zeros();
    transpose_into(a, &mut transposed);
    add_multiple(k, &transposed, out);
}

struct Multiple<'a, T, const R: usize, const C: usize> {
    k: T,
    a: &'a SMatrix<T, R, C>,
    out: &'a mut SMatrix<T, R, C>,
}

impl<T: Scalar, const R: usize, const C: usize> Dispatched<T> for Multiple<'_, T, R, C> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<S: Scalar>(self, recast: Recast<T, S>) {
        let (k, a) = (recast.scalar(self.k), &recast.matrix(self.a).data.0);
        for (out, a) in recast.matrix_mut(self.out).data.0.iter_mut().zip(a) {
            for (out, a) in out.iter_mut().zip(a) {
                *out = a.mul_add(k, *out);
            }
        }
    }
}

struct Transposition<'a, T, const R: usize, const K: usize> {
    a: &'a SMatrix<T, K, R>,
    out: &'a mut SMatrix<T, R, K>,
}

dispatched!(Transposition<R: usize, K: usize>, R4);

impl<T: Scalar, const R: usize, const K: usize> Transposition<'_, T, R, K> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>>(self, recast: Recast<T, S>) {
        let a = &recast.matrix(self.a).data.0;
        recast.matrix_mut(self.out).data.0 = transposed::<S, Q, R, K>(a);
    }
}

/// Products with a copied transpose: sums are then over columns, side by side in registers.
struct Transposed<'a, T, const R: usize, const K: usize, const C: usize, const ADD: bool> {
    a: &'a SMatrix<T, K, R>,
    b: &'a SMatrix<T, K, C>,
    out: &'a mut SMatrix<T, R, C>,
}

dispatched!(Transposed<R: usize, K: usize, C: usize, ADD: bool>, R4);

impl<T: Scalar, const R: usize, const K: usize, const C: usize, const ADD: bool>
    Transposed<'_, T, R, K, C, ADD>
{
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>>(self, recast: Recast<T, S>) {
        let (a, b) = (&recast.matrix(self.a).data.0, &recast.matrix(self.b).data.0);
        let out = &mut recast.matrix_mut(self.out).data.0;
        if let ([b], [out]) = (&b[..], &mut out[..]) {
            // A copy for one column takes longer than the product.
            dots::<S, Q, R, K, ADD>(a, b, out);
        } else {
            full::<S, R, K, C, ADD>(&transposed::<S, Q, R, K>(a), b, out);
        }
    }
}

/// `out = a^T b`, or `out += a^T b`, of one column: sums of products along the columns of `a`, four
/// at a time.
///
/// Registers are named: from arrays the compiler would load numbers of several columns one by one.
#[cfg_attr(not(debug_assertions), inline(always))]
fn dots<T: Scalar, Q: Limbs<T, 4>, const R: usize, const K: usize, const ADD: bool>(
    a: &[[T; K]; R],
    b: &[T; K],
    out: &mut [T; R],
) {
    let (fours, rest) = b.as_chunks::<4>();
    for (out, a) in out.iter_mut().zip(a) {
        let (of_a, rest_of_a) = a.as_chunks::<4>();
        let mut sum = Q::splat(T::zero());
        for (a, b) in of_a.iter().zip(fours) {
            sum = Q::gather(*a).mul_add(Q::gather(*b), sum);
        }
        let mut sum = sum.sum();
        for (a, b) in rest_of_a.iter().zip(rest) {
            sum = a.mul_add(*b, sum);
        }
        *out = if ADD { *out + sum } else { sum };
    }
}

/// `out += a^T b`, below the diagonal, and then above it.
struct Symmetric<'a, T, const K: usize, const N: usize> {
    a: &'a SMatrix<T, K, N>,
    b: &'a SMatrix<T, K, N>,
    out: &'a mut SMatrix<T, N, N>,
}

dispatched!(Symmetric<K: usize, N: usize>, R4);

impl<T: Scalar, const K: usize, const N: usize> Symmetric<'_, T, K, N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>>(self, recast: Recast<T, S>) {
        let a = &transposed::<S, Q, N, K>(&recast.matrix(self.a).data.0);
        let (b, out) = (&recast.matrix(self.b).data.0, &mut recast.matrix_mut(self.out).data.0);
        let groups = [ColumnGroup { columns: (0, N), blocks: &[] }];
        by_columns::<_, N>(&groups, &mut Lower { a, b, out });
        mirror(out);
    }
}

/// Transpose of `a`, four numbers at a time.
///
/// Registers are named: from arrays the compiler would load eight numbers one by one, which is slow
/// on some processors.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn transposed<T: Scalar, Q: Limbs<T, 4>, const R: usize, const K: usize>(
    a: &[[T; K]; R],
) -> [[T; R]; K] {
    let mut out = [[T::zero(); R]; K];
    let (fours, rest) = a.as_chunks::<4>();
    for (k, out) in out.iter_mut().enumerate() {
        let (of_fours, of_rest) = out.as_chunks_mut::<4>();
        for (out, [x, y, z, w]) in of_fours.iter_mut().zip(fours) {
            *out = Q::gather([x[k], y[k], z[k], w[k]]).lanes();
        }
        for (out, x) in of_rest.iter_mut().zip(rest) {
            *out = x[k];
        }
    }
    out
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn full<T: Scalar, const R: usize, const K: usize, const C: usize, const ADD: bool>(
    a: &[[T; R]; K],
    b: &[[T; K]; C],
    out: &mut [[T; R]; C],
) {
    let blocks = [RowBlock { rows: (0, R), terms: &[(0, K)] }];
    let groups = [ColumnGroup { columns: (0, C), blocks: &blocks }];
    let registers = PhantomData::<Plain<T, LANES>>;
    by_columns::<_, C>(&groups, &mut Full::<T, _, R, K, C, ADD> { a, b, out, registers });
}

/// A full product, some columns at a time.
pub(super) struct Full<'k, T, L, const R: usize, const K: usize, const N: usize, const ADD: bool> {
    /// The first factor.
    pub a: &'k [[T; R]; K],
    /// The second.
    pub b: &'k [[T; K]; N],
    /// The product.
    pub out: &'k mut [[T; R]; N],
    /// Registers for it.
    pub registers: PhantomData<L>,
}

impl<T: Scalar, L: Register<Of = T>, const R: usize, const K: usize, const N: usize, const ADD: bool>
    ByColumns for Full<'_, T, L, R, K, N, ADD>
{
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn columns<const C: usize>(&mut self, column: usize, blocks: &[RowBlock<'_>]) {
        let out = self.out.get_mut(column..).and_then(<[_]>::split_first_chunk_mut::<C>);
        let x = self.b.get(column..).and_then(<[_]>::split_first_chunk::<C>);
        let (Some((out, _)), Some((x, _))) = (out, x) else { return };
        if ADD {
            let mut product = [[T::zero(); R]; C];
            Columns { a: self.a, first: 0, x, base: None, out: &mut product }.make::<L>(blocks);
            add(out, &product, 0);
        } else {
            Columns { a: self.a, first: 0, x, base: None, out }.make::<L>(blocks);
        }
    }
}

struct Lower<'k, T, const K: usize, const N: usize> {
    a: &'k [[T; N]; K],
    b: &'k [[T; K]; N],
    out: &'k mut [[T; N]; N],
}

impl<T: Scalar, const K: usize, const N: usize> ByColumns for Lower<'_, T, K, N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn columns<const C: usize>(&mut self, column: usize, _: &[RowBlock<'_>]) {
        let out = self.out.get_mut(column..).and_then(<[_]>::split_first_chunk_mut::<C>);
        let x = self.b.get(column..).and_then(<[_]>::split_first_chunk::<C>);
        let (Some((out, _)), Some((x, _))) = (out, x) else { return };
        let mut product = [[T::zero(); N]; C];
        let blocks = [RowBlock { rows: (column, N), terms: &[(0, K)] }];
        Columns { a: self.a, first: 0, x, base: None, out: &mut product }.make::<Plain<T, LANES>>(&blocks);
        add(out, &product, column);
    }
}

/// Adds the rows from this one on.
#[cfg_attr(not(debug_assertions), inline(always))]
fn add<T: Scalar, const R: usize, const C: usize>(out: &mut [[T; R]; C], product: &[[T; R]; C], row: usize) {
    for (out, product) in out.iter_mut().zip(product) {
        for (out, product) in out.iter_mut().zip(product).skip(row) {
            *out += *product;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::F64x4;
    use crate::linalg::tests::on_heap;

    fn product<const R: usize, const K: usize, const C: usize>(
        a: &SMatrix<f64, R, K>,
        b: &SMatrix<f64, K, C>,
    ) -> SMatrix<f64, R, C> {
        SMatrix::from_column_slice((on_heap(a) * on_heap(b)).as_slice())
    }

    /// Small whole numbers, so that sums are exact in any order.
    fn matrix<const R: usize, const C: usize>(seed: usize) -> SMatrix<f64, R, C> {
        SMatrix::from_fn(|r, c| ((r * 7 + c * 3 + r * c + seed * 5) % 11) as f64 - 5.0)
    }

    fn check<const R: usize, const K: usize, const C: usize>() {
        let (a, b, start) = (matrix::<R, K>(1), matrix::<K, C>(2), matrix::<R, C>(3));
        let expected = product(&a, &b);
        assert_eq!(mul(&a, &b), expected);
        assert_eq!(tr_mul(&a.transpose(), &b), expected);
        let (mut sum, mut tr_sum) = (start, start);
        add_mul(&a, &b, &mut sum);
        add_tr_mul(&a.transpose(), &b, &mut tr_sum);
        assert_eq!((sum, tr_sum), (start + expected, start + expected));
        let (mut into, mut tr_into) = (start, start);
        mul_into(&a, &b, &mut into);
        tr_mul_into(&a.transpose(), &b, &mut tr_into);
        assert_eq!((into, tr_into), (expected, expected));
        let (mut multiple, mut transposed) = (start, start);
        add_multiple(2.0, &expected, &mut multiple);
        add_transposed_multiple(2.0, &expected.transpose(), &mut transposed);
        assert_eq!((multiple, transposed), (start + expected * 2.0, start + expected * 2.0));
        // As compiled, where it may be another number of rows at once.
        let mut out = start;
        Product::<f64, R, K, C, true> { a: &a, b: &b, out: &mut out }.run(Recast::<f64, f64>::identity());
        assert_eq!(out, start + expected);
        let square = matrix::<R, R>(4);
        let start = square + square.transpose();
        let mut out = start;
        add_symmetric_tr_mul(&a.transpose(), &a.transpose(), &mut out);
        assert_eq!(out, start + product(&a, &a.transpose()));
    }

    #[test]
    fn agree_with_nalgebra() {
        check::<0, 3, 2>();
        check::<3, 0, 2>();
        check::<1, 1, 1>();
        check::<2, 5, 3>();
        check::<7, 7, 1>();
        check::<5, 12, 4>();
        check::<6, 2, 9>();
        check::<14, 14, 7>();
        check::<13, 3, 18>();
        check::<23, 17, 11>();
        check::<36, 24, 1>();
    }

    #[test]
    fn lanes_are_products_of_their_own() {
        let (a, b) = (matrix::<7, 5>(1), matrix::<5, 6>(2));
        let lanes = mul(&a.map(F64x4::from_f64), &b.map(F64x4::from_f64));
        assert_eq!(lanes, (a * b).map(F64x4::from_f64));
    }

    #[test]
    fn single_precision_too() {
        let (a, b) = (matrix::<9, 6>(1).map(|x| x as f32), matrix::<6, 5>(2).map(|x| x as f32));
        assert_eq!(mul(&a, &b), a * b);
    }

    #[test]
    fn what_is_not_finite_stays_in_its_row_and_column() {
        let (mut a, b) = (matrix::<6, 6>(1), matrix::<6, 6>(2));
        a[(2, 3)] = f64::NAN;
        let product = mul(&a, &b);
        for r in 0..6 {
            assert_eq!(product.row(r).iter().any(|x| x.is_nan()), r == 2);
        }
    }
}
