//! Inverse dynamics (docs/math.md#loops-over-tables).

use super::algebra::{dot, dot_add};
use super::composites::{Force, external, forces, over_subtrees};
use super::forward::{Coordinates, Work, blocks, count};
use super::motion::{along_paths, rates};
use super::placements::{place, world};
use super::tables::{Tables, Topology};
use super::{Given, LANES, Register};
use crate::Scalar;
use crate::dispatch::{Recast, dispatched};
use crate::limbs::Limbs;
use nalgebra::SVector;

/// Torques tau at (q, v, a), with external forces in their bodies' frames.
///
/// An empty velocity or acceleration is zero. `angles` are the sines and cosines of q, if they are
/// known. All of `tau` is written.
#[inline]
pub fn rnea<T: Scalar, const P: usize>(
    tables: &Tables<'_, P>,
    state: [&[T]; 3],
    angles: Option<[&[T]; 2]>,
    fext: Option<&[SVector<T, 6>]>,
    tau: &mut [T],
) {
    if tables.has_rows() {
        T::dispatch(Rnea { tables, given: Given::new(state, angles, fext), tau });
    }
}

struct Rnea<'a, T, const P: usize> {
    tables: &'a Tables<'a, P>,
    given: Given<'a, T>,
    tau: &'a mut [T],
}

dispatched!(Rnea<P: usize>, wide, R4, X8);

impl<T: Scalar, const P: usize> Rnea<'_, T, P> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>, L: Register<Of = S>>(self, recast: Recast<T, S>) {
        let (tables, given, out) = (self.tables, self.given.recast(recast), recast.slice_mut(self.tau));
        let topology = &tables.topology;
        let (world, zero) = (world(tables, given.q), S::zero());
        // SAFETY: each stage below reads only arrays that an earlier stage wrote.
        let mut w = unsafe { Work::<S, P>::new() };
        // SAFETY: it is filled before anything is read.
        let mut rows = unsafe { Coordinates::new() };
        place::<S, Q, L, P>(tables, topology, &world, &given, &mut rows, &mut w);
        along_paths::<S, L, P>(topology, &mut w.v, [zero; 6], &w.hop);
        rates::<S, L, P>(topology, &rows, &mut w);
        along_paths::<S, L, P>(topology, &mut w.a, world.acceleration(), &w.hop);
        forces::<S, L, P, false>(tables, &mut w);
        if !given.fext.is_empty() {
            external(tables, given.fext, &mut w);
        }
        over_subtrees::<S, L, Force, 6, P>(topology, &tables.numbers.subtree_mass.0[0], &w.hop, &mut w.force);
        let mut tau = [zero; P];
        for b in 0..blocks::<P>(topology) {
            let at = b * LANES;
            let (sl, sw) = (w.linear.wide::<L, 3>(0, at), w.angular.wide::<L, 3>(0, at));
            let (f, n) = (w.force.wide::<L, 3>(0, at), w.force.wide::<L, 3>(3, at));
            if let Some(tau) = tau.get_mut(at..).and_then(<[S]>::first_chunk_mut) {
                dot_add(sl, f, dot(sw, n)).store(tau);
            }
        }
        on_coordinates(topology, &tau, out);
        add_joints(tables, given.v, given.a, out);
    }
}

/// Torques of coordinates, from the torques of the rows.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn on_coordinates<T: Scalar, const P: usize>(
    topology: &Topology<'_>,
    tau: &[T; P],
    out: &mut [T],
) {
    let rows = count::<P>(topology);
    if out.len() == rows {
        out.copy_from_slice(&tau[..rows]);
        return;
    }
    out.fill(T::zero());
    for (&at, &x) in topology.coordinate.iter().zip(&tau[..rows]) {
        if let Some(tau) = out.get_mut(usize::from(at)) {
            *tau += x;
        }
    }
}

/// Adds the torques of the joints' rotors and dampers.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn add_joints<T: Scalar, const P: usize>(tables: &Tables<'_, P>, v: &[T], a: &[T], tau: &mut [T]) {
    for ((tau, &v), &damping) in tau.iter_mut().zip(v).zip(tables.damping) {
        *tau = T::from_f64(damping).mul_add(v, *tau);
    }
    for ((tau, &a), &armature) in tau.iter_mut().zip(a).zip(tables.armature) {
        *tau = T::from_f64(armature).mul_add(a, *tau);
    }
}
