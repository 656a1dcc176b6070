//! Second derivatives of forward dynamics, composed of first derivatives that are known already.
//!
//! Robots with straight-line code for first derivatives need no loops for them.

use super::first::Forces;
use super::inverse::Padded;
use super::state::{Room, State, element};
use super::{Given, forward_tensors};
use crate::dispatch::{Recast, dispatched};
use crate::limbs::Limbs;
use crate::linalg::ColumnGroup;
use crate::loops::{LANES, Register, Tables};
use crate::{AbaDerivatives, AbaHessian, RneaHessian, Scalar};
use core::mem::MaybeUninit;
use nalgebra::SVector;

/// Value, gradient and Hessian of `lambda . ddq`, composed of known derivatives.
///
/// Inputs are first derivatives of forward dynamics and the Hessian of `mu . tau` at the accelerations.
/// The weights are related by `mu = -M^-1 lambda` (docs/math.md#contracted-second-derivatives).
#[derive(Debug)]
pub struct AbaHessianOfParts<'a, T, const NV: usize> {
    /// Weights lambda and mu.
    pub weights: [&'a SVector<T, NV>; 2],
    /// First derivatives of forward dynamics.
    pub first: &'a AbaDerivatives<T, NV>,
    /// Hessian of `mu . tau`.
    pub of: &'a RneaHessian<T, NV>,
    /// Nonzero terms of a product of its block by q and a with a full matrix.
    pub groups: &'a [ColumnGroup<'a>],
    /// Result.
    pub out: &'a mut AbaHessian<T, NV>,
}

dispatched!(AbaHessianOfParts<NV: usize>, wide, X8);

impl<T: Scalar, const NV: usize> AbaHessianOfParts<'_, T, NV> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, X: Register<Of = S>>(self, recast: Recast<T, S>) {
        let Self { weights: [lambda, mu], first, of, groups, out } = self;
        let (lambda, mu) = (&recast.matrix(lambda).data.0[0], &recast.matrix(mu).data.0[0]);
        let ddq = &recast.matrix(&first.ddq).data.0[0];
        let mut sum = S::zero();
        for k in 0..NV {
            sum = lambda[k].mul_add(ddq[k], sum);
        }
        let AbaHessian { value, dq, dv, dtau, dqdq, dqdv, dvdv, dqdtau } = out;
        for value in recast.slice_mut(core::slice::from_mut(value)) {
            *value = sum;
        }
        let dtau = &mut recast.matrix_mut(dtau).data.0[0];
        for k in 0..NV {
            dtau[k] = -mu[k];
        }
        *recast.matrix_mut(dq) = *recast.matrix(&of.dq);
        *recast.matrix_mut(dv) = *recast.matrix(&of.dv);
        *recast.matrix_mut(dvdv) = *recast.matrix(&of.dvdv);

        let z = &recast.matrix(&of.dqda).data.0;
        let qq = &mut recast.matrix_mut(dqdq).data.0;
        let qv = &mut recast.matrix_mut(dqdv).data.0;
        let qt = &mut recast.matrix_mut(dqdtau).data.0;
        let by = [&first.ddq_dq, &first.ddq_dv, &first.ddq_dtau];
        let [by_q, by_v, by_tau] =
            [&recast.matrix(by[0]).data.0, &recast.matrix(by[1]).data.0, &recast.matrix(by[2]).data.0];
        let mut row = 0;
        while row < NV {
            let rows = Rows::<X, NV>::new(z, groups, row);
            let plus = Some(&recast.matrix(&of.dqdv).data.0);
            for (x, out, plus) in [(by_q, &mut *qq, None), (by_v, &mut *qv, plus), (by_tau, &mut *qt, None)] {
                // The tile width with fewer columns beyond the last one.
                if X::IS_ONE && NV.next_multiple_of(8) <= NV.next_multiple_of(6) {
                    rows.times::<S, 8>(x, out, plus);
                } else {
                    rows.times::<S, 6>(x, out, plus);
                }
            }
            row += LANES;
        }
        let of_qq = &recast.matrix(&of.dqdq).data.0;
        for c in 0..NV {
            for r in 0..=c {
                let both = qq[c][r] + qq[r][c];
                qq[c][r] = of_qq[c][r] + both;
                qq[r][c] = of_qq[r][c] + both;
            }
        }
    }
}

/// Eight rows of a square matrix, restricted to columns that are not zero there.
struct Rows<X, const NV: usize> {
    /// Entries of the rows in each such column.
    of: [X; NV],
    columns: [u16; NV],
    count: usize,
    /// First row of the register. The last register may begin before the wanted rows, so that it is loaded
    /// whole.
    row: usize,
    /// Lanes before the wanted rows.
    skip: usize,
}

