//! Laws of `integrate` and `difference`.

use crate::common::{close, for_all};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use num_complex::Complex;
use num_dual::{Dual2, Dual64};
use rbd_runtime::random::Random;
use rbd_runtime::{Scalar, manifold::*};
use std::f64::consts::PI;

/// Angles to try: zero, tiny, both sides of every limit between series and closed form, near and at pi.
const ANGLES: [f64; 19] = [
    0.0,
    1e-300,
    1e-160,
    1e-20,
    1e-12,
    1e-8,
    1e-5,
    1e-3,
    0.19,
    0.2003,
    0.21,
    0.499,
    0.501,
    0.999,
    1.001,
    1.999,
    2.001,
    3.0,
    PI - 1e-7,
];

fn unit_quaternion(q: [f64; 4]) -> UnitQuaternion<f64> {
    UnitQuaternion::new_unchecked(Quaternion::new(q[3], q[0], q[1], q[2]))
}

/// `difference` undoes `integrate` for turns of less than half a circle, and the other way round
/// for all states.
#[test]
fn integrate_and_difference_undo_each_other() {
    let r = &mut Random::new(1);
    for angle in ANGLES {
        for _ in 0..20 {
            let (v, w) = (r.vector3(2.0), r.unit3() * angle);
            let p = r.vector3(1.0);
            let q = r.quaternion();

            let dv = [w.x, w.y, w.z];
            close("so3", &difference_spherical(q, integrate_spherical(q, dv)), &dv, 3e-15);
            let dv = [v.x, v.y, v.z, w.x, w.y, w.z];
            let q = [p.x, p.y, p.z, q[0], q[1], q[2], q[3]];
            close("se3", &difference_floating(q, integrate_floating(q, dv)), &dv, 5e-15);
            let dv = [v.x, v.y, angle];
            let q = [p.x, p.y, p.z * 3.0];
            close("se2", &difference_planar(q, integrate_planar(q, dv)), &dv, 5e-15);
        }
    }
    for_all(|model, x| {
        let moved = model.integrate(x.q.as_slice(), x.v.as_slice());
        let back = model.difference(x.q.as_slice(), moved.as_slice());
        close("model", &model.integrate(x.q.as_slice(), back.as_slice()), &moved, 1e-14);
        let neutral = model.neutral();
        let zero = vec![0.0; model.nv];
        assert_eq!(model.integrate(neutral.as_slice(), &zero), neutral);
        assert_eq!(model.difference(x.q.as_slice(), x.q.as_slice()).amax(), 0.0);
    });
}

/// Agreement with nalgebra's exponential and logarithm of rotations, which share no code with ours.
#[test]
fn rotations_agree_with_nalgebra() {
    let r = &mut Random::new(2);
    for angle in ANGLES {
        for _ in 0..20 {
            let w = r.unit3() * angle;
            let (q0, q1) = (r.quaternion(), r.quaternion());
            let moved = integrate_spherical(q0, [w.x, w.y, w.z]);
            let expected = unit_quaternion(q0) * UnitQuaternion::from_scaled_axis(w);
            close("exp", &moved, expected.coords.as_slice(), 2e-15);
            let expected = unit_quaternion(q0).inverse() * unit_quaternion(q1);
            close("log", &difference_spherical(q0, q1), expected.scaled_axis().as_slice(), 5e-15);
            let length = unit_quaternion(moved).coords.norm();
            assert!((length - 1.0).abs() < 5e-16, "{length}");
        }
    }
}

/// SE(3): the pose after time 1 of a body with constant velocity in its own frame.
///
/// The expected pose takes 2^20 small steps by repeated squaring of the first one, whose error is
/// of third order in 1e-6.
#[test]
fn floating_and_planar_follow_a_constant_body_velocity() {
    let r = &mut Random::new(3);
    for _ in 0..50 {
        let (v, w) = (r.vector3(2.0), r.vector3(2.0));
        let n = 20;
        let h = 1.0 / f64::from(1 << n);
        // middle of the step: error of third order
        let mut pose = Isometry3::from_parts(
            Translation3::from(v * h + w.cross(&v) * (h * h / 2.0)),
            UnitQuaternion::from_scaled_axis(w * h),
        );
        for _ in 0..n {
            pose *= pose;
        }
        let start = [0.3, -0.2, 0.7, 0.0, 0.0, 0.0, 1.0];
        let q = integrate_floating(start, [v.x, v.y, v.z, w.x, w.y, w.z]);
        let p = pose.translation.vector + Vector3::new(0.3, -0.2, 0.7);
        close("position", &q[..3], p.as_slice(), 1e-9);
        close("rotation", &q[3..], pose.rotation.coords.as_slice(), 1e-9);

        // A planar joint is a floating one that stays in its plane.
        let flat = integrate_floating(start, [v.x, v.y, 0.0, 0.0, 0.0, w.z]);
        let planar = integrate_planar([0.3, -0.2, 0.0], [v.x, v.y, w.z]);
        close("plane", &planar, &[flat[0], flat[1], w.z], 1e-15);
    }
}

