//! Arrays over rows, in which stages leave their results.

use super::algebra::{V3, select};
use super::{LANES, Register};
use crate::Scalar;
use core::mem::MaybeUninit;

/// `K` numbers for each of up to `P` rows, component by component. Not cleared before use: that
/// would take longer than some stages.
///
/// The condition of [`Scratch::new`] is that every number is written before it is read. It holds
/// because the first stage that writes an array of [`Work`](super::forward::Work) goes over all
/// blocks of rows, for any tables. Motions are read as registers from any row on; their first stage
/// also writes the block after the last one. Stages that follow the tree only overwrite. Indices
/// beyond the array are bounded by its size.
#[repr(C, align(64))]
pub(super) struct Scratch<T, const K: usize, const P: usize>([[MaybeUninit<T>; P]; K]);

impl<T: Scalar, const K: usize, const P: usize> Scratch<T, K, P> {
    /// # Safety
    /// Every number is written before it is read; see the type.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn new() -> Self {
        Self([[MaybeUninit::uninit(); P]; K])
    }
    /// Eight numbers from row `at` on.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn eight(&self, k: usize, at: usize) -> &[T; LANES] {
        // SAFETY: within the array by the minimum, `P` being at least `LANES`; initialised by the
        // condition of `new`.
        unsafe { &*self.0[k.min(K - 1)].as_ptr().add(at.min(P - LANES)).cast::<[T; LANES]>() }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn load<L: Register<Of = T>>(&self, k: usize, at: usize) -> L {
        L::load(self.eight(k, at))
    }
    /// Components `from` to `from + N` of the rows from `at` on.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn wide<L: Register<Of = T>, const N: usize>(&self, from: usize, at: usize) -> [L; N] {
        let mut out = [self.load(from, at); N];
        for k in 1..N {
            out[k] = self.load(from + k, at);
        }
        out
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn store<L: Register<Of = T>>(&mut self, k: usize, at: usize, x: L) {
        // SAFETY: within the array as in `eight`; numbers are written, never read, through this.
        let to =
            unsafe { &mut *self.0[k.min(K - 1)].as_mut_ptr().add(at.min(P - LANES)).cast::<[T; LANES]>() };
        x.store(to);
    }
    /// Sets components from `from` on, in the rows from `at` on.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn put<L: Register<Of = T>, const N: usize>(&mut self, from: usize, at: usize, x: [L; N]) {
        for k in 0..N {
            self.store(from + k, at, x[k]);
        }
    }
    /// Replaces the lanes in `mask`; the others stay as they are.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn replace3<L: Register<Of = T>>(&mut self, k: usize, at: usize, x: V3<L>, mask: u8) {
        self.put(k, at, select(self.wide(k, at), x, mask));
    }
    /// The number of one row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn get(&self, k: usize, row: usize) -> T {
        // SAFETY: by the condition of `new`.
        unsafe { self.0[k.min(K - 1)][row.min(P - 1)].assume_init() }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn get3(&self, k: usize, row: usize) -> [T; 3] {
        [self.get(k, row), self.get(k + 1, row), self.get(k + 2, row)]
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn set(&mut self, k: usize, row: usize, x: T) {
        self.0[k.min(K - 1)][row.min(P - 1)] = MaybeUninit::new(x);
    }
    /// All components of one row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn one(&self, row: usize) -> [T; K] {
        let mut out = [self.get(0, row); K];
        for k in 1..K {
            out[k] = self.get(k, row);
        }
        out
    }
    /// Sets all components of one row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn set_all(&mut self, row: usize, x: [T; K]) {
        for k in 0..K {
            self.set(k, row, x[k]);
        }
    }
    /// One row's number in all lanes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn all<L: Register<Of = T>>(&self, k: usize, row: usize) -> L {
        L::splat(self.get(k, row))
    }
    /// Zeros from row `at` on, a register.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn clear<L: Register<Of = T>>(&mut self, at: usize) {
        for k in 0..K {
            self.store(k, at, L::splat(T::zero()));
        }
    }
}

/// Frames of up to `P` rows: three columns of the rotation and the origin, of four numbers each.
///
/// Not cleared before use, like [`Scratch`]: the stage that places the rows writes all frames that
/// are read.
#[repr(C, align(64))]
pub(super) struct Frames<T, const P: usize>([MaybeUninit<[[T; 4]; 4]>; P]);

impl<T: Scalar, const P: usize> Frames<T, P> {
    /// # Safety
    /// No frame is read that was not written.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn new() -> Self {
        Self([MaybeUninit::uninit(); P])
    }
    /// A row's frame.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn get(&self, row: usize) -> &[[T; 4]; 4] {
        // SAFETY: by the condition of `new`.
        unsafe { self.0[row.min(P - 1)].assume_init_ref() }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn set(&mut self, row: usize, frame: [[T; 4]; 4]) {
        self.0[row.min(P - 1)] = MaybeUninit::new(frame);
    }
}
