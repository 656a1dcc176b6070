use super::points::POINTS;
use super::*;
use crate::Scalar;
use crate::dispatch::{Dispatched, Recast};
use crate::lanes::{F32x8, F32x16, F64x4, F64x8};
use nalgebra::SVector;
use proptest::prelude::*;
use std::vec::Vec;

/// A number as the unevaluated sum of two, good to about 2^-104.
#[derive(Clone, Copy)]
struct Double(f64, f64);

impl Double {
    fn sum(a: f64, b: f64) -> Self {
        let s = a + b;
        let t = s - a;
        Self(s, (a - (s - t)) + (b - t))
    }
    fn product(a: f64, b: f64) -> Self {
        let p = a * b;
        Self(p, f64::mul_add(a, b, -p))
    }
    fn plus(self, other: Self) -> Self {
        let high = Self::sum(self.0, other.0);
        let low = Self::sum(self.1, other.1);
        let high = Self::sum(high.0, high.1 + low.0);
        Self::sum(high.0, high.1 + low.1)
    }
    fn times(self, other: Self) -> Self {
        let p = Self::product(self.0, other.0);
        Self::sum(p.0, p.1 + (self.0 * other.1 + self.1 * other.0))
    }
    fn over(self, d: f64) -> Self {
        let q = self.0 / d;
        let back = Self::product(q, d);
        Self::sum(q, ((self.0 - back.0) - back.1 + self.1) / d)
    }
    fn negated(self) -> Self {
        Self(-self.0, -self.1)
    }
}

/// Sine and cosine by their power series in doubled precision, after a reduction with 212 bits of pi / 2.
fn reference(x: f64) -> (Double, Double) {
    let quarters = (x / core::f64::consts::FRAC_PI_2).round();
    let mut r = Double(x, 0.0);
    for part in
        [core::f64::consts::FRAC_PI_2, 6.123233995736766e-17, -1.4973849048591698e-33, 5.562271104316826e-50]
    {
        r = r.plus(Double::product(-quarters, part));
    }
    let r2 = r.times(r).negated();
    let (mut sin, mut cos) = (r, Double(1.0, 0.0));
    let (mut odd, mut even) = (r, Double(1.0, 0.0));
    for n in 1..15 {
        let n = f64::from(n);
        even = even.times(r2).over((2.0 * n - 1.0) * (2.0 * n));
        odd = odd.times(r2).over(2.0 * n * (2.0 * n + 1.0));
        (sin, cos) = (sin.plus(odd), cos.plus(even));
    }
    match quarters.rem_euclid(4.0) as u8 {
        0 => (sin, cos),
        1 => (cos, sin.negated()),
        2 => (sin.negated(), cos.negated()),
        _ => (cos.negated(), sin),
    }
}

/// The error of `found` in units in the last place of `truth`.
fn ulps(found: f64, truth: Double) -> f64 {
    let last_place = f64::from_bits(truth.0.abs().to_bits() & (0x7ff << 52)) * f64::EPSILON;
    (((found - truth.0) - truth.1) / last_place.max(5e-324)).abs()
}

fn ulps_f32(found: f32, truth: f64) -> f64 {
    let last_place = f64::from_bits(truth.abs().to_bits() & (0x7ff << 52)) * f64::from(f32::EPSILON);
    ((f64::from(found) - truth) / last_place.max(1.5e-45)).abs()
}

/// Sines and cosines as a generated function sees them, fused where this machine can.
struct All<'a, T, const N: usize>(&'a mut SVector<T, N>, &'a mut SVector<T, N>);
impl<T: Scalar, const N: usize> Dispatched<T> for All<'_, T, N> {
    type Output = ();
    #[inline(always)]
    fn run<S: Scalar>(self, recast: Recast<T, S>) {
        let (q, cos) = (recast.matrix_mut(self.0), recast.matrix_mut(self.1));
        (q.data.0[0], cos.data.0[0]) = S::sin_cos_all(q.data.0[0]);
    }
}
fn dispatched<T: Scalar, const N: usize>(q: [T; N]) -> ([T; N], [T; N]) {
    let (mut q, mut cos) = (SVector::from(q), SVector::from(q));
    T::dispatch(All(&mut q, &mut cos));
    (q.into(), cos.into())
}

