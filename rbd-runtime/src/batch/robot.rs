//! Batches of a generated robot's own functions, each computed in the way that takes the least time.

use super::cost::Facts;
#[cfg(feature = "rayon")]
use super::grain;
use super::{Arguments, Fence, Float, Lanewise, group_into, unpack};
use core::marker::PhantomData;

/// Bytes of results that a core's caches keep.
///
/// A robot's functions write a result's entries in any order, which takes long if each waits for memory.
/// Beyond this, a state's result is computed in one place and then copied past the caches. G1's
/// `rnea_derivatives` take 0.6 to 0.7 of the time for 14 to 20 MB, and 1.3 of it for 7 MB (Zen 3, 32 MB of
/// third-level cache).
const CACHED: usize = 8 << 20;

/// Bytes of a result for which this is worth while.
const LARGE: usize = 1024;

/// The most states at a time.
#[cfg(feature = "rayon")]
const MOST_LANES: usize = 16;

/// Functions of a robot for many states: `Arm::batch().aba(&q, &v, &tau, &mut ddq)`.
///
/// Each method takes a slice for each argument, and one for results, all of one length. It has several
/// states in the lanes of SIMD registers, or computes one after the other, whichever takes less time for this
/// function of this robot. Costs that the generator states decide, with the number of lanes. It allocates
/// nothing.
///
/// Methods that write matrices leave entries alone that are zero in every state, as the robot's `_into`
/// functions do: a result is made by `zeros()`, or by an earlier call of this function for this robot. Builds
/// with debug assertions check it.
///
/// [`map`](super::map) and [`one_by_one`](super::one_by_one) are for functions of your own.
///
/// # Panics
/// Methods panic if an argument's length is not that of the results.
#[derive(Debug)]
pub struct Batch<R, const NQ: usize, const NV: usize> {
    #[cfg(feature = "rayon")]
    threads: usize,
    robot: PhantomData<fn() -> R>,
}

// Whatever the robot's type is: a derived `Clone` would ask for its `Clone`.
impl<R, const NQ: usize, const NV: usize> Clone for Batch<R, NQ, NV> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R, const NQ: usize, const NV: usize> Copy for Batch<R, NQ, NV> {}

impl<R, const NQ: usize, const NV: usize> Default for Batch<R, NQ, NV> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R, const NQ: usize, const NV: usize> Batch<R, NQ, NV> {
    /// A batch on the calling thread. `Arm::batch()` makes one for the robot `Arm`.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            #[cfg(feature = "rayon")]
            threads: 1,
            robot: PhantomData,
        }
    }

    /// Uses at most `threads` threads of rayon's pool; `usize::MAX` is all of them. By default, the caller's.
    ///
    /// A batch with little work stays on the calling thread, by the function's operations
    /// ([`grain`](super::grain)). Results do not depend on threads.
    #[cfg(feature = "rayon")]
    #[must_use]
    pub const fn threads(self, threads: usize) -> Self {
        Self { threads: if threads == 0 { 1 } else { threads }, ..self }
    }

    /// Several states at a time. `f` leaves zeros of `of` alone in its results.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn in_lanes<I: Arguments, O: Lanewise<Float = I::Float>, const N: usize>(
        self,
        of: Facts<N>,
        arguments: I,
        out: &mut [O],
        f: impl Fn(&I::Lanes, &mut O::Lanes) + Sync,
    ) {
        assert!(arguments.have(out.len()), "every argument must have {} states, as `out` has", out.len());
        self.in_pieces(of.cost.work::<I::Float>(), out, |start, out| {
            // Zeros stay as they are from one group to the next.
            let mut lanes = O::zeros();
            for (k, out) in out.chunks_mut(I::Float::LANES).enumerate() {
                group_into(&arguments, start + k * I::Float::LANES, out.len(), &mut lanes, &f);
                unpack::group(&lanes, out, &of.nonzero);
            }
        });
    }

    /// Computes one state after the other.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn alone<I: Arguments, O: Copy + Lanewise, const N: usize>(
        self,
        of: Facts<N>,
        arguments: I,
        out: &mut [O],
        f: impl Fn(I::One, &mut O) + Sync,
    ) {
        assert!(arguments.have(out.len()), "every argument must have {} states, as `out` has", out.len());
        let is_far = size_of::<O>() >= LARGE && size_of_val(out) > CACHED;
        self.in_pieces(of.cost.work::<I::Float>(), out, |start, out| match out.first() {
            Some(first) if is_far => {
                // An earlier result, or zeros: entries that are zero in every state are.
                let mut near = *first;
                let until = Fence::new();
                for (state, out) in (start..).zip(out) {
                    f(arguments.one(state), &mut near);
                    near.stream(out, &until);
                }
            }
            _ => {
                for (state, out) in (start..).zip(out) {
                    f(arguments.one(state), out);
                }
            }
        });
    }

    /// Calls `f` with the results of some states, and the first one's number, on this thread or on others.
    /// A state takes as long as so many operations in lanes.
    #[inline(always)]
    pub(super) fn in_pieces<O: Send>(
        self,
        operations: usize,
        out: &mut [O],
        f: impl Fn(usize, &mut [O]) + Sync,
    ) {
        self.in_pieces_of(1, operations, out, f);
    }

    /// [`Self::in_pieces`] of things that have so many results each, such as rollouts.
    #[inline(always)]
    pub(crate) fn in_pieces_of<O: Send>(
        self,
        results: usize,
        operations: usize,
        out: &mut [O],
        f: impl Fn(usize, &mut [O]) + Sync,
    ) {
        if out.is_empty() {
            return;
        }
        #[cfg(feature = "rayon")]
        if let Some(piece) = self.piece(out.len() / results, operations) {
            use rayon::prelude::*;
            out.par_chunks_mut(piece * results).enumerate().for_each(|(k, out)| f(k * piece, out));
            return;
        }
        let _ = (operations, results);
        f(0, out);
    }

    /// Number of things that a thread computes at a time; none if one thread computes all.
    #[cfg(feature = "rayon")]
    pub(crate) fn piece(self, count: usize, operations: usize) -> Option<usize> {
        let pieces = (self.threads > 1).then(|| piece(count, operations, self.threads));
        pieces.filter(|piece| *piece < count)
    }
}

/// Number of states that a thread computes at a time: all, if a second thread does not pay.
#[cfg(feature = "rayon")]
fn piece(states: usize, operations: usize, threads: usize) -> usize {
    let least = grain(states, operations).max(1);
    // Threads of the whole pool take turns at small pieces. Fewer have one piece each.
    let is_whole_pool = threads >= rayon::current_num_threads();
    let piece = if is_whole_pool { least } else { least.max(states.div_ceil(threads)) };
    // So many states fill the registers of every type.
    piece.saturating_add(MOST_LANES - 1) / MOST_LANES * MOST_LANES
}
