//! Rounding in a tree: two numbers are taken as equal only if they differ by rounding.
//!
//! A tree is made by turning and shifting frames. If the exact result has a zero, a one, or twice
//! the same number, doubles give a number near it, which would cost operations in every call.
//!
//! Nearness is relative. An entry of a rotation is compared with one; every other number with the
//! terms that it is a sum of. No tolerance here has a unit, and none is larger than rounding: no
//! number changes by more than [`ROUNDING`] of one, or of its terms. (Right angles written with
//! fewer digits than a double has are handled by the reader, `urdf/rigid.rs`.)

use nalgebra::{Matrix3, Vector3};
use rbd_runtime::spatial::{Inertia, Placement};

/// Largest error of an entry that is exactly 0 or 1 after a dozen products of rotations. Also the
/// largest relative difference between two ways of computing a number.
pub const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// A rotation without rounding errors.
///
/// Entries near zero become zero. If a row and a column have nothing else, their common entry
/// becomes 1 or -1. Other entries stay: a diagonal entry of a small turn is nearer to one than the
/// turn is to zero, and must not become one.
pub fn rotation(r: &Matrix3<f64>) -> Matrix3<f64> {
    let mut r = r.map(|x| if x.abs() <= ROUNDING { 0.0 } else { x });
    for i in 0..3 {
        for j in 0..3 {
            let alone = (0..3).all(|k| (k == j || r[(i, k)] == 0.0) && (k == i || r[(k, j)] == 0.0));
            if alone {
                r[(i, j)] = r[(i, j)].signum();
            }
        }
    }
    r
}

/// `a + r b`, with zeros where the terms cancel to rounding.
fn sum(a: &Vector3<f64>, r: &Matrix3<f64>, b: &Vector3<f64>) -> Vector3<f64> {
    let terms = a.abs() + r.abs() * b.abs();
    (a + r * b).zip_map(&terms, |x, terms| if same(x, 0.0, terms) { 0.0 } else { x })
}

/// `a` after `b`: the placement of b's child in a's parent.
pub fn compose(a: &Placement<f64>, b: &Placement<f64>) -> Placement<f64> {
    Placement {
        rotation: rotation(&(a.rotation * b.rotation)),
        translation: sum(&a.translation, &a.rotation, &b.translation),
    }
}

/// The placement that undoes this one.
pub fn inverse(a: &Placement<f64>) -> Placement<f64> {
    let rotation = a.rotation.transpose();
    Placement { rotation, translation: sum(&Vector3::zeros(), &rotation, &-a.translation) }
}

/// Returns whether two numbers are equal up to rounding, given the size of the terms that they are
/// sums of.
pub fn same(a: f64, b: f64, scale: f64) -> bool {
    (a - b).abs() <= ROUNDING * scale
}

/// For each number of an inertia moved from the frame placed at `t` to its parent frame, the size
/// of the terms that it is a sum of: the scale of its rounding.
///
/// Moving an inertia multiplies and adds as [`super::inertia_moved`] does, with every sign a plus.
pub fn terms_moved(i: &Inertia<f64>, t: &Placement<f64>) -> Inertia<f64> {
    let (r, p) = (t.rotation.abs(), t.translation.abs());
    let h = r * i.h;
    let k = h + p * (i.mass / 2.0);
    let parallel = Matrix3::identity() * (2.0 * p.dot(&k)) + p * k.transpose() + k * p.transpose();
    Inertia { mass: i.mass, h: h + p * i.mass, j: r * i.j * r.transpose() + parallel }
}

/// An inertia without rounding errors in sums whose terms cancel.
pub fn inertia(i: &Inertia<f64>, terms: &Inertia<f64>) -> Inertia<f64> {
    let number = |x: f64, terms: f64| if same(x, 0.0, terms) { 0.0 } else { x };
    Inertia {
        mass: number(i.mass, terms.mass),
        h: i.h.zip_map(&terms.h, number),
        j: i.j.zip_map(&terms.j, number),
    }
}