/// Angles spread evenly and by magnitude.
fn angles(count: u32, largest: f64) -> impl Iterator<Item = f64> {
    (0..count).map(move |i| {
        let even = (f64::from(i) * 0.618_033_988_749_894_9).fract() * 2.0 - 1.0;
        if i % 2 == 0 { even * largest } else { even * libm_pow(largest, f64::from(i) / f64::from(count)) }
    })
}
fn libm_pow(base: f64, exponent: f64) -> f64 {
    (exponent * base.ln()).exp()
}

#[test]
fn reference_agrees_with_arbitrary_precision() {
    for [x, sin, sin_low, cos, cos_low] in POINTS {
        let (s, c) = reference(x);
        for (found, high, low) in [(s, sin, sin_low), (c, cos, cos_low)] {
            let error = ((found.0 - high) + (found.1 - low)).abs();
            assert!(error <= 1e-28 * high.abs(), "{x}: {error}");
        }
    }
}

#[test]
fn hard_points_are_within_an_ulp() {
    for [x, sin, sin_low, cos, cos_low] in POINTS {
        for (s, c) in [
            sin_cos(x),
            {
                let (s, c) = sin_cos_array([x; 5]);
                (s[4], c[4])
            },
            {
                let (s, c) = dispatched([x; 5]);
                (s[0], c[0])
            },
        ] {
            let (s, c) = (ulps(s, Double(sin, sin_low)), ulps(c, Double(cos, cos_low)));
            assert!(s <= 0.9 && c <= 0.9, "{x}: {s} {c}");
        }
    }
}

#[test]
fn angles_in_range_are_within_the_documented_error() {
    let mut worst = [0.0_f64; 4];
    for x in angles(100_000, 1e5).chain(angles(100_000, 7.0)) {
        let (sin, cos) = reference(x);
        let (s, c) = sin_cos(x);
        let (sf, cf) = dispatched([x]);
        for (worst, e) in
            worst.iter_mut().zip([ulps(s, sin), ulps(c, cos), ulps(sf[0], sin), ulps(cf[0], cos)])
        {
            *worst = worst.max(e);
        }
    }
    std::println!("f64: sine, cosine as compiled, then dispatched: {worst:?}");
    assert!(worst.iter().all(|&e| e <= 0.9), "{worst:?}");
}

#[test]
fn single_precision_is_within_the_documented_error() {
    let mut worst = [0.0_f64; 4];
    let hard = (1..=255).map(|k| f64::from(k) * core::f64::consts::FRAC_PI_2);
    for x in angles(300_000, 400.0).chain(angles(100_000, 7.0)).chain(hard) {
        let x = x as f32;
        let (sin, cos) = f64::from(x).sin_cos();
        let (s, c) = sin_cos_f32(x);
        let (sf, cf) = dispatched([x]);
        let errors = [ulps_f32(s, sin), ulps_f32(c, cos), ulps_f32(sf[0], sin), ulps_f32(cf[0], cos)];
        for (worst, e) in worst.iter_mut().zip(errors) {
            *worst = worst.max(e);
        }
    }
    std::println!("f32: sine, cosine as compiled, then dispatched: {worst:?}");
    assert!(worst.iter().all(|&e| e <= 1.5), "{worst:?}");
}

#[test]
fn beyond_range_the_platform_answers() {
    for x in [100_000.01, -3e7, 1e22, f64::MAX] {
        let (s, c) = sin_cos_array([0.5, x, -0.5]);
        assert_eq!((s[1], c[1]), x.sin_cos());
        assert_eq!((s[0], c[0]), sin_cos(0.5));
        assert_eq!((s[2], c[2]), sin_cos(-0.5));
        assert_eq!(sin_cos(x), x.sin_cos());
    }
    for x in [400.1_f32, -1e5, f32::MAX] {
        assert_eq!(sin_cos_f32(x), x.sin_cos());
    }
}

type Function<T, const N: usize> = fn([T; N]) -> ([T; N], [T; N]);

