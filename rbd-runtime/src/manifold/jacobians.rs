//! Derivatives of `integrate` and `difference` (docs/math.md#manifold).
//!
//! Matrices are arrays of columns. They map the tangent space at the argument, in the child's frame
//! there, to the tangent space at the result. Let `ad` be the matrix of the cross product by `dv`.
//! The right Jacobian is the series `1 - ad/2 + ad^2/6 - ..`; for rotations its closed form is
//! `1 - A ad + B ad^2`. For screws, the derivative of the closed form along the linear part stands
//! next to it: a motion's linear part is to its angular part as a dual number's dual part is to its
//! real part.

use super::{conjugate, difference_floating, difference_planar};
use super::{
    cotangent_rest, cubic_rest, exponential, polynomial, quaternion_log, quaternion_of, quaternion_product,
    renormalise, sinc_cos, sinc_cos_of_half, square,
};
use crate::Scalar;
use crate::spatial::{mul3, rotation_of_quaternion, skew};
use nalgebra::{Matrix3, Vector3};

/// `N` columns of `N` numbers.
pub type Columns<T, const N: usize> = [[T; N]; N];

/// A function of a rotation vector `w`: `1 + a [w] + b [w]^2`, and how a and b change by the square
/// of its length.
pub(super) struct Quadratic<T> {
    pub(super) a: T,
    pub(super) b: T,
    pub(super) da: T,
    pub(super) db: T,
}

impl<T: Scalar> Quadratic<T> {
    /// The right Jacobian of the exponential: `a = -(1 - cos t)/t^2`, `b = (t - sin t)/t^3`. The pair is what
    /// [`sinc_cos`] has of t/2.
    pub(super) fn right_jacobian(t2: T, (sinc_half, cos_half): (T, T)) -> Self {
        // k (-1)^k / (2k+2)! and k (-1)^k / (2k+3)!, from k = 1.
        const DA: [f64; 8] = [
            -1.0 / 24.0,
            2.0 / 720.0,
            -3.0 / 40_320.0,
            4.0 / 3_628_800.0,
            -5.0 / 479_001_600.0,
            6.0 / 87_178_291_200.0,
            -7.0 / 20_922_789_888_000.0,
            8.0 / 6_402_373_705_728_000.0,
        ];
        const DB: [f64; 8] = [
            -1.0 / 120.0,
            2.0 / 5040.0,
            -3.0 / 362_880.0,
            4.0 / 39_916_800.0,
            -5.0 / 6_227_020_800.0,
            6.0 / 1_307_674_368_000.0,
            -7.0 / 355_687_428_096_000.0,
            8.0 / 121_645_100_408_832_000.0,
        ];
        let half = T::from_f64(0.5);
        let sinc = sinc_half * cos_half;
        let (a, b) = (sinc_half * sinc_half * half, cubic_rest(t2, sinc));
        let small = t2.select_lt(1.0, t2, T::zero());
        let large = t2.select_lt(1.0, T::one(), t2);
        let closed = |x: T| x * half / large;
        let da = t2.select_lt(1.0, polynomial(small, &DA), closed(sinc - a - a));
        let db = t2.select_lt(1.0, polynomial(small, &DB), closed(a - b - b - b));
        Self { a: -a, b, da: -da, db }
    }

    /// Derivatives of `da` and `db` of the right Jacobian by the square of the length.
    pub(super) fn right_curvature(&self, t2: T) -> (T, T) {
        // k (k-1) (-1)^k / (2k+2)! and k (k-1) (-1)^k / (2k+3)!, from k = 2.
        const DDA: [f64; 8] = [
            2.0 / 720.0,
            -6.0 / 40_320.0,
            12.0 / 3_628_800.0,
            -20.0 / 479_001_600.0,
            30.0 / 87_178_291_200.0,
            -42.0 / 20_922_789_888_000.0,
            56.0 / 6_402_373_705_728_000.0,
            -72.0 / 2_432_902_008_176_640_000.0,
        ];
        const DDB: [f64; 8] = [
            2.0 / 5040.0,
            -6.0 / 362_880.0,
            12.0 / 39_916_800.0,
            -20.0 / 6_227_020_800.0,
            30.0 / 1_307_674_368_000.0,
            -42.0 / 355_687_428_096_000.0,
            56.0 / 121_645_100_408_832_000.0,
            -72.0 / 51_090_942_171_709_440_000.0,
        ];
        let (sinc_half, cos_half) = sinc_cos(t2 * T::from_f64(0.25));
        let (sinc, half) = (sinc_half * cos_half, T::from_f64(0.5));
        let cos = cos_half * cos_half * T::from_f64(2.0) - T::one();
        let small = t2.select_lt(1.0, t2, T::zero());
        let large = t2.select_lt(1.0, T::one(), t2);
        let closed = |x: T| x * half / large;
        let (da, db) = (-self.da, self.db);
        let dda = closed(closed(cos - sinc) - da * T::from_f64(4.0));
        let ddb = closed(da - db * T::from_f64(5.0));
        let (dda, ddb) = (
            t2.select_lt(1.0, polynomial(small, &DDA), dda),
            t2.select_lt(1.0, polynomial(small, &DDB), ddb),
        );
        (-dda, ddb)
    }

