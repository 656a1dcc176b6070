//! Second derivatives (docs/math.md#second-derivatives): Hessians contracted with a multiplier in O(n d), and tensors.
//!
//! One body of code for all robots whose tables are padded to the same number of rows: everything works on slices, and
//! nothing allocates or panics. What the slices are too short for is left out.
//!
//! - `state`: motion subspaces, their rates, and what subtrees have; `vectors`, `operators` are its algebra.
//! - `first`: first derivatives of tau; `contracted`: the Hessians of `mu . tau`; `forward_dynamics` those of `lambda . ddq`.
//! - `tensors`: all second derivatives; `packing` says of which rows, `dense` where they go;
//!   `forward_tensors` makes those of forward dynamics of them. `composed`: of first derivatives that there are already.
//! - `friction`: what joint friction adds. `of_hessians`: tensors of a robot that takes something at run time.
//! - `inverse`: factors of M, and M^-1; `products` with what a tree makes zero. [`typed`]: all of this on matrices of a robot's sizes.
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
mod operators;
mod packing;
mod products;
mod square;
mod state;
mod tensors;
pub mod typed;
mod vectors;

pub use composed::{AbaHessianOfParts, aba_second_derivatives_of_parts};
pub use contracted::Hessian;
pub use forward_dynamics::First;
pub use friction::{Friction, JointFriction};
pub use state::Given;

use super::{Register, Tables};
use crate::Scalar;
use crate::dispatch::{Kernel, Recast};
use crate::limbs::{LimbScalar, Limbs, Plain};
use composed::AbaTensorsOfParts;
use core::mem::MaybeUninit;
use dense::Dense;
use first::Forces;
use state::{Multiplier, Room, State};

/// Rows of the longest tables for which second derivatives are generated: tensors of more coordinates take gigabytes.
pub const MOST_ROWS: usize = 1000;

/// The given numbers, read as another scalar.
#[cfg_attr(not(debug_assertions), inline(always))]
fn given<'a, T: Scalar, S: Scalar>(recast: Recast<T, S>, of: &Given<'a, T>) -> Given<'a, S> {
    Given {
        q: recast.slice(of.q),
        v: recast.slice(of.v),
        a: recast.slice(of.a),
        mu: recast.slice(of.mu),
        fext: recast.matrix_slice(of.fext),
        turned: match of.turned {
            Some([sin, cos]) => Some([recast.slice(sin), recast.slice(cos)]),
            None => None,
        },
    }
}

/// The same for results.
#[cfg_attr(not(debug_assertions), inline(always))]
fn hessian_of<'a, T: Scalar, S: Scalar>(recast: Recast<T, S>, out: Hessian<'a, T>) -> Hessian<'a, S> {
    let [by_q, by_v, by_a] = out.gradient;
    let [qq, qv, vv, qa] = out.blocks;
    Hessian {
        value: recast.slice_mut(out.value),
        gradient: [recast.slice_mut(by_q), recast.slice_mut(by_v), recast.slice_mut(by_a)],
        blocks: [recast.slice_mut(qq), recast.slice_mut(qv), recast.slice_mut(vv), recast.slice_mut(qa)],
    }
}

/// The same for first derivatives.
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

impl<T: Scalar, const P: usize> RneaHessian<'_, T, P> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn body<S: Scalar, Q: Limbs<S, 4>, X: Register<S>>(self, recast: Recast<T, S>) {
        let given = given(recast, &self.given);
        let out = hessian_of(recast, self.out);
        let mut room = MaybeUninit::uninit();
        let room = Room::within(&mut room);
        // SAFETY: both are filled at once.
        let mut multiplier = unsafe { Multiplier::new() };
        // SAFETY: as above.
        let mut forces = unsafe { Forces::new() };
        let state = State::new::<Q, X>(self.tables, &given, room);
        state.multiply::<X>(given.mu, &mut multiplier);
        forces.fill::<X>(&state);
        let of = (&state, &multiplier, &forces);
        contracted::hessian::<S, X, P>(self.tables, of, [given.v, given.a, given.mu], out);
    }
}

/// Value, gradient and Hessians of `lambda . ddq`, and the first derivatives of ddq: `given.a` is tau, and `given.mu` lambda;
/// the Hessians' third variable is tau.
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

impl<T: Scalar, const P: usize> AbaHessian<'_, T, P> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn body<S: Scalar, Q: Limbs<S, 4>, X: Register<S>>(self, recast: Recast<T, S>) {
        let given = given(recast, &self.given);
        let first = first_of(recast, self.first);
        let out = hessian_of(recast, self.out);
        forward_dynamics::hessian::<S, Q, X, P>(self.tables, &given, first, out);
    }
}

/// Second derivatives of inverse dynamics by q and q, q and v, v and v, q and a, into tensors that were zero at first or
/// made by this function for the same robot: element `(k n + j) n + i` is entry i of the derivative by the first variable's
/// j and the second one's k.
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

impl<T: Scalar, const P: usize> RneaTensors<'_, T, P> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn body<S: Scalar, Q: Limbs<S, 4>, X: Register<S>>(self, recast: Recast<T, S>) {
        let given = given(recast, &self.given);
        let [qq, qv, vv, qa] = self.out;
        let out = [recast.slice_mut(qq), recast.slice_mut(qv), recast.slice_mut(vv), recast.slice_mut(qa)];
        let mut room = MaybeUninit::uninit();
        let room = Room::within(&mut room);
        // SAFETY: filled at once.
        let mut forces = unsafe { Forces::new() };
        let state = State::new::<Q, X>(self.tables, &given, room);
        forces.fill::<X>(&state);
        let mut dense = Dense::new(self.tables, out);
        tensors::tensors::<S, X, P>(&state, &forces, &mut dense);
    }
}

/// Second derivatives of forward dynamics by q and q, q and v, v and v, q and tau, in the layout of
/// [`rnea_second_derivatives`], and the first ones. `given.a` is tau.
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

impl<T: Scalar, const P: usize> AbaTensors<'_, T, P> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn body<S: Scalar, Q: Limbs<S, 4>, X: Register<S>>(self, recast: Recast<T, S>) {
        let given = given(recast, &self.given);
        let [qq, qv, vv, qt] = self.out;
        let out = [recast.slice_mut(qq), recast.slice_mut(qv), recast.slice_mut(vv), recast.slice_mut(qt)];
        let first = first_of(recast, self.first);
        forward_tensors::forward_tensors::<S, Q, X, P>(self.tables, &given, first, out);
    }
}

/// A kernel of loops, for robots that [`Tables::has_rows`] is true of: with a field `tables`, and a `body` for each kind of registers.
macro_rules! kernel {
    ($name:ident) => {
        impl<T: Scalar, const P: usize> Kernel<T> for $name<'_, T, P> {
            type Output = ();
            const WIDE: bool = true;

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn run<S: Scalar>(self, recast: Recast<T, S>) {
                self.body::<S, Plain<S, 4>, Plain<S, 8>>(recast);
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn run_limbs<S: LimbScalar>(self, recast: Recast<T, S>) {
                self.body::<S, S::X4, S::X8>(recast);
            }
        }
    };
}
kernel!(RneaHessian);
kernel!(AbaHessian);
kernel!(RneaTensors);
kernel!(AbaTensors);
kernel!(AbaTensorsOfParts);
