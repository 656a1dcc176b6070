//! The mass matrix (docs/math.md#loops-over-tables).

use super::composites::{Moments, inertias, over_subtrees};
use super::forward::{Coordinates, Work, blocks, constant, turned};
use super::matrices::matrices;
use super::motion::axes;
use super::pairs::{BY_A, Forces};
use super::placements::{placements, relative, world};
use super::tables::Tables;
use super::vector::v3;
use super::{LANES, Register};
use crate::Scalar;
use crate::dispatch::{Kernel, Recast};
use crate::limbs::{LimbScalar, Limbs, Plain};

/// M(q), full and symmetric, `nv` by `nv`, column after column. `angles` are the sines and cosines
/// of q, if they are known. All of `out` is written.
#[inline]
pub fn crba<T: Scalar, const P: usize>(
    tables: &Tables<'_, P>,
    q: &[T],
    angles: Option<[&[T]; 2]>,
    nv: usize,
    out: &mut [T],
) {
    if tables.has_rows() {
        T::dispatch(Crba { tables, q, angles, nv, out });
    }
}

struct Crba<'a, T, const P: usize> {
    tables: &'a Tables<'a, P>,
    q: &'a [T],
    angles: Option<[&'a [T]; 2]>,
    nv: usize,
    out: &'a mut [T],
}

impl<T: Scalar, const P: usize> Kernel<T> for Crba<'_, T, P> {
    type Output = ();
    const WIDE: bool = true;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<S: Scalar>(self, recast: Recast<T, S>) {
        self.with::<S, Plain<S, 4>, Plain<S, LANES>>(recast);
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run_limbs<S: LimbScalar>(self, recast: Recast<T, S>) {
        self.with::<S, S::X4, S::X8>(recast);
    }
}

impl<T: Scalar, const P: usize> Crba<'_, T, P> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>, L: Register<S>>(self, recast: Recast<T, S>) {
        let (q, out) = (recast.slice(self.q), recast.slice_mut(self.out));
        let angles = match self.angles {
            Some([sin, cos]) => Some([recast.slice(sin), recast.slice(cos)]),
            None => None,
        };
        mass_matrix::<S, Q, L, P>(self.tables, (q, angles), self.nv, out);
    }
}

/// The body of the kernel.
#[cfg_attr(not(debug_assertions), inline(always))]
fn mass_matrix<T: Scalar, Q: Limbs<T, 4>, L: Register<T>, const P: usize>(
    tables: &Tables<'_, P>,
    (q, angles): (&[T], Option<[&[T]; 2]>),
    nv: usize,
    out: &mut [T],
) {
    let topology = &tables.topology;
    const { assert!(P / LANES * LANES == P && P > LANES, "whole registers, and one to spare") };
    // SAFETY: it is filled before anything is read.
    let mut rows = unsafe { Coordinates::<T, P>::new() };
    rows.gather::<L>(topology, [q, &[], &[]]);
    if let Some(angles) = angles {
        rows.turned = Some(turned(tables, q, angles));
    }
    let world = world(tables, q);
    // SAFETY: each stage below reads only arrays that an earlier stage wrote.
    let mut w = unsafe { Work::<T, P>::new() };
    // SAFETY: as above.
    let mut t = unsafe { Forces::<T, P>::new() };
    relative::<T, L, P>(tables, &rows, &mut w);
    placements::<T, Q, P>(tables, topology, &world, q, &mut w);
    axes::<T, L, P>(tables, &rows, &mut w);
    inertias::<T, L, P>(tables, &mut w);
    over_subtrees::<T, L, Moments, 9, P>(topology, &tables.subtree_mass.0[0], &w.hop, &mut w.inertia);
    for b in 0..blocks::<P>(topology) {
        let at = b * LANES;
        let i = &w.inertia;
        let (xx, xy, xz): (L, L, L) = (i.load(3, at), i.load(4, at), i.load(5, at));
        let (yy, yz, zz): (L, L, L) = (i.load(6, at), i.load(7, at), i.load(8, at));
        let s = [v3([xx, xy, xz]), v3([xy, yy, yz]), v3([xz, yz, zz])];
        let (l, a) = (w.linear.load3::<L>(0, at), w.angular.load3::<L>(0, at));
        let h = i.load3::<L>(0, at);
        // I s, with the rotational inertia tr(S) 1 - S.
        let f = a.cross_add(h, l.scale(constant(&tables.subtree_mass, 0, at)));
        let n = h.cross_add(l, a.scale(xx + yy + zz)) - v3([s[0].dot(a), s[1].dot(a), s[2].dot(a)]);
        t.linear.store3(0, at, f);
        t.angular.store3(0, at, n);
    }
    t.linear.clear::<L>(blocks::<P>(topology) * LANES);
    t.angular.clear::<L>(blocks::<P>(topology) * LANES);
    matrices::<T, L, P, BY_A>(topology, &w, &t, &world, [&mut [], &mut [], &mut *out], nv);
    for (i, &armature) in tables.armature.iter().enumerate() {
        if armature != 0.0
            && let Some(m) = out.get_mut(i * (nv + 1))
        {
            *m += T::from_f64(armature);
        }
    }
}
