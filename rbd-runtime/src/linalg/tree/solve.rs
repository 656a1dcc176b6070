//! Accelerations from the inverse of the mass matrix.

#![allow(
    clippy::needless_range_loop,
    reason = "several arrays are indexed alike, and closures are not for kernels"
)]

use crate::Scalar;
use crate::dispatch::{Recast, dispatched};
use crate::linalg::columns::{Columns, RowBlock};
use crate::simd::{LANES, Register};
use nalgebra::{SMatrix, SVector};

/// `out = minv (tau - bias)`, with one step of iterative refinement:
/// `out += minv (tau - bias - m out)`.
///
/// Without the refinement, each acceleration is accurate only to the rounding of the largest one.
/// The derivatives of forward dynamics, which are taken at these accelerations, then lose three
/// digits on a chain of fifty links.
#[derive(Debug)]
pub struct RefinedSolution<'a, T, const N: usize> {
    /// The inverse of `m`.
    pub minv: &'a SMatrix<T, N, N>,
    /// The mass matrix, full.
    pub m: &'a SMatrix<T, N, N>,
    /// The torques that are there.
    pub tau: &'a SVector<T, N>,
    /// Torques at zero acceleration.
    pub bias: &'a SVector<T, N>,
    /// The accelerations.
    pub out: &'a mut SVector<T, N>,
}

dispatched!(RefinedSolution<N: usize>, wide, X8);

impl<T: Scalar, const N: usize> RefinedSolution<'_, T, N> {
    /// Computes the accelerations with registers of type `L`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn with<S: Scalar, L: Register<Of = S>>(self, recast: Recast<T, S>) {
        let (minv, m) = (&recast.matrix(self.minv).data.0, &recast.matrix(self.m).data.0);
        let ([tau], [bias]) = (&recast.matrix(self.tau).data.0, &recast.matrix(self.bias).data.0);
        let [out] = &mut recast.matrix_mut(self.out).data.0;
        let (mut drive, mut guess, mut left) = ([S::zero(); N], [S::zero(); N], [S::zero(); N]);
        for k in 0..N {
            drive[k] = tau[k] - bias[k];
        }
        multiply_add::<S, L, N>(minv, &drive, &[S::zero(); N], &mut guess);
        let mut minus_guess = guess;
        for x in &mut minus_guess {
            *x = -*x;
        }
        multiply_add::<S, L, N>(m, &minus_guess, &drive, &mut left);
        multiply_add::<S, L, N>(minv, &left, &guess, out);
    }
}

