//! Evaluates a function for many states: several at once in SIMD lanes, on one or several threads.
//!
//! ```
//! use nalgebra::{SVector, Vector3};
//! use rbd_runtime::{Scalar, batch};
//!
//! // Anything that is generic over the scalar; a generated robot's functions are.
//! fn energy<T: Scalar>(v: &Vector3<T>) -> SVector<T, 1> {
//!     SVector::from([v[0] * v[0] + v[1] * v[1] + v[2] * v[2]])
//! }
//! let v = vec![Vector3::new(1.0, 2.0, 3.0); 10];
//! let mut out = vec![SVector::<f64, 1>::zeros(); 10];
//! batch::map((&v[..],), &mut out, |(v,), out| *out = energy(v));
//! assert_eq!(out[9][0], 14.0);
//! ```
//!
//! A generated robot's own functions are methods of [`Batch`], which chooses lanes or not:
//!
//! ```text
//! Arm::batch().aba_derivatives(&q, &v, &tau, &mut d);
//! ```
//!
//! A group is as many states as there are lanes. The last group is filled up with its last state.
//! While a group is computed its results are on the stack: some 120 KiB for a humanoid's
//! derivatives in `f64`.
//!
//! Functions computed by loops over tables already fill SIMD registers with one state. Lanes make
//! them slower: [`Batch`] does not use them there. In functions of your own call [`one_by_one`], which
//! takes the arguments of [`map`]. docs/shapes.md lists these functions, with timings.

use crate::__private::Sealed;
use crate::Scalar;
#[cfg(not(target_feature = "avx512f"))]
use crate::lanes::{F32x8 as Many32, F64x4 as Many64};
#[cfg(target_feature = "avx512f")]
use crate::lanes::{F32x16 as Many32, F64x8 as Many64};
use crate::spatial::Placement;
use core::array;
use nalgebra::{ArrayStorage, SMatrix};

/// A float that has a lane type.
///
/// The lane types are [`F64x4`](crate::lanes::F64x4) and [`F32x8`](crate::lanes::F32x8). Builds for
/// AVX-512 have twice as many lanes. No other type can implement this trait.
pub trait Float: Scalar + Send + Sync + Sealed {
    /// SIMD type of these floats that fills one register.
    type Lanes: Scalar;
    /// Number of lanes.
    const LANES: usize;
    /// Lane `i` is `f(i)`.
    fn gather(f: impl Fn(usize) -> Self) -> Self::Lanes;
    /// The number in lane `I`, or in the last lane if `I` is beyond it.
    fn lane<const I: usize>(lanes: Self::Lanes) -> Self;
    /// Writes lane i of `lanes[k]` to `states[i][k]`. There is a state for each lane, with as many
    /// numbers as `lanes`. Numbers whose bits in `nonzero` are zero may stay as they are.
    #[doc(hidden)]
    fn scatter<const N: usize>(lanes: &[Self::Lanes], states: [&mut [Self]; N], nonzero: Option<&[u64]>);
    /// Copies numbers past the caches.
    #[doc(hidden)]
    fn stream(from: &[Self], to: &mut [Self], until: &Fence);
}

macro_rules! float {
    ($float:ident, $lanes:ident) => {
        impl Sealed for $float {}
        impl Float for $float {
            type Lanes = $lanes;
            const LANES: usize = $lanes::LANES;
            #[inline(always)]
            fn gather(f: impl Fn(usize) -> Self) -> $lanes {
                $lanes::from_array(array::from_fn(f))
            }
            #[inline(always)]
            fn lane<const I: usize>(lanes: $lanes) -> Self {
                lanes.to_array()[I.min($lanes::LANES - 1)]
            }
            #[inline]
            fn scatter<const N: usize>(lanes: &[$lanes], states: [&mut [Self]; N], nonzero: Option<&[u64]>) {
                const { assert!(size_of::<$lanes>() == size_of::<[Self; $lanes::LANES]>()) };
                // SAFETY: `$lanes` is transparent around one or two registers, that is, `LANES`
                // floats in order.
                let lanes: &[[Self; $lanes::LANES]] =
                    unsafe { core::slice::from_raw_parts(lanes.as_ptr().cast(), lanes.len()) };
                unpack::scatter(lanes, states, nonzero);
            }
            fn stream(from: &[Self], to: &mut [Self], until: &Fence) {
                stream::Streamed::stream(from, to, until);
            }
        }
    };
}
float!(f64, Many64);
float!(f32, Many32);

