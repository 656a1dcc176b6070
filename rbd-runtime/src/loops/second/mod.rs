//! Second derivatives (docs/math.md#second-derivatives): contracted Hessians in O(n d), and tensors.
//!
//! All robots whose tables are padded to equally many rows share one compiled body.
//! Functions work on slices. They neither allocate nor panic, and skip results for which a slice is too
//! short.
//!
//! - `state`: motion subspaces, their rates, and sums over subtrees.
//! - `first`: first derivatives of tau.
//! - `contracted`: Hessians of `mu . tau`. `forward_dynamics`: Hessians of `lambda . ddq`.
//! - `tensors`: all second derivatives. `packing` selects their rows, `dense` stores them.
//! - `forward_tensors`: tensors of forward dynamics. `composed`: second derivatives from known first ones.
//! - `friction`: terms of joint friction.
//! - `of_hessians`: tensors of robots with parameters at run time.
//! - `inverse`: factors of M, and M^-1. `products`: products with matrices that the tree makes sparse.
//! - [`typed`]: all functions on matrices of a robot's sizes.
#![allow(
    clippy::needless_range_loop,
    clippy::manual_memcpy,
    reason = "iterators are not allowed a kernel's instructions"
)]

mod composed;
mod contracted;
mod dense;
mod first;
mod forward_dynamics;
mod forward_tensors;
mod friction;
mod inverse;
pub mod of_hessians;
mod packing;
mod products;
mod square;
mod state;
mod tensors;
pub mod typed;

pub use composed::{AbaHessianOfParts, aba_second_derivatives_of_parts};
pub use contracted::Hessian;
pub use forward_dynamics::First;
pub use friction::{Friction, JointFriction};

pub use super::Given;
use super::{Register, Tables};
use crate::Scalar;
use crate::dispatch::{Recast, dispatched};
use crate::limbs::Limbs;
use core::mem::MaybeUninit;
use dense::Dense;
use first::Forces;
use state::{Multiplier, Room, State};

/// Rows of the longest tables for which second derivatives are generated.
///
/// Tensors of more coordinates take gigabytes.
pub const MOST_ROWS: usize = 1000;

/// Results of a Hessian, recast to another scalar.
#[cfg_attr(not(debug_assertions), inline(always))]
fn hessian_of<'a, T: Scalar, S: Scalar>(recast: Recast<T, S>, out: Hessian<'a, T>) -> Hessian<'a, S> {
    let [by_q, by_v, by_a] = out.gradient;
    let [qq, qv, vv, qa] = out.blocks;
    Hessian {
        value: recast.slice_mut(out.value),
        gradient: [recast.slice_mut(by_q), recast.slice_mut(by_v), recast.slice_mut(by_a)],
        blocks: [recast.slice_mut(qq), recast.slice_mut(qv), recast.slice_mut(vv), recast.slice_mut(qa)],
        leaves_zeros: out.leaves_zeros,
    }
}

/// Results of first derivatives, recast to another scalar.
#[cfg_attr(not(debug_assertions), inline(always))]
fn first_of<'a, T: Scalar, S: Scalar>(recast: Recast<T, S>, first: First<'a, T>) -> First<'a, S> {
    let [by_q, by_v, by_tau] = first.by;
    let by = [recast.slice_mut(by_q), recast.slice_mut(by_v), recast.slice_mut(by_tau)];
    First { ddq: recast.slice_mut(first.ddq), by }
}

/// Value, gradient and Hessians of `mu . tau`.
pub fn rnea_hessian<T: Scalar, const P: usize>(
    tables: &Tables<'_, P>,
    given: Given<'_, T>,
    out: Hessian<'_, T>,
) {
    if tables.has_rows() {
        T::dispatch(RneaHessian { tables, given, out });
    }
}

struct RneaHessian<'a, T, const P: usize> {
    tables: &'a Tables<'a, P>,
    given: Given<'a, T>,
    out: Hessian<'a, T>,
}

dispatched!(RneaHessian<P: usize>, wide, R4, X8);

impl<T: Scalar, const P: usize> RneaHessian<'_, T, P> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>, X: Register<Of = S>>(self, recast: Recast<T, S>) {
        let given = self.given.recast(recast);
        let out = hessian_of(recast, self.out);
        let mut room = MaybeUninit::uninit();
        let room = Room::within(&mut room);
        // SAFETY: `multiply` follows before any read.
        let mut multiplier = unsafe { Multiplier::new() };
        // SAFETY: `fill` follows before any read.
        let mut forces = unsafe { Forces::new() };
        let state = State::new::<Q, X>(self.tables, &given, room);
        state.multiply::<X>(given.mu, &mut multiplier);
        forces.fill::<X>(&state);
        let of = (&state, &multiplier, &forces);
        contracted::hessian::<S, X, P>(self.tables, of, [given.v, given.a, given.mu], out);
    }
}

