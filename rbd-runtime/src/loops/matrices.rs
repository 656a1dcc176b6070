//! Matrices of a robot, as functions of their own.

use super::Register;
use super::forward::{Work, World, count};
use super::pairs::{Forces, pairs};
use super::tables::Topology;
use crate::Scalar;
use crate::dispatch::Part;
use core::marker::PhantomData;

/// Derivatives of inverse dynamics by q, v and a, nv by nv, as selected by `WHAT`, without armature
/// and damping.
///
/// Entries that are zero in every state are left alone with `leaves_zeros`: they are zero already.
///
/// The matrices are written straight to the results or, if several rows are one coordinate, through
/// matrices over rows. Either is out of line: compile time grows faster than a function's size.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn matrices<'a, T: Scalar, L: Register<Of = T>, const P: usize, const WHAT: u8>(
    topology: &'a Topology<'a>,
    w: &'a Work<T, P>,
    t: &'a Forces<T, P>,
    world: &'a World<T>,
    mut out: [&'a mut [T]; 3],
    (nv, leaves_zeros): (usize, bool),
) {
    let of = Matrices::<T, L, P, WHAT> { topology, w, t, world, nv, leaves_zeros, of: PhantomData };
    if nv == count::<P>(topology) {
        T::in_part(Whole(of), &mut out);
    } else {
        T::in_part(Merged(of), &mut out);
    }
}

/// Inputs of the matrices.
struct Matrices<'a, T, L, const P: usize, const WHAT: u8> {
    topology: &'a Topology<'a>,
    w: &'a Work<T, P>,
    t: &'a Forces<T, P>,
    world: &'a World<T>,
    nv: usize,
    leaves_zeros: bool,
    of: PhantomData<L>,
}

/// Rows are the coordinates.
struct Whole<'a, T, L, const P: usize, const WHAT: u8>(Matrices<'a, T, L, P, WHAT>);

/// Adds up rows and columns of matrices over rows in the coordinates that they belong to. Few
/// robots need it, and memory for matrices over rows.
struct Merged<'a, T, L, const P: usize, const WHAT: u8>(Matrices<'a, T, L, P, WHAT>);

impl<'a, T: Scalar, L: Register<Of = T>, const P: usize, const WHAT: u8> Part for Whole<'a, T, L, P, WHAT> {
    type Kept = [&'a mut [T]; 3];

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run(self, out: &mut Self::Kept) {
        let Matrices { topology, w, t, world, nv, leaves_zeros, .. } = self.0;
        let [dq, dv, da] = out;
        let out = [&mut **dq, &mut **dv, &mut **da];
        pairs::<T, L, P, WHAT>(topology, w, t, world, out, (nv, leaves_zeros));
    }
}

impl<'a, T: Scalar, L: Register<Of = T>, const P: usize, const WHAT: u8> Part for Merged<'a, T, L, P, WHAT> {
    type Kept = [&'a mut [T]; 3];

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run(self, out: &mut Self::Kept) {
        let Matrices { topology, w, t, world, nv, .. } = self.0;
        let rows = count::<P>(topology);
        let mut all = [[[T::zero(); P]; P]; 3];
        let [dq, dv, da] = &mut all;
        let flat = [dq.as_flattened_mut(), dv.as_flattened_mut(), da.as_flattened_mut()];
        pairs::<T, L, P, WHAT>(topology, w, t, world, flat, (P, true));
        for (all, out) in all.iter().zip(out) {
            out.fill(T::zero());
            for (column, &c) in all[..rows].iter().zip(topology.coordinate) {
                let from = (usize::from(c) * nv).min(out.len());
                let to = &mut out[from..];
                for (&x, &r) in column[..rows].iter().zip(topology.coordinate) {
                    if let Some(to) = to.get_mut(usize::from(r)) {
                        *to += x;
                    }
                }
            }
        }
    }
}