/// An argument or result for one state: a vector, a matrix, derivatives, or an array of them.
pub trait Lanewise: Send + Sync {
    /// Type of its numbers.
    type Float: Float;
    /// The argument or result of as many states as there are lanes.
    type Lanes;
    /// All zero, poses at the origin.
    fn zeros() -> Self::Lanes;
    /// Lane `i` is `state(i)`.
    fn pack<'s>(state: impl Fn(usize) -> &'s Self + Copy) -> Self::Lanes
    where
        Self: 's;
    /// Writes lane `I` to `state`.
    fn unpack<const I: usize>(lanes: &Self::Lanes, state: &mut Self);
    /// Writes each lane to its state.
    ///
    /// Large results in lanes exceed the first-level cache: an implementation should read them once
    /// for all states, not once a state.
    #[inline]
    fn unpack_all<const N: usize>(lanes: &Self::Lanes, states: [&mut Self; N]) {
        for (i, state) in states.into_iter().enumerate() {
            unpack::lane(lanes, i, state);
        }
    }
    /// [`Self::unpack_all`], which may leave numbers alone that are zero in every state. `nonzero` has for
    /// each matrix an entry a bit, by columns, or none if every entry can differ from zero.
    #[doc(hidden)]
    #[inline]
    fn unpack_nonzero<const N: usize>(
        lanes: &Self::Lanes,
        states: [&mut Self; N],
        nonzero: &mut impl Iterator<Item = Option<&'static [u64]>>,
    ) {
        let _ = nonzero.next();
        Self::unpack_all(lanes, states);
    }
    /// Copies this result of one state to `state`, past the caches if it is a matrix or made of them.
    #[doc(hidden)]
    #[inline]
    fn stream(&self, state: &mut Self, until: &Fence)
    where
        Self: Copy,
    {
        let _ = until;
        *state = *self;
    }
}

impl<T: Float, const R: usize, const C: usize> Lanewise for SMatrix<T, R, C> {
    type Float = T;
    type Lanes = SMatrix<T::Lanes, R, C>;

    #[inline]
    fn zeros() -> Self::Lanes {
        crate::__private::zeros()
    }
    #[inline]
    fn pack<'s>(state: impl Fn(usize) -> &'s Self + Copy) -> Self::Lanes {
        let entry = |r: usize, c: usize| T::gather(|lane| state(lane).data.0[c][r]);
        SMatrix::from_data(ArrayStorage(array::from_fn(|c| array::from_fn(|r| entry(r, c)))))
    }
    #[inline]
    fn unpack<const I: usize>(lanes: &Self::Lanes, state: &mut Self) {
        for (lanes, state) in lanes.data.0.iter().zip(&mut state.data.0) {
            for (lanes, state) in lanes.iter().zip(state) {
                *state = T::lane::<I>(*lanes);
            }
        }
    }
    #[inline]
    fn unpack_all<const N: usize>(lanes: &Self::Lanes, states: [&mut Self; N]) {
        T::scatter(lanes.data.0.as_flattened(), states.map(|state| state.data.0.as_flattened_mut()), None);
    }
    #[inline]
    fn unpack_nonzero<const N: usize>(
        lanes: &Self::Lanes,
        states: [&mut Self; N],
        nonzero: &mut impl Iterator<Item = Option<&'static [u64]>>,
    ) {
        let nonzero = nonzero.next().flatten();
        let states = states.map(|state| state.data.0.as_flattened_mut());
        if cfg!(debug_assertions)
            && let Some(nonzero) = nonzero
        {
            states.iter().for_each(|state| unpack::check_zeros(state, nonzero));
        }
        T::scatter(lanes.data.0.as_flattened(), states, nonzero);
    }
    #[inline]
    fn stream(&self, state: &mut Self, until: &Fence) {
        T::stream(self.data.0.as_flattened(), state.data.0.as_flattened_mut(), until);
    }
}

