//! The mass matrix (docs/math.md#loops-over-tables).

use super::algebra::{Inertia, inertia_of, inertia_times, join};
use super::composites::{Moments, inertias, over_subtrees};
use super::forward::{Coordinates, Work, blocks, constant};
use super::matrices::matrices;
use super::pairs::{BY_A, Forces};
use super::placements::{place, world};
use super::tables::Tables;
use super::{Given, LANES, Register};
use crate::Scalar;
use crate::dispatch::{Recast, dispatched};
use crate::limbs::Limbs;

/// M(q), full and symmetric, `nv` by `nv`, column after column. `angles` are the sines and cosines
/// of q, if they are known. Entries of `out` that are zero in every state are left alone with `leaves_zeros`,
/// and written without it.
#[inline]
pub fn crba<T: Scalar, const P: usize>(
    tables: &Tables<'_, P>,
    q: &[T],
    angles: Option<[&[T]; 2]>,
    (nv, leaves_zeros): (usize, bool),
    out: &mut [T],
) {
    if tables.has_rows() {
        let given = Given::new([q, &[], &[]], angles, None);
        T::dispatch(Crba { tables, given, nv, leaves_zeros, out });
    }
}

struct Crba<'a, T, const P: usize> {
    tables: &'a Tables<'a, P>,
    given: Given<'a, T>,
    nv: usize,
    leaves_zeros: bool,
    out: &'a mut [T],
}

dispatched!(Crba<P: usize>, wide, R4, X8);

impl<T: Scalar, const P: usize> Crba<'_, T, P> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>, L: Register<Of = S>>(self, recast: Recast<T, S>) {
        let Self { tables, nv, leaves_zeros, .. } = self;
        let (given, out) = (self.given.recast(recast), recast.slice_mut(self.out));
        let (topology, world) = (&tables.topology, world(tables, given.q));
        // SAFETY: it is filled before anything is read.
        let mut rows = unsafe { Coordinates::<S, P>::new() };
        // SAFETY: each stage below reads only arrays that an earlier stage wrote.
        let mut w = unsafe { Work::<S, P>::new() };
        // SAFETY: as above.
        let mut t = unsafe { Forces::<S, P>::new() };
        place::<S, Q, L, P>(tables, topology, &world, &given, &mut rows, &mut w);
        inertias::<S, L, P>(tables, &mut w);
        over_subtrees::<S, L, Moments, 9, P>(
            topology,
            &tables.numbers.subtree_mass.0[0],
            &w.hop,
            &mut w.inertia,
        );
        for b in 0..blocks::<P>(topology) {
            let at = b * LANES;
            let i: Inertia<L> =
                inertia_of(constant(&tables.numbers.subtree_mass, 0, at), w.inertia.wide(0, at));
            t.put(0, at, inertia_times(i, join(w.linear.wide(0, at), w.angular.wide(0, at))));
        }
        t.linear.clear::<L>(blocks::<P>(topology) * LANES);
        t.angular.clear::<L>(blocks::<P>(topology) * LANES);
        let matrix = [&mut [], &mut [], &mut *out];
        matrices::<S, L, P, BY_A>(topology, &w, &t, &world, matrix, (nv, leaves_zeros));
        for (i, &armature) in tables.armature.iter().enumerate() {
            if armature != 0.0
                && let Some(m) = out.get_mut(i * (nv + 1))
            {
                *m += S::from_f64(armature);
            }
        }
    }
}