    /// Inverse of the right Jacobian: `a = 1/2`, `b = (1 - (t/2) cot(t/2))/t^2`, from the
    /// cotangent's factor.
    fn inverse_right_jacobian(t2: T, half_cot: T) -> Self {
        // k |B_2k+2| / (2k+2)!, with the Bernoulli numbers, from k = 1.
        const DB: [f64; 7] = [
            1.0 / 720.0,
            2.0 / 30_240.0,
            3.0 / 1_209_600.0,
            4.0 / 47_900_160.0,
            5.0 * 691.0 / 1_307_674_368_000.0,
            6.0 / 74_724_249_600.0,
            7.0 * 3617.0 / 10_670_622_842_880_000.0,
        ];
        const LIMIT: f64 = 0.25;
        let (half, one) = (T::from_f64(0.5), T::one());
        let (sinc_half, _) = sinc_cos(t2 * T::from_f64(0.25));
        let small = t2.select_lt(LIMIT, t2, T::zero());
        let large = t2.select_lt(LIMIT, one, t2);
        let closed = ((half_cot + one / (sinc_half * sinc_half)) * half - one) / (large * large);
        let db = t2.select_lt(LIMIT, polynomial(small, &DB), closed);
        Self { a: half, b: cotangent_rest(t2, half_cot), da: T::zero(), db }
    }

    /// The Jacobian of `-w`: odd terms change their sign.
    fn mirrored(self) -> Self {
        Self { a: -self.a, da: -self.da, ..self }
    }

    /// `1 + a [w] + b [w]^2`.
    fn of_rotation(&self, w: &Vector3<T>) -> Matrix3<T> {
        let w = skew(w);
        Matrix3::identity() + w * self.a + mul3(&w, &w) * self.b
    }

    /// The derivative of that along `v`.
    fn of_screw(&self, v: &Vector3<T>, w: &Vector3<T>) -> Matrix3<T> {
        let twice = (v.x * w.x + v.y * w.y + v.z * w.z) * T::from_f64(2.0);
        let (v, w) = (skew(v), skew(w));
        let (vw, wv, ww) = (mul3(&v, &w), mul3(&w, &v), mul3(&w, &w));
        v * self.a + w * (self.da * twice) + (vw + wv) * self.b + ww * (self.db * twice)
    }
}

fn columns<T: Scalar>(m: &Matrix3<T>) -> Columns<T, 3> {
    m.data.0
}

/// `[m, n; 0, m]`.
fn blocks<T: Scalar>(m: &Matrix3<T>, n: &Matrix3<T>) -> Columns<T, 6> {
    let entry = |i: usize, j: usize| match (i < 3, j < 3) {
        (true, true) => m[(i, j)],
        (true, false) => n[(i, j - 3)],
        (false, true) => T::zero(),
        (false, false) => m[(i - 3, j - 3)],
    };
    core::array::from_fn(|j| core::array::from_fn(|i| entry(i, j)))
}

fn minus<T: Scalar, const N: usize>(m: Columns<T, N>) -> Columns<T, N> {
    m.map(|column| column.map(|x| -x))
}

/// Derivatives of [`integrate_spherical`](super::integrate_spherical) by q and by dv.
pub fn integrate_spherical_jacobians<T: Scalar>(dv: [T; 3]) -> (Columns<T, 3>, Columns<T, 3>) {
    let half = sinc_cos_of_half(dv);
    let turn = quaternion_of(dv, half);
    let by_v = Quadratic::right_jacobian(square(dv), half).of_rotation(&Vector3::from(dv));
    (columns(&rotation_of_quaternion(&turn).transpose()), columns(&by_v))
}

/// Derivatives of [`difference_spherical`](super::difference_spherical) by q0 and by q1.
pub fn difference_spherical_jacobians<T: Scalar>(q0: [T; 4], q1: [T; 4]) -> (Columns<T, 3>, Columns<T, 3>) {
    let (w, half_cot) = quaternion_log(quaternion_product(conjugate(q0), q1));
    let inverse = Quadratic::inverse_right_jacobian(square(w), half_cot);
    let w = Vector3::from(w);
    let by_q1 = inverse.of_rotation(&w);
    (minus(columns(&inverse.mirrored().of_rotation(&w))), columns(&by_q1))
}

/// Derivatives of [`integrate_floating`](super::integrate_floating) by q and by dv.
pub fn integrate_floating_jacobians<T: Scalar>(dv: [T; 6]) -> (Columns<T, 6>, Columns<T, 6>) {
    let [vx, vy, vz, wx, wy, wz] = dv;
    let half = sinc_cos_of_half([wx, wy, wz]);
    let (p, turn) = exponential([vx, vy, vz], [wx, wy, wz], half);
    let (v, w) = (Vector3::new(vx, vy, vz), Vector3::new(wx, wy, wz));
    let right = Quadratic::right_jacobian(square([wx, wy, wz]), half);
    let by_v = blocks(&right.of_rotation(&w), &right.of_screw(&v, &w));
    // A motion where exp(dv) begins, in the child's frame after it.
    let back = rotation_of_quaternion(&renormalise(turn)).transpose();
    (blocks(&back, &-mul3(&back, &skew(&Vector3::from(p)))), by_v)
}

