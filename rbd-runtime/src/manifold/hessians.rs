//! Second derivatives of `integrate`, weighted (docs/math.md#discrete-step).
//!
//! `exp` is a homomorphism along each motion, so the derivative of `J_q = Ad(exp(-u))` needs only the
//! bracket of motions: `d(J_q) = -ad(J_u du) J_q`. That of `J_u`, the right Jacobian, is its closed
//! form's, and along the linear part of a screw its second derivative.

use super::columns::{product, transposed_times};
use super::jacobians::Quadratic;
use super::{
    Columns, integrate_floating_jacobians, integrate_planar_jacobians, integrate_spherical_jacobians,
};
use crate::Scalar;
use crate::spatial::{mul3, skew};
use nalgebra::{Matrix3, Vector3};

/// First and second derivatives of one joint's `integrate(q, u)`, weighted with `lambda`.
///
/// `lambda` weights motions in the tangent space at the result. Entry (i, j) of a matrix, column j of
/// the array, is the derivative by the j-th number of its second variable.
#[derive(Clone, Copy, Debug)]
pub struct IntegrateHessian<T, const N: usize> {
    /// `J_q^T lambda`.
    pub by_q: [T; N],
    /// `J_u^T lambda`.
    pub by_u: [T; N],
    /// Derivative by `q` of the gradient of `lambda . difference(at, integrate(q, u))`, `at` being the
    /// result. It is antisymmetric, since motions by `q` follow one another.
    pub qq: Columns<T, N>,
    /// Derivative of `by_q` by `u`.
    pub qu: Columns<T, N>,
    /// Derivative of `by_u` by `u`.
    pub uu: Columns<T, N>,
}

impl<T: Scalar, const N: usize> IntegrateHessian<T, N> {
    /// `bracket` gives the matrix W of a weight: `x^T W y` is `weight . [y, x]`.
    fn new(
        lambda: &[T; N],
        (of_q, of_u): &(Columns<T, N>, Columns<T, N>),
        uu: Columns<T, N>,
        bracket: impl Fn(&[T; N]) -> Columns<T, N>,
    ) -> Self {
        let by_q = transposed_times(of_q, lambda);
        let turned =
            product(&bracket(lambda), of_u).map(|column| transposed_times(of_q, &column).map(|x| -x));
        let half = T::from_f64(0.5);
        Self {
            qq: bracket(&by_q).map(|column| column.map(|x| x * half)),
            by_q,
            by_u: transposed_times(of_u, lambda),
            qu: turned,
            uu,
        }
    }
}

/// Weighted Hessian of [`integrate_spherical`](super::integrate_spherical).
pub fn integrate_spherical_hessian<T: Scalar>(u: [T; 3], lambda: [T; 3]) -> IntegrateHessian<T, 3> {
    let right = Quadratic::right_jacobian(super::square(u), super::sinc_cos_of_half(u));
    let uu = first_change(&right, &Vector3::from(u), &Vector3::from(lambda));
    IntegrateHessian::new(&lambda, &integrate_spherical_jacobians(u), uu.data.0, weighted_bracket_spherical)
}

/// Weighted Hessian of [`integrate_floating`](super::integrate_floating).
pub fn integrate_floating_hessian<T: Scalar>(u: [T; 6], lambda: [T; 6]) -> IntegrateHessian<T, 6> {
    let parts = |x: &[T; 6]| (Vector3::new(x[0], x[1], x[2]), Vector3::new(x[3], x[4], x[5]));
    let ((v, w), (l, n)) = (parts(&u), parts(&lambda));
    let (t2, half) = (super::square([w.x, w.y, w.z]), super::sinc_cos_of_half([w.x, w.y, w.z]));
    let right = Quadratic::right_jacobian(t2, half);
    let turning = first_change(&right, &w, &l);
    let both = second_change(&right, t2, [&v, &w, &l]) + first_change(&right, &w, &n);
    IntegrateHessian::new(
        &lambda,
        &integrate_floating_jacobians(u),
        blocks(&Matrix3::zeros(), &turning, &both),
        weighted_bracket_floating,
    )
}

