//! Compact spatial algebra against its 6x6 matrices, and both against nalgebra and definitions.

use crate::common::close;
use nalgebra::{Isometry3, Matrix3, Matrix6, Quaternion, Rotation3, Translation3, Unit, UnitQuaternion};
use rbd_runtime::random::Random;
use rbd_runtime::spatial::*;

fn placement(r: &mut Random) -> Placement<f64> {
    Placement { rotation: r.rotation(), translation: r.vector3(1.0) }
}

fn vector6(r: &mut Random) -> Vector6<f64> {
    join(&r.vector3(1.0), &r.vector3(1.0))
}

/// Placements compose, invert and act as their matrices do.
#[test]
fn placements_act_as_their_matrices() {
    let r = &mut Random::new(1);
    for _ in 0..50 {
        let (x, y) = (placement(r), placement(r));
        let (m, f) = (vector6(r), vector6(r));
        let inverse = x.motion_matrix().try_inverse().unwrap();
        close("motion", &x.act_motion(&m), &(x.motion_matrix() * m), 1e-14);
        close("motion back", &x.act_inv_motion(&m), &(inverse * m), 1e-13);
        close("force", &x.act_force(&f), &(x.force_matrix() * f), 1e-14);
        close("force back", &x.act_inv_force(&x.act_force(&f)), &f, 1e-14);
        close("X* = X^-T", &x.force_matrix(), &inverse.transpose(), 1e-13);
        close("compose", &x.compose(&y).motion_matrix(), &(x.motion_matrix() * y.motion_matrix()), 1e-14);
        close("inverse", &x.inverse().motion_matrix(), &inverse, 1e-13);
        let power = x.act_motion(&m).dot(&x.act_force(&f));
        close("power", &[power], &[m.dot(&f)], 1e-14);

        let rotation = Rotation3::from_matrix_unchecked(x.rotation);
        let isometry = Isometry3::from_parts(Translation3::from(x.translation), rotation.into());
        let point = r.vector3(1.0);
        close("point", &x.act_point(&point), &(isometry * nalgebra::Point3::from(point)).coords, 1e-14);
    }
}

/// The cross products are their matrices, and the rates of motions and forces that a moving frame carries.
#[test]
fn cross_products_are_rates_in_a_moving_frame() {
    let r = &mut Random::new(2);
    for _ in 0..50 {
        let (m, x, f) = (vector6(r), vector6(r), vector6(r));
        close("m x", &motion_cross(&m, &x), &(motion_cross_matrix(&m) * x), 1e-14);
        close("m x*", &force_cross(&m, &f), &(force_cross_matrix(&m) * f), 1e-14);
        close("adjoint", &[force_cross(&m, &f).dot(&x)], &[-f.dot(&motion_cross(&m, &x))], 1e-14);
        // The placement after a short time in each direction; central differences, error h^2.
        let h = 1e-5;
        let at = |h: f64| {
            let q = rbd_runtime::manifold::integrate_floating(
                [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
                core::array::from_fn(|k| m[k] * h),
            );
            Placement {
                rotation: rotation_of_quaternion(&[q[3], q[4], q[5], q[6]]),
                translation: [q[0], q[1], q[2]].into(),
            }
        };
        let rate = (at(h).act_motion(&x) - at(-h).act_motion(&x)) / (2.0 * h);
        close("rate of a motion", &motion_cross(&m, &x), &rate, 1e-8);
        let rate = (at(h).act_force(&f) - at(-h).act_force(&f)) / (2.0 * h);
        close("rate of a force", &force_cross(&m, &f), &rate, 1e-8);
    }
}

/// Inertias act, add and move like their matrices, and are those of their points.
#[test]
fn inertias_act_as_their_matrices() {
    let r = &mut Random::new(3);
    for _ in 0..50 {
        let (x, i, m) = (placement(r), r.inertia(), vector6(r));
        close("apply", &i.apply(&m), &(i.matrix() * m), 1e-14);
        let moved: Matrix6<f64> = x.force_matrix() * i.matrix() * x.force_matrix().transpose();
        close("transformed", &i.transformed(&x).matrix(), &moved, 1e-13);
        let wide = Matrix6::from_fn(|_, _| r.uniform(-1.0, 1.0));
        let wide = wide * wide.transpose();
        let moved = x.force_matrix() * wide * x.force_matrix().transpose();
        close("operator", &x.act_operator(&wide), &moved, 1e-13);
        close("sum", &(i + i).matrix(), &(i.matrix() * 2.0), 1e-15);

        // a mass of three points: m, sum m p, -sum m [p][p]
        let points: Vec<_> = (0..3).map(|_| (r.uniform(0.1, 1.0), r.vector3(1.0))).collect();
        let mass: f64 = points.iter().map(|p| p.0).sum();
        let com = points.iter().map(|(m, p)| p * *m).sum::<nalgebra::Vector3<f64>>() / mass;
        let about =
            |o| points.iter().map(|(m, p)| -skew(&(p - o)) * skew(&(p - o)) * *m).sum::<Matrix3<f64>>();
        let i = Inertia::from_com(mass, &com, &about(com));
        close("J at the origin", &i.j, &about(nalgebra::Vector3::zeros()), 1e-14);
        close("com", &i.com(), &com, 1e-15);
    }
}

/// Rotations by axis and angle and by quaternion are nalgebra's.
#[test]
fn rotations_are_those_of_nalgebra() {
    let r = &mut Random::new(4);
    for _ in 0..50 {
        let (axis, angle) = (r.unit3(), r.uniform(-4.0, 4.0));
        let expected = Rotation3::from_axis_angle(&Unit::new_unchecked(axis), angle);
        close("axis", &rotation_about(&axis, angle.sin(), angle.cos()), expected.matrix(), 1e-15);
        let q = r.quaternion();
        let expected = UnitQuaternion::new_unchecked(Quaternion::new(q[3], q[0], q[1], q[2]));
        close("quaternion", &rotation_of_quaternion(&q), expected.to_rotation_matrix().matrix(), 2e-15);
    }
}

/// The plane's basis is orthonormal and right-handed, and x and y for the z axis.
#[test]
fn plane_bases_are_right_handed() {
    use rbd_runtime::model::plane_basis;
    let r = &mut Random::new(5);
    let mut normals: Vec<_> = (0..20).map(|_| r.unit3()).collect();
    normals.extend((0..3).flat_map(|k| [1.0, -1.0].map(|s| nalgebra::Vector3::ith(k, s))));
    for n in normals {
        let (x, y) = plane_basis(&n);
        let m = Matrix3::from_columns(&[x, y, n]);
        close("orthonormal", &(m.transpose() * m), &Matrix3::identity(), 1e-15);
        assert!(m.determinant() > 0.0);
    }
    let z = nalgebra::Vector3::z();
    assert_eq!(plane_basis::<f64>(&z), (nalgebra::Vector3::x(), nalgebra::Vector3::y()));
}