impl<A: Lanewise, const N: usize> Lanewise for [A; N] {
    type Float = A::Float;
    type Lanes = [A::Lanes; N];

    #[inline]
    fn zeros() -> Self::Lanes {
        array::from_fn(|_| A::zeros())
    }
    #[inline]
    fn pack<'s>(state: impl Fn(usize) -> &'s Self + Copy) -> Self::Lanes
    where
        Self: 's,
    {
        array::from_fn(|k| A::pack(|lane| &state(lane)[k]))
    }
    #[inline]
    fn unpack<const I: usize>(lanes: &Self::Lanes, state: &mut Self) {
        for (lanes, state) in lanes.iter().zip(state) {
            A::unpack::<I>(lanes, state);
        }
    }
    #[inline]
    fn unpack_all<const M: usize>(lanes: &Self::Lanes, mut states: [&mut Self; M]) {
        for (k, lanes) in lanes.iter().enumerate() {
            A::unpack_all(lanes, states.each_mut().map(|state| &mut state[k]));
        }
    }
}

impl<T: Float> Lanewise for Placement<T> {
    type Float = T;
    type Lanes = Placement<T::Lanes>;

    #[inline]
    fn zeros() -> Self::Lanes {
        Placement::identity()
    }
    #[inline]
    fn pack<'s>(state: impl Fn(usize) -> &'s Self + Copy) -> Self::Lanes {
        Placement {
            rotation: Lanewise::pack(|lane| &state(lane).rotation),
            translation: Lanewise::pack(|lane| &state(lane).translation),
        }
    }
    #[inline]
    fn unpack<const I: usize>(lanes: &Self::Lanes, state: &mut Self) {
        Lanewise::unpack::<I>(&lanes.rotation, &mut state.rotation);
        Lanewise::unpack::<I>(&lanes.translation, &mut state.translation);
    }
    #[inline]
    fn unpack_all<const N: usize>(lanes: &Self::Lanes, mut states: [&mut Self; N]) {
        Lanewise::unpack_all(&lanes.rotation, states.each_mut().map(|state| &mut state.rotation));
        Lanewise::unpack_all(&lanes.translation, states.map(|state| &mut state.translation));
    }
}

impl<T: Float> Lanewise for T {
    type Float = T;
    type Lanes = <T as Float>::Lanes;

    #[inline]
    fn zeros() -> Self::Lanes {
        crate::__private::zero()
    }
    #[inline]
    fn pack<'s>(state: impl Fn(usize) -> &'s Self + Copy) -> Self::Lanes {
        T::gather(|lane| *state(lane))
    }
    #[inline]
    fn unpack<const I: usize>(lanes: &Self::Lanes, state: &mut Self) {
        *state = T::lane::<I>(*lanes);
    }
}

/// Implements [`Lanewise`] for a struct of such fields that is generic over these sizes.
macro_rules! lanewise {
    ($name:ident $($size:ident)*: $($field:ident)*) => {
        impl<T: $crate::batch::Float $(, const $size: usize)*> $crate::batch::Lanewise for $name<T $(, $size)*> {
            type Float = T;
            type Lanes = $name<<T as $crate::batch::Float>::Lanes $(, $size)*>;

            #[inline]
            fn zeros() -> Self::Lanes {
                $name::zeros()
            }
            #[inline]
            fn pack<'s>(state: impl Fn(usize) -> &'s Self + Copy) -> Self::Lanes {
                $name { $($field: $crate::batch::Lanewise::pack(|lane| &state(lane).$field)),* }
            }
            #[inline]
            fn unpack<const I: usize>(lanes: &Self::Lanes, state: &mut Self) {
                $($crate::batch::Lanewise::unpack::<I>(&lanes.$field, &mut state.$field);)*
            }
            #[inline]
            fn unpack_all<const N: usize>(lanes: &Self::Lanes, mut states: [&mut Self; N]) {
                $($crate::batch::Lanewise::unpack_all(&lanes.$field, states.each_mut().map(|state| &mut state.$field));)*
            }
            #[inline]
            fn unpack_nonzero<const N: usize>(
                lanes: &Self::Lanes,
                mut states: [&mut Self; N],
                nonzero: &mut impl Iterator<Item = Option<&'static [u64]>>,
            ) {
                $(
                    let states_of_field = states.each_mut().map(|state| &mut state.$field);
                    $crate::batch::Lanewise::unpack_nonzero(&lanes.$field, states_of_field, nonzero);
                )*
            }
            #[inline]
            fn stream(&self, state: &mut Self, until: &$crate::batch::Fence) {
                $($crate::batch::Lanewise::stream(&self.$field, &mut state.$field, until);)*
            }
        }
    };
}
pub(crate) use lanewise;

