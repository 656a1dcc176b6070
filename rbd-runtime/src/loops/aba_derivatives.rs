//! Forward dynamics and its first derivatives (docs/math.md#loops-over-tables): M^-1 times the
//! derivatives of inverse dynamics at the resulting accelerations.
//!
//! Positions, velocities, M and their derived quantities are computed once, without accelerations.
//! Quantities that depend on accelerations are computed again when those are known.

use super::forward::{Coordinates, Work, World, pick_row};
use super::motion::{accelerations, along_paths, rates, second_rates};
use super::pairs::{BY_Q, BY_V_AND_A, Forces};
use super::placements::{place, world};
use super::rnea::{add_joints, on_coordinates};
use super::rnea_derivatives::{self, subtrees, write};
use super::tables::{Tables, Topology, WORLD};
use super::{Given, Register};
use crate::Scalar;
use crate::dispatch::{Recast, dispatched};
use crate::limbs::Limbs;
use crate::linalg::{ColumnGroup, NegativeProduct, RefinedSolution, SymmetricInverse, multiply_add};
use nalgebra::{SMatrix, SVector};

/// Structural nonzeros for the inversion of M and for products with M^-1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms<'a> {
    /// Panels of the factorisation, as in [`SymmetricInverse`].
    pub factor: &'a [ColumnGroup<'a>],
    /// Panels of the inversion, as in [`SymmetricInverse`].
    pub invert: &'a [ColumnGroup<'a>],
    /// Groups of the Gram product, as in [`SymmetricInverse`].
    pub gram: &'a [ColumnGroup<'a>],
    /// Columns of the derivative by q.
    pub by_q: &'a [ColumnGroup<'a>],
    /// Columns of the derivative by v.
    pub by_v: &'a [ColumnGroup<'a>],
    /// True if the first six columns by q, and the first three by v, are in no group: those of a
    /// floating base without damping and rotor inertia, which need no product.
    pub knows_base: bool,
}

/// Destinations of the results.
#[derive(Debug)]
pub struct Results<'a, T, const NV: usize> {
    /// Accelerations.
    pub ddq: &'a mut SVector<T, NV>,
    /// Derivative of the accelerations by the configuration.
    pub dq: &'a mut SMatrix<T, NV, NV>,
    /// Derivative of the accelerations by the velocity.
    pub dv: &'a mut SMatrix<T, NV, NV>,
    /// Derivative by the torques: M^-1.
    pub dtau: &'a mut SMatrix<T, NV, NV>,
}

struct ForwardDerivatives<'a, T, const P: usize, const NV: usize> {
    tables: &'a Tables<'a, P>,
    terms: &'a Terms<'a>,
    /// Without accelerations.
    given: Given<'a, T>,
    tau: &'a SVector<T, NV>,
    out: Results<'a, T, NV>,
}

/// Sines and cosines of the configuration, if they are known.
type SinCos<'a, T, const NQ: usize> = Option<(&'a SVector<T, NQ>, &'a SVector<T, NQ>)>;

