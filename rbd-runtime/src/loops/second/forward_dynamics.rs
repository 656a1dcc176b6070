//! Value, gradient and Hessians of `lambda . ddq` (docs/math.md#contracted-second-derivatives).
//!
//! First derivatives of forward dynamics, which they need, are here too.

use super::super::{LANES, Register, Tables};
use super::Given;
use super::contracted::{self, Hessian};
use super::first::{Forces, Jacobians};
use super::inverse::{Factors, Padded, solve};
use super::products::{minus_product, product};
use super::state::{Multiplier, Room, State, element};
use crate::Scalar;
use crate::limbs::Limbs;
use crate::loops::algebra::dot;
use core::mem::MaybeUninit;

/// Forward dynamics and its first derivatives, column by column.
pub struct First<'a, S> {
    /// Accelerations.
    pub ddq: &'a mut [S],
    /// Derivatives by q, v and tau.
    pub by: [&'a mut [S]; 3],
}

/// Intermediate results of derivatives of forward dynamics.
pub struct Linearised<S, const P: usize> {
    /// Forces at the accelerations of forward dynamics.
    pub forces: Forces<S, P>,
    /// Inverse `M^-1`.
    pub inverse: Padded<S, P>,
    /// Accelerations.
    pub ddq: [S; P],
    /// Weights of torques `-M^-1 lambda`.
    pub mu: [S; P],
}

impl<S: Scalar, const P: usize> Linearised<S, P> {
    /// # Safety
    /// [`Self::fill`]ed before anything reads it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn new() -> Self {
        let zero = [S::zero(); P];
        // SAFETY: `fill` precedes any read, by the contract of this function.
        Self { forces: unsafe { Forces::new() }, inverse: [zero; P], ddq: zero, mu: zero }
    }

    /// Fills itself and `first`. Returns the state at the accelerations of forward dynamics.
    ///
    /// `given.a` is tau, and `given.mu` lambda.
    /// Afterwards, `work` holds derivatives of inverse dynamics by q and v.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn fill<'a, Q: Limbs<S, 4>, X: Register<Of = S>>(
        &mut self,
        tables: &'a Tables<'a, P>,
        given: &Given<'_, S>,
        first: First<'_, S>,
        work: [&mut [S]; 2],
        room: &'a mut Room<S, P>,
    ) -> State<'a, S, P> {
        let (topology, n) = (&tables.topology, tables.damping.len().min(P));
        let Self { forces, inverse, ddq, mu } = self;
        let mut state = State::<S, P>::new::<Q, X>(tables, &Given { a: &[], ..*given }, room);
        let [by_q, by_v, by_tau] = first.by;
        forces.fill::<X>(&state);
        forces.mass::<X>(tables, &state, by_tau);
        let factors = Factors::<S, P>::new::<X>(tables, by_tau);

        for c in 0..n {
            let damping = S::from_f64(tables.damping[c]);
            ddq[c] = (-damping).mul_add(element(given.v, c), element(given.a, c));
            mu[c] = -element(given.mu, c);
        }
        let mut row = 0;
        while row < state.count() {
            let tau = dot(state.s::<X>(row), state.force::<X>(row)).lanes();
            for k in 0..(state.count() - row).min(LANES) {
                let c = if row + k < topology.coordinate.len() {
                    usize::from(topology.coordinate[row + k])
                } else {
                    P
                };
                if c < n {
                    ddq[c] -= tau[k];
                }
            }
            row += LANES;
        }
        factors.inverse::<X>(inverse);
        for x in [&mut *ddq, &mut *mu] {
            let wanted = *x;
            solve::<S, X, P>(inverse, by_tau, n, &wanted, x);
        }
        for c in 0..n.min(first.ddq.len()) {
            first.ddq[c] = ddq[c];
        }
        for c in 0..n {
            for r in 0..n {
                if c * n + r < by_tau.len() {
                    by_tau[c * n + r] = inverse[c][r];
                }
            }
        }
        state.accelerate::<X>(ddq, given.fext);
        forces.accelerate::<X>(&state);
        let [dq, dv] = work;
        forces.jacobians::<X>(tables, &state, Jacobians { by: [&mut *dq, &mut *dv] });
        minus_product::<S, X, P>(topology, n, inverse, dq, by_q);
        minus_product::<S, X, P>(topology, n, inverse, dv, by_v);
        state
    }
}

