//! Configuration manifolds of the joints: `neutral`, `integrate` and `difference`.
//!
//! `integrate(q, dv)` moves a configuration by a constant velocity `dv` (in the child's frame) over
//! unit time. `difference(q0, q1)` is the velocity that leads from q0 to q1 by the short way.
//! Conventions are Pinocchio's: increments act on the right, `M(q) exp(dv)`.
//!
//! No function branches on a value. Near zero, [`Scalar::select_lt`] selects a series. The side
//! that is not selected gets harmless numbers, so that neither values nor derivatives (dual and
//! complex numbers) become infinite. The limits between series and closed form lie where second
//! derivatives are still accurate.

pub(crate) mod columns;
mod hessians;
mod jacobians;
#[cfg(feature = "alloc")]
pub(crate) mod of_model;
pub mod random;

pub use hessians::{
    IntegrateHessian, integrate_floating_hessian, integrate_planar_hessian, integrate_spherical_hessian,
};
pub(crate) use hessians::{weighted_bracket_floating, weighted_bracket_planar, weighted_bracket_spherical};
pub use jacobians::{
    Columns, difference_floating_jacobians, difference_jacobians, difference_planar_jacobians,
    difference_spherical_jacobians, integrate_floating_jacobians, integrate_jacobians,
    integrate_planar_jacobians, integrate_spherical_jacobians,
};

use crate::{JointKind, Scalar};

/// Value of the polynomial with these coefficients, lowest first.
#[inline]
fn polynomial<T: Scalar>(x: T, coefficients: &[f64]) -> T {
    coefficients.iter().rev().fold(T::zero(), |sum, &c| sum.mul_add(x, T::from_f64(c)))
}

/// `sin(x)/x` and `cos(x)` as functions of `x^2`. Both are smooth in the square, while its root is
/// not smooth at zero.
#[inline]
fn sinc_cos<T: Scalar>(x2: T) -> (T, T) {
    // (-1)^k / (2k+1)! and (-1)^k / (2k)!, enough for 1e-17 where x^2 < 1
    const SINC: [f64; 9] = [
        1.0,
        -1.0 / 6.0,
        1.0 / 120.0,
        -1.0 / 5040.0,
        1.0 / 362_880.0,
        -1.0 / 39_916_800.0,
        1.0 / 6_227_020_800.0,
        -1.0 / 1_307_674_368_000.0,
        1.0 / 355_687_428_096_000.0,
    ];
    const COS: [f64; 10] = [
        1.0,
        -1.0 / 2.0,
        1.0 / 24.0,
        -1.0 / 720.0,
        1.0 / 40_320.0,
        -1.0 / 3_628_800.0,
        1.0 / 479_001_600.0,
        -1.0 / 87_178_291_200.0,
        1.0 / 20_922_789_888_000.0,
        -1.0 / 6_402_373_705_728_000.0,
    ];
    let x = x2.select_lt(1.0, T::one(), x2).sqrt();
    let (s, c) = x.sin_cos();
    let small = x2.select_lt(1.0, x2, T::zero());
    (x2.select_lt(1.0, polynomial(small, &SINC), s / x), x2.select_lt(1.0, polynomial(small, &COS), c))
}

/// `(x - sin x)/x^3` as a function of `x^2`, from `sin(x)/x`.
#[inline]
fn cubic_rest<T: Scalar>(x2: T, sinc: T) -> T {
    // (-1)^k / (2k+3)!
    const REST: [f64; 9] = [
        1.0 / 6.0,
        -1.0 / 120.0,
        1.0 / 5040.0,
        -1.0 / 362_880.0,
        1.0 / 39_916_800.0,
        -1.0 / 6_227_020_800.0,
        1.0 / 1_307_674_368_000.0,
        -1.0 / 355_687_428_096_000.0,
        1.0 / 121_645_100_408_832_000.0,
    ];
    let small = x2.select_lt(1.0, x2, T::zero());
    let large = x2.select_lt(1.0, T::one(), x2);
    x2.select_lt(1.0, polynomial(small, &REST), (T::one() - sinc) / large)
}