/// Value, gradient and Hessians of `lambda . ddq`, and first derivatives of ddq.
///
/// `given.a` is tau, `given.mu` lambda, and the Hessians' third variable tau.
pub fn aba_hessian<T: Scalar, const P: usize>(
    tables: &Tables<'_, P>,
    given: Given<'_, T>,
    first: First<'_, T>,
    out: Hessian<'_, T>,
) {
    if tables.has_rows() {
        T::dispatch(AbaHessian { tables, given, first, out });
    }
}

struct AbaHessian<'a, T, const P: usize> {
    tables: &'a Tables<'a, P>,
    given: Given<'a, T>,
    first: First<'a, T>,
    out: Hessian<'a, T>,
}

dispatched!(AbaHessian<P: usize>, wide, R4, X8);

impl<T: Scalar, const P: usize> AbaHessian<'_, T, P> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>, X: Register<Of = S>>(self, recast: Recast<T, S>) {
        let given = self.given.recast(recast);
        let first = first_of(recast, self.first);
        let out = hessian_of(recast, self.out);
        forward_dynamics::hessian::<S, Q, X, P>(self.tables, &given, first, out);
    }
}

/// Second derivatives of inverse dynamics by q and q, q and v, v and v, q and a.
///
/// Element `(k n + j) n + i` is output i.
/// It is differentiated by component j of the first variable and component k of the second.
/// Tensors must be zero at first, or results of this function for the same robot.
pub fn rnea_second_derivatives<T: Scalar, const P: usize>(
    tables: &Tables<'_, P>,
    given: Given<'_, T>,
    out: [&mut [T]; 4],
) {
    if tables.has_rows() {
        T::dispatch(RneaTensors { tables, given, out });
    }
}

struct RneaTensors<'a, T, const P: usize> {
    tables: &'a Tables<'a, P>,
    given: Given<'a, T>,
    out: [&'a mut [T]; 4],
}

dispatched!(RneaTensors<P: usize>, wide, R4, X8);

impl<T: Scalar, const P: usize> RneaTensors<'_, T, P> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>, X: Register<Of = S>>(self, recast: Recast<T, S>) {
        let given = self.given.recast(recast);
        let [qq, qv, vv, qa] = self.out;
        let out = [recast.slice_mut(qq), recast.slice_mut(qv), recast.slice_mut(vv), recast.slice_mut(qa)];
        let mut room = MaybeUninit::uninit();
        let room = Room::within(&mut room);
        // SAFETY: `fill` follows before any read.
        let mut forces = unsafe { Forces::new() };
        let state = State::new::<Q, X>(self.tables, &given, room);
        forces.fill::<X>(&state);
        let mut dense = Dense::new(self.tables, out);
        tensors::tensors::<S, X, P>(&state, &forces, &mut dense);
    }
}

/// Second derivatives of forward dynamics by q and q, q and v, v and v, q and tau, and first derivatives.
///
/// The layout is that of [`rnea_second_derivatives`]. `given.a` is tau.
pub fn aba_second_derivatives<T: Scalar, const P: usize>(
    tables: &Tables<'_, P>,
    given: Given<'_, T>,
    first: First<'_, T>,
    out: [&mut [T]; 4],
) {
    if tables.has_rows() {
        T::dispatch(AbaTensors { tables, given, first, out });
    }
}

struct AbaTensors<'a, T, const P: usize> {
    tables: &'a Tables<'a, P>,
    given: Given<'a, T>,
    first: First<'a, T>,
    out: [&'a mut [T]; 4],
}

dispatched!(AbaTensors<P: usize>, wide, R4, X8);

impl<T: Scalar, const P: usize> AbaTensors<'_, T, P> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>, X: Register<Of = S>>(self, recast: Recast<T, S>) {
        let given = self.given.recast(recast);
        let [qq, qv, vv, qt] = self.out;
        let out = [recast.slice_mut(qq), recast.slice_mut(qv), recast.slice_mut(vv), recast.slice_mut(qt)];
        let first = first_of(recast, self.first);
        forward_tensors::forward_tensors::<S, Q, X, P>(self.tables, &given, first, out);
    }
}
