//! Second derivatives of forward dynamics from its first derivatives, however these were computed: what a generated robot has
//! straight-line code for need not be done by loops.

use super::first::Forces;
use super::inverse::Padded;
use super::state::{Given, Room, State, element};
use super::{forward_tensors, given};
use crate::dispatch::{Kernel, Recast};
use crate::limbs::Limbs;
use crate::linalg::{ColumnGroup, NegativeProduct};
use crate::loops::{Register, Tables};
use crate::{AbaDerivatives, AbaHessian, RneaHessian, Scalar};
use nalgebra::SVector;

/// Value, gradient and Hessian of `lambda . ddq` from first derivatives of forward dynamics and those of `mu . tau` at its
/// accelerations, with `mu = -M^-1 lambda` (docs/math.md#contracted-second-derivatives).
#[derive(Debug)]
pub struct AbaHessianOfParts<'a, T, const NV: usize> {
    /// lambda and mu.
    pub weights: [&'a SVector<T, NV>; 2],
    /// The first derivatives.
    pub first: &'a AbaDerivatives<T, NV>,
    /// Of `mu . tau`.
    pub of: &'a RneaHessian<T, NV>,
    /// Where a product of its block by q and a with a full matrix has terms.
    pub groups: &'a [ColumnGroup<'a>],
    /// The result.
    pub out: &'a mut AbaHessian<T, NV>,
}

impl<T: Scalar, const NV: usize> Kernel<T> for AbaHessianOfParts<'_, T, NV> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<S: Scalar>(self, recast: Recast<T, S>) {
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

        let z = recast.matrix(&of.dqda);
        let (qq, qv, qt) = (recast.matrix_mut(dqdq), recast.matrix_mut(dqdv), recast.matrix_mut(dqdtau));
        *qq = *recast.matrix(&first.ddq_dq);
        *qv = *recast.matrix(&first.ddq_dv);
        *qt = *recast.matrix(&first.ddq_dtau);
        S::dispatch(NegativeProduct { a: z, x: qq, groups });
        S::dispatch(NegativeProduct { a: z, x: qv, groups });
        S::dispatch(NegativeProduct { a: z, x: qt, groups });

        let (qq, qv, qt) = (&mut qq.data.0, &mut qv.data.0, &mut qt.data.0);
        let (of_qq, of_qv) = (&recast.matrix(&of.dqdq).data.0, &recast.matrix(&of.dqdv).data.0);
        for c in 0..NV {
            for r in 0..NV {
                qv[c][r] = of_qv[c][r] - qv[c][r];
                qt[c][r] = -qt[c][r];
            }
            for r in 0..=c {
                let both = qq[c][r] + qq[r][c];
                qq[c][r] = of_qq[c][r] - both;
                qq[r][c] = of_qq[r][c] - both;
            }
        }
    }
}

/// A square matrix of `n` columns, padded.
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

/// Second derivatives of forward dynamics as [`aba_second_derivatives`](super::aba_second_derivatives) gives them, from the first
/// ones by q, v and tau. `given.a` is the acceleration.
pub fn aba_second_derivatives_of_parts<T: Scalar, const P: usize>(
    tables: &Tables<'_, P>,
    given: Given<'_, T>,
    by: [&[T]; 3],
    out: [&mut [T]; 4],
) {
    T::dispatch(AbaTensorsOfParts { tables, given, by, out });
}

pub(super) struct AbaTensorsOfParts<'a, T, const P: usize> {
    pub tables: &'a Tables<'a, P>,
    given: Given<'a, T>,
    by: [&'a [T]; 3],
    out: [&'a mut [T]; 4],
}

impl<T: Scalar, const P: usize> AbaTensorsOfParts<'_, T, P> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn body<S: Scalar, Q: Limbs<S, 4>, X: Register<S>>(self, recast: Recast<T, S>) {
        let given = given(recast, &self.given);
        let [qq, qv, vv, qt] = self.out;
        let out = [recast.slice_mut(qq), recast.slice_mut(qv), recast.slice_mut(vv), recast.slice_mut(qt)];
        let by = [recast.slice(self.by[0]), recast.slice(self.by[1]), recast.slice(self.by[2])];
        let mut room = Room::new();
        // SAFETY: filled at once.
        let mut forces = unsafe { Forces::new() };
        let state = State::new::<Q, X>(self.tables, &given, &mut room);
        forces.fill::<X>(&state);
        let inverse = padded::<S, P>(by[2], self.tables.damping.len());
        forward_tensors::with_first::<S, X, P>(self.tables, (&state, &forces), &inverse, by, out);
    }
}
