//! Inverse dynamics (docs/math.md#loops-over-tables).

use super::composites::{Force, external, forces, over_subtrees};
use super::forward::{Coordinates, Work, blocks, count, turned};
use super::motion::{along_paths, axes, rates};
use super::placements::{placements, relative, world};
use super::tables::{Tables, Topology};
use super::{LANES, Register};
use crate::Scalar;
use crate::dispatch::{Kernel, Recast};
use crate::limbs::{LimbScalar, Limbs, Plain};
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
        T::dispatch(Rnea { tables, state, angles, fext, tau });
    }
}

struct Rnea<'a, T, const P: usize> {
    tables: &'a Tables<'a, P>,
    state: [&'a [T]; 3],
    angles: Option<[&'a [T]; 2]>,
    fext: Option<&'a [SVector<T, 6>]>,
    tau: &'a mut [T],
}

impl<T: Scalar, const P: usize> Kernel<T> for Rnea<'_, T, P> {
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

impl<T: Scalar, const P: usize> Rnea<'_, T, P> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>, L: Register<S>>(self, recast: Recast<T, S>) {
        let [q, v, a] = self.state;
        let state = [recast.slice(q), recast.slice(v), recast.slice(a)];
        let fext = match self.fext {
            Some(fext) => Some(recast.vectors(fext)),
            None => None,
        };
        let angles = match self.angles {
            Some([sin, cos]) => Some([recast.slice(sin), recast.slice(cos)]),
            None => None,
        };
        torques::<S, Q, L, P>(self.tables, state, angles, fext, recast.slice_mut(self.tau));
    }
}

/// The body of the kernel.
#[cfg_attr(not(debug_assertions), inline(always))]
fn torques<T: Scalar, Q: Limbs<T, 4>, L: Register<T>, const P: usize>(
    tables: &Tables<'_, P>,
    [q, v, a]: [&[T]; 3],
    angles: Option<[&[T]; 2]>,
    fext: Option<&[SVector<T, 6>]>,
    out: &mut [T],
) {
    let topology = &tables.topology;
    const { assert!(P / LANES * LANES == P && P > LANES, "whole registers, and one to spare") };
    let world = world(tables, q);
    let zero = T::zero();
    // SAFETY: each stage below reads only arrays that an earlier stage wrote.
    let mut w = unsafe { Work::<T, P>::new() };
    // SAFETY: it is filled before anything is read.
    let mut rows = unsafe { Coordinates::new() };
    rows.gather::<L>(topology, [q, v, a]);
    if let Some(angles) = angles {
        rows.turned = Some(turned(tables, q, angles));
    }
    relative::<T, L, P>(tables, &rows, &mut w);
    placements::<T, Q, P>(tables, topology, &world, q, &mut w);
    axes::<T, L, P>(tables, &rows, &mut w);
    along_paths::<T, L, P>(topology, &mut w.v, [zero; 6], &w.hop);
    rates::<T, L, P>(topology, &rows, &mut w);
    let g = world.minus_gravity;
    along_paths::<T, L, P>(topology, &mut w.a, [g[0], g[1], g[2], zero, zero, zero], &w.hop);
    forces::<T, L, P, false>(tables, &mut w);
    if let Some(fext) = fext {
        external(tables, fext, &mut w);
    }
    over_subtrees::<T, L, Force, 6, P>(topology, &tables.subtree_mass.0[0], &w.hop, &mut w.force);
    let mut tau = [zero; P];
    for b in 0..blocks::<P>(topology) {
        let at = b * LANES;
        let (sl, sw) = (w.linear.load3::<L>(0, at), w.angular.load3::<L>(0, at));
        let (f, n) = (w.force.load3::<L>(0, at), w.force.load3::<L>(3, at));
        if let Some(tau) = tau.get_mut(at..).and_then(<[T]>::first_chunk_mut) {
            sl.dot_add(f, sw.dot(n)).store(tau);
        }
    }
    on_coordinates(topology, &tau, out);
    add_joints(tables, v, a, out);
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
