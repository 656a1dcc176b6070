//! When one number of a tree is taken for another: only where rounding is all that tells them apart.
//!
//! A tree is made by turning and shifting frames. Where the exact result of that has a zero, a one, or twice the same
//! number, doubles leave something near it, which would cost operations in every call. What is near is a matter of
//! scale. An entry of a rotation is compared with one, which it is part of; every other number with the terms that it
//! is a sum of. No tolerance here has a unit, and none is larger than rounding: no number is changed by more than [`ROUNDING`] of
//! one, or of its terms.
//! (Right angles written with fewer digits than a double has are the reader's business, `urdf/rigid.rs`.)

use nalgebra::{Matrix3, Vector3};
use rbd_runtime::spatial::{Inertia, Placement};

/// Most that a dozen products of rotations leave of an entry that is 0 or 1, and most that two such ways to the same
/// number make it differ, relative to its terms.
pub const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// A rotation without what rounding left: entries near zero become zero, and where a row and a column have nothing
/// else, what they share becomes 1 or -1. Others stay as they are, so that a diagonal entry of a small turn, which is
/// nearer to one than the turn is to nothing, is not taken for one.
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

/// Whether two numbers are the same but for rounding, where the terms that they came of are at most this large.
pub fn same(a: f64, b: f64, scale: f64) -> bool {
    (a - b).abs() <= ROUNDING * scale
}

/// For each number of an inertia, how large the terms are that it is a sum of, once it is given in the parent frame of
/// the one placed at `t`: the scale of its rounding.
///
/// Moving an inertia multiplies and adds as [`super::inertia_moved`] does, with every sign a plus.
pub fn terms_moved(i: &Inertia<f64>, t: &Placement<f64>) -> Inertia<f64> {
    let (r, p) = (t.rotation.abs(), t.translation.abs());
    let h = r * i.h;
    let k = h + p * (i.mass / 2.0);
    let parallel = Matrix3::identity() * (2.0 * p.dot(&k)) + p * k.transpose() + k * p.transpose();
    Inertia { mass: i.mass, h: h + p * i.mass, j: r * i.j * r.transpose() + parallel }
}

/// An inertia without what rounding left where its terms cancel.
pub fn inertia(i: &Inertia<f64>, terms: &Inertia<f64>) -> Inertia<f64> {
    let number = |x: f64, terms: f64| if same(x, 0.0, terms) { 0.0 } else { x };
    Inertia {
        mass: number(i.mass, terms.mass),
        h: i.h.zip_map(&terms.h, number),
        j: i.j.zip_map(&terms.j, number),
    }
}