/// Weighted Hessian of [`integrate_planar`](super::integrate_planar).
pub fn integrate_planar_hessian<T: Scalar>(u: [T; 3], lambda: [T; 3]) -> IntegrateHessian<T, 3> {
    let ([vx, vy, w], [lx, ly, _], o) = (u, lambda, T::zero());
    let half = w * T::from_f64(0.5);
    let Quadratic { a, b, da, db } = Quadratic::right_jacobian(w * w, super::sinc_cos(half * half));
    // Changes by w of a, of b w, of a w and of 1 - b w^2.
    let two_w = w + w;
    let (of_a, of_bw) = (two_w * da, b + two_w * w * db);
    let (of_turn, of_sinc) = (a + w * of_a, -(b * w + w * of_bw));
    let uu = [
        [o, o, b * w * lx - a * ly],
        [o, o, a * lx + b * w * ly],
        [
            of_sinc * lx + of_turn * ly,
            of_sinc * ly - of_turn * lx,
            (of_a * vy + of_bw * vx) * lx + (of_bw * vy - of_a * vx) * ly,
        ],
    ];
    IntegrateHessian::new(&lambda, &integrate_planar_jacobians(u), uu, weighted_bracket_planar)
}

/// The matrix W of a weight of motions, by which `x^T W y` is `weight . [y, x]`.
pub(crate) fn weighted_bracket_spherical<T: Scalar>(weight: &[T; 3]) -> Columns<T, 3> {
    skew(&Vector3::from(*weight)).data.0
}

/// Matrix W of [`weighted_bracket_spherical`], for a planar joint.
pub(crate) fn weighted_bracket_planar<T: Scalar>(&[x, y, _]: &[T; 3]) -> Columns<T, 3> {
    let o = T::zero();
    [[o, o, -y], [o, o, x], [y, -x, o]]
}

/// Matrix W of [`weighted_bracket_spherical`], for a floating joint.
pub(crate) fn weighted_bracket_floating<T: Scalar>(&[x, y, z, a, b, c]: &[T; 6]) -> Columns<T, 6> {
    let skew = |x, y, z| skew(&Vector3::new(x, y, z));
    blocks(&Matrix3::zeros(), &skew(x, y, z), &skew(a, b, c))
}

/// `[a, b; b, c]`.
fn blocks<T: Scalar>(a: &Matrix3<T>, b: &Matrix3<T>, c: &Matrix3<T>) -> Columns<T, 6> {
    let entry = |i: usize, j: usize| match (i < 3, j < 3) {
        (true, true) => a[(i, j)],
        (true, false) => b[(i, j - 3)],
        (false, true) => b[(i - 3, j)],
        (false, false) => c[(i - 3, j - 3)],
    };
    core::array::from_fn(|j| core::array::from_fn(|i| entry(i, j)))
}

/// `x y^T`.
fn outer<T: Scalar>(x: &Vector3<T>, y: &Vector3<T>) -> Matrix3<T> {
    Matrix3::from_fn(|i, j| x[i] * y[j])
}

fn dot<T: Scalar>(x: &Vector3<T>, y: &Vector3<T>) -> T {
    x.x * y.x + x.y * y.y + x.z * y.z
}

/// The matrix that maps y to `y x (v x l) + v x (y x l)`.
fn twice_crossed<T: Scalar>(v: &Vector3<T>, l: &Vector3<T>) -> Matrix3<T> {
    -skew(&v.cross(l)) - mul3(&skew(v), &skew(l))
}

/// Derivative by w of `(1 + a [w] + b [w]^2)^T l`.
fn first_change<T: Scalar>(of: &Quadratic<T>, w: &Vector3<T>, l: &Vector3<T>) -> Matrix3<T> {
    let once = w.cross(l);
    let along = (w.cross(&once) * of.db - once * of.da) * T::from_f64(2.0);
    outer(&along, w) + skew(l) * of.a + twice_crossed(w, l) * of.b
}

/// Derivative of [`first_change`] by w, along v.
fn second_change<T: Scalar>(of: &Quadratic<T>, t2: T, [v, w, l]: [&Vector3<T>; 3]) -> Matrix3<T> {
    let two = T::from_f64(2.0);
    let (dda, ddb) = of.right_curvature(t2);
    let vw = two * dot(v, w);
    let (once, of_v) = (w.cross(l), v.cross(l));
    let twice = w.cross(&once);
    let mixed = v.cross(&once) + w.cross(&of_v);
    let by_w = (twice * ddb - once * dda) * vw + mixed * of.db - of_v * of.da;
    let by_v = twice * of.db - once * of.da;
    (outer(&by_w, w) + outer(&by_v, v)) * two
        + (skew(l) * of.da + twice_crossed(w, l) * of.db) * vw
        + twice_crossed(v, l) * of.b
}
