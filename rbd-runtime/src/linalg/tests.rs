//! Products of blocks against nalgebra's of whole matrices.

use super::columns::Range;
use super::*;
use crate::Scalar;
use crate::dispatch::{Dispatched, Recast};
use crate::lanes::{F32x16, F64x4};
use nalgebra::{DMatrix, SMatrix};

/// Matrix on the heap. nalgebra's products and factors of matrices of constant size would be
/// compiled for each size.
pub(super) fn on_heap<const R: usize, const C: usize>(x: &SMatrix<f64, R, C>) -> DMatrix<f64> {
    DMatrix::from_column_slice(R, C, x.as_slice())
}

fn minus_product<const N: usize>(a: &SMatrix<f64, N, N>, b: &SMatrix<f64, N, N>) -> SMatrix<f64, N, N> {
    let product = on_heap(a) * on_heap(b);
    SMatrix::from_fn(|r, c| -product[(r, c)])
}

/// Small whole numbers, so that sums are exact in any order; the seed tells the lanes apart.
fn matrix<const N: usize>(seed: usize) -> SMatrix<f64, N, N> {
    SMatrix::from_fn(|r, c| ((r * 7 + c * 3 + r * c + seed * 5) % 11) as f64 - 5.0)
}

fn check<const N: usize>() {
    let (minv, d) = (matrix::<N>(1), matrix::<N>(4));
    assert_eq!(neg_mul(&minv, &d), minus_product(&minv, &d));
}

fn check_other_scalars<const N: usize>() {
    let (minv, d) = (matrix::<N>(1), matrix::<N>(4));
    let expected = minus_product(&minv, &d);
    assert_eq!(neg_mul(&minv.map(|x| x as f32), &d.map(|x| x as f32)), expected.map(|x| x as f32));

    let lanes = |m: fn(usize) -> SMatrix<f64, N, N>| {
        let each = [m(0), m(1), m(2), m(3)];
        SMatrix::<F64x4, N, N>::from_fn(|r, c| F64x4::from(each.map(|m| m[(r, c)])))
    };
    let out = neg_mul(&lanes(matrix), &lanes(|l| matrix(2 * l + 1)));
    for lane in 0..4 {
        let expected = minus_product(&matrix::<N>(lane), &matrix::<N>(2 * lane + 1));
        assert_eq!(out.map(|x| x.to_array()[lane]), expected);
    }
    let wide = |m: SMatrix<f64, N, N>| m.map(F32x16::from_f64);
    assert_eq!(neg_mul(&wide(minv), &wide(d)), wide(expected));
}

#[test]
fn agrees_with_nalgebra_for_every_size_of_remainder() {
    check::<0>();
    check::<1>();
    check::<2>();
    check::<3>();
    check::<4>();
    check::<5>();
    check::<6>();
    check::<7>();
    check::<8>();
    check::<9>();
    check::<12>();
    check::<18>();
    check::<23>();
}

/// Each size is compiled for each of these scalars.
#[test]
fn other_scalars_agree_with_nalgebra() {
    check_other_scalars::<1>();
    check_other_scalars::<7>();
    check_other_scalars::<18>();
}

/// Terms at the crossing of the given row and column, for blocks of every size.
fn terms(row: usize, column: usize) -> &'static [Range] {
    match (row, column) {
        (0..3, 0..6) => &[(0, 12)],
        (3..5, 0..6) => &[(0, 3), (7, 12)],
        (5..11, 0..6) => &[(5, 11)],
        (11, 0..6) => &[],
        (0..6, 6..8) => &[(0, 3), (6, 8)],
        (_, 6..8) => &[(4, 9)],
        _ => &[(1, 2), (8, 12)],
    }
}

const GROUPS: [ColumnGroup<'_>; 3] = [
    ColumnGroup {
        columns: (0, 6),
        blocks: &[
            RowBlock { rows: (11, 12), terms: &[] },
            RowBlock { rows: (5, 11), terms: &[(5, 11)] },
            RowBlock { rows: (3, 5), terms: &[(0, 3), (7, 12)] },
            RowBlock { rows: (0, 3), terms: &[(0, 12)] },
        ],
    },
    ColumnGroup {
        columns: (6, 8),
        blocks: &[
            RowBlock { rows: (6, 12), terms: &[(4, 9)] },
            RowBlock { rows: (0, 6), terms: &[(0, 3), (6, 8)] },
        ],
    },
    ColumnGroup { columns: (8, 12), blocks: &[RowBlock { rows: (0, 12), terms: &[(1, 2), (8, 12)] }] },
];