/// `(1 - (x/2) cot(x/2))/x^2` as a function of `x^2`, from `(x/2) cot(x/2)`.
#[inline]
fn cotangent_rest<T: Scalar>(x2: T, half_cot: T) -> T {
    // |B_2k| / (2k)!, with the Bernoulli numbers
    const REST: [f64; 8] = [
        1.0 / 12.0,
        1.0 / 720.0,
        1.0 / 30_240.0,
        1.0 / 1_209_600.0,
        1.0 / 47_900_160.0,
        691.0 / 1_307_674_368_000.0,
        1.0 / 74_724_249_600.0,
        3617.0 / 10_670_622_842_880_000.0,
    ];
    const LIMIT: f64 = 0.25;
    let small = x2.select_lt(LIMIT, x2, T::zero());
    let large = x2.select_lt(LIMIT, T::one(), x2);
    x2.select_lt(LIMIT, polynomial(small, &REST), (T::one() - half_cot) / large)
}

#[inline]
fn cross<T: Scalar>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline]
fn square<T: Scalar>(a: [T; 3]) -> T {
    a[0] * a[0] + a[1] * a[1] + a[2] * a[2]
}

/// `x + s a + t b`.
#[inline]
fn combine<T: Scalar>(x: [T; 3], s: T, a: [T; 3], t: T, b: [T; 3]) -> [T; 3] {
    core::array::from_fn(|k| s.mul_add(a[k], t.mul_add(b[k], x[k])))
}

/// Product of two quaternions `[x, y, z, w]`.
#[inline]
fn quaternion_product<T: Scalar>(a: [T; 4], b: [T; 4]) -> [T; 4] {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a, b);
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by + ay * bw + az * bx - ax * bz,
        aw * bz + az * bw + ax * by - ay * bx,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

#[inline]
fn conjugate<T: Scalar>(q: [T; 4]) -> [T; 4] {
    [-q[0], -q[1], -q[2], q[3]]
}

/// Rotates a vector by a unit quaternion.
#[inline]
fn rotate<T: Scalar>(q: [T; 4], x: [T; 3]) -> [T; 3] {
    let u = [q[0], q[1], q[2]];
    let ux = cross(u, x);
    let two = T::from_f64(2.0);
    combine(x, two * q[3], ux, two, cross(u, ux))
}

/// One Newton step towards unit length: removes the drift of a product of unit quaternions, to second order,
/// without a root or a division.
#[inline]
fn renormalise<T: Scalar>(q: [T; 4]) -> [T; 4] {
    let n2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    let scale = (T::from_f64(3.0) - n2) * T::from_f64(0.5);
    q.map(|x| x * scale)
}

/// `sin(t/2)/(t/2)` and `cos(t/2)` of the angle t of a rotation vector.
#[inline]
fn sinc_cos_of_half<T: Scalar>(w: [T; 3]) -> (T, T) {
    sinc_cos(square(w) * T::from_f64(0.25))
}

/// Unit quaternion `[x, y, z, w]` of the rotation vector `w`, from [`sinc_cos_of_half`].
#[inline]
fn quaternion_of<T: Scalar>(w: [T; 3], (sinc, cos): (T, T)) -> [T; 4] {
    let half = sinc * T::from_f64(0.5);
    [w[0] * half, w[1] * half, w[2] * half, cos]
}

/// Rotation vector, of length at most pi, of a quaternion (of any length but zero), and half the angle times
/// its cotangent.
#[inline]
fn quaternion_log<T: Scalar>(q: [T; 4]) -> ([T; 3], T) {
    // q and -q are the same rotation; the one with w >= 0 is the short way.
    let one = T::one();
    let sign = q[3].select_lt(0.0, -one, one);
    let (u, w) = ([q[0] * sign, q[1] * sign, q[2] * sign], q[3] * sign);
    // atan(x)/x for x = |u|/w: (-1)^k / (2k+1)
    const ATAN: [f64; 9] =
        [1.0, -1.0 / 3.0, 1.0 / 5.0, -1.0 / 7.0, 1.0 / 9.0, -1.0 / 11.0, 1.0 / 13.0, -1.0 / 15.0, 1.0 / 17.0];
    const LIMIT: f64 = 0.01;
    let n2 = square(u);
    let n = n2.select_lt(LIMIT, one, n2).sqrt();
    let near = n2.select_lt(LIMIT, w, one);
    let x2 = n2.select_lt(LIMIT, n2, T::zero()) / (near * near);
    let half_factor = n2.select_lt(LIMIT, polynomial(x2, &ATAN) / near, n.atan2(w) / n);
    let factor = half_factor + half_factor;
    (u.map(|x| x * factor), half_factor * w)
}