/// Accelerations and their derivatives by q, v and tau at (q, v, tau), with external forces
/// constant in their bodies' frames.
///
/// `angles` are the sines and cosines of q, if they are known. All of `out` is written.
#[inline]
pub fn aba_derivatives<T: Scalar, const P: usize, const NQ: usize, const NV: usize>(
    tables: &Tables<'_, P>,
    terms: &Terms<'_>,
    (q, angles): (&SVector<T, NQ>, SinCos<'_, T, NQ>),
    [v, tau]: [&SVector<T, NV>; 2],
    fext: Option<&[SVector<T, 6>]>,
    out: Results<'_, T, NV>,
) {
    if tables.has_rows() {
        let angles = match angles {
            Some((sin, cos)) => Some([sin.as_slice(), cos.as_slice()]),
            None => None,
        };
        let given = Given::new([q.as_slice(), v.as_slice(), &[]], angles, fext);
        T::dispatch(ForwardDerivatives { tables, terms, given, tau, out });
    }
}

dispatched!(ForwardDerivatives<P: usize, NV: usize>, wide, R4, X8);

impl<T: Scalar, const P: usize, const NV: usize> ForwardDerivatives<'_, T, P, NV> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<S: Scalar, Q: Limbs<S, 4>, L: Register<Of = S>>(self, recast: Recast<T, S>) {
        let Self { tables, terms, .. } = self;
        let topology = &tables.topology;
        let given = self.given.recast(recast);
        let (v, fext) = (given.v, given.fext);
        let Results { ddq, dq, dv, dtau } = self.out;
        let (ddq, minv) = (recast.matrix_mut(ddq), recast.matrix_mut(dtau));
        let (dq, dv) = (recast.matrix_mut(dq), recast.matrix_mut(dv));

        let rest = SVector::from_data(nalgebra::ArrayStorage([[S::zero(); NV]]));
        // SAFETY: it is filled before anything is read.
        let mut rows = unsafe { Coordinates::<S, P>::new() };
        let world = world(tables, given.q);
        // SAFETY: each stage below reads only arrays that an earlier stage wrote.
        let mut w = unsafe { Work::<S, P>::new() };
        // SAFETY: as above.
        let mut t = unsafe { Forces::new() };
        place::<S, Q, L, P>(tables, topology, &world, &given, &mut rows, &mut w);
        along_paths::<S, L, P>(topology, &mut w.v, [S::zero(); 6], &w.hop);
        accelerate::<S, L, P, true>(topology, &world, &rows, &mut w);
        let mut tau = [S::zero(); P];
        subtrees::<S, L, P, BY_V_AND_A>(tables, fext, &mut w, &mut t, &mut tau);
        let mut bias = rest;
        let mut m = SMatrix::from_data(nalgebra::ArrayStorage([[S::zero(); NV]; NV]));
        let out = rnea_derivatives::Results {
            tau: bias.as_mut_slice(),
            dq: &mut [],
            dv: dv.as_mut_slice(),
            da: m.as_mut_slice(),
            leaves_zeros: false,
        };
        write::<S, L, P, BY_V_AND_A>(tables, &w, &t, &world, &tau, [v, rest.as_slice()], out);

        let Terms { factor, invert, gram, .. } = *terms;
        // The derivative by q is not there yet. The steps are functions of their own: compile time
        // grows faster than a function's size.
        S::nested(SymmetricInverse { m: &m, g: &mut *dq, out: &mut *minv, factor, invert, gram });
        let torques = recast.matrix(self.tau);
        S::nested(RefinedSolution { minv: &*minv, m: &m, tau: torques, bias: &bias, out: &mut *ddq });

        let mut corrections = usize::from(NV > DEEP && longest_path(topology) > DEEP);
        loop {
            rows.accelerate::<L>(topology, ddq.as_slice());
            accelerate::<S, L, P, false>(topology, &world, &rows, &mut w);
            subtrees::<S, L, P, BY_Q>(tables, fext, &mut w, &mut t, &mut tau);
            if corrections == 0 {
                break;
            }
            corrections -= 1;
            // The torques' error, computed by inverse dynamics, has more digits than if computed by
            // M.
            on_coordinates(topology, &tau, bias.as_mut_slice());
            add_joints(tables, v, ddq.as_slice(), bias.as_mut_slice());
            for k in 0..NV {
                bias[k] = torques[k] - bias[k];
            }
            let [before] = ddq.data.0;
            let ([left], [ddq]) = (&bias.data.0, &mut ddq.data.0);
            multiply_add::<S, L, NV>(&minv.data.0, left, &before, ddq);
        }
        let out = rnea_derivatives::Results {
            tau: bias.as_mut_slice(),
            dq: dq.as_mut_slice(),
            dv: &mut [],
            da: &mut [],
            leaves_zeros: false,
        };
        write::<S, L, P, BY_Q>(tables, &w, &t, &world, &tau, [v, ddq.as_slice()], out);

        S::nested(NegativeProduct { a: &*minv, x: &mut *dq, groups: terms.by_q });
        S::nested(NegativeProduct { a: &*minv, x: &mut *dv, groups: terms.by_v });
        if terms.knows_base {
            base_columns(&world, v, [dq.as_mut_slice(), dv.as_mut_slice()], NV);
        }
    }
}

/// Number of rows on a path beyond which accelerations are refined once more, by inverse dynamics.
///
/// The rounding of M costs 2e-11 of the largest acceleration at a hundred links, and the derivative
/// by q takes this error over.
const DEEP: usize = 64;

/// Number of rows on the longest path.
#[cfg_attr(not(debug_assertions), inline(always))]
fn longest_path(topology: &Topology<'_>) -> usize {
    let mut longest = 0;
    for joint in topology.joints {
        let (mut rows, mut parent) = (joint.kind.nv(), joint.parent);
        // Towards the root: at most one step a row.
        for _ in 0..topology.rows {
            if parent == WORLD {
                break;
            }
            let first = pick_row(topology.first, usize::from(parent));
            rows += usize::from(parent.wrapping_sub(first)) + 1;
            parent = pick_row(topology.parent, usize::from(first));
        }
        longest = longest.max(rows);
    }
    longest
}

/// Accelerations. With `FIRST`, also the quantities that do not depend on them; without it, those
/// that the derivative by q needs.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn accelerate<T: Scalar, L: Register<Of = T>, const P: usize, const FIRST: bool>(
    topology: &Topology<'_>,
    world: &World<T>,
    rows: &Coordinates<T, P>,
    w: &mut Work<T, P>,
) {
    if FIRST {
        rates::<T, L, P>(topology, rows, w);
    } else {
        accelerations::<T, L, P>(topology, rows, w);
    }
    along_paths::<T, L, P>(topology, &mut w.a, world.acceleration(), &w.hop);
    if !FIRST {
        second_rates::<T, L, P>(topology, world, w);
    }
}

/// Columns of a floating base: its position has no effect, its rotation turns gravity, and its
/// linear velocity enters as w x v (docs/math.md#root-columns).
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn base_columns<T: Scalar>(world: &World<T>, v: &[T], [dq, dv]: [&mut [T]; 2], n: usize) {
    let (Some((still, turning)), Some(&[_, _, _, wx, wy, wz])) =
        (dq.split_at_mut_checked(3 * n), v.first_chunk::<6>())
    else {
        return;
    };
    still.fill(T::zero());
    minus_crosses(world.minus_gravity, turning, n);
    minus_crosses([wx, wy, wz], dv, n);
}

/// Three columns `-x cross e_k`, zero below.
#[cfg_attr(not(debug_assertions), inline(always))]
fn minus_crosses<T: Scalar>([x, y, z]: [T; 3], columns: &mut [T], n: usize) {
    let zero = T::zero();
    let crosses = [[zero, -z, y], [z, zero, -x], [-y, x, zero]];
    for (column, minus) in columns.chunks_exact_mut(n.max(1)).zip(crosses) {
        column.fill(zero);
        for (entry, x) in column.iter_mut().zip(minus) {
            *entry = x;
        }
    }
}
