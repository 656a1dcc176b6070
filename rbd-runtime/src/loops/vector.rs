//! Vectors of three registers, and the scratch that stages leave their results in.

use super::{LANES, Register};
use crate::Scalar;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::{Add, Sub};

/// Eight vectors of three.
#[derive(Clone, Copy)]
pub(super) struct V3<T, L> {
    pub c: [L; 3],
    of: PhantomData<T>,
}

/// The vector with these components.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn v3<T, L>(c: [L; 3]) -> V3<T, L> {
    V3 { c, of: PhantomData }
}

impl<T: Scalar, L: Register<T>> Add for V3<T, L> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add(self, b: Self) -> Self {
        v3([self.c[0] + b.c[0], self.c[1] + b.c[1], self.c[2] + b.c[2]])
    }
}
impl<T: Scalar, L: Register<T>> Sub for V3<T, L> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn sub(self, b: Self) -> Self {
        v3([self.c[0] - b.c[0], self.c[1] - b.c[1], self.c[2] - b.c[2]])
    }
}

impl<T: Scalar, L: Register<T>> V3<T, L> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn zero() -> Self {
        v3([L::splat(T::zero()); 3])
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn splat(x: [T; 3]) -> Self {
        v3([L::splat(x[0]), L::splat(x[1]), L::splat(x[2])])
    }
    /// `k self`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn scale(self, k: L) -> Self {
        v3([self.c[0] * k, self.c[1] * k, self.c[2] * k])
    }
    /// `k self + b`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn scale_add(self, k: L, b: Self) -> Self {
        v3([self.c[0].mul_add(k, b.c[0]), self.c[1].mul_add(k, b.c[1]), self.c[2].mul_add(k, b.c[2])])
    }
    /// `self . b`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn dot(self, b: Self) -> L {
        self.c[0].mul_add(b.c[0], self.c[1].mul_add(b.c[1], self.c[2] * b.c[2]))
    }
    /// `self . b + c`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn dot_add(self, b: Self, c: L) -> L {
        self.c[0].mul_add(b.c[0], self.c[1].mul_add(b.c[1], self.c[2].mul_add(b.c[2], c)))
    }
    /// `self x b`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn cross(self, b: Self) -> Self {
        let (a, b) = (self.c, b.c);
        v3([
            a[1].mul_add(b[2], -(a[2] * b[1])),
            a[2].mul_add(b[0], -(a[0] * b[2])),
            a[0].mul_add(b[1], -(a[1] * b[0])),
        ])
    }
    /// `self x b + c`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn cross_add(self, b: Self, c: Self) -> Self {
        let (a, b, c) = (self.c, b.c, c.c);
        v3([
            a[1].mul_add(b[2], (-a[2]).mul_add(b[1], c[0])),
            a[2].mul_add(b[0], (-a[0]).mul_add(b[2], c[1])),
            a[0].mul_add(b[1], (-a[1]).mul_add(b[0], c[2])),
        ])
    }
    /// Lanes in `mask` from `b`, the rest from `self`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn select(self, b: Self, mask: u8) -> Self {
        let (a, b) = (self.c, b.c);
        v3([a[0].select(b[0], mask), a[1].select(b[1], mask), a[2].select(b[2], mask)])
    }
}

/// `a x b` of plain vectors.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn cross<T: Scalar>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [
        a[1].mul_add(b[2], -(a[2] * b[1])),
        a[2].mul_add(b[0], -(a[0] * b[2])),
        a[0].mul_add(b[1], -(a[1] * b[0])),
    ]
}

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
    pub fn load<L: Register<T>>(&self, k: usize, at: usize) -> L {
        L::load(self.eight(k, at))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn load3<L: Register<T>>(&self, k: usize, at: usize) -> V3<T, L> {
        v3([self.load(k, at), self.load(k + 1, at), self.load(k + 2, at)])
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn store<L: Register<T>>(&mut self, k: usize, at: usize, x: L) {
        // SAFETY: within the array as in `eight`; numbers are written, never read, through this.
        let to =
            unsafe { &mut *self.0[k.min(K - 1)].as_mut_ptr().add(at.min(P - LANES)).cast::<[T; LANES]>() };
        x.store(to);
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn store3<L: Register<T>>(&mut self, k: usize, at: usize, x: V3<T, L>) {
        self.store(k, at, x.c[0]);
        self.store(k + 1, at, x.c[1]);
        self.store(k + 2, at, x.c[2]);
    }
    /// Replaces the lanes in `mask`; the others stay as they are.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn replace3<L: Register<T>>(&mut self, k: usize, at: usize, x: V3<T, L>, mask: u8) {
        let kept = self.load3::<L>(k, at);
        self.store3(k, at, kept.select(x, mask));
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
    /// One row's number in all lanes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn all<L: Register<T>>(&self, k: usize, row: usize) -> L {
        L::splat(self.get(k, row))
    }
    /// Zeros from row `at` on, a register.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn clear<L: Register<T>>(&mut self, at: usize) {
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