impl<X, const NV: usize> Rows<X, NV> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn new<S: Scalar>(z: &[[S; NV]; NV], groups: &[ColumnGroup<'_>], row: usize) -> Self
    where
        X: Register<Of = S>,
    {
        let mut needed = [false; NV];
        for group in groups {
            for block in group.blocks {
                if block.rows.0 < row + LANES && row < block.rows.1 {
                    for &(from, to) in block.terms {
                        for needed in needed.iter_mut().take(to).skip(from) {
                            *needed = true;
                        }
                    }
                }
            }
        }
        let first = if NV >= LANES { row.min(NV - LANES) } else { row };
        let mut out =
            Self { of: [X::splat(S::zero()); NV], columns: [0; NV], count: 0, row: first, skip: row - first };
        for (k, (z, _)) in z.iter().zip(needed).enumerate().filter(|(_, (_, needed))| *needed) {
            if let (Some(of), Some(column)) = (out.of.get_mut(out.count), out.columns.get_mut(out.count)) {
                (*of, *column) = (load(z, first), k as u16);
                out.count += 1;
            }
        }
        out
    }

    /// Rows of the product with `x`, plus those of a matrix `plus`. Computes `C` columns at once.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn times<S: Scalar, const C: usize>(
        &self,
        x: &[[S; NV]; NV],
        out: &mut [[S; NV]; NV],
        plus: Option<&[[S; NV]; NV]>,
    ) where
        X: Register<Of = S>,
    {
        let mut j = 0;
        while let Some(first) = x.get(j) {
            // Beyond the last column, the tile repeats its first one.
            let mut of = [first; C];
            for (of, column) in of.iter_mut().zip(x.iter().skip(j)) {
                *of = column;
            }
            let mut sums = [X::splat(S::zero()); C];
            for (z, c) in self.of.iter().zip(&self.columns).take(self.count) {
                let c = usize::from(*c).min(NV - 1);
                for k in 0..C {
                    sums[k] = z.mul_add(X::splat(of[k][c]), sums[k]);
                }
            }
            for k in 0..C {
                let sum = match plus.and_then(|plus| plus.get(j + k)) {
                    Some(plus) => sums[k] + load(plus, self.row),
                    None => sums[k],
                };
                if let Some(to) = out.get_mut(j + k).and_then(|out| out.get_mut(self.row..)) {
                    match to.first_chunk_mut::<LANES>() {
                        Some(to) if self.skip == 0 => sum.store(to),
                        // SAFETY: `to` has as many numbers as the register has lanes.
                        Some(to) => unsafe { sum.store_lanes(to.as_mut_ptr(), u8::MAX << self.skip) },
                        None => sum.store_first(to),
                    }
                }
            }
            j += C;
        }
    }
}

/// Eight numbers of a column from a row on. Zero beyond the column's end.
#[cfg_attr(not(debug_assertions), inline(always))]
fn load<S: Scalar, X: Register<Of = S>, const NV: usize>(column: &[S; NV], row: usize) -> X {
    if let Some(x) = column.get(row..).and_then(<[S]>::first_chunk) {
        return X::load(x);
    }
    let mut last = [S::zero(); LANES];
    for l in 0..LANES {
        if row + l < NV {
            last[l] = column[row + l];
        }
    }
    X::load(&last)
}

/// A padded copy of a square matrix of `n` columns.
#[cfg_attr(not(debug_assertions), inline(always))]
fn padded<S: Scalar, const P: usize>(of: &[S], n: usize) -> Padded<S, P> {
    let mut out = [[S::zero(); P]; P];
    for c in 0..n.min(P) {
        for r in 0..n.min(P) {
            out[c][r] = element(of, c * n + r);
        }
    }
    out
}

/// Second derivatives of forward dynamics from its first derivatives `by` q, v and tau.
///
/// The layout is that of [`aba_second_derivatives`](super::aba_second_derivatives).
/// `given.a` is the acceleration.
pub fn aba_second_derivatives_of_parts<T: Scalar, const P: usize>(
    tables: &Tables<'_, P>,
    given: Given<'_, T>,
    by: [&[T]; 3],
    out: [&mut [T]; 4],
) {
    if tables.has_rows() {
        T::dispatch(AbaTensorsOfParts { tables, given, by, out });
    }
}

struct AbaTensorsOfParts<'a, T, const P: usize> {
    tables: &'a Tables<'a, P>,
    given: Given<'a, T>,
    by: [&'a [T]; 3],
    out: [&'a mut [T]; 4],
}

dispatched!(AbaTensorsOfParts<P: usize>, wide, R4, X8);

impl<T: Scalar, const P: usize> AbaTensorsOfParts<'_, T, P> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>, X: Register<Of = S>>(self, recast: Recast<T, S>) {
        let given = self.given.recast(recast);
        let [qq, qv, vv, qt] = self.out;
        let out = [recast.slice_mut(qq), recast.slice_mut(qv), recast.slice_mut(vv), recast.slice_mut(qt)];
        let by = [recast.slice(self.by[0]), recast.slice(self.by[1]), recast.slice(self.by[2])];
        let mut room = MaybeUninit::uninit();
        let room = Room::within(&mut room);
        // SAFETY: `fill` follows before any read.
        let mut forces = unsafe { Forces::new() };
        let state = State::new::<Q, X>(self.tables, &given, room);
        forces.fill::<X>(&state);
        let inverse = padded::<S, P>(by[2], self.tables.damping.len());
        forward_tensors::with_first::<S, X, P>(self.tables, (&state, &forces), &inverse, by, out);
    }
}