/// The short way round: never more than pi, whichever sign the quaternions have.
#[test]
fn difference_takes_the_short_way() {
    let turn = |angle: f64| [0.0, 0.0, (angle / 2.0).sin(), (angle / 2.0).cos()];
    for (angle, short) in [(3.5, 3.5 - 2.0 * PI), (-3.5, 2.0 * PI - 3.5), (6.0, 6.0 - 2.0 * PI), (3.0, 3.0)] {
        let dv = difference_spherical(turn(0.2), turn(0.2 + angle));
        close("so3", &dv, &[0.0, 0.0, short], 3e-15);
        let flipped = difference_spherical(turn(0.2).map(|x| -x), turn(0.2 + angle));
        close("so3, other sign", &flipped, &[0.0, 0.0, short], 3e-15);
        let dv = difference_planar([0.0, 0.0, 0.2], [0.0, 0.0, 0.2 + angle]);
        close("se2", &dv, &[0.0, 0.0, short], 3e-15);
    }
    let half_turn = difference_spherical([0.0, 0.0, 0.0, 1.0], [0.6, 0.0, 0.8, 0.0]);
    close("half a turn", &half_turn, &[0.6 * PI, 0.0, 0.8 * PI], 1e-15);
}

/// The derivative of `difference(q, integrate(q, t dv))` by t is dv, and the second derivative is
/// zero, at every angle. Dual numbers show it, also exactly at zero, where a careless root has an
/// infinite derivative.
#[test]
fn derivatives_are_finite_and_right_everywhere() {
    fn round_trip<T: Scalar>(q: [f64; 7], dv: [f64; 6], t: T) -> [T; 6] {
        let q = q.map(T::from_f64);
        difference_floating(q, integrate_floating(q, dv.map(|x| T::from_f64(x) * t)))
    }
    fn round_trip_planar<T: Scalar>(q: [f64; 3], dv: [f64; 3], t: T) -> [T; 3] {
        let q = q.map(T::from_f64);
        difference_planar(q, integrate_planar(q, dv.map(|x| T::from_f64(x) * t)))
    }
    let r = &mut Random::new(4);
    for angle in ANGLES {
        for _ in 0..10 {
            let (v, w, p, q) = (r.vector3(1.0), r.unit3(), r.vector3(1.0), r.quaternion());
            let dv = [v.x, v.y, v.z, w.x, w.y, w.z];
            let q = [p.x, p.y, p.z, q[0], q[1], q[2], q[3]];
            let first = round_trip(q, dv, Dual64::new(angle, 1.0)).map(|x| x.eps);
            close("first", &first, &dv, 2e-14);
            let step = round_trip(q, dv, Complex::new(angle, 1e-40)).map(|x| x.im / 1e-40);
            close("complex step", &step, &dv, 2e-14);
            let second = round_trip(q, dv, Dual2::new(angle, 1.0, 0.0)).map(|x| x.v2);
            close("second", &second, &[0.0; 6], 2e-13);
            let (q, dv) = ([p.x, p.y, p.z], [v.x, v.y, 1.0]);
            let first = round_trip_planar(q, dv, Dual64::new(angle, 1.0)).map(|x| x.eps);
            close("first, planar", &first, &dv, 1e-14);
            let second = round_trip_planar(q, dv, Dual2::new(angle, 1.0, 0.0)).map(|x| x.v2);
            close("second, planar", &second, &[0.0; 3], 1e-13);
        }
    }
}

