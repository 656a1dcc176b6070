//! Frames and constants for [`State`](super::state::State): rotations are three columns.

use super::super::Register;
use super::super::tables::Rows;
use super::state::element;
use super::vectors::*;
use crate::Scalar;
use crate::spatial::rotation_of_quaternion;

/// Adds one row to another.
#[inline(always)]
pub fn gather<S: Scalar, const K: usize, const P: usize>(rows: &mut Rows<S, K, P>, from: usize, onto: usize) {
    if from < P && onto < P {
        for k in 0..K {
            let x = rows.0[k][from];
            rows.0[k][onto] += x;
        }
    }
}

/// Rotation and origin.
#[inline(always)]
pub fn split<L: Lane>(x: [L; 12]) -> ([L; 9], V3<L>) {
    ([x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]], [x[9], x[10], x[11]])
}

#[inline(always)]
pub fn together<L: Lane>(r: [L; 9], p: V3<L>) -> [L; 12] {
    [r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], p[0], p[1], p[2]]
}

/// Velocity, acceleration, multiplier's motion.
#[inline(always)]
pub fn three<L: Lane>(x: [L; 18]) -> (V6<L>, V6<L>, V6<L>) {
    (
        [x[0], x[1], x[2], x[3], x[4], x[5]],
        [x[6], x[7], x[8], x[9], x[10], x[11]],
        [x[12], x[13], x[14], x[15], x[16], x[17]],
    )
}

/// The third column.
#[inline(always)]
pub fn third<L: Lane>(r: [L; 9]) -> V3<L> {
    [r[6], r[7], r[8]]
}

/// Columns turned about the third one.
#[inline(always)]
pub fn turned<L: Lane>(r: [L; 9], sin: L, cos: L) -> [L; 9] {
    let (x, y) = ([r[0], r[1], r[2]], [r[3], r[4], r[5]]);
    let a = add_scaled(cos, x, scale(sin, y));
    let b = add_scaled(cos, y, scale(-sin, x));
    [a[0], a[1], a[2], b[0], b[1], b[2], r[6], r[7], r[8]]
}

/// `a b` of matrices by columns.
#[inline(always)]
pub fn product<L: Lane>(a: [L; 9], b: [L; 9]) -> [L; 9] {
    let x = turn(a, [b[0], b[1], b[2]]);
    let y = turn(a, [b[3], b[4], b[5]]);
    let z = turn(a, [b[6], b[7], b[8]]);
    [x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]]
}

#[inline(always)]
pub fn transposed<L: Lane>(r: [L; 9]) -> [L; 9] {
    [r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8]]
}

/// The rotation of four coordinates from this one on.
#[inline(always)]
pub fn quaternion<S: Scalar>(q: &[S], from: usize) -> [S; 9] {
    let q = [element(q, from), element(q, from + 1), element(q, from + 2), element(q, from + 3)];
    let r = rotation_of_quaternion(&q);
    let [a, b, c] = r.data.0;
    [a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]]
}

#[inline(always)]
pub fn constants<S: Scalar, const K: usize>(x: [f64; K]) -> [S; K] {
    let mut out = [S::zero(); K];
    for k in 0..K {
        out[k] = S::from_f64(x[k]);
    }
    out
}

#[inline(always)]
pub fn load_constants<S: Scalar, X: Register<S>, const K: usize, const P: usize>(
    rows: &Rows<f64, K, P>,
    row: usize,
) -> [Wide<S, X>; K] {
    let mut out = [Wide::splat(S::zero()); K];
    for k in 0..K {
        if let Some(x) = rows.0[k].get(row..).and_then(<[f64]>::first_chunk) {
            out[k] = Wide::new(X::constant(x));
        }
    }
    out
}

/// Entry (r, k) of `R S R^T + h c^T`, where x, y, z are the columns of `R S`.
#[allow(clippy::too_many_arguments, reason = "vectors of registers")]
#[inline(always)]
pub fn second_moment<L: Lane>(
    rotation: [L; 9],
    x: V3<L>,
    y: V3<L>,
    z: V3<L>,
    h: V3<L>,
    c: V3<L>,
    r: usize,
    k: usize,
) -> L {
    let moved = rotation[k].fma(x[r], rotation[3 + k].fma(y[r], rotation[6 + k] * z[r]));
    h[r].fma(c[k], moved)
}