/// Slices of arguments: a tuple of one to five, all of one length.
pub trait Arguments: Sync {
    /// Type of the arguments' numbers.
    type Float: Float;
    /// The arguments of as many states as there are lanes.
    type Lanes;
    /// The arguments of one state.
    type One;
    /// Returns whether each argument has `states` states.
    fn have(&self, states: usize) -> bool;
    /// The arguments of this state.
    fn one(&self, state: usize) -> Self::One;
    /// Lane `i` is `state(i)`.
    fn pack(&self, state: impl Fn(usize) -> usize + Copy) -> Self::Lanes;
}

macro_rules! arguments {
    ($($name:ident)*) => {
        impl<'s, T: Float, $($name: Lanewise<Float = T>),*> Arguments for ($(&'s [$name],)*) {
            type Float = T;
            type Lanes = ($($name::Lanes,)*);
            type One = ($(&'s $name,)*);

            fn have(&self, states: usize) -> bool {
                #[allow(non_snake_case, reason = "named as their types")]
                let ($($name,)*) = self;
                $($name.len() == states)&&*
            }
            #[inline]
            fn one(&self, state: usize) -> Self::One {
                #[allow(non_snake_case, reason = "named as their types")]
                let ($($name,)*) = *self;
                ($(&$name[state],)*)
            }
            #[inline]
            fn pack(&self, state: impl Fn(usize) -> usize + Copy) -> Self::Lanes {
                #[allow(non_snake_case, reason = "named as their types")]
                let ($($name,)*) = *self;
                ($($name::pack(|lane| &$name[state(lane)]),)*)
            }
        }
    };
}
arguments!(A);
arguments!(A B);
arguments!(A B C);
arguments!(A B C D);
arguments!(A B C D E);

/// Calls `f` for each state, as many states at a time as there are lanes, on this thread. Allocates
/// nothing.
///
/// # Panics
/// If an argument's length is not that of `out`.
#[track_caller]
pub fn map<I: Arguments, O: Lanewise<Float = I::Float>>(
    arguments: I,
    out: &mut [O],
    f: impl Fn(&I::Lanes, &mut O::Lanes),
) {
    assert!(arguments.have(out.len()), "every argument must have {} states, as `out` has", out.len());
    for (k, out) in out.chunks_mut(I::Float::LANES).enumerate() {
        group(&arguments, k * I::Float::LANES, out, &f);
    }
}

/// Operations of a batch below which a second thread does not pay: 100 us of one core.
///
/// That is several times what it takes to wake a thread. On a machine whose cores are busy, a
/// thread may wait for milliseconds.
const ONE_THREAD: usize = 1_000_000;

/// Least operations of a thread: 10 us of one core.
const SHARE: usize = 100_000;

/// Least number of states for a thread of [`par_map`], or all `states` if a second thread does not
/// pay.
///
/// `operations` is the count of one state, as the function's documentation states it. In lanes, a
/// core computes some ten operations a nanosecond. For [`par_one_by_one`], which computes one state
/// at a time, pass four times the count.
///
/// ```
/// use rbd_runtime::batch::grain;
///
/// assert_eq!(grain(4096, 150), 4096); // 60 us: on one thread
/// assert_eq!(grain(4096, 1000), 100); // 400 us
/// ```
#[must_use]
pub const fn grain(states: usize, operations: usize) -> usize {
    match states.saturating_mul(operations) {
        0..ONE_THREAD => states,
        _ => SHARE / operations,
    }
}