/// Angle, length or velocity: moves along the line. For revolute, continuous and prismatic joints.
#[inline]
pub fn integrate_linear<T: Scalar>(q: [T; 1], dv: [T; 1]) -> [T; 1] {
    [q[0] + dv[0]]
}

/// Inverse of [`integrate_linear`]. An angle is a number here, not a point of the circle: no turn
/// is taken off.
#[inline]
pub fn difference_linear<T: Scalar>(q0: [T; 1], q1: [T; 1]) -> [T; 1] {
    [q1[0] - q0[0]]
}

/// Moves `q = [x, y, theta]` by `dv = [vx, vy, w]`, a velocity in the child's frame: the
/// exponential of SE(2).
pub fn integrate_planar<T: Scalar>(q: [T; 3], dv: [T; 3]) -> [T; 3] {
    let [vx, vy, w] = dv;
    let half = w * T::from_f64(0.5);
    let (sinc, cos) = sinc_cos(half * half);
    // sin(w)/w and (1 - cos(w))/w
    let (a, b) = (sinc * cos, sinc * sinc * half);
    let (px, py) = (a * vx - b * vy, b * vx + a * vy);
    let (s, c) = q[2].sin_cos();
    [q[0] + c * px - s * py, q[1] + s * px + c * py, q[2] + w]
}

/// Inverse of [`integrate_planar`], with the angle in `(-pi, pi]`.
pub fn difference_planar<T: Scalar>(q0: [T; 3], q1: [T; 3]) -> [T; 3] {
    let (sin, cos) = (q1[2] - q0[2]).sin_cos();
    let w = sin.atan2(cos);
    let half = w * T::from_f64(0.5);
    let (sinc, cos) = sinc_cos(half * half);
    let half_cot = cos / sinc;
    let (s, c) = q0[2].sin_cos();
    let (dx, dy) = (q1[0] - q0[0], q1[1] - q0[1]);
    let (px, py) = (c * dx + s * dy, c * dy - s * dx);
    [half_cot * px + half * py, half_cot * py - half * px, w]
}

/// Turns the unit quaternion `q = [x, y, z, w]` by the rotation vector `dv`, in the child's frame:
/// `q * exp(dv/2)`.
pub fn integrate_spherical<T: Scalar>(q: [T; 4], dv: [T; 3]) -> [T; 4] {
    renormalise(quaternion_product(q, quaternion_of(dv, sinc_cos_of_half(dv))))
}

/// Inverse of [`integrate_spherical`]: the rotation vector, of length at most pi.
pub fn difference_spherical<T: Scalar>(q0: [T; 4], q1: [T; 4]) -> [T; 3] {
    quaternion_log(quaternion_product(conjugate(q0), q1)).0
}

/// Exponential of SE(3): translation and quaternion.
///
/// `half` is the result of [`sinc_cos`] for half the angle.
#[inline]
fn exponential<T: Scalar>(v: [T; 3], w: [T; 3], half @ (sinc, cos): (T, T)) -> ([T; 3], [T; 4]) {
    // p = v + (1 - cos t)/t^2 w x v + (t - sin t)/t^3 w x (w x v)
    let wv = cross(w, v);
    let rest = cubic_rest(square(w), sinc * cos);
    let p = combine(v, sinc * sinc * T::from_f64(0.5), wv, rest, cross(w, wv));
    (p, quaternion_of(w, half))
}

