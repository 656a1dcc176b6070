//! Vectors and operators of three and six components, which are numbers or registers
//! (docs/math.md#coriolis-operator).
//!
//! Loops are explicit: closures and iterators do not inherit a kernel's target features.

use super::super::vector::Scratch;
use super::super::{LANES, Register};
use crate::Scalar;
use core::marker::PhantomData;
use core::ops::{Add, Mul, Neg, Sub};

/// A number or a register of numbers.
pub trait Lane:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// A constant in every lane.
    fn constant(x: f64) -> Self;
    /// Fused product and sum `self * a + b`.
    #[must_use]
    fn fma(self, a: Self, b: Self) -> Self;
}

impl<S: Scalar> Lane for S {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn constant(x: f64) -> Self {
        S::from_f64(x)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fma(self, a: Self, b: Self) -> Self {
        self.mul_add(a, b)
    }
}

/// A register `X` of numbers `S`.
pub struct Wide<S, X>(pub X, PhantomData<S>);

impl<S, X: Copy> Clone for Wide<S, X> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn clone(&self) -> Self {
        *self
    }
}
impl<S, X: Copy> Copy for Wide<S, X> {}

impl<S: Scalar, X: Register<S>> Wide<S, X> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn new(x: X) -> Self {
        Self(x, PhantomData)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn splat(x: S) -> Self {
        Self::new(X::splat(x))
    }
    /// Lanes in `mask`, and zero in the others.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn keep(self, mask: u8) -> Self {
        Self::new(self.0.keep(mask))
    }
    /// Lanes of `other` in `mask`, and of `self` in the others.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn select(self, other: Self, mask: u8) -> Self {
        Self::new(self.0.select(other.0, mask))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn lanes(self) -> [S; LANES] {
        let mut lanes = [S::zero(); LANES];
        self.0.store(&mut lanes);
        lanes
    }
}

macro_rules! operator {
    ($trait:ident $method:ident) => {
        impl<S: Scalar, X: Register<S>> $trait for Wide<S, X> {
            type Output = Self;
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn $method(self, other: Self) -> Self {
                Self::new($trait::$method(self.0, other.0))
            }
        }
    };
}
operator!(Add add);
operator!(Sub sub);
operator!(Mul mul);

impl<S: Scalar, X: Register<S>> Neg for Wide<S, X> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn neg(self) -> Self {
        Self::new(-self.0)
    }
}

impl<S: Scalar, X: Register<S>> Lane for Wide<S, X> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn constant(x: f64) -> Self {
        Self::splat(S::from_f64(x))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fma(self, a: Self, b: Self) -> Self {
        Self::new(self.0.mul_add(a.0, b.0))
    }
}

/// Three components.
pub type V3<L> = [L; 3];
/// Linear, then angular components. For forces: force, then moment.
pub type V6<L> = [L; 6];

/// Numbers, each in every lane.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn every<S: Scalar, X: Register<S>, const N: usize>(x: [S; N]) -> [Wide<S, X>; N] {
    let mut out = [Wide::splat(x[0]); N];
    for k in 1..N {
        out[k] = Wide::splat(x[k]);
    }
    out
}

impl<S: Scalar, const K: usize, const P: usize> Scratch<S, K, P> {
    /// Components `from` to `from + N` of the rows from `row` on.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn wide<X: Register<S>, const N: usize>(&self, from: usize, row: usize) -> [Wide<S, X>; N] {
        let mut out = [Wide::new(self.load(from, row)); N];
        for k in 1..N {
            out[k] = Wide::new(self.load(from + k, row));
        }
        out
    }
    /// Sets components from `from` on, in the rows from `row` on.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn put<X: Register<S>, const N: usize>(&mut self, from: usize, row: usize, x: [Wide<S, X>; N]) {
        for k in 0..N {
            self.store(from + k, row, x[k].0);
        }
    }
    /// All components of one row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn one(&self, row: usize) -> [S; K] {
        let mut out = [self.get(0, row); K];
        for k in 1..K {
            out[k] = self.get(k, row);
        }
        out
    }
    /// Sets all components of one row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn set_all(&mut self, row: usize, x: [S; K]) {
        for k in 0..K {
            self.set(k, row, x[k]);
        }
    }
}

/// Linear components.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn linear<L: Lane>(x: V6<L>) -> V3<L> {
    [x[0], x[1], x[2]]
}

