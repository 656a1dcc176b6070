//! Placements and inertias of rigid bodies, and what a joint does to them.

use nalgebra::{Matrix3, Vector3};
use rbd_runtime::spatial::{Inertia, Placement};

/// The pose that changes nothing.
pub(super) fn identity() -> Placement<f64> {
    Placement { rotation: Matrix3::identity(), translation: Vector3::zeros() }
}

/// The pose of c in a, from that of b in a and that of c in b.
pub(super) fn compose(ab: &Placement<f64>, bc: &Placement<f64>) -> Placement<f64> {
    Placement {
        rotation: ab.rotation * bc.rotation,
        translation: ab.rotation * bc.translation + ab.translation,
    }
}

/// A URDF `origin`: roll, pitch and yaw about the fixed axes x, y, z in that order, so `Rz Ry Rx`.
pub(super) fn origin(xyz: Vector3<f64>, rpy: Vector3<f64>) -> Placement<f64> {
    let ((sr, cr), (sp, cp), (sy, cy)) = (rpy.x.sin_cos(), rpy.y.sin_cos(), rpy.z.sin_cos());
    #[rustfmt::skip]
    let rotation = Matrix3::new(
        cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr,
        sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr,
        -sp,     cp * sr,                cp * cr,
    );
    Placement { rotation, translation: xyz }
}

/// The rotation by an angle about a unit axis (Rodrigues).
pub(super) fn turn(axis: &Vector3<f64>, angle: f64) -> Matrix3<f64> {
    let (s, c) = angle.sin_cos();
    let u = axis;
    let k = u * u.transpose() * (1.0 - c);
    // The diagonal is written so that a coordinate axis gives exact zeros and ones.
    let mut r = k + u.cross_matrix() * s;
    for i in 0..3 {
        r[(i, i)] = u[i] * u[i] + (1.0 - u[i] * u[i]) * c;
    }
    r
}

/// No mass at all.
pub(super) fn no_inertia() -> Inertia<f64> {
    Inertia { mass: 0.0, h: Vector3::zeros(), j: Matrix3::zeros() }
}

/// `-[a][b]`, symmetrised: what a parallel shift adds to an inertia.
fn shift(a: &Vector3<f64>, b: &Vector3<f64>) -> Matrix3<f64> {
    let outer = a * b.transpose();
    Matrix3::from_diagonal_element(a.dot(b)) - (outer + outer.transpose()) * 0.5
}

/// The same inertia in the frame in which its own frame has this pose:
/// h' = R h + m p, J' = R J R^T - [p][Rh] - [Rh][p] - m [p][p].
pub(super) fn in_outer_frame(placement: &Placement<f64>, inertia: &Inertia<f64>) -> Inertia<f64> {
    let (r, p) = (&placement.rotation, &placement.translation);
    let rh = r * inertia.h;
    let j = r * inertia.j * r.transpose() + shift(p, &rh) * 2.0 + shift(p, p) * inertia.mass;
    Inertia { mass: inertia.mass, h: rh + p * inertia.mass, j: (j + j.transpose()) * 0.5 }
}

/// Adds `more` to `sum`; both about the same frame.
pub(super) fn add(sum: &mut Inertia<f64>, more: &Inertia<f64>) {
    sum.mass += more.mass;
    sum.h += more.h;
    sum.j += more.j;
}
