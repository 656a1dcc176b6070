use super::*;
use crate::lanes::{F32x4, F32x8, F32x16, F64x2, F64x4, F64x8};
use crate::limbs::Limbs;
use nalgebra::SVector;
use std::any::{TypeId, type_name};

const N: usize = 40;

/// Every operation of `Scalar` on the argument, in some order.
#[inline(always)]
fn body<T: Scalar>(x: &SVector<T, N>, out: &mut SVector<T, N>) {
    let (sin, cos) = T::sin_cos_all(x.data.0[0]);
    let mut carry = T::one();
    for i in 0..N {
        let t = sin[i].mul_add(x[i], cos[i]) - carry * T::from_f64(0.25);
        let t = t / (T::one() + (x[i] * x[i]).sqrt()) + t.atan2(x[i]) + x[i].sin_cos().1;
        carry = (-t).select_lt(0.1, t, carry + T::zero());
        out[i] = carry;
        out[i] += x[i];
        out[i] *= x[i];
        out[i] -= t;
        out[i] /= T::from_f64(1.5);
    }
}

struct Whole<'a, T>(&'a SVector<T, N>, &'a mut SVector<T, N>);
impl<T: Scalar> Dispatched<T> for Whole<'_, T> {
    type Output = TypeId;
    #[inline(always)]
    fn run<S: Scalar>(self, recast: Recast<T, S>) -> TypeId {
        body(recast.matrix(self.0), recast.matrix_mut(self.1));
        TypeId::of::<S>()
    }
}

/// A kernel that calls `Inner` through another dispatch.
struct Outer<'a, T>(&'a SVector<T, N>, &'a mut SVector<T, N>);
impl<T: Scalar> Dispatched<T> for Outer<'_, T> {
    type Output = bool;
    #[inline(always)]
    fn run<S: Scalar>(self, recast: Recast<T, S>) -> bool {
        S::dispatch(Whole(recast.matrix(self.0), recast.matrix_mut(self.1))) == TypeId::of::<S>()
    }
}

fn argument<T: Scalar>(lane: impl Fn(usize) -> T) -> SVector<T, N> {
    SVector::from_fn(|i, _| lane(i))
}

/// Results of the dispatched kernel and of the body itself, lane by lane.
fn both<T: Scalar>(x: &SVector<T, N>) -> (SVector<T, N>, SVector<T, N>, TypeId) {
    let (mut chosen, mut nested, mut plain) = (*x, *x, *x);
    body(x, &mut plain);
    let scalar = T::dispatch(Whole(x, &mut chosen));
    assert!(T::dispatch(Outer(x, &mut nested)), "the inner kernel computes with the outer one's scalar");
    assert_eq!(chosen, nested);
    (chosen, plain, scalar)
}

fn expect_choice<T: Scalar>(scalar: TypeId) {
    #[cfg(all(
        feature = "dispatch",
        target_arch = "x86_64",
        not(all(target_feature = "avx2", target_feature = "fma"))
    ))]
    let chosen = std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma");
    #[cfg(not(all(
        feature = "dispatch",
        target_arch = "x86_64",
        not(all(target_feature = "avx2", target_feature = "fma"))
    )))]
    let chosen = false;
    assert_eq!(scalar != TypeId::of::<T>(), chosen, "{}", type_name::<T>());
}

fn x(i: usize) -> f64 {
    0.37 * i as f64 - 5.0
}

#[test]
fn floats_agree_with_the_body_as_compiled() {
    let (chosen, plain, scalar) = both(&argument(x));
    expect_choice::<f64>(scalar);
    assert!((chosen - plain).amax() <= 1e-13 * plain.amax(), "{chosen} {plain}");
    let (chosen, plain, scalar) = both(&argument(|i| x(i) as f32));
    expect_choice::<f32>(scalar);
    assert!((chosen - plain).amax() <= 1e-4 * plain.amax(), "{chosen} {plain}");
}

