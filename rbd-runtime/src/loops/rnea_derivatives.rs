//! Inverse dynamics and its first derivatives (docs/math.md#loops-over-tables).

use super::algebra::*;
use super::composites::{Drift, Force, Moments, block_over_subtrees, external_of_block, forces_of_block};
use super::forward::{Coordinates, Work, World, blocks, constant};
use super::matrices::matrices;
use super::motion::{along_paths, rates, second_rates};
use super::pairs::{ALL, BY_Q, BY_V_AND_A, Forces};
use super::placements::{place, world};
use super::rnea::{add_joints, on_coordinates};
use super::tables::Tables;
use super::{Given, LANES, Register};
use crate::dispatch::{Part, Recast, dispatched};
use crate::limbs::Limbs;
use crate::{RneaDerivatives, Scalar};
use core::marker::PhantomData;
use nalgebra::SVector;

/// tau, its derivatives by q, v and a at (q, v, a), with external forces that are constant in their
/// bodies' frames. Everything in `out` is written.
#[inline]
pub fn rnea_derivatives<T: Scalar, const P: usize, const NQ: usize, const NV: usize>(
    tables: &Tables<'_, P>,
    q: &SVector<T, NQ>,
    v: &SVector<T, NV>,
    a: &SVector<T, NV>,
    fext: Option<&[SVector<T, 6>]>,
    out: &mut RneaDerivatives<T, NV>,
) {
    rnea_derivatives_of_slices(
        tables,
        [q.as_slice(), v.as_slice(), a.as_slice()],
        None,
        fext,
        Results {
            tau: out.tau.as_mut_slice(),
            dq: out.dtau_dq.as_mut_slice(),
            dv: out.dtau_dv.as_mut_slice(),
            da: out.dtau_da.as_mut_slice(),
            leaves_zeros: false,
        },
    );
}

/// Destinations of the results: nv by nv matrices by columns.
#[derive(Debug)]
pub struct Results<'a, T> {
    /// Torques.
    pub tau: &'a mut [T],
    /// Derivative of the torques by the configuration.
    pub dq: &'a mut [T],
    /// Derivative of the torques by the velocity.
    pub dv: &'a mut [T],
    /// Derivative by the acceleration: the mass matrix.
    pub da: &'a mut [T],
    /// True if entries that are zero in every state are left alone. They are zero already.
    pub leaves_zeros: bool,
}

/// [`rnea_derivatives`] for sizes that are known at run time only: q, v and a, and results.
/// `angles` are the sines and cosines of q, if they are known.
pub fn rnea_derivatives_of_slices<T: Scalar, const P: usize>(
    tables: &Tables<'_, P>,
    state: [&[T]; 3],
    angles: Option<[&[T]; 2]>,
    fext: Option<&[SVector<T, 6>]>,
    out: Results<'_, T>,
) {
    if tables.has_rows() {
        T::dispatch(Derivatives { tables, given: Given::new(state, angles, fext), out });
    }
}

struct Derivatives<'a, T, const P: usize> {
    tables: &'a Tables<'a, P>,
    given: Given<'a, T>,
    out: Results<'a, T>,
}

dispatched!(Derivatives<P: usize>, wide, R4, X8);

impl<T: Scalar, const P: usize> Derivatives<'_, T, P> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>, L: Register<Of = S>>(self, recast: Recast<T, S>) {
        let Self { tables, out, .. } = self;
        let given = self.given.recast(recast);
        let out = Results {
            tau: recast.slice_mut(out.tau),
            dq: recast.slice_mut(out.dq),
            dv: recast.slice_mut(out.dv),
            da: recast.slice_mut(out.da),
            leaves_zeros: out.leaves_zeros,
        };
        let topology = &tables.topology;
        let (world, zero) = (world(tables, given.q), S::zero());
        // SAFETY: it is filled before anything is read.
        let mut rows = unsafe { Coordinates::<S, P>::new() };
        // SAFETY: each stage below reads only arrays that an earlier stage wrote.
        let mut w = unsafe { Work::<S, P>::new() };
        place::<S, Q, L, P>(tables, topology, &world, &given, &mut rows, &mut w);
        along_paths::<S, L, P>(topology, &mut w.v, [zero; 6], &w.hop);
        rates::<S, L, P>(topology, &rows, &mut w);
        along_paths::<S, L, P>(topology, &mut w.a, world.acceleration(), &w.hop);
        second_rates::<S, L, P>(topology, &world, &mut w);
        // SAFETY: `subtrees` fills all three before anything reads them.
        let mut t = unsafe { Forces::new() };
        let mut tau = [zero; P];
        subtrees::<S, L, P, ALL>(tables, given.fext, &mut w, &mut t, &mut tau);
        write::<S, L, P, ALL>(tables, &w, &t, &world, &tau, [given.v, given.a], out);
    }
}