/// Value, gradient and Hessians of `lambda . ddq`, and first derivatives of forward dynamics.
///
/// `given.a` is tau, `given.mu` lambda, and the Hessian's third variable tau.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn hessian<S: Scalar, Q: Limbs<S, 4>, X: Register<Of = S>, const P: usize>(
    tables: &Tables<'_, P>,
    given: &Given<'_, S>,
    first: First<'_, S>,
    out: Hessian<'_, S>,
) {
    let n = tables.damping.len().min(P);
    let [qq, qv, vv, qt] = out.blocks;
    let [by_q, by_v, by_tau] = first.by;
    let into = First { ddq: first.ddq, by: [&mut *by_q, &mut *by_v, &mut *by_tau] };
    let mut room = MaybeUninit::uninit();
    let room = Room::within(&mut room);
    // SAFETY: `fill` follows before any read.
    let mut linearised = unsafe { Linearised::new() };
    // SAFETY: `multiply` follows before any read.
    let mut multiplier = unsafe { Multiplier::new() };
    let state = linearised.fill::<Q, X>(tables, given, into, [&mut *qq, &mut *qv], room);
    let Linearised { forces, inverse, ddq, mu } = &mut linearised;
    state.multiply::<X>(mu, &mut multiplier);

    let [dq, dv, dt] = out.gradient;
    let blocks = [&mut *qq, &mut *qv, &mut *vv, &mut *qt];
    let of_tau =
        Hessian { value: &mut *out.value, gradient: [dq, dv, &mut *dt], blocks, leaves_zeros: false };
    let of = (&state, &multiplier, &*forces);
    contracted::hessian::<S, X, P>(tables, of, [given.v, ddq, mu], of_tau);
    let mut value = S::zero();
    for c in 0..n {
        if c < dt.len() {
            dt[c] = -mu[c];
        }
        value = element(given.mu, c).mul_add(ddq[c], value);
    }
    if let Some(to) = out.value.first_mut() {
        *to = value;
    }

    for c in 0..n {
        for r in 0..n {
            inverse[c][r] = element(qt, c * n + r);
        }
    }
    with_first::<S, X, P>(tables, inverse, [by_q, by_v, by_tau], [qq, qv, qt]);
}

/// Adds the terms of first derivatives `by` q, v and tau to Hessians of `mu . tau`.
///
/// With z the Hessian by q and a, the products are `Y_q = z by_q`, `Y_v = z by_v` and `Y_tau = z by_tau`.
/// The Hessian by q and q gains `Y_q + Y_q^T`, that by q and v `Y_v`. That by q and tau becomes `Y_tau`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn with_first<S: Scalar, X: Register<Of = S>, const P: usize>(
    tables: &Tables<'_, P>,
    z: &Padded<S, P>,
    [by_q, by_v, by_tau]: [&[S]; 3],
    [qq, qv, qt]: [&mut [S]; 3],
) {
    let (topology, n) = (&tables.topology, tables.damping.len().min(P));
    let mut y = [[S::zero(); P]; P];
    let y = y.as_flattened_mut();
    product::<S, X, P>(topology, n, z, by_v, y);
    for (to, y) in qv.iter_mut().zip(&*y) {
        *to += *y;
    }
    product::<S, X, P>(topology, n, z, by_tau, qt);
    product::<S, X, P>(topology, n, z, by_q, y);
    let (Some(y), Some(qq)) = (y.get(..n * n), qq.get_mut(..n * n)) else { return };
    for (c, column) in qq.chunks_exact_mut(n.max(1)).enumerate() {
        for (r, to) in column.iter_mut().enumerate() {
            *to += element(y, c * n + r) + element(y, r * n + c);
        }
    }
}
