//! Vectors of three and six components, which are numbers or registers.
//!
//! Loops are explicit: closures and iterators do not inherit a kernel's target features.

use crate::Scalar;
use crate::simd::Lane;
use crate::simd::Register;

/// Three components.
pub type V3<L> = [L; 3];
/// Linear, then angular components. For forces: force, then moment.
pub type V6<L> = [L; 6];

/// Numbers, each in every lane.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn every<S: Scalar, X: Register<Of = S>, const N: usize>(x: [S; N]) -> [X; N] {
    let mut out = [X::splat(x[0]); N];
    for k in 1..N {
        out[k] = X::splat(x[k]);
    }
    out
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

/// Sum `x a + b`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn scale_add<L: Lane, const N: usize>(x: L, mut a: [L; N], b: [L; N]) -> [L; N] {
    for k in 0..N {
        a[k] = a[k].mul_add(x, b[k]);
    }
    a
}

/// Lanes in `mask` from `b`, the rest from `a`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn select<L: Register, const N: usize>(mut a: [L; N], b: [L; N], mask: u8) -> [L; N] {
    for k in 0..N {
        a[k] = a[k].select(b[k], mask);
    }
    a
}

/// Sum `a . b + c`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn dot_add<L: Lane, const N: usize>(a: [L; N], b: [L; N], mut c: L) -> L {
    for k in 0..N {
        c = a[k].mul_add(b[k], c);
    }
    c
}

/// Dot product `a . b`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn dot<L: Lane, const N: usize>(a: [L; N], b: [L; N]) -> L {
    let mut sum = a[0] * b[0];
    for k in 1..N {
        sum = a[k].mul_add(b[k], sum);
    }
    sum
}

/// Cross product `a x b`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn cross<L: Lane>(a: V3<L>, b: V3<L>) -> V3<L> {
    [
        a[1].mul_add(b[2], -(a[2] * b[1])),
        a[2].mul_add(b[0], -(a[0] * b[2])),
        a[0].mul_add(b[1], -(a[1] * b[0])),
    ]
}

/// Sum `a x b + c`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn cross_add<L: Lane>(a: V3<L>, b: V3<L>, c: V3<L>) -> V3<L> {
    [
        a[1].mul_add(b[2], (-a[2]).mul_add(b[1], c[0])),
        a[2].mul_add(b[0], (-a[0]).mul_add(b[2], c[1])),
        a[0].mul_add(b[1], (-a[1]).mul_add(b[0], c[2])),
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
        out[k] = m[3 + k].mul_add(x[1], m[6 + k].mul_add(x[2], out[k]));
    }
    out
}

/// Sum `J x + c`, with a symmetric matrix J given as xx, xy, xz, yy, yz, zz.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn symmetric_add<L: Lane>(j: [L; 6], x: V3<L>, c: V3<L>) -> V3<L> {
    [
        j[0].mul_add(x[0], j[1].mul_add(x[1], j[2].mul_add(x[2], c[0]))),
        j[1].mul_add(x[0], j[3].mul_add(x[1], j[4].mul_add(x[2], c[1]))),
        j[2].mul_add(x[0], j[4].mul_add(x[1], j[5].mul_add(x[2], c[2]))),
    ]
}
