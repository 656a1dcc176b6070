//! Placements and inertias of rigid bodies, and their change by a joint.

use nalgebra::{Matrix3, Vector3};
use rbd_runtime::spatial::{Inertia, Placement};
use std::f64::consts::FRAC_PI_2;

/// The identity pose.
pub(super) fn identity() -> Placement<f64> {
    Placement { rotation: Matrix3::identity(), translation: Vector3::zeros() }
}

/// Pose of c in a, from the pose of b in a and the pose of c in b.
pub(super) fn compose(ab: &Placement<f64>, bc: &Placement<f64>) -> Placement<f64> {
    Placement {
        rotation: ab.rotation * bc.rotation,
        translation: ab.rotation * bc.translation + ab.translation,
    }
}

/// Angles of a URDF that are taken for right angles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Snap {
    /// Multiples of a right angle, zero apart, that are written to eleven decimals or more, zeros
    /// at the end not counted.
    Written,
    /// Multiples of a right angle, zero included, to this many radians.
    Within(f64),
}

impl Snap {
    /// Eleven decimals give an angle to half of 1e-11; some files cut the digits off instead of rounding.
    pub const DECIMALS: f64 = 1e-11;

    /// Returns whether an angle is taken for the nearest multiple of a right angle, or is its
    /// nearest double.
    pub fn takes(self, angle: f64) -> bool {
        let quarters = (angle / FRAC_PI_2).round();
        let rest = (angle - quarters * FRAC_PI_2).abs();
        // Far from zero, every double is near a right angle.
        angle.abs() <= 100.0
            && (rest <= 2.0 * f64::EPSILON * angle.abs()
                || match self {
                    Self::Written => quarters != 0.0 && rest <= Self::DECIMALS && decimals(angle) >= 11,
                    Self::Within(tolerance) => rest <= tolerance,
                })
    }

    /// Sine and cosine of an angle, exact where it is taken for a multiple of a right one.
    fn sin_cos(self, angle: f64) -> (f64, f64) {
        if !self.takes(angle) {
            return angle.sin_cos();
        }
        match (angle / FRAC_PI_2).round().rem_euclid(4.0) as u8 {
            0 => (0.0, 1.0),
            1 => (1.0, 0.0),
            2 => (0.0, -1.0),
            _ => (-1.0, 0.0),
        }
    }
}

/// Decimals of the shortest text that is read as this number: those that a file has, without zeros
/// at the end.
fn decimals(x: f64) -> usize {
    x.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len())
}

/// A URDF `origin`: roll, pitch and yaw about the fixed axes x, y, z in that order, so `Rz Ry Rx`.
pub(super) fn origin(xyz: Vector3<f64>, rpy: Vector3<f64>, snap: Snap) -> Placement<f64> {
    let [(sr, cr), (sp, cp), (sy, cy)] = [rpy.x, rpy.y, rpy.z].map(|angle| snap.sin_cos(angle));
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

/// `-[a][b]`, symmetrised: the part of an inertia that a parallel shift adds.
fn shift(a: &Vector3<f64>, b: &Vector3<f64>) -> Matrix3<f64> {
    let outer = a * b.transpose();
    Matrix3::from_diagonal_element(a.dot(b)) - (outer + outer.transpose()) * 0.5
}

/// The inertia in the outer frame, in which its own frame has this pose: h' = R h + m p, J' = R J
/// R^T - [p][Rh] - [Rh][p] - m [p][p].
pub(super) fn in_outer_frame(placement: &Placement<f64>, inertia: &Inertia<f64>) -> Inertia<f64> {
    let (r, p) = (&placement.rotation, &placement.translation);
    let rh = r * inertia.h;
    let j = r * inertia.j * r.transpose() + shift(p, &rh) * 2.0 + shift(p, p) * inertia.mass;
    Inertia { mass: inertia.mass, h: rh + p * inertia.mass, j: (j + j.transpose()) * 0.5 }
}

/// Adds `more` to `sum`, both about the same frame.
pub(super) fn add(sum: &mut Inertia<f64>, more: &Inertia<f64>) {
    sum.mass += more.mass;
    sum.h += more.h;
    sum.j += more.j;
}

#[cfg(test)]
#[allow(clippy::approx_constant, reason = "right angles as files have them")]
mod tests {
    use super::*;

    #[test]
    fn right_angles_are_exact() {
        let written = Snap::Written;
        for (text, exact) in [
            ("0", (0.0, 1.0)),
            ("1.57079632679", (1.0, 0.0)),
            ("-1.5707963267948966", (-1.0, 0.0)),
            ("3.14159265359", (0.0, -1.0)),
            ("3.14159265358", (0.0, -1.0)),
            ("-4.71238898038", (1.0, 0.0)),
            ("6.283185307179586", (0.0, 1.0)),
            ("15.7079632679e-1", (1.0, 0.0)),
            ("1.57079632679490", (1.0, 0.0)),
        ] {
            assert_eq!(written.sin_cos(text.parse().expect("a number")), exact, "{text}");
        }
    }

    #[test]
    fn other_angles_are_what_they_are() {
        let written = Snap::Written;
        // 1.5707963268 is within 1e-11 of a right angle, but has ten decimals; the last two have
        // eleven, and are further off.
        for angle in [
            1e17,
            1e-300_f64,
            1e-15,
            1e-12,
            -5e-12,
            4e-6,
            1.5708,
            1.57079633,
            3.1416,
            0.7,
            1.5707963267,
            1.5707963268,
            -1.5707963268,
            1.57079632681,
            1.57079632678,
        ] {
            assert_eq!(written.sin_cos(angle), angle.sin_cos(), "{angle}");
            assert_eq!(Snap::Within(0.0).sin_cos(angle), angle.sin_cos(), "{angle}");
        }
        // Only as much as was requested.
        let asked = Snap::Within(1e-5);
        assert_eq!(asked.sin_cos(1.5708), (1.0, 0.0));
        assert_eq!(asked.sin_cos(4e-6), (0.0, 1.0));
        assert_eq!(asked.sin_cos(0.0044), 0.0044_f64.sin_cos());
        assert_eq!(asked.sin_cos(1.5709), 1.5709_f64.sin_cos());
    }
}
