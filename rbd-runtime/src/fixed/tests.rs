use super::*;

/// Largest errors of sine and cosine over `angles`, in steps.
fn errors<const F: u32, const B: u32>(angles: impl Iterator<Item = i32>) -> f64 {
    let step = (1_u64 << F) as f64;
    let error = |x: Fixed<F, B>, exact: f64| ((x.to_f64() - exact) * step).abs();
    angles.fold(0.0, |worst, bits| {
        let x = Fixed::<F, B>::from_bits(bits);
        let ((s, c), exact) = (x.sin_cos(), x.to_f64().sin_cos());
        worst.max(error(s, exact.0)).max(error(c, exact.1))
    })
}

#[test]
fn sines_and_cosines_are_as_near_as_is_said() {
    let all = |radians: f64, f: u32| {
        let n = (radians * (1_u64 << f) as f64) as i32;
        -n..=n
    };
    let found = [
        ("Q16.16", errors::<16, 32>(all(7.0, 16)), 0.56),
        ("Q24.8", errors::<8, 32>(all(100.0, 8)), 0.56),
        ("Q16.16 far", errors::<16, 32>(all(100.0, 16).step_by(13)), 0.56),
        ("Q12.20", errors::<20, 32>(all(100.0, 20).step_by(97)), 0.75),
        ("Q8.24", errors::<24, 32>(all(100.0, 24).step_by(997)), 0.75),
        ("Q8.10 of 18 bits", errors::<10, 18>(all(100.0, 10)), 0.80),
        ("Q10.8 of 18 bits", errors::<8, 18>(all(100.0, 8)), 0.80),
        ("Q9.18 of 27 bits", errors::<18, 27>(all(100.0, 18).step_by(31)), 0.80),
    ];
    for (format, worst, bound) in found {
        // The error must also be near the bound: a loose bound would show nothing.
        assert!(worst <= bound && worst > 0.49, "{format}: {worst}");
    }
    // The whole range: a turn is known to 31 bits.
    let anywhere = errors::<16, 32>((i32::MIN..i32::MAX - 9973).step_by(9973));
    assert!(anywhere < 1.4, "{anywhere}");
}

#[test]
fn special_angles() {
    let (s, c) = Fixed::<16>::zero().sin_cos();
    assert_eq!((s.to_f64(), c.to_f64()), (0.0, 1.0));
    let (s, c) = Fixed::<16>::from_f64(-core::f64::consts::FRAC_PI_2).sin_cos();
    assert_eq!((s.to_f64(), c.to_f64()), (-1.0, 0.0));
}

#[test]
fn sums_wrap_products_are_rounded_quotients_saturate() {
    type X = Fixed<16>;
    let x = |v: f64| X::from_f64(v);
    assert_eq!(X::MAX + X::from_bits(1), X::MIN);
    // On the way out of range, and back.
    assert_eq!(x(30000.0) + x(10000.0) - x(25000.0), x(15000.0));
    // Ties go upwards.
    let half = X::from_bits(1 << 15);
    assert_eq!((X::from_bits(3) * half, X::from_bits(-3) * half), (X::from_bits(2), X::from_bits(-1)));
    assert_eq!((x(1.0) / x(3.0)).to_bits(), 21845);
    assert_eq!((x(-2.0) / x(3.0)).to_bits(), -43691);
    assert_eq!((x(1.0) / x(0.0), x(-1.0) / x(0.0), x(0.0) / x(0.0)), (X::MAX, X::MIN, x(0.0)));
    assert_eq!(x(30000.0) / x(0.5), X::MAX);
    assert_eq!((x(1e9), x(-1e9), x(f64::NAN)), (X::MAX, X::MIN, x(0.0)));
    let narrow = Fixed::<10, 18>::from_f64;
    assert_eq!(narrow(127.0) + narrow(2.0), narrow(-127.0));
    assert_eq!(Fixed::<10, 18>::MAX.to_bits(), (1 << 17) - 1);
    assert_eq!(narrow(1e9), Fixed::MAX);
}

#[test]
fn roots_and_arc_tangents_are_the_nearest() {
    type X = Fixed<16>;
    let bits = (1..i32::MAX - 100_003).step_by(100_003).chain(1..3000);
    for x in bits.map(X::from_bits) {
        let error = (x.sqrt().to_f64() - x.to_f64().sqrt()) * 65536.0;
        assert!(error.abs() <= 0.501, "{x:?}: {error}");
    }
    assert_eq!(X::from_f64(-4.0).sqrt(), X::zero());
    let points = (0..200_000_i64).map(|k| {
        let spread = |m: i64| X::from_bits(((k * m) as i32) >> (k % 29));
        (spread(2_654_435_761), spread(40_503_001_777))
    });
    for (y, x) in points.filter(|(y, x)| !(x.is_zero() && y.is_zero())) {
        let error = (y.atan2(x).to_f64() - y.to_f64().atan2(x.to_f64())) * 65536.0;
        assert!(error.abs() <= 0.51, "{y:?} {x:?}: {error}");
    }
    assert_eq!(X::zero().atan2(X::zero()), X::zero());
    assert_eq!(X::zero().atan2(X::from_f64(-1.0)), X::from_f64(core::f64::consts::PI));
}
