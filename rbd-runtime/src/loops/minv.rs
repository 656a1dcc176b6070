//! The inverse of the mass matrix by articulated bodies (docs/math.md#solving-by-articulated-bodies).

use super::aba::{bodies, inward};
use super::articulated::Factors;
use super::forward::{Coordinates, Work};
use super::placements::{place, world};
use super::solves::Solver;
use super::tables::Tables;
use super::{Given, Register};
use crate::Scalar;
use crate::dispatch::{Recast, dispatched};
use crate::limbs::Limbs;

/// M(q)^-1, full and symmetric, by columns, for a robot without mimic joints. `angles` are the sines
/// and cosines of q, if they are known. All of `out` is written.
#[inline]
pub fn minv<T: Scalar, const P: usize>(
    tables: &Tables<'_, P>,
    q: &[T],
    angles: Option<[&[T]; 2]>,
    nv: usize,
    out: &mut [T],
) {
    if tables.has_rows() {
        T::dispatch(Minv { tables, given: Given::new([q, &[], &[]], angles, None), nv, out });
    }
}

struct Minv<'a, T, const P: usize> {
    tables: &'a Tables<'a, P>,
    given: Given<'a, T>,
    nv: usize,
    out: &'a mut [T],
}

dispatched!(Minv<P: usize>, wide, R4, X8);

impl<T: Scalar, const P: usize> Minv<'_, T, P> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>, L: Register<Of = S>>(self, recast: Recast<T, S>) {
        let Self { tables, nv, .. } = self;
        let (given, out) = (self.given.recast(recast), recast.slice_mut(self.out));
        let (topology, world) = (&tables.topology, world(tables, given.q));
        // SAFETY: it is filled before anything is read.
        let mut rows = unsafe { Coordinates::<S, P>::new() };
        // SAFETY: each stage below reads only arrays that an earlier stage wrote.
        let mut w = unsafe { Work::<S, P>::new() };
        place::<S, Q, L, P>(tables, topology, &world, &given, &mut rows, &mut w);
        bodies::<S, L, P, false>(tables, &mut w);
        // SAFETY: `inward` writes all rows of the joints, and nobody reads others.
        let mut factors = unsafe { Factors::new() };
        inward::<S, Q, P>(tables, &w, [&[], &[]], &mut factors);
        Solver::<S, L, P>::new(topology, &factors).inverse(out, nv);
    }
}