#[test]
fn groups_say_which_terms_there_are() {
    let (a, x) = (matrix::<12>(1), matrix::<12>(4));
    let expected = SMatrix::<f64, 12, 12>::from_fn(|r, c| {
        let runs = terms(r, c).iter().flat_map(|(from, to)| *from..*to);
        runs.map(|k| a[(r, k)] * x[(k, c)]).sum()
    });
    let mut product = x;
    f64::dispatch(NegativeProduct { a: &a, x: &mut product, groups: &GROUPS });
    assert_eq!(product, -expected);
    // As compiled, where it may be another number of rows at once.
    let mut product = x;
    NegativeProduct { a: &a, x: &mut product, groups: &GROUPS }.run(Recast::<f64, f64>::identity());
    assert_eq!(product, -expected);
}

#[test]
fn groups_beyond_the_matrix_are_cut_off() {
    let (a, x) = (matrix::<5>(1), matrix::<5>(4));
    let whole = [RowBlock { rows: (0, 9), terms: &[(0, 90), (4, 2)] }];
    let groups = [
        ColumnGroup { columns: (3, 9), blocks: &whole },
        ColumnGroup { columns: (8, 6), blocks: &[RowBlock { rows: (0, 5), terms: &[(0, 5)] }] },
        ColumnGroup { columns: (usize::MAX - 1, usize::MAX), blocks: &whole },
        ColumnGroup { columns: (0, 1), blocks: &[RowBlock { rows: (7, 9), terms: &[] }] },
        ColumnGroup { columns: (2, 2), blocks: &[] },
    ];
    let mut product = x;
    f64::dispatch(NegativeProduct { a: &a, x: &mut product, groups: &groups });
    let expected = -a * x;
    assert_eq!(product.columns(3, 2), expected.columns(3, 2));
    assert_eq!(product.columns(0, 3), x.columns(0, 3));
}

/// Sums of one column are computed in another way than those of several.
fn check_transposes<T: Scalar + nalgebra::Scalar, const R: usize, const K: usize>() {
    let whole =
        |r: usize, c: usize, seed: usize| T::from_f64(((r * 5 + c * 3 + r * c + seed) % 9) as f64 - 4.0);
    let a = SMatrix::<T, K, R>::from_fn(|r, c| whole(r, c, 1));
    let expected = |c: usize, r: usize, more: T| (0..K).fold(more, |sum, k| sum + a[(k, r)] * whole(k, c, 2));
    let mut turned = SMatrix::<T, R, K>::from_fn(|_, _| T::zero());
    transpose_into(&a, &mut turned);
    assert_eq!(turned, SMatrix::<T, R, K>::from_fn(|r, k| a[(k, r)]));
    let x = SMatrix::<T, K, 1>::from_fn(|r, c| whole(r, c, 2));
    let y = SMatrix::<T, K, 3>::from_fn(|r, c| whole(r, c, 2));
    assert_eq!(tr_mul(&a, &x), SMatrix::<T, R, 1>::from_fn(|r, c| expected(c, r, T::zero())));
    assert_eq!(tr_mul(&a, &y), SMatrix::<T, R, 3>::from_fn(|r, c| expected(c, r, T::zero())));
    let mut sum = SMatrix::<T, R, 1>::from_fn(|r, c| whole(r, c, 3));
    add_tr_mul(&a, &x, &mut sum);
    assert_eq!(sum, SMatrix::<T, R, 1>::from_fn(|r, c| expected(c, r, whole(r, c, 3))));
}

#[test]
fn transposes_agree_for_every_size_of_remainder() {
    check_transposes::<f64, 1, 1>();
    check_transposes::<f64, 3, 2>();
    check_transposes::<f64, 12, 18>();
    check_transposes::<f64, 18, 7>();
    check_transposes::<f64, 5, 13>();
    check_transposes::<f32, 6, 9>();
    check_transposes::<F64x4, 6, 9>();
}
