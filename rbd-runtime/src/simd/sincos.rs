//! Sine and cosine of many angles at once.
//!
//! The C library's functions take one angle a call and branch on its size. For a robot's joints
//! that costs more than the inverse dynamics that follow. Here every angle takes the same steps:
//!
//! 1. Subtract a whole number of quarter turns (pi / 2 in three parts, after Cody and Waite,
//!    keeping what the last subtraction rounds away).
//! 2. Evaluate both polynomials.
//! 3. Swap and negate by the number's low bits.
//!
//! Largest error found over 20 million angles a type, half of them below 7 rad, and over the floats
//! that lie closest to multiples of pi / 2, in units in the last place (ulp) of the result:
//!
//! | type | angles | sine | cosine | sine, fused | cosine, fused |
//! |---|---|---|---|---|---|
//! | `f64` | up to 1e5 rad | 0.844 | 0.839 | 0.844 | 0.839 |
//! | `f32` | up to 400 rad | 0.839 | 0.823 | 0.776 | 0.786 |
//!
//! Beyond these angles, and for infinities, the platform's function answers (its error, its time).
//! A value that is not finite gives NaN for its angle and leaves the others as they are. The sine
//! of `-0.0` is `0.0`.

use crate::lanes::{Angle, Pack, Pack32x8, Pack64x4};
use num_traits::{Float, One, Zero};

/// Sine and cosine of one angle, rad.
///
/// ```
/// let (s, c) = rbd_runtime::sincos::sin_cos(1.0_f64);
/// assert!((s - 1.0_f64.sin()).abs() < 1e-15 && (c - 1.0_f64.cos()).abs() < 1e-15);
/// ```
#[inline]
#[must_use]
pub fn sin_cos(q: f64) -> (f64, f64) {
    of_pack(q)
}

/// Sine and cosine of one angle, rad.
#[inline]
#[must_use]
pub fn sin_cos_f32(q: f32) -> (f32, f32) {
    of_pack(q)
}

/// Sines and cosines of `N` angles, rad, with the vector instructions that this is compiled for.
///
/// ```
/// let (s, c) = rbd_runtime::sincos::sin_cos_array([0.0, 0.5, f64::NAN]);
/// assert_eq!((s[0], c[0]), (0.0, 1.0));
/// assert!((s[1] - 0.5_f64.sin()).abs() < 1e-15 && s[2].is_nan());
/// ```
#[inline]
#[must_use]
pub fn sin_cos_array<const N: usize>(q: [f64; N]) -> ([f64; N], [f64; N]) {
    of_array::<Pack64x4, N>(q)
}

/// Sines and cosines of `N` angles, rad, with the vector instructions that this is compiled for.
#[inline]
#[must_use]
pub fn sin_cos_array_f32<const N: usize>(q: [f32; N]) -> ([f32; N], [f32; N]) {
    of_array::<Pack32x8, N>(q)
}

/// Sines and cosines of `N` angles, one register of `P` after the other.
#[inline(always)]
pub(crate) fn of_array<P: Pack, const N: usize>(q: [P::Lane; N]) -> ([P::Lane; N], [P::Lane; N]) {
    let zero = P::Lane::zero();
    let (mut sin, mut cos) = ([zero; N], [zero; N]);
    let (chunks, rest) = P::chunks(&q);
    let (sin_chunks, sin_rest) = P::chunks_mut(&mut sin);
    let (cos_chunks, cos_rest) = P::chunks_mut(&mut cos);
    for ((q, sin), cos) in chunks.iter().zip(sin_chunks).zip(cos_chunks) {
        let (s, c) = of_pack(P::from_array(*q));
        (*sin, *cos) = (s.to_array(), c.to_array());
    }
    if !rest.is_empty() {
        let mut padded = P::splat(zero).to_array();
        copy::<P>(padded.as_mut(), rest);
        let (s, c) = of_pack(P::from_array(padded));
        copy::<P>(sin_rest, s.to_array().as_ref());
        copy::<P>(cos_rest, c.to_array().as_ref());
    }
    (sin, cos)
}

