//! Forward dynamics and its first derivatives without M^-1: each column of the derivatives of inverse
//! dynamics is solved for by articulated bodies (docs/math.md#solving-by-articulated-bodies).

use super::aba::{bodies, external, inward, outward};
use super::aba_derivatives::{accelerate, base_columns};
use super::articulated::Factors;
use super::forward::{Coordinates, Work};
use super::motion::along_paths;
use super::pairs::{ALL, Forces};
use super::placements::{place, world};
use super::rnea_derivatives::{Results as Torques, subtrees, write};
use super::solves::Solver;
use super::tables::Tables;
use super::{Given, Register};
use crate::Scalar;
use crate::dispatch::{Recast, dispatched};
use crate::limbs::Limbs;
use nalgebra::SVector;

/// Destinations of the results: nv by nv matrices by columns.
#[derive(Debug)]
pub struct Results<'a, T> {
    /// Accelerations.
    pub ddq: &'a mut [T],
    /// Derivative of the accelerations by the configuration.
    pub dq: &'a mut [T],
    /// Derivative of the accelerations by the velocity.
    pub dv: &'a mut [T],
    /// Derivative by the torques: M^-1.
    pub dtau: &'a mut [T],
}

/// Accelerations and their derivatives by q, v and tau at (q, v, tau), with external forces
/// constant in their bodies' frames, for a robot without mimic joints.
///
/// `angles` are the sines and cosines of q, if they are known. All of `out` is written.
#[inline]
pub fn aba_derivatives_solved<T: Scalar, const P: usize>(
    tables: &Tables<'_, P>,
    state: [&[T]; 3],
    angles: Option<[&[T]; 2]>,
    fext: Option<&[SVector<T, 6>]>,
    out: Results<'_, T>,
) {
    if tables.has_rows() {
        T::dispatch(Solved { tables, given: Given::new(state, angles, fext), out });
    }
}

struct Solved<'a, T, const P: usize> {
    tables: &'a Tables<'a, P>,
    given: Given<'a, T>,
    out: Results<'a, T>,
}

dispatched!(Solved<P: usize>, wide, R4, X8);

impl<T: Scalar, const P: usize> Solved<'_, T, P> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>, L: Register<Of = S>>(self, recast: Recast<T, S>) {
        let tables = self.tables;
        let topology = &tables.topology;
        let given = self.given.recast(recast);
        let Results { ddq, dq, dv, dtau } = self.out;
        let [ddq, dq, dv, dtau] =
            [recast.slice_mut(ddq), recast.slice_mut(dq), recast.slice_mut(dv), recast.slice_mut(dtau)];
        let nv = ddq.len();
        let world = world(tables, given.q);
        // SAFETY: it is filled before anything is read.
        let mut rows = unsafe { Coordinates::<S, P>::new() };
        // SAFETY: each stage below reads only arrays that an earlier stage wrote.
        let mut w = unsafe { Work::<S, P>::new() };
        // SAFETY: `inward` writes all rows of the joints, and nobody reads others.
        let mut factors = unsafe { Factors::new() };
        // Motion without joint accelerations, which are not known yet.
        let moving = Given { a: &[], ..given };
        place::<S, Q, L, P>(tables, topology, &world, &moving, &mut rows, &mut w);
        along_paths::<S, L, P>(topology, &mut w.v, [S::zero(); 6], &w.hop);
        accelerate::<S, L, P, true>(topology, &world, &rows, &mut w);
        bodies::<S, L, P, true>(tables, &mut w);
        if !given.fext.is_empty() {
            external(tables, given.fext, &mut w);
        }
        inward::<S, Q, P>(tables, &w, [given.v, given.a], &mut factors);
        outward(tables, &factors, ddq);

        rows.accelerate::<L>(topology, ddq);
        accelerate::<S, L, P, false>(topology, &world, &rows, &mut w);
        // SAFETY: `subtrees` fills all three before anything reads them.
        let mut t = unsafe { Forces::new() };
        let mut tau = [S::zero(); P];
        subtrees::<S, L, P, ALL>(tables, given.fext, &mut w, &mut t, &mut tau);
        // M and the torques are written where other results come later.
        let mut torques = [S::zero(); P];
        let Some(torques) = torques.get_mut(..nv) else { return };
        let out = Torques { tau: torques, dq: &mut *dq, dv: &mut *dv, da: &mut *dtau, leaves_zeros: false };
        write::<S, L, P, ALL>(tables, &w, &t, &world, &tau, [given.v, ddq], out);

        let mut solver = Solver::<S, L, P>::new(topology, &factors);
        let [by_q, by_v] = if tables.knows_base() { [6, 3] } else { [0, 0] };
        solver.negative(dq, nv, by_q);
        solver.negative(dv, nv, by_v);
        solver.inverse(dtau, nv);
        if by_q != 0 {
            base_columns(&world, given.v, [dq, dv], nv);
        }
    }
}