#[test]
fn lanes_agree_with_floats() {
    macro_rules! lanes {
        ($($lanes:ident, $float:ident, $tolerance:literal;)*) => {$({
            let of_lane = |i, l| (x(i) + 0.01 * l as f64) as $float;
            let q = argument(|i| $lanes::from(core::array::from_fn(|l| of_lane(i, l))));
            let (chosen, plain, scalar) = both(&q);
            expect_choice::<$lanes>(scalar);
            for lane in 0..$lanes::LANES {
                let (one, one_plain, _) = both(&argument(|i| of_lane(i, lane)));
                let [chosen, plain] = [chosen, plain].map(|v| v.map(|v| v.to_array()[lane]));
                assert_eq!(chosen, one, "a lane gives bit for bit what its float gives");
                assert_eq!(plain, one_plain);
                assert!((chosen - plain).amax() <= $tolerance * plain.amax());
            }
        })*};
    }
    lanes!(F64x2, f64, 1e-13; F32x4, f32, 1e-4; F64x4, f64, 1e-13; F64x8, f64, 1e-13; F32x8, f32, 1e-4; F32x16, f32, 1e-4;);
}

/// With the feature, on a processor that has AVX-512, each lane type of its width is in one
/// register. `lanes_agree_with_floats` shows that the bits are those of AVX2: floats stay with
/// AVX2.
#[cfg(all(
    feature = "avx512",
    target_arch = "x86_64",
    not(all(target_feature = "avx2", target_feature = "fma"))
))]
#[test]
fn lanes_that_fill_a_register_of_avx512_are_in_one() {
    use std::is_x86_feature_detected as has;
    let found = has!("avx512f") && has!("avx512vl") && has!("avx512dq") && has!("avx2") && has!("fma");
    let of = [both(&argument(|i| F64x8::splat(x(i)))).2, both(&argument(|i| F32x16::splat(x(i) as f32))).2];
    let wide = [TypeId::of::<Wide64x8>(), TypeId::of::<Wide32x16>()];
    let fused = [TypeId::of::<Fused64x8>(), TypeId::of::<Fused32x16>()];
    assert!(wide != fused);
    // Without AVX-512 it is AVX2, or as compiled.
    assert_eq!(of == wide, found);
    assert!(found || !has!("avx2") || !has!("fma") || of == fused);
    assert_eq!((size_of::<Wide64x8>(), size_of::<Wide32x16>()), (64, 64));
}

#[test]
fn fused_is_fused() {
    // a * a rounds to 1 + 2^-29. If the product is not rounded, 2^-60 is left.
    struct Square<T>(T, T);
    impl<T: Scalar> Dispatched<T> for Square<T> {
        type Output = T;
        #[inline(always)]
        fn run<S: Scalar>(self, recast: Recast<T, S>) -> T {
            let (a, b) = (recast.scalar(self.0), recast.scalar(self.1));
            recast.back(a.mul_add(a, b))
        }
    }
    let (a, b) = (1.0 + 2.0_f64.powi(-30), -(1.0 + 2.0_f64.powi(-29)));
    let rest = 2.0_f64.powi(-60);
    let compiled = Scalar::mul_add(a, a, b);
    let fused_build = cfg!(any(target_feature = "fma", target_arch = "aarch64"));
    assert_eq!(compiled, if fused_build { rest } else { 0.0 });
    let found = f64::dispatch(Square(a, b));
    assert!(found == rest || found == compiled);
    #[cfg(all(feature = "dispatch", target_arch = "x86_64"))]
    assert_eq!(found == rest, fused_build || std::is_x86_feature_detected!("fma"));
    let lanes = F64x8::dispatch(Square(F64x8::splat(a), F64x8::splat(b)));
    assert_eq!(lanes, F64x8::splat(found));
}