/// Copies the first elements, as many as both have and at most one a lane: moves between registers
/// once unrolled.
#[inline(always)]
fn copy<P: Pack>(to: &mut [P::Lane], from: &[P::Lane]) {
    for i in 0..P::LANES {
        if let (Some(to), Some(from)) = (to.get_mut(i), from.get(i)) {
            *to = *from;
        }
    }
}

/// Sine and cosine of every lane.
#[inline(always)]
pub(crate) fn of_pack<P: Pack>(q: P) -> (P, P) {
    if q.all_within(P::Lane::RANGE) { polynomial(q) } else { lane_by_lane(q) }
}

/// Every lane of `q` is at most `RANGE`.
#[inline(always)]
fn polynomial<P: Pack>(q: P) -> (P, P) {
    let shifted = q.mul_add(P::splat(P::Lane::TWO_OVER_PI), P::splat(P::Lane::ROUND));
    let quarters = shifted - P::splat(P::Lane::ROUND);
    let [first, second, third] = P::Lane::MINUS_HALF_PI.map(P::splat);
    // The angle is r + tail. `first`: exact. `second`: rounded, and `tail` gets the rounding error.
    let coarse = quarters.mul_add(first, q);
    let r = quarters.mul_add(second, coarse);
    let tail = quarters.mul_add(third, quarters.mul_add(second, coarse - r));

    let r2 = r * r;
    let half = P::splat(P::Lane::HALF) * r2;
    let one = P::splat(P::Lane::one());
    let low = one - half; // close to cos(r), and enough as the factor of the tail in the sine
    let sin = r + (r2 * r).mul_add(horner(P::Lane::SIN, r2), tail * low);
    let rounded_away = (one - low) - half;
    let cos = low + ((r2 * r2).mul_add(horner(P::Lane::COS, r2), rounded_away) - r * tail);

    // Quarter turn 1 or 3: swap. Signs of the results: sine + + - -, cosine + - - +.
    let odd = shifted.bit_as_sign::<0>();
    let far = shifted.bit_as_sign::<1>();
    (odd.choose(cos, sin).xor(far), odd.choose(sin, cos).xor(far.xor(odd)))
}

/// Value at `x` of the polynomial with these coefficients, highest power first.
#[inline(always)]
fn horner<P: Pack>(coefficients: &[P::Lane], x: P) -> P {
    let mut sum = P::splat(P::Lane::zero());
    for (i, &c) in coefficients.iter().enumerate() {
        sum = if i == 0 { P::splat(c) } else { sum.mul_add(x, P::splat(c)) };
    }
    sum
}

/// The way for huge and non-finite angles. Lanes within range still get the polynomial, so that no
/// lane's result depends on its neighbours.
#[cold]
#[inline(never)]
fn lane_by_lane<P: Pack>(q: P) -> (P, P) {
    let (mut sin, mut cos) = (q.to_array(), q.to_array());
    for (s, c) in sin.as_mut().iter_mut().zip(cos.as_mut()) {
        let angle = *s;
        let within = angle.abs() <= P::Lane::RANGE;
        (*s, *c) = if within { one_lane::<P>(angle) } else { angle.sin_cos() };
    }
    (P::from_array(sin), P::from_array(cos))
}

/// The polynomial for one lane, by the instructions of all lanes.
#[inline(always)]
fn one_lane<P: Pack>(angle: P::Lane) -> (P::Lane, P::Lane) {
    let (s, c) = polynomial(P::splat(angle));
    let zero = P::Lane::zero();
    (
        s.to_array().as_ref().first().copied().unwrap_or(zero),
        c.to_array().as_ref().first().copied().unwrap_or(zero),
    )
}

#[cfg(test)]
mod points;
#[cfg(test)]
mod tests;