/// `out = a x + base`, as many rows at once as keep the arithmetic busy. The last rows are computed
/// together with some earlier ones again if that fills a block.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn multiply_add<T: Scalar, L: Register<Of = T>, const N: usize>(
    a: &[[T; N]; N],
    x: &[T; N],
    base: &[T; N],
    out: &mut [T; N],
) {
    if const { L::IS_ONE && N >= LANES } {
        let blocks = [RowBlock { rows: (0, N), terms: &[(0, N)] }];
        let (x, base) = (core::array::from_ref(x), Some(core::array::from_ref(base)));
        Columns { a, first: 0, x, base, out: core::array::from_mut(out) }.make::<L>(&blocks);
        return;
    }
    let mut row = 0;
    while row < N {
        let left = N - row;
        if left > 8 && N >= 16 {
            row = row.min(N - 16);
            rows::<T, N, 16>(a, x, base, out, row);
            row += 16;
        } else if left > 4 && N >= 8 {
            row = row.min(N - 8);
            rows::<T, N, 8>(a, x, base, out, row);
            row += 8;
        } else if left > 1 && N >= 4 {
            row = row.min(N - 4);
            rows::<T, N, 4>(a, x, base, out, row);
            row += 4;
        } else {
            rows::<T, N, 1>(a, x, base, out, row);
            row += 1;
        }
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn rows<T: Scalar, const N: usize, const R: usize>(
    a: &[[T; N]; N],
    x: &[T; N],
    base: &[T; N],
    out: &mut [T; N],
    row: usize,
) {
    let Some((base, _)) = base.get(row..).and_then(<[_]>::split_first_chunk::<R>) else { return };
    // Two sums: one would wait for itself.
    let (mut even, mut odd) = (*base, [T::zero(); R]);
    let ((pairs, last), (by, last_by)) = (a.as_chunks::<2>(), x.as_chunks::<2>());
    for ([a, b], &[by_a, by_b]) in pairs.iter().zip(by) {
        let a = a.get(row..).and_then(<[_]>::split_first_chunk::<R>);
        let b = b.get(row..).and_then(<[_]>::split_first_chunk::<R>);
        let (Some((a, _)), Some((b, _))) = (a, b) else { return };
        for r in 0..R {
            even[r] = a[r].mul_add(by_a, even[r]);
            odd[r] = b[r].mul_add(by_b, odd[r]);
        }
    }
    for (a, &by) in last.iter().zip(last_by) {
        let Some((a, _)) = a.get(row..).and_then(<[_]>::split_first_chunk::<R>) else { return };
        for r in 0..R {
            even[r] = a[r].mul_add(by, even[r]);
        }
    }
    if let Some((out, _)) = out.get_mut(row..).and_then(<[_]>::split_first_chunk_mut::<R>) {
        for r in 0..R {
            out[r] = even[r] + odd[r];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::F64x4;
    use crate::linalg::tests::on_heap;

    fn times<const N: usize>(m: &SMatrix<f64, N, N>, x: &SVector<f64, N>) -> SVector<f64, N> {
        SVector::from_column_slice((on_heap(m) * on_heap(x)).as_slice())
    }

    /// A matrix with a known, exact inverse: second differences of a chain that is fixed at one
    /// end.
    fn chain<const N: usize>() -> (SMatrix<f64, N, N>, SMatrix<f64, N, N>) {
        let stiffness = |r: usize, c: usize| match r.abs_diff(c) {
            0 if r + 1 == N => 1.0,
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        };
        (SMatrix::from_fn(stiffness), SMatrix::from_fn(|r, c| (r.min(c) + 1) as f64))
    }

    fn check<const N: usize>() {
        let (m, minv) = chain::<N>();
        let tau = SVector::<f64, N>::from_fn(|k, _| (k * 7 % 5) as f64 - 1.0);
        let bias = SVector::repeat(1.0);
        let drive = tau - bias;
        let mut out = SVector::repeat(f64::NAN);
        f64::dispatch(RefinedSolution { minv: &minv, m: &m, tau: &tau, bias: &bias, out: &mut out });
        let expected = times(&minv, &drive);
        assert_eq!(out, expected);
        // An inverse that is wrong by a thousandth gives accelerations that are wrong by a millionth.
        let wrong = minv * 1.001;
        f64::dispatch(RefinedSolution { minv: &wrong, m: &m, tau: &tau, bias: &bias, out: &mut out });
        let error = (out - expected).amax() / expected.amax().max(1.0);
        assert!(N == 0 || error <= 1.000_001e-6, "{error}");
        assert!(N < 2 || error >= 0.99e-6, "{error}");
    }

    fn check_lanes<const N: usize>() {
        let (m, minv) = chain::<N>();
        let tau = SVector::<f64, N>::from_fn(|k, _| (k * 7 % 5) as f64 - 1.0);
        let bias = SVector::repeat(1.0);
        let drive = tau - bias;
        let (tau, bias) = (tau.map(F64x4::splat), bias.map(F64x4::splat));
        let mut out = SVector::repeat(F64x4::splat(f64::NAN));
        let (m, minv) = (m.map(F64x4::splat), minv.map(F64x4::splat));
        F64x4::dispatch(RefinedSolution { minv: &minv, m: &m, tau: &tau, bias: &bias, out: &mut out });
        assert_eq!(out.map(|x| x.to_array()[3]), times(&chain::<N>().1, &drive));
    }

    #[test]
    fn every_size_of_remainder() {
        check::<0>();
        check::<1>();
        check::<2>();
        check::<3>();
        check::<4>();
        check::<5>();
        check::<7>();
        check::<9>();
        check::<16>();
        check::<17>();
        check::<27>();
        check_lanes::<1>();
        check_lanes::<9>();
    }
}
