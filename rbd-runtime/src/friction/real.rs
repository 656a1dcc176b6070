//! Real numbers, which can be compared: what a solver that branches is generic over.

use crate::Scalar;

/// `f64` or `f32`: scalars that can be compared.
///
/// The solver chooses modes by comparing numbers. A lane type, which holds several states, has no one
/// answer to a comparison.
pub trait Real: Scalar + PartialOrd {
    /// Largest residual at which a solution counts as converged, unless the settings say another.
    const TOLERANCE: f64;
    /// Distance from one to the next larger number.
    const EPSILON: f64;
}

impl Real for f64 {
    const TOLERANCE: f64 = 1e-9;
    const EPSILON: f64 = f64::EPSILON;
}

impl Real for f32 {
    const TOLERANCE: f64 = 1e-4;
    const EPSILON: f64 = f32::EPSILON as f64;
}

/// The larger number. NaN if the second is NaN; a NaN before is forgotten only by a larger one.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn max<T: Real>(a: T, b: T) -> T {
    if a >= b { a } else { b }
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn abs<T: Real>(x: T) -> T {
    if x < T::zero() { -x } else { x }
}

/// Neither infinite nor NaN.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn is_finite<T: Real>(x: T) -> bool {
    x * T::zero() == T::zero()
}

/// Length of a tangential vector.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn norm<T: Real>([x, y]: [T; 2]) -> T {
    // Scaled, so that squares of small numbers do not vanish.
    let largest = max(abs(x), abs(y));
    if largest > T::zero() && is_finite(largest) {
        let (x, y) = (x / largest, y / largest);
        largest * x.mul_add(x, y * y).sqrt()
    } else {
        largest
    }
}

/// Sum of products.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    // Four sums, so that products do not wait for one another.
    let (a4, a1) = a.as_chunks::<4>();
    let (b4, b1) = b.as_chunks::<4>();
    let mut sums = [T::zero(); 4];
    for (a, b) in a4.iter().zip(b4) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum = a.mul_add(*b, *sum);
        }
    }
    let rest = a1.iter().zip(b1).fold(T::zero(), |sum, (a, b)| a.mul_add(*b, sum));
    let [a, b, c, d] = sums;
    ((a + b) + (c + d)) + rest
}
