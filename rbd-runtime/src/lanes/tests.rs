use super::*;
use crate::Scalar;
use num_traits::{One, Zero};
use proptest::prelude::*;

/// Each lane of each operation is what the float itself gives.
macro_rules! lanes_do_what_floats_do {
    ($test:ident, $lanes:ident, $float:ident, $uniform:ident) => {
        proptest! {
            #[test]
            fn $test(a in prop::array::$uniform(-9.0..9.0 as $float), b in prop::array::$uniform(-9.0..9.0 as $float)) {
                let (x, y) = ($lanes::from(a), $lanes::from_array(b));
                let each = |f: fn($float, $float) -> $float| core::array::from_fn(|i| f(a[i], b[i]));
                let check = |found: $lanes, expected: [$float; $lanes::LANES]| {
                    prop_assert_eq!(found.to_array(), expected);
                    prop_assert_eq!(<[$float; $lanes::LANES]>::from(found), expected);
                    Ok(())
                };
                check(x + y, each(|a, b| a + b))?;
                check(x - y, each(|a, b| a - b))?;
                check(x * y, each(|a, b| a * b))?;
                check(x / y, each(|a, b| a / b))?;
                check(-x, each(|a, _| -a))?;
                check(x.mul_add(y, x), each(|a, b| Scalar::mul_add(a, b, a)))?;
                check((x * x).sqrt(), each(|a, _| (a * a).sqrt()))?;
                check(x.atan2(y), each($float::atan2))?;
                check(x.select_lt(1.5, x, y), each(|a, b| if a < 1.5 { a } else { b }))?;
                let mut sum = x;
                sum += y;
                sum *= x;
                sum -= y;
                sum /= x;
                check(sum, each(|a, b| ((a + b) * a - b) / a))?;
            }
        }
    };
}
lanes_do_what_floats_do!(f64x2_does_what_f64_does, F64x2, f64, uniform2);
lanes_do_what_floats_do!(f32x4_does_what_f32_does, F32x4, f32, uniform4);
lanes_do_what_floats_do!(f64x4_does_what_f64_does, F64x4, f64, uniform4);
lanes_do_what_floats_do!(f64x8_does_what_f64_does, F64x8, f64, uniform8);
lanes_do_what_floats_do!(f32x8_does_what_f32_does, F32x8, f32, uniform8);
lanes_do_what_floats_do!(f32x16_does_what_f32_does, F32x16, f32, uniform16);

#[test]
fn constants_fill_every_lane() {
    assert_eq!(F64x4::zero().to_array(), [0.0; 4]);
    assert_eq!(F32x16::one().to_array(), [1.0; 16]);
    assert_eq!(F64x8::from_f64(0.1).to_array(), [0.1; 8]);
    assert_eq!(F32x8::from_f64(0.1).to_array(), [0.1_f32; 8]);
    assert!(F64x4::splat(-0.0).is_zero() && !F64x4::from([0.0, 0.0, 0.0, 1.0]).is_zero());
}

#[test]
fn one_different_lane_makes_a_difference() {
    assert_ne!(F64x4::splat(1.0), F64x4::from([1.0, 1.0, 1.0, 2.0]));
    assert_ne!(F64x4::splat(f64::NAN), F64x4::splat(f64::NAN));
}

#[test]
fn select_takes_otherwise_where_a_lane_is_not_a_number() {
    let x = F64x4::from([f64::NAN, -1.0, 0.0, f64::INFINITY]);
    let (below, otherwise) = (F64x4::splat(1.0), F64x4::splat(2.0));
    assert_eq!(x.select_lt(0.0, below, otherwise).to_array(), [2.0, 1.0, 2.0, 2.0]);
}

#[test]
fn linear_algebra_works_on_lanes() {
    use nalgebra::{Matrix2, Vector2};
    let m =
        Matrix2::new(F64x4::splat(1.0), F64x4::splat(2.0), F64x4::zero(), F64x4::from([1.0, 2.0, 3.0, 4.0]));
    let y = m * Vector2::new(F64x4::splat(3.0), F64x4::splat(5.0));
    assert_eq!((y[0].to_array(), y[1].to_array()), ([13.0; 4], [5.0, 10.0, 15.0, 20.0]));
}
