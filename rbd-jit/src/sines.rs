//! Sines and cosines, as compiled Rust takes them.

use crate::Number;
use rbd_runtime::Scalar;
use rbd_runtime::dispatch::{Dispatched, Recast};

/// Number of angles that are computed together: two registers of AVX2.
const TOGETHER: usize = 8;

/// Writes the sine and cosine of each angle. The bits are those of [`Scalar::sin_cos_all`] on this
/// processor.
pub fn sines_and_cosines<T: Number>(angles: &[T], sin: &mut [T], cos: &mut [T]) {
    T::dispatch(Sines { angles, sin, cos });
}

struct Sines<'a, T> {
    angles: &'a [T],
    sin: &'a mut [T],
    cos: &'a mut [T],
}

impl<T: Number> Dispatched<T> for Sines<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Scalar>(self, recast: Recast<T, S>) {
        let angles = recast.slice(self.angles);
        let (sin, cos) = (recast.slice_mut(self.sin), recast.slice_mut(self.cos));
        let mut at = 0;
        while at < angles.len() {
            let (angles, sin, cos) = (&angles[at..], &mut sin[at..], &mut cos[at..]);
            at += match angles.len() {
                1 => first::<S, 1>(angles, sin, cos),
                2 => first::<S, 2>(angles, sin, cos),
                3 => first::<S, 3>(angles, sin, cos),
                4 => first::<S, 4>(angles, sin, cos),
                5 => first::<S, 5>(angles, sin, cos),
                6 => first::<S, 6>(angles, sin, cos),
                7 => first::<S, 7>(angles, sin, cos),
                _ => first::<S, TOGETHER>(angles, sin, cos),
            };
        }
    }
}

/// Computes the first `N` angles. Returns their number.
#[inline(always)]
fn first<S: Scalar, const N: usize>(angles: &[S], sin: &mut [S], cos: &mut [S]) -> usize {
    let to = (sin.first_chunk_mut::<N>(), cos.first_chunk_mut::<N>());
    if let (Some(angles), (Some(sin), Some(cos))) = (angles.first_chunk::<N>(), to) {
        (*sin, *cos) = S::sin_cos_all(*angles);
    }
    N
}

/// True if compiled Rust rounds products and sums once on this processor.
pub fn is_fused() -> bool {
    struct Probe(f64);
    impl Dispatched<f64> for Probe {
        type Output = f64;
        #[inline(always)]
        fn run<S: Scalar>(self, recast: Recast<f64, S>) -> f64 {
            let x = recast.scalar(self.0);
            recast.back(x.mul_add(x, -(x * x)))
        }
    }
    // What rounding the square takes away.
    f64::dispatch(Probe(1.0 + f64::EPSILON)) != 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Angles in any number, large and odd ones among them, have the runtime's sines and cosines.
    #[test]
    fn are_those_of_the_runtime() {
        let angle = |k: usize| {
            [0.1 * k as f64 - 1.0, 1e7, f64::INFINITY, -0.0][k % 4 * usize::from(k.is_multiple_of(3))]
        };
        for n in 0..20 {
            let angles: Vec<f64> = (0..n).map(angle).collect();
            let (mut sin, mut cos) = (vec![7.0; n], vec![7.0; n]);
            sines_and_cosines(&angles, &mut sin, &mut cos);
            for (k, angle) in angles.iter().enumerate() {
                let (s, c) = angle.sin_cos();
                let is_near = |x: f64, y: f64| (x - y).abs() < 1e-15 || x.is_nan() && y.is_nan();
                assert!(is_near(sin[k], s) && is_near(cos[k], c), "{k}: {angle}");
            }
        }
    }
}
