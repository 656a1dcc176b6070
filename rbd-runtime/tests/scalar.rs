//! The scalar types' elementary functions.

use num_complex::Complex;
use num_dual::{Dual64, HyperDual64};
use rbd_runtime::Scalar;

/// Points in every quadrant and on every axis.
fn points() -> impl Iterator<Item = (f64, f64)> {
    (0..24)
        .map(|k| (f64::from(k) * std::f64::consts::PI / 12.0).sin_cos())
        .map(|(s, c)| (2.0 * s, 2.0 * c))
        .chain([(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)])
}

/// First and second derivatives of the angle of a point are those of the formula, on the axes too.
#[test]
fn atan2_has_the_right_derivatives_everywhere() {
    for (y, x) in points() {
        let r2 = x * x + y * y;
        // along y, along x, and both
        let (dy, dx, dydx) = (x / r2, -y / r2, (y * y - x * x) / (r2 * r2));
        let near = |a: f64, b: f64| assert!((a - b).abs() < 2e-15, "atan2({y}, {x}): {a} and {b}");

        let got = Scalar::atan2(Dual64::new(y, 1.0), Dual64::new(x, 0.0));
        near(got.re, y.atan2(x));
        near(got.eps, dy);
        let h = HyperDual64::new(y, 1.0, 0.0, 0.0);
        let got = Scalar::atan2(h, HyperDual64::new(x, 0.0, 1.0, 0.0));
        near(got.eps1, dy);
        near(got.eps2, dx);
        near(got.eps1eps2, dydx);
        let got = Scalar::atan2(Complex::new(y, 1e-80), Complex::new(x, 0.0));
        near(got.re, y.atan2(x));
        near(got.im / 1e-80, dy);
        let got = Scalar::atan2(Complex::new(y, 0.0), Complex::new(x, 1e-80));
        near(got.im / 1e-80, dx);
    }
}

/// The complex functions continue the real ones: their squares and tangents are right off the real
/// axis as well.
#[test]
fn complex_functions_are_analytic() {
    for (a, b) in [(0.3, 0.4), (-1.2, 0.5), (2.0, -0.7)] {
        let z = Complex::new(a, b);
        let root = Scalar::sqrt(z);
        assert!((root * root - z).norm() < 1e-15);
        let (s, c) = Scalar::sin_cos(z);
        assert!((s * s + c * c - 1.0).norm() < 1e-14);
        let angle = Scalar::atan2(s, c);
        assert!((angle - z).norm() < 1e-14, "{angle} is not {z}");
    }
}

/// `select_lt` looks at the real part and strictly.
#[test]
fn selection_is_by_the_real_part() {
    assert_eq!(1.0_f64.select_lt(1.0, 2.0, 3.0), 3.0);
    assert_eq!(0.5_f32.select_lt(1.0, 2.0, 3.0), 2.0);
    assert_eq!(f64::NAN.select_lt(1.0, 2.0, 3.0), 3.0);
    let (below, otherwise) = (Dual64::new(2.0, 7.0), Dual64::new(3.0, 8.0));
    assert_eq!(Dual64::new(0.5, 100.0).select_lt(1.0, below, otherwise).eps, 7.0);
    let i = Complex::new(0.0, 1.0);
    assert_eq!(i.select_lt(0.5, i, -i), i);
}

/// Products and sums are fused only where the target has the instruction.
#[test]
fn multiply_add_is_fused_where_the_target_can() {
    let (a, b) = (1.0 + f64::EPSILON, 1.0 - f64::EPSILON);
    let fused = cfg!(any(all(target_arch = "x86_64", target_feature = "fma"), target_arch = "aarch64"));
    let expected = if fused { -f64::EPSILON * f64::EPSILON } else { 0.0 };
    assert_eq!(Scalar::mul_add(a, b, -1.0), expected);
}
