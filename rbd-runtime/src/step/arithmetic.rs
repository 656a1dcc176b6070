//! Vectors and square matrices as slices, matrices by columns. `n` is the number of rows.
//!
//! The compiler makes registers of loops that are kernels of their own, with slices that do not overlap.

use crate::Scalar;
use crate::dispatch::{Dispatched, Recast};

/// Columns of a matrix of `n` rows.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn columns<T>(of: &[T], n: usize) -> core::slice::ChunksExact<'_, T> {
    of.chunks_exact(n.max(1))
}

/// Columns of a matrix of `n` rows, to be written.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn columns_mut<T>(of: &mut [T], n: usize) -> core::slice::ChunksExactMut<'_, T> {
    of.chunks_exact_mut(n.max(1))
}

/// Copies as many numbers as there are in both.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn copy<T: Scalar>(to: &mut [T], from: &[T]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}

/// `to += from`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn add<T: Scalar>(to: &mut [T], from: &[T]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += *from;
    }
}

/// `to += from s`, of vectors.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn add_scaled<T: Scalar>(to: &mut [T], from: &[T], s: T) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = from.mul_add(s, *to);
    }
}

/// `to = from s`, of vectors.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn scale<T: Scalar>(to: &mut [T], from: &[T], s: T) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from * s;
    }
}

/// `to = from s`, or `to += from s` if `ADD`, for the registers that the processor has.
struct Scaled<'a, T, const ADD: bool> {
    to: &'a mut [T],
    from: &'a [T],
    s: T,
}

impl<T: Scalar, const ADD: bool> Dispatched<T> for Scaled<'_, T, ADD> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<S: Scalar>(self, _: Recast<T, S>) {
        match ADD {
            true => add_scaled(self.to, self.from, self.s),
            false => scale(self.to, self.from, self.s),
        }
    }
}

/// `to = from s`, of matrices.
pub(super) fn scale_matrix<T: Scalar>(to: &mut [T], from: &[T], s: T) {
    T::dispatch(Scaled::<_, false> { to, from, s });
}

/// `to = from s`, of matrices; `to *= s` if there is no other.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn scale_from<T: Scalar>(to: &mut [T], from: Option<&[T]>, s: T) {
    match from {
        Some(from) => scale(to, from, s),
        None => to.iter_mut().for_each(|to| *to *= s),
    }
}

/// `to = from s`, or `to *= s` if there is no other, and `again = to s`, of whole matrices in one loop.
///
/// It took a third of the time of columns one by one for 7 rows, and three quarters for 18 and 35.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn scale_twice<T: Scalar>(to: &mut [T], again: &mut [T], from: Option<&[T]>, s: T) {
    match from {
        Some(from) => {
            for ((to, again), from) in to.iter_mut().zip(again).zip(from) {
                let once = *from * s;
                (*to, *again) = (once, once * s);
            }
        }
        None => {
            for (to, again) in to.iter_mut().zip(again) {
                *to *= s;
                *again = *to * s;
            }
        }
    }
}

/// Entries of the diagonal: `to = from s`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn set_diagonal<T: Scalar>(to: &mut [T], from: &[T], s: T, n: usize) {
    for (k, (to, from)) in columns_mut(to, n).zip(columns(from, n)).enumerate() {
        if let (Some(to), Some(from)) = (to.get_mut(k), from.get(k)) {
            *to = *from * s;
        }
    }
}

/// `to += from s`, of matrices.
pub(super) fn add_scaled_matrix<T: Scalar>(to: &mut [T], from: &[T], s: T) {
    T::dispatch(Scaled::<_, true> { to, from, s });
}

/// Adds `x` to each entry of the diagonal.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn add_diagonal<T: Scalar>(to: &mut [T], x: T, n: usize) {
    for (k, column) in columns_mut(to, n).enumerate() {
        if let Some(to) = column.get_mut(k) {
            *to += x;
        }
    }
}

/// `to += a b`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn add_product<T: Scalar>(to: &mut [T], a: &[T], b: &[T], n: usize) {
    for (to, b) in columns_mut(to, n).zip(columns(b, n)) {
        for (a, x) in columns(a, n).zip(b) {
            add_scaled(to, a, *x);
        }
    }
}

/// `to += a^T b`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn add_transposed_product<T: Scalar>(to: &mut [T], a: &[T], b: &[T], n: usize) {
    for (to, b) in columns_mut(to, n).zip(columns(b, n)) {
        for (to, a) in to.iter_mut().zip(columns(a, n)) {
            *to = a.iter().zip(b).fold(*to, |sum, (a, b)| a.mul_add(*b, sum));
        }
    }
}

/// Memory that is taken piece by piece: matrices, velocities and configurations.
#[derive(Debug)]
pub struct Scratch<'a, T> {
    /// Memory for square matrices.
    pub matrices: &'a mut [T],
    /// Memory for vectors of velocities.
    pub vectors: &'a mut [T],
    /// Memory for configurations.
    pub configurations: &'a mut [T],
}

/// The first numbers of the memory, whatever they are; fewer if there are no more.
#[cfg_attr(not(debug_assertions), inline(always))]
fn take<'a, T>(from: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let all = core::mem::take(from);
    debug_assert!(count <= all.len(), "the step has scratch for all that it takes");
    let (taken, rest) = all.split_at_mut(count.min(all.len()));
    *from = rest;
    taken
}

impl<'a, T: Scalar> Scratch<'a, T> {
    /// A vector of `n` zeros.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn zeros(&mut self, n: usize) -> &'a mut [T] {
        let zeros = self.vector(n);
        zeros.fill(T::zero());
        zeros
    }

    /// Three matrices of `n` rows of zeros.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn zero_matrices(&mut self, n: usize) -> [&'a mut [T]; 3] {
        let mut zeros = self.matrices(n);
        for zeros in &mut zeros {
            zeros.fill(T::zero());
        }
        zeros
    }

    /// A vector of `n` velocities. What is taken holds any numbers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn vector(&mut self, n: usize) -> &'a mut [T] {
        take(&mut self.vectors, n)
    }

    /// A configuration of `nq` coordinates.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn configuration(&mut self, nq: usize) -> &'a mut [T] {
        take(&mut self.configurations, nq)
    }

    /// A matrix of `n` rows.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn matrix(&mut self, n: usize) -> &'a mut [T] {
        take(&mut self.matrices, n * n)
    }

    /// Three matrices of `n` rows.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn matrices(&mut self, n: usize) -> [&'a mut [T]; 3] {
        core::array::from_fn(|_| self.matrix(n))
    }
}