/// Angular components.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn angular<L: Lane>(x: V6<L>) -> V3<L> {
    [x[3], x[4], x[5]]
}

/// Six components from linear and angular ones.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn join<L: Lane>(a: V3<L>, b: V3<L>) -> V6<L> {
    [a[0], a[1], a[2], b[0], b[1], b[2]]
}

/// Sum `a + b`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn add<L: Lane, const N: usize>(mut a: [L; N], b: [L; N]) -> [L; N] {
    for k in 0..N {
        a[k] = a[k] + b[k];
    }
    a
}

/// Difference `a - b`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn sub<L: Lane, const N: usize>(mut a: [L; N], b: [L; N]) -> [L; N] {
    for k in 0..N {
        a[k] = a[k] - b[k];
    }
    a
}

/// Negative `-a`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn neg<L: Lane, const N: usize>(mut a: [L; N]) -> [L; N] {
    for k in 0..N {
        a[k] = -a[k];
    }
    a
}

/// Multiple `x a`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn scale<L: Lane, const N: usize>(x: L, mut a: [L; N]) -> [L; N] {
    for k in 0..N {
        a[k] = x * a[k];
    }
    a
}

/// Sum `a . b + c`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn dot_add<L: Lane, const N: usize>(a: [L; N], b: [L; N], mut c: L) -> L {
    for k in 0..N {
        c = a[k].fma(b[k], c);
    }
    c
}

/// Dot product `a . b`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn dot<L: Lane, const N: usize>(a: [L; N], b: [L; N]) -> L {
    let mut sum = a[0] * b[0];
    for k in 1..N {
        sum = a[k].fma(b[k], sum);
    }
    sum
}

/// Cross product `a x b`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn cross<L: Lane>(a: V3<L>, b: V3<L>) -> V3<L> {
    [a[1].fma(b[2], -(a[2] * b[1])), a[2].fma(b[0], -(a[0] * b[2])), a[0].fma(b[1], -(a[1] * b[0]))]
}

/// Sum `a x b + c`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn cross_add<L: Lane>(a: V3<L>, b: V3<L>, c: V3<L>) -> V3<L> {
    [
        a[1].fma(b[2], (-a[2]).fma(b[1], c[0])),
        a[2].fma(b[0], (-a[0]).fma(b[2], c[1])),
        a[0].fma(b[1], (-a[1]).fma(b[0], c[2])),
    ]
}

/// Cross product `m x y` of two motions.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn motion_cross<L: Lane>(m: V6<L>, y: V6<L>) -> V6<L> {
    let w = angular(m);
    join(cross_add(w, linear(y), cross(linear(m), angular(y))), cross(w, angular(y)))
}

/// Cross product `m x* f` of a motion and a force.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn force_cross<L: Lane>(m: V6<L>, f: V6<L>) -> V6<L> {
    let w = angular(m);
    join(cross(w, linear(f)), cross_add(linear(m), linear(f), cross(w, angular(f))))
}

/// Negative `-(m x* f)`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn minus_force_cross<L: Lane>(m: V6<L>, f: V6<L>) -> V6<L> {
    let (w, l) = (angular(m), linear(f));
    join(cross(l, w), cross_add(l, linear(m), cross(angular(f), w)))
}

/// Moment of `m x* f`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn force_cross_moment<L: Lane>(m: V6<L>, f: V6<L>) -> V3<L> {
    cross_add(linear(m), linear(f), cross(angular(m), angular(f)))
}

/// Product of a matrix, given by columns, and a vector.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn turn<L: Lane>(m: [L; 9], x: V3<L>) -> V3<L> {
    let mut out = [m[0] * x[0], m[1] * x[0], m[2] * x[0]];
    for k in 0..3 {
        out[k] = m[3 + k].fma(x[1], m[6 + k].fma(x[2], out[k]));
    }
    out
}

/// Sum `J x + c`, with a symmetric matrix J given as xx, xy, xz, yy, yz, zz.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn symmetric_add<L: Lane>(j: [L; 6], x: V3<L>, c: V3<L>) -> V3<L> {
    [
        j[0].fma(x[0], j[1].fma(x[1], j[2].fma(x[2], c[0]))),
        j[1].fma(x[0], j[3].fma(x[1], j[4].fma(x[2], c[1]))),
        j[2].fma(x[0], j[4].fma(x[1], j[5].fma(x[2], c[2]))),
    ]
}