/// `special` in place `at` of `N` angles must leave the others bit for bit as they are without it.
fn disturbs_nothing<T: Scalar, const N: usize>(
    all: Function<T, N>,
    make: fn(&dyn Fn(usize) -> f64) -> T,
    lanes: usize,
    take: fn(T, usize) -> f64,
) {
    for special in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e6] {
        for at in 0..N * lanes {
            let plain = |i: usize| 0.3 * i as f64 - 1.0;
            let q = core::array::from_fn(|j| {
                make(&|l| if j * lanes + l == at { special } else { plain(j * lanes + l) })
            });
            let without = core::array::from_fn(|j| make(&|l| plain(j * lanes + l)));
            let ((s, c), (s0, c0)) = (all(q), all(without));
            for i in 0..N * lanes {
                let get = |x: &[T; N]| take(x[i / lanes], i % lanes);
                if i != at {
                    assert_eq!(
                        (get(&s).to_bits(), get(&c).to_bits()),
                        (get(&s0).to_bits(), get(&c0).to_bits())
                    );
                } else if special != 1e6 {
                    assert!(get(&s).is_nan() && get(&c).is_nan());
                } else {
                    assert!((get(&s) - special.sin()).abs() < 1e-6 && (get(&c) - special.cos()).abs() < 1e-6);
                }
            }
        }
    }
}

#[test]
fn a_bad_angle_disturbs_no_other() {
    disturbs_nothing::<f64, 7>(sin_cos_array, |x| x(0), 1, |x, _| x);
    disturbs_nothing::<f64, 7>(dispatched, |x| x(0), 1, |x, _| x);
    disturbs_nothing::<f64, 1>(dispatched, |x| x(0), 1, |x, _| x);
    disturbs_nothing::<f32, 9>(sin_cos_array_f32, |x| x(0) as f32, 1, |x, _| x.into());
    disturbs_nothing::<f32, 9>(dispatched, |x| x(0) as f32, 1, |x, _| x.into());
    macro_rules! lanes {
        ($($lanes:ident, $float:ident;)*) => {$(
            for all in [$lanes::sin_cos_all::<3>, dispatched::<$lanes, 3>] {
                disturbs_nothing::<$lanes, 3>(
                    all,
                    |x| $lanes::from_array(core::array::from_fn(|l| x(l) as $float)),
                    $lanes::LANES,
                    |x, l| x.to_array()[l].into(),
                );
            }
        )*};
    }
    lanes!(F64x4, f64; F64x8, f64; F32x8, f32; F32x16, f32;);
}

#[test]
fn every_length_gives_what_one_angle_gives() {
    fn check<const N: usize>() {
        let q: [f64; N] = core::array::from_fn(|i| 0.7 * i as f64 - 2.0);
        let (s, c) = sin_cos_array(q);
        let (sf, cf) = dispatched(q);
        let many: Vec<_> = s.into_iter().zip(c).collect();
        assert_eq!(many, q.map(sin_cos));
        for (i, q) in q.into_iter().enumerate() {
            let one = dispatched([q]);
            assert_eq!((sf[i], cf[i]), (one.0[0], one.1[0]));
        }
    }
    check::<0>();
    check::<1>();
    check::<3>();
    check::<4>();
    check::<5>();
    check::<8>();
    check::<38>();
}

proptest! {
    #[test]
    fn lanes_give_what_floats_give(x in prop::array::uniform8(-1e5..1e5_f64)) {
        let (s, c) = F64x8::from(x).sin_cos();
        for (q, found) in x.into_iter().zip(s.to_array().into_iter().zip(c.to_array())) {
            prop_assert_eq!(found, sin_cos(q));
        }
        let four = [x[0], x[1], x[2], x[3]];
        let (s, c) = F64x4::from(four).sin_cos();
        for (q, found) in four.into_iter().zip(s.to_array().into_iter().zip(c.to_array())) {
            prop_assert_eq!(found, sin_cos(q));
        }
        let x = x.map(|x| (x * 4e-3) as f32);
        let (s, c) = F32x8::from(x).sin_cos();
        for (q, found) in x.into_iter().zip(s.to_array().into_iter().zip(c.to_array())) {
            prop_assert_eq!(found, sin_cos_f32(q));
        }
    }
}