/// Moves `q = [x, y, z, qx, qy, qz, qw]` by `dv = [linear; angular]`, a velocity in the child's frame: the
/// exponential of SE(3).
pub fn integrate_floating<T: Scalar>(q: [T; 7], dv: [T; 6]) -> [T; 7] {
    let [x, y, z, qx, qy, qz, qw] = q;
    let (v, w) = ([dv[0], dv[1], dv[2]], [dv[3], dv[4], dv[5]]);
    let (p, turn) = exponential(v, w, sinc_cos_of_half(w));
    let from = [qx, qy, qz, qw];
    let p = rotate(from, p);
    let [qx, qy, qz, qw] = renormalise(quaternion_product(from, turn));
    [x + p[0], y + p[1], z + p[2], qx, qy, qz, qw]
}

/// Inverse of [`integrate_floating`], with a turn of at most pi.
pub fn difference_floating<T: Scalar>(q0: [T; 7], q1: [T; 7]) -> [T; 6] {
    let back = conjugate([q0[3], q0[4], q0[5], q0[6]]);
    let (w, half_cot) = quaternion_log(quaternion_product(back, [q1[3], q1[4], q1[5], q1[6]]));
    let p = rotate(back, core::array::from_fn(|k| q1[k] - q0[k]));
    // v = p - w x p / 2 + (1 - (t/2) cot(t/2))/t^2 w x (w x p)
    let wp = cross(w, p);
    let rest = cotangent_rest(square(w), half_cot);
    let v = combine(p, T::from_f64(-0.5), wp, rest, cross(w, wp));
    [v[0], v[1], v[2], w[0], w[1], w[2]]
}

/// The first `N` elements.
///
/// # Panics
/// If there are fewer.
#[inline]
fn first<T: Scalar, const N: usize>(x: &[T]) -> [T; N] {
    core::array::from_fn(|k| x[k])
}

/// The joint's neutral configuration: zeros, and the quaternion without rotation.
///
/// # Panics
/// Where `out` is not `kind.nq()` long.
pub fn neutral<T: Scalar>(kind: JointKind, out: &mut [T]) {
    out.fill(T::zero());
    if matches!(kind, JointKind::Spherical | JointKind::Floating) {
        out[kind.nq() - 1] = T::one();
    }
}

/// Scales a joint's quaternion, if it has one, to length one. One of length zero becomes NaN.
pub fn normalize<T: Scalar>(kind: JointKind, q: &mut [T]) {
    let first = match kind {
        JointKind::Spherical => 0,
        JointKind::Floating => 3,
        _ => return,
    };
    if let Some([x, y, z, w]) = q.get_mut(first..).and_then(<[T]>::first_chunk_mut::<4>) {
        let scale = T::one() / (*x * *x + *y * *y + *z * *z + *w * *w).sqrt();
        for of in [x, y, z, w] {
            *of *= scale;
        }
    }
}

/// One joint's configuration `q` (`kind.nq()` long) moved by `dv` (`kind.nv()` long), into `out`.
///
/// # Panics
/// Where a slice has another length.
pub fn integrate<T: Scalar>(kind: JointKind, q: &[T], dv: &[T], out: &mut [T]) {
    match kind {
        JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic => {
            out.copy_from_slice(&integrate_linear(first(q), first(dv)));
        }
        JointKind::Planar => out.copy_from_slice(&integrate_planar(first(q), first(dv))),
        JointKind::Spherical => out.copy_from_slice(&integrate_spherical(first(q), first(dv))),
        JointKind::Floating => out.copy_from_slice(&integrate_floating(first(q), first(dv))),
    }
}

/// The velocity (`kind.nv()` long, into `out`) that moves one joint from `q0` to `q1` in unit time.
///
/// # Panics
/// Where a slice has another length.
pub fn difference<T: Scalar>(kind: JointKind, q0: &[T], q1: &[T], out: &mut [T]) {
    match kind {
        JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic => {
            out.copy_from_slice(&difference_linear(first(q0), first(q1)));
        }
        JointKind::Planar => out.copy_from_slice(&difference_planar(first(q0), first(q1))),
        JointKind::Spherical => out.copy_from_slice(&difference_spherical(first(q0), first(q1))),
        JointKind::Floating => out.copy_from_slice(&difference_floating(first(q0), first(q1))),
    }
}
