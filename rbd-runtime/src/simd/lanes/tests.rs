use super::*;
use crate::Scalar;
use crate::simd::Register;
use num_traits::{One, Zero};
use proptest::prelude::*;

/// Every lane of every operation equals the float's own result.
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

/// Limbs of `f64` behave like `f64`, lane by lane.
macro_rules! limbs_do_what_floats_do {
    ($test:ident, $limbs:ident, $n:literal, $uniform:ident) => {
        proptest! {
            #[test]
            fn $test(
                a in prop::array::$uniform(-9.0..9.0),
                b in prop::array::$uniform(-9.0..9.0),
                c in prop::array::$uniform(-9.0..9.0),
            ) {
                use crate::limbs::Limbs;
                type Of = <f64 as crate::limbs::LimbScalar>::$limbs;
                let limbs = <Of as Limbs<f64, $n>>::gather;
                let (x, y, z) = (limbs(a), limbs(b), <Of as Limbs<f64, $n>>::constant(&c));
                let each = |f: &dyn Fn(usize) -> f64| -> [f64; $n] { core::array::from_fn(f) };
                prop_assert_eq!(z.lanes(), c);
                prop_assert_eq!((x + y).lanes(), each(&|i| a[i] + b[i]));
                prop_assert_eq!((x - y).lanes(), each(&|i| a[i] - b[i]));
                prop_assert_eq!((x * y).lanes(), each(&|i| a[i] * b[i]));
                prop_assert_eq!((-x).lanes(), each(&|i| -a[i]));
                prop_assert_eq!(x.recip().lanes(), each(&|i| 1.0 / a[i]));
                prop_assert_eq!(Limbs::mul_add(x, y, z).lanes(), each(&|i| Scalar::mul_add(a[i], b[i], c[i])));
                prop_assert_eq!(<Of as Limbs<f64, $n>>::splat(c[1]).lanes(), [c[1]; $n]);
                prop_assert_eq!(each(&|i| x.lane(i)), a);
                let mut slot = <Of as Limbs<f64, $n>>::empty();
                prop_assert_eq!(<Of as Limbs<f64, $n>>::take(&slot).lanes(), [0.0; $n]);
                x.keep(&mut slot);
                prop_assert_eq!(<Of as Limbs<f64, $n>>::take(&slot).lanes(), a);
                let pairs = each(&|i| a[i] + a[(i + $n / 2) % $n]);
                prop_assert_eq!(x.sum(), if $n == 2 { pairs[0] } else { pairs[0] + pairs[1] });
            }
        }
    };
}
limbs_do_what_floats_do!(pairs_do_what_f64_does, X2, 2, uniform2);
limbs_do_what_floats_do!(fours_do_what_f64_does, X4, 4, uniform4);
limbs_do_what_floats_do!(fours_in_loops_do_what_f64_does, R4, 4, uniform4);

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

/// Compares the operations of [`Register`] with the same operations on an array.
fn is_an_array<E: Register>() {
    let number = |x: usize| E::Of::from_f64(x as f64);
    let zero = number(0);
    let x: [E::Of; 8] = std::array::from_fn(|l| number(l + 1));
    let y: [E::Of; 8] = std::array::from_fn(|l| number(l + 11));
    let (a, b) = (E::load(&x), E::load(&y));
    let same = |e: E, f: &dyn Fn(usize) -> E::Of| assert!(e.lanes() == std::array::from_fn(f));
    let down = |n: usize| move |l: usize| if l + n < 8 { x[l + n] } else { zero };
    let up = |n: usize| move |l: usize| if l >= n { x[l - n] } else { zero };
    same(a.shift::<1>(), &down(1));
    same(a.shift::<2>(), &down(2));
    same(a.shift::<4>(), &down(4));
    same(a.shift_up::<1>(), &up(1));
    same(a.shift_up::<2>(), &up(2));
    same(a.shift_up::<4>(), &up(4));
    for (lane, x) in x.into_iter().enumerate() {
        same(a.broadcast(lane), &|_| x);
    }
    for mask in 0..=u8::MAX {
        let chosen = |l: usize| mask >> l & 1 == 1;
        same(a.select(b, mask), &|l| if chosen(l) { y[l] } else { x[l] });
        let mut to = [zero; 24];
        // SAFETY: all eight places are within.
        unsafe { a.store_lanes(to.as_mut_ptr().wrapping_add(8), mask) };
        assert!(
            to == std::array::from_fn(|k| if (8..16).contains(&k) && chosen(k - 8) {
                x[k - 8]
            } else {
                zero
            })
        );
    }
    let row = |k: usize| E::load(&std::array::from_fn(|l| number(8 * k + l)));
    let columns = E::transposed([row(0), row(1), row(2), row(3), row(4), row(5)]);
    for (l, column) in columns.into_iter().enumerate() {
        let column = column.lanes();
        assert!((0..6).all(|k| column[k] == number(8 * k + l)));
    }
    let columns = E::transposed_square(std::array::from_fn(row));
    for (l, column) in columns.into_iter().enumerate() {
        assert!(column.lanes() == std::array::from_fn(|k| number(8 * k + l)));
    }
    for count in 0..=8 {
        let mut to = [zero; 8];
        a.store_first(&mut to[..count]);
        assert!(to == std::array::from_fn(|k| if k < count { x[k] } else { zero }));
    }
}

#[test]
fn eight_lanes_are_as_an_array() {
    is_an_array::<Packed<f64, wide::f64x8>>();
    is_an_array::<Packed<f32, wide::f32x8>>();
    #[cfg(all(target_arch = "x86_64", feature = "dispatch", not(target_feature = "avx2")))]
    {
        use std::is_x86_feature_detected as has;
        if has!("avx2") && has!("fma") {
            is_an_array::<Packed<f64, avx2::Two64>>();
            is_an_array::<Packed<f32, avx2::V32>>();
        }
        if has!("avx512f") && has!("avx512vl") && has!("avx512dq") {
            is_an_array::<Packed<f64, avx512::Z64>>();
        }
    }
}