/// `f32` takes the same steps.
#[test]
fn single_precision_agrees_with_double() {
    let r = &mut Random::new(5);
    for angle in ANGLES {
        let (v, w, q) = (r.vector3(1.0), r.unit3() * angle, r.quaternion());
        let dv = [v.x, v.y, v.z, w.x, w.y, w.z];
        let q = [0.1, 0.2, 0.3, q[0], q[1], q[2], q[3]];
        let single = integrate_floating(q.map(|x| x as f32), dv.map(|x| x as f32));
        close("f32", &single.map(f64::from), &integrate_floating(q, dv), 5e-7);
    }
}

/// A quaternion whose length has drifted comes back to one, to second order of the drift.
#[test]
fn integration_takes_out_drift() {
    for drift in [1e-3, -1e-3] {
        let scaled = [0.1, -0.5, 0.7, 0.5].map(|x: f64| x * (1.0 + drift));
        let length = |q: &[f64]| q.iter().map(|x| x * x).sum::<f64>().sqrt();
        let turned = integrate_spherical(scaled, [0.2, 0.1, -0.3]);
        assert!((length(&turned) - 1.0).abs() < 2.0 * drift * drift, "{turned:?}");
        let [qx, qy, qz, qw] = scaled;
        let moved = integrate_floating([1.0, 2.0, 3.0, qx, qy, qz, qw], [0.3, 0.0, 0.1, 0.2, 0.1, -0.3]);
        assert!((length(&moved[3..]) - 1.0).abs() < 2.0 * drift * drift, "{moved:?}");
    }
}

/// Jacobians of `integrate` and `difference` are the derivatives by dual numbers, on both sides of
/// every limit between series and closed form.
#[test]
fn jacobians_are_those_of_dual_numbers() {
    let r = &mut Random::new(3);
    let dual = |x: f64, e: bool| Dual64::new(x, if e { 1.0 } else { 0.0 });
    for angle in ANGLES {
        let (v, w, p, q) = (r.vector3(2.0), r.unit3() * angle, r.vector3(1.0), r.quaternion());
        let dv = [v.x, v.y, v.z, w.x, w.y, w.z];
        let q = [p.x, p.y, p.z, q[0], q[1], q[2], q[3]];
        let to = integrate_floating(q, dv);
        let (by_q, by_v) = integrate_floating_jacobians(dv);
        let (by_0, by_1) = difference_floating_jacobians(q, to);
        for j in 0..6 {
            let e: [Dual64; 6] = core::array::from_fn(|k| dual(0.0, k == j));
            let moved = |q: [f64; 7]| integrate_floating(q.map(Dual64::from), e);
            let change = |to_d: [Dual64; 7]| difference_floating(to.map(Dual64::from), to_d).map(|x| x.eps);
            close("dq", &by_q[j], &change(integrate_floating(moved(q), dv.map(Dual64::from))), 1e-13);
            let moved_v: [Dual64; 6] = core::array::from_fn(|k| dual(dv[k], k == j));
            close("dv", &by_v[j], &change(integrate_floating(q.map(Dual64::from), moved_v)), 1e-13);
            let d0 = difference_floating(moved(q), to.map(Dual64::from)).map(|x| x.eps);
            let d1 = difference_floating(q.map(Dual64::from), moved(to)).map(|x| x.eps);
            close("dq0", &by_0[j], &d0, 1e-12);
            close("dq1", &by_1[j], &d1, 1e-12);
        }
        let (q, dv) = ([p.x, p.y, p.z * 3.0], [v.x, v.y, angle]);
        let to = integrate_planar(q, dv);
        let (by_q, by_v) = integrate_planar_jacobians(dv);
        let (by_0, by_1) = difference_planar_jacobians(q, to);
        for j in 0..3 {
            let e: [Dual64; 3] = core::array::from_fn(|k| dual(0.0, k == j));
            let moved = |q: [f64; 3]| integrate_planar(q.map(Dual64::from), e);
            let change = |to_d: [Dual64; 3]| difference_planar(to.map(Dual64::from), to_d).map(|x| x.eps);
            close("dq", &by_q[j], &change(integrate_planar(moved(q), dv.map(Dual64::from))), 1e-13);
            let moved_v: [Dual64; 3] = core::array::from_fn(|k| dual(dv[k], k == j));
            close("dv", &by_v[j], &change(integrate_planar(q.map(Dual64::from), moved_v)), 1e-13);
            let d0 = difference_planar(moved(q), to.map(Dual64::from)).map(|x| x.eps);
            let d1 = difference_planar(q.map(Dual64::from), moved(to)).map(|x| x.eps);
            close("dq0", &by_0[j], &d0, 1e-12);
            close("dq1", &by_1[j], &d1, 1e-12);
        }
    }
}

