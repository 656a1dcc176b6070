//! Second derivatives of forward dynamics from its first derivatives, however these were computed: what a generated robot has
//! straight-line code for need not be done by loops.

use super::contracted::{Forces, Hessian};
use super::inverse::Padded;
use super::state::{Given, Room, State, element};
use super::{forward_dynamics, forward_tensors, given, hessian_of};
use crate::Scalar;
use crate::dispatch::Recast;
use crate::limbs::Limbs;
use crate::loops::{Register, Tables};

/// Value, gradient and Hessians of `lambda . ddq`, the third variable being tau: of the weights `[lambda, mu]` with
/// `mu = -M^-1 lambda`, accelerations and their derivatives by q, v and tau (`first`), and of `mu . tau` at these accelerations
/// the gradients by q and v and the blocks by q and q, q and v, v and v, q and a (`of`).
pub fn aba_hessian_of_parts<T: Scalar, const P: usize>(
    tables: &Tables<'_, P>,
    weights: [&[T]; 2],
    first: [&[T]; 4],
    of: ([&[T]; 2], [&[T]; 4]),
    out: Hessian<'_, T>,
) {
    T::dispatch(AbaHessianOfParts { tables, weights, first, of, out });
}

pub(super) struct AbaHessianOfParts<'a, T, const P: usize> {
    pub tables: &'a Tables<'a, P>,
    weights: [&'a [T]; 2],
    first: [&'a [T]; 4],
    of: ([&'a [T]; 2], [&'a [T]; 4]),
    out: Hessian<'a, T>,
}

impl<T: Scalar, const P: usize> AbaHessianOfParts<'_, T, P> {
    #[inline(always)]
    pub fn body<S: Scalar, Q: Limbs<S, 4>, X: Register<S>>(self, recast: Recast<T, S>) {
        let (lambda, mu) = (recast.slice(self.weights[0]), recast.slice(self.weights[1]));
        let (ddq, by_q) = (recast.slice(self.first[0]), recast.slice(self.first[1]));
        let (by_v, by_tau) = (recast.slice(self.first[2]), recast.slice(self.first[3]));
        let ([dq, dv], [qq, qv, vv, qa]) = self.of;
        let Hessian { value, gradient, blocks } = hessian_of(recast, self.out);
        let n = self.tables.damping.len().min(P);

        let mut sum = S::zero();
        for c in 0..n {
            sum = element(lambda, c).mul_add(element(ddq, c), sum);
        }
        if let Some(value) = value.first_mut() {
            *value = sum;
        }
        let [to_q, to_v, to_tau] = gradient;
        copy(recast.slice(dq), to_q);
        copy(recast.slice(dv), to_v);
        for (to, mu) in to_tau.iter_mut().zip(mu) {
            *to = -*mu;
        }
        let [to_qq, to_qv, to_vv, to_qt] = blocks;
        copy(recast.slice(qq), to_qq);
        copy(recast.slice(qv), to_qv);
        copy(recast.slice(vv), to_vv);
        let z = padded::<S, P>(recast.slice(qa), n);
        forward_dynamics::with_first::<S, X, P>(self.tables, &z, [by_q, by_v, by_tau], [to_qq, to_qv, to_qt]);
    }
}

#[inline(always)]
fn copy<S: Scalar>(from: &[S], to: &mut [S]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}

/// A square matrix of `n` columns, padded.
#[inline(always)]
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
    #[inline(always)]
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