/// Forces of bodies and then of subtrees, tau without armature and damping, and the other inputs of
/// the matrices that `WHAT` selects: inertias, Coriolis operators, and t1 to t4.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn subtrees<T: Scalar, L: Register<Of = T>, const P: usize, const WHAT: u8>(
    tables: &Tables<'_, P>,
    fext: &[SVector<T, 6>],
    w: &mut Work<T, P>,
    t: &mut Forces<T, P>,
    tau: &mut [T; P],
) {
    T::in_part(Subtrees::<T, L, P, WHAT> { tables, fext, w, t, tau, of: PhantomData }, &mut ());
}

/// [`subtrees`] as a kernel, to be compiled as a function of its own.
struct Subtrees<'a, T, L, const P: usize, const WHAT: u8> {
    tables: &'a Tables<'a, P>,
    fext: &'a [SVector<T, 6>],
    w: &'a mut Work<T, P>,
    t: &'a mut Forces<T, P>,
    tau: &'a mut [T; P],
    of: PhantomData<L>,
}

impl<T: Scalar, L: Register<Of = T>, const P: usize, const WHAT: u8> Part for Subtrees<'_, T, L, P, WHAT> {
    type Kept = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run(self, (): &mut ()) {
        let Self { tables, fext, w, t, tau, .. } = self;
        let (topology, mass) = (&tables.topology, &tables.numbers.subtree_mass.0[0]);
        // All that is of a block together: its sums wait for one another, and other arithmetic can
        // be done meanwhile.
        for b in (0..blocks::<P>(topology)).rev() {
            if WHAT == BY_Q {
                forces_of_block::<T, L, P, false>(tables, w, b);
            } else {
                forces_of_block::<T, L, P, true>(tables, w, b);
            }
            if !fext.is_empty() {
                external_of_block(tables, fext, w, b);
            }
            if WHAT != BY_Q {
                block_over_subtrees::<T, L, Moments, 9, P>(topology, mass, &w.hop, &mut w.inertia, b);
                block_over_subtrees::<T, L, Drift, 12, P>(topology, mass, &w.hop, &mut w.drift, b);
            }
            block_over_subtrees::<T, L, Force, 6, P>(topology, mass, &w.hop, &mut w.force, b);
            of_subtrees::<T, L, P, WHAT>(tables, w, t, tau, b);
        }
        t.clear_after::<L>(topology);
    }
}

/// t1, t2, t4 and t3 with the change of the subtree's force, as selected by `WHAT`, and tau, of one
/// block of rows.
#[cfg_attr(not(debug_assertions), inline(always))]
fn of_subtrees<T: Scalar, L: Register<Of = T>, const P: usize, const WHAT: u8>(
    tables: &Tables<'_, P>,
    w: &Work<T, P>,
    t: &mut Forces<T, P>,
    tau: &mut [T; P],
    b: usize,
) {
    let at = b * LANES;
    let i: Inertia<L> = inertia_of(constant(&tables.numbers.subtree_mass, 0, at), w.inertia.wide(0, at));
    let (b, force) = (coriolis_of(w.drift.wide(0, at)), w.force.wide(0, at));
    let s: V6<L> = join(w.linear.wide(0, at), w.angular.wide(0, at));
    if let Some(tau) = tau.get_mut(at..).and_then(<[T]>::first_chunk_mut) {
        dot(s, force).store(tau);
    }
    if WHAT == ALL || WHAT == BY_V_AND_A {
        t.put(0, at, inertia_times(i, s));
        t.t4.put(0, at, coriolis_transposed(b, s));
        let x = join(w.linear.wide(3, at), w.angular.wide(3, at));
        t.put(3, at, add(inertia_times(i, x), coriolis_times(b, angular(s))));
    }
    if WHAT == ALL || WHAT == BY_Q {
        let r = join(w.linear.wide(6, at), w.angular.wide(6, at));
        let g = add(inertia_times(i, r), coriolis_times(b, w.angular.wide(9, at)));
        t.put(6, at, add(force_cross(s, force), g));
    }
}

/// Writes the results that `WHAT` selects, and the torques.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn write<T: Scalar, L: Register<Of = T>, const P: usize, const WHAT: u8>(
    tables: &Tables<'_, P>,
    w: &Work<T, P>,
    t: &Forces<T, P>,
    world: &World<T>,
    tau: &[T; P],
    [v, a]: [&[T]; 2],
    out: Results<'_, T>,
) {
    let nv = out.tau.len();
    on_coordinates(&tables.topology, tau, out.tau);
    let by = [&mut *out.dq, &mut *out.dv, &mut *out.da];
    matrices::<T, L, P, WHAT>(&tables.topology, w, t, world, by, (nv, out.leaves_zeros));
    add_joints(tables, v, a, out.tau);
    for (i, (&armature, &damping)) in tables.armature.iter().zip(tables.damping).enumerate() {
        // Mostly zero, and the diagonal was just written as parts of registers.
        let diagonal = i * (nv + 1);
        if armature != 0.0
            && let Some(m) = out.da.get_mut(diagonal)
        {
            *m += T::from_f64(armature);
        }
        if damping != 0.0
            && let Some(d) = out.dv.get_mut(diagonal)
        {
            *d += T::from_f64(damping);
        }
    }
}