/// [`map`] on the threads of rayon's pool.
///
/// A thread takes at least `grain` states. A batch of fewer than `2 * grain` states stays on the
/// calling thread. [`grain`] computes this number from the function's operations.
///
/// # Panics
/// If an argument's length is not that of `out`.
#[cfg(feature = "rayon")]
#[track_caller]
pub fn par_map<I: Arguments, O: Lanewise<Float = I::Float>>(
    arguments: I,
    out: &mut [O],
    grain: usize,
    f: impl Fn(&I::Lanes, &mut O::Lanes) + Sync,
) {
    use rayon::prelude::*;
    assert!(arguments.have(out.len()), "every argument must have {} states, as `out` has", out.len());
    let lanes = I::Float::LANES;
    out.par_chunks_mut(lanes)
        .enumerate()
        .with_min_len(grain.div_ceil(lanes))
        .for_each(|(k, out)| group(&arguments, k * lanes, out, &f));
}

/// Calls `f` for each state, one after the other, on this thread.
///
/// Use it for functions that fill SIMD registers with one state, such as loops over tables.
///
/// ```
/// use nalgebra::Vector3;
/// use rbd_runtime::batch;
///
/// let v = vec![Vector3::new(1.0, 2.0, 3.0); 10];
/// let mut out = vec![0.0; 10];
/// batch::one_by_one((&v[..],), &mut out, |(v,), out| *out = v.norm_squared());
/// assert_eq!(out[9], 14.0);
/// ```
///
/// # Panics
/// If an argument's length is not that of `out`.
#[track_caller]
pub fn one_by_one<I: Arguments, O>(arguments: I, out: &mut [O], f: impl Fn(I::One, &mut O)) {
    assert!(arguments.have(out.len()), "every argument must have {} states, as `out` has", out.len());
    for (state, out) in out.iter_mut().enumerate() {
        f(arguments.one(state), out);
    }
}

/// [`one_by_one`] on the threads of rayon's pool. A thread takes at least `grain` states, as in
/// [`par_map`].
///
/// # Panics
/// If an argument's length is not that of `out`.
#[cfg(feature = "rayon")]
#[track_caller]
pub fn par_one_by_one<I: Arguments, O: Send>(
    arguments: I,
    out: &mut [O],
    grain: usize,
    f: impl Fn(I::One, &mut O) + Sync,
) {
    use rayon::prelude::*;
    assert!(arguments.have(out.len()), "every argument must have {} states, as `out` has", out.len());
    out.par_iter_mut().enumerate().with_min_len(grain).for_each(|(state, out)| f(arguments.one(state), out));
}

/// Computes the states from `start` on, one for each element of `out`: at least one, at most one a
/// lane.
fn group<I: Arguments, O: Lanewise<Float = I::Float>>(
    arguments: &I,
    start: usize,
    out: &mut [O],
    f: &impl Fn(&I::Lanes, &mut O::Lanes),
) {
    let mut lanes = O::zeros();
    group_into(arguments, start, out.len(), &mut lanes, f);
    unpack::group(&lanes, out, &[]);
}

/// Computes so many states from `start` on, at least one, at most one a lane, and leaves results in lanes.
#[inline(always)]
fn group_into<I: Arguments, O>(
    arguments: &I,
    start: usize,
    states: usize,
    lanes: &mut O,
    f: &impl Fn(&I::Lanes, &mut O),
) {
    if states == I::Float::LANES {
        f(&arguments.pack(|lane| start + lane), lanes);
    } else {
        let last = start + states - 1;
        f(&arguments.pack(|lane| last.min(start + lane)), lanes);
    }
}

mod cost;
#[rustfmt::skip]
mod methods;
mod robot;
mod stream;
mod unpack;

pub(crate) use stream::Fence;

pub use cost::Cost;
pub(crate) use cost::{Facts, goes_in_lanes};
pub use robot::Batch;
pub(crate) use unpack::lane as unpack_lane;

#[cfg(test)]
mod tests;
