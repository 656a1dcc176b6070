//! Configurations of numbers from 0 to 1, as random generators give them.

use crate::{JointKind, Scalar};
use core::f64::consts::PI;

/// The least value of a coordinate and how far above the greatest is: between the limits, and where
/// one or both are infinite over a whole turn or 2 m.
pub fn range(kind: JointKind, lower: f64, upper: f64) -> (f64, f64) {
    let reach = if kind == JointKind::Prismatic { 1.0 } else { PI };
    let (lower, upper) = match (lower.is_finite(), upper.is_finite()) {
        (true, true) => (lower, upper),
        (true, false) => (lower, lower + 2.0 * reach),
        (false, true) => (upper - 2.0 * reach, upper),
        (false, false) => (-reach, reach),
    };
    (lower, upper - lower)
}

/// A quaternion that is uniform over all rotations.
///
/// Source: Shoemake, Uniform random rotations, Graphics Gems III, 1992.
pub fn rotation<T: Scalar>([share, first, second]: [T; 3]) -> [T; 4] {
    let turn = T::from_f64(2.0 * PI);
    let [(s0, c0), (s1, c1)] = [first, second].map(|x| (turn * x).sin_cos());
    let (a, b) = ((T::one() - share).sqrt(), share.sqrt());
    [a * s0, a * c0, b * s1, b * c1]
}

/// Writes a joint's configuration.
///
/// `uniform` begins with a number from 0 to 1 for each of the joint's velocity coordinates.
pub(crate) fn configuration<T: Scalar>(
    kind: JointKind,
    (lower, upper): (f64, f64),
    uniform: &[T],
    q: &mut [T],
) {
    let around_zero = |reach: f64, x: T| T::from_f64(reach) * (T::from_f64(2.0) * x - T::one());
    match kind {
        JointKind::Spherical => turn(uniform, q),
        JointKind::Floating => {
            for (q, x) in q.iter_mut().zip(uniform).take(3) {
                *q = around_zero(1.0, *x);
            }
            turn(uniform.get(3..).unwrap_or_default(), q.get_mut(3..).unwrap_or_default());
        }
        JointKind::Planar => {
            for ((q, x), reach) in q.iter_mut().zip(uniform).zip([1.0, 1.0, PI]) {
                *q = around_zero(reach, *x);
            }
        }
        kind => {
            let (lower, range) = range(kind, lower, upper);
            if let ([q, ..], [x, ..]) = (q, uniform) {
                *q = T::from_f64(lower) + *x * T::from_f64(range);
            }
        }
    }
}

fn turn<T: Scalar>(uniform: &[T], q: &mut [T]) {
    if let (Some(uniform), Some(q)) = (uniform.first_chunk(), q.first_chunk_mut::<4>()) {
        *q = rotation(*uniform);
    }
}