#[test]
fn views_keep_shape_and_order() {
    struct Views<'a, T> {
        matrix: &'a SMatrix<T, 2, 3>,
        forces: &'a [SVector<T, 6>; 2],
        out: &'a mut [SMatrix<T, 3, 2>; 2],
    }
    impl<T: Scalar> Dispatched<T> for Views<'_, T> {
        type Output = SMatrix<T, 2, 3>;
        #[inline(always)]
        fn run<S: Scalar>(self, recast: Recast<T, S>) -> SMatrix<T, 2, 3> {
            let (m, f, out) =
                (recast.matrix(self.matrix), recast.matrices(self.forces), recast.matrices_mut(self.out));
            for r in 0..2 {
                for c in 0..3 {
                    out[0][(c, r)] = m[(r, c)] + m[(r, c)];
                    out[1][(c, r)] = f[r][c + 3];
                }
            }
            recast.matrix_back(*m)
        }
    }
    fn check<T: Scalar>(make: fn(f64) -> T) {
        let matrix = SMatrix::<T, 2, 3>::from_fn(|r, c| make((10 * r + c) as f64));
        let forces = [0, 1].map(|b| SVector::<T, 6>::from_fn(|i, _| make((100 * b + i) as f64)));
        let mut out = [SMatrix::zeros(); 2];
        let back = T::dispatch(Views { matrix: &matrix, forces: &forces, out: &mut out });
        assert_eq!(back, matrix);
        let (m, f) = (matrix.transpose(), SMatrix::<T, 3, 2>::from_fn(|r, c| make((100 * c + r + 3) as f64)));
        assert_eq!(out, [m + m, f]);
    }
    check::<f64>(|x| x);
    check::<f32>(|x| x as f32);
    check::<F64x4>(|x| {
        F64x4::from([x, x + 0.1, x + 0.2, x + 0.3]).mul_add(F64x4::splat(1.0), F64x4::splat(0.0))
    });
    check::<F32x16>(|x| F32x16::from(core::array::from_fn(|i| x as f32 + i as f32 / 16.0)));
}

#[test]
fn types_with_nothing_to_gain_run_as_compiled() {
    /// A user-defined scalar that does not override `dispatch`.
    #[derive(Clone, Copy)]
    struct Own(f64);
    crate::lanes::arithmetic!(Own);
    impl Scalar for Own {
        fn from_f64(x: f64) -> Self {
            Self(x)
        }
        fn mul_add(self, a: Self, b: Self) -> Self {
            self * a + b
        }
        fn sin_cos(self) -> (Self, Self) {
            (Self(self.0.sin()), Self(self.0.cos()))
        }
        fn sqrt(self) -> Self {
            Self(self.0.sqrt())
        }
        fn atan2(self, x: Self) -> Self {
            Self(self.0.atan2(x.0))
        }
        fn select_lt(self, limit: f64, below: Self, otherwise: Self) -> Self {
            if self.0 < limit { below } else { otherwise }
        }
    }
    let (chosen, plain, scalar) = both(&argument(|i| Own(x(i))));
    assert_eq!((chosen, scalar), (plain, TypeId::of::<Own>()));
}

/// Four limbs of a kernel whose instructions are chosen at run time do what its scalar does.
struct Fours([[f64; 4]; 3]);
impl Dispatched<f64> for Fours {
    /// The scalar, if there were limbs.
    type Output = Option<TypeId>;
    #[inline(always)]
    fn run<S: Scalar>(self, _: Recast<f64, S>) -> Option<TypeId> {
        None
    }
    #[inline(always)]
    fn run_limbs<S: LimbScalar>(self, recast: Recast<f64, S>) -> Option<TypeId> {
        let [x, y, z] = self.0.map(|x| x.map(|one| recast.scalar(one)));
        let [a, b, c] = [x, y, z].map(S::X4::gather);
        let same = |limbs: S::X4, each: &dyn Fn(usize) -> S| {
            for (k, one) in limbs.lanes().into_iter().enumerate() {
                assert!(one == each(k) && limbs.lane(k) == one);
            }
        };
        same(a, &|k| x[k]);
        same(a + b, &|k| x[k] + y[k]);
        same(a - b, &|k| x[k] - y[k]);
        same(a * b, &|k| x[k] * y[k]);
        same(-a, &|k| -x[k]);
        same(a.recip(), &|k| S::one() / x[k]);
        same(a.mul_add(b, c), &|k| x[k].mul_add(y[k], z[k]));
        same(S::X4::splat(x[1]), &|_| x[1]);
        same(S::X4::constant(&[1.0, 2.0, 3.0, 4.0]), &|k| S::from_f64(k as f64 + 1.0));
        let mut slot = S::X4::empty();
        same(S::X4::take(&slot), &|_| S::zero());
        a.keep(&mut slot);
        same(S::X4::take(&slot), &|k| x[k]);
        assert!(a.sum() == (x[0] + x[2]) + (x[1] + x[3]));
        Some(TypeId::of::<S>())
    }
}

#[test]
fn four_limbs_do_what_their_scalar_does() {
    let of = Fours([[1.5, -2.25, 3.1, 1e-3], [0.3, 7.0, -0.1, 2.0], [-4.0, 0.7, 1e9, 5.5]]);
    expect_choice::<f64>(f64::dispatch(of).expect("an f64 has limbs"));
}