/// Weighted second derivatives of `integrate` are those of its Jacobians by dual numbers, on both sides of
/// every limit between series and closed form.
fn hessian_is_that_of_jacobians<const N: usize>(
    u: [f64; N],
    lambda: [f64; N],
    jacobians: impl Fn([Dual64; N]) -> (Columns<Dual64, N>, Columns<Dual64, N>),
    got: &IntegrateHessian<f64, N>,
) {
    let weighted = |columns: Columns<Dual64, N>| {
        columns.map(|column| column.iter().zip(lambda).map(|(x, l)| *x * l).sum::<Dual64>())
    };
    for j in 0..N {
        let moved = core::array::from_fn(|k| Dual64::new(u[k], if j == k { 1.0 } else { 0.0 }));
        let (by_q, by_u) = jacobians(moved);
        let (by_q, by_u) = (weighted(by_q), weighted(by_u));
        close("by q", &got.by_q, &by_q.map(|x| x.re), 1e-13);
        close("by u", &got.by_u, &by_u.map(|x| x.re), 1e-13);
        close("qu", &got.qu[j], &by_q.map(|x| x.eps), 1e-12);
        close("uu", &got.uu[j], &by_u.map(|x| x.eps), 1e-12);
        close("qq", &got.qq[j], &core::array::from_fn::<_, N, _>(|i| -got.qq[i][j]), 0.0);
    }
}

#[test]
fn weighted_second_derivatives_are_those_of_dual_numbers() {
    let r = &mut Random::new(4);
    for angle in ANGLES {
        let (v, w, l, n) = (r.vector3(2.0), r.unit3() * angle, r.vector3(1.0), r.vector3(1.0));
        let (u, lambda) = ([w.x, w.y, w.z], [l.x, l.y, l.z]);
        let got = integrate_spherical_hessian(u, lambda);
        hessian_is_that_of_jacobians(u, lambda, integrate_spherical_jacobians, &got);
        let (u, lambda) = ([v.x, v.y, v.z, w.x, w.y, w.z], [l.x, l.y, l.z, n.x, n.y, n.z]);
        let got = integrate_floating_hessian(u, lambda);
        hessian_is_that_of_jacobians(u, lambda, integrate_floating_jacobians, &got);
        let (u, lambda) = ([v.x, v.y, angle], [l.x, l.y, l.z]);
        let got = integrate_planar_hessian(u, lambda);
        hessian_is_that_of_jacobians(u, lambda, integrate_planar_jacobians, &got);
    }
}

/// Jacobians of whole robots with every joint type.
#[test]
fn jacobians_of_robots_are_those_of_dual_numbers() {
    for_all(|model, x| {
        let d: rbd_runtime::Model<Dual64> = model.cast();
        let dual = |x: &[f64]| x.iter().copied().map(Dual64::from).collect::<Vec<_>>();
        let (q, dv) = (x.q.as_slice(), x.v.as_slice());
        let to = model.integrate(q, dv);
        let integrated = model.integrate_jacobians(dv);
        let differed = model.difference_jacobians(q, to.as_slice());
        for j in 0..model.nv {
            let mut e = vec![Dual64::from(0.0); model.nv];
            e[j].eps = 1.0;
            let moved = |q: &[f64]| d.integrate(&dual(q), &e);
            let eps = |x: nalgebra::DVector<Dual64>| x.map(|x| x.eps);
            let change =
                |to_d: nalgebra::DVector<Dual64>| eps(d.difference(&dual(to.as_slice()), to_d.as_slice()));
            let column = |m: &nalgebra::DMatrix<f64>| m.column(j).into_owned();
            close("dq", &column(&integrated.dq), &change(d.integrate(moved(q).as_slice(), &dual(dv))), 1e-13);
            let moved_v: Vec<_> = dual(dv).into_iter().zip(&e).map(|(x, e)| x + e).collect();
            close("dv", &column(&integrated.dv), &change(d.integrate(&dual(q), &moved_v)), 1e-13);
            let d0 = d.difference(moved(q).as_slice(), &dual(to.as_slice()));
            close("dq0", &column(&differed.dq0), &eps(d0), 1e-12);
            let d1 = d.difference(&dual(q), moved(to.as_slice()).as_slice());
            close("dq1", &column(&differed.dq1), &eps(d1), 1e-12);
        }
    });
}