/// Derivatives of [`difference_floating`] by q0 and by q1.
pub fn difference_floating_jacobians<T: Scalar>(q0: [T; 7], q1: [T; 7]) -> (Columns<T, 6>, Columns<T, 6>) {
    let [vx, vy, vz, wx, wy, wz] = difference_floating(q0, q1);
    let (v, w) = (Vector3::new(vx, vy, vz), Vector3::new(wx, wy, wz));
    let t2 = square([wx, wy, wz]);
    let (sinc_half, cos_half) = sinc_cos(t2 * T::from_f64(0.25));
    let inverse = Quadratic::inverse_right_jacobian(t2, cos_half / sinc_half);
    let by_q1 = blocks(&inverse.of_rotation(&w), &inverse.of_screw(&v, &w));
    let inverse = inverse.mirrored();
    (minus(blocks(&inverse.of_rotation(&w), &inverse.of_screw(&v, &w))), by_q1)
}

/// Derivatives of [`integrate_planar`](super::integrate_planar) by q and by dv.
pub fn integrate_planar_jacobians<T: Scalar>(dv: [T; 3]) -> (Columns<T, 3>, Columns<T, 3>) {
    let ([vx, vy, w], o, one) = (dv, T::zero(), T::one());
    let half = w * T::from_f64(0.5);
    let Quadratic { a, b, .. } = Quadratic::right_jacobian(w * w, sinc_cos(half * half));
    let (sinc, turn) = (one - b * w * w, a * w);
    let by_v = [[sinc, turn, o], [-turn, sinc, o], [a * vy + b * w * vx, b * w * vy - a * vx, one]];
    let [x, y, _] = super::integrate_planar([o; 3], dv);
    let (s, c) = w.sin_cos();
    let by_q = [[c, -s, o], [s, c, o], [s * x - c * y, c * x + s * y, one]];
    (by_q, by_v)
}

/// Derivatives of [`difference_planar`] by q0 and by q1.
pub fn difference_planar_jacobians<T: Scalar>(q0: [T; 3], q1: [T; 3]) -> (Columns<T, 3>, Columns<T, 3>) {
    let ([vx, vy, w], o, one) = (difference_planar(q0, q1), T::zero(), T::one());
    let (sinc_half, cos_half) = sinc_cos(w * w * T::from_f64(0.25));
    let half_cot = cos_half / sinc_half;
    let Quadratic { b, .. } = Quadratic::inverse_right_jacobian(w * w, half_cot);
    let of = |sign: f64| {
        let a = T::from_f64(0.5 * sign);
        let turn = a * w;
        [[half_cot, turn, o], [-turn, half_cot, o], [a * vy + b * w * vx, b * w * vy - a * vx, one]]
    };
    (minus(of(-1.0)), of(1.0))
}

/// One joint's derivatives of [`integrate`](super::integrate) by q and by dv, `nv` x `nv`: each
/// entry by its row and column.
///
/// # Panics
/// Where `dv` is not `kind.nv()` long.
pub fn integrate_jacobians<T: Scalar>(
    kind: crate::JointKind,
    dv: &[T],
    mut write: impl FnMut(usize, usize, T, T),
) {
    use crate::JointKind as K;
    match kind {
        K::Revolute | K::Continuous | K::Prismatic => write(0, 0, T::one(), T::one()),
        K::Planar => visit(integrate_planar_jacobians(super::first(dv)), write),
        K::Spherical => visit(integrate_spherical_jacobians(super::first(dv)), write),
        K::Floating => visit(integrate_floating_jacobians(super::first(dv)), write),
    }
}

/// One joint's derivatives of [`difference`](super::difference) by q0 and by q1, between tangent
/// spaces.
///
/// # Panics
/// Where a slice is not `kind.nq()` long.
pub fn difference_jacobians<T: Scalar>(
    kind: crate::JointKind,
    q0: &[T],
    q1: &[T],
    mut write: impl FnMut(usize, usize, T, T),
) {
    use crate::JointKind as K;
    match kind {
        K::Revolute | K::Continuous | K::Prismatic => write(0, 0, -T::one(), T::one()),
        K::Planar => visit(difference_planar_jacobians(super::first(q0), super::first(q1)), write),
        K::Spherical => visit(difference_spherical_jacobians(super::first(q0), super::first(q1)), write),
        K::Floating => visit(difference_floating_jacobians(super::first(q0), super::first(q1)), write),
    }
}

fn visit<T: Scalar, const N: usize>(
    (a, b): (Columns<T, N>, Columns<T, N>),
    mut write: impl FnMut(usize, usize, T, T),
) {
    for j in 0..N {
        for i in 0..N {
            write(i, j, a[j][i], b[j][i]);
        }
    }
}
