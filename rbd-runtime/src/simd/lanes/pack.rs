//! The vector registers behind lane types, sine and cosine, and their portable implementation.

use core::ops::{Add, Div, Mul, Neg, Sub};
use num_traits::Float;

/// One or more registers of equal floating-point lanes (a plain float counts as one lane).
pub trait Pack:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The type of one lane.
    type Lane: Angle;
    /// `[Self::Lane; n]`.
    type Array: Copy + AsRef<[Self::Lane]> + AsMut<[Self::Lane]>;

    /// Number of lanes.
    const LANES: usize = size_of::<Self>() / size_of::<Self::Lane>();

    /// Splits a slice into whole packs and the rest.
    fn chunks(lanes: &[Self::Lane]) -> (&[Self::Array], &[Self::Lane]);
    /// Splits a mutable slice into whole packs and the rest.
    fn chunks_mut(lanes: &mut [Self::Lane]) -> (&mut [Self::Array], &mut [Self::Lane]);
    fn splat(x: Self::Lane) -> Self;
    /// `-self`, without a loop: see `wide_is_a_pack`.
    #[inline(always)]
    fn opposite(self) -> Self {
        -self
    }
    fn from_array(x: Self::Array) -> Self;
    fn to_array(self) -> Self::Array;
    /// `self * a + b`, in one instruction if the processor has one.
    fn mul_add(self, a: Self, b: Self) -> Self;
    fn sqrt(self) -> Self;
    /// Lane by lane, `below` where `self < limit`, else `otherwise`.
    fn select_lt(self, limit: Self::Lane, below: Self, otherwise: Self) -> Self;
    /// True if every lane's absolute value is at most `limit`; false if a lane is NaN.
    fn all_within(self, limit: Self::Lane) -> bool;
    fn xor(self, other: Self) -> Self;
    /// Bit `BIT` (0 or 1) of each lane's representation as a sign: `-0.0` where it is set, else `0.0`.
    fn bit_as_sign<const BIT: u32>(self) -> Self;
    /// Lane by lane, `negative` where the sign bit of `self` is set, else `positive`.
    /// `self` is `0.0` or `-0.0` in every lane.
    fn choose(self, negative: Self, positive: Self) -> Self;
}

/// The numbers that [`crate::sincos`] works with, for one kind of float.
pub trait Angle: Float + 'static {
    /// Largest angle that the reduction below is made for; beyond, the library's function answers.
    const RANGE: Self;
    /// 2 / pi.
    const TWO_OVER_PI: Self;
    /// Adding this rounds to an integer and leaves that integer in the low bits: 1.5 * 2^(bits - 1).
    const ROUND: Self;
    /// pi / 2 in three parts, negated. The first two are short enough that their product with any
    /// number of quarter turns in `RANGE` is exact.
    const MINUS_HALF_PI: [Self; 3];
    /// sin(r) = r + r^3 * p(r^2), highest power first, |r| <= pi / 4.
    const SIN: &'static [Self];
    /// cos(r) = 1 - r^2 / 2 + r^4 * p(r^2), highest power first.
    const COS: &'static [Self];
    const HALF: Self;
}

// Coefficients: fdlibm's kernels (Sun Microsystems, 1993).
impl Angle for f64 {
    const RANGE: Self = 1e5;
    const TWO_OVER_PI: Self = core::f64::consts::FRAC_2_PI;
    const ROUND: Self = 6_755_399_441_055_744.0;
    const MINUS_HALF_PI: [Self; 3] =
        [-1.570_796_326_734_125_6, -6.077_100_506_303_966e-11, -2.022_266_248_795_950_6e-21];
    const SIN: &'static [Self] = &[
        1.589_690_995_211_55e-10,
        -2.505_076_025_340_686_3e-8,
        2.755_731_370_707_006_8e-6,
        -1.984_126_982_985_795e-4,
        8.333_333_333_322_49e-3,
        -1.666_666_666_666_663_2e-1,
    ];
    const COS: &'static [Self] = &[
        -1.135_964_755_778_819_5e-11,
        2.087_572_321_298_175e-9,
        -2.755_731_435_139_066_3e-7,
        2.480_158_728_947_673e-5,
        -1.388_888_888_887_411e-3,
        4.166_666_666_666_66e-2,
    ];
    const HALF: Self = 0.5;
}

// Minimax by Remez's exchange in relative error: 2^-27.9 (sine) and 2^-33 (cosine) before rounding.
impl Angle for f32 {
    const RANGE: Self = 400.0;
    const TWO_OVER_PI: Self = core::f32::consts::FRAC_2_PI;
    const ROUND: Self = 12_582_912.0;
    const MINUS_HALF_PI: [Self; 3] = [-1.570_770_3, -2.606_306_2e-5, -6.077_100_5e-11];
    const SIN: &'static [Self] = &[-1.951_495_8e-4, 8.332_158e-3, -1.666_665_5e-1];
    const COS: &'static [Self] = &[2.443_278_5e-5, -1.388_731_3e-3, 4.166_664_6e-2];
    const HALF: Self = 0.5;
}

/// True if the compiled target has a fused multiply-add instruction.
const FUSED: bool = cfg!(any(all(target_arch = "x86_64", target_feature = "fma"), target_arch = "aarch64"));

/// Implements the part of [`Pack`] that holds for any type that is `$n` floats in memory order.
macro_rules! lanes_in_order {
    ($float:ident, $n:literal) => {
        type Lane = $float;
        type Array = [$float; $n];

        #[inline(always)]
        fn chunks(lanes: &[$float]) -> (&[[$float; $n]], &[$float]) {
            lanes.as_chunks()
        }
        #[inline(always)]
        fn chunks_mut(lanes: &mut [$float]) -> (&mut [[$float; $n]], &mut [$float]) {
            lanes.as_chunks_mut()
        }
        #[inline(always)]
        fn from_array(x: [$float; $n]) -> Self {
            // SAFETY: used for types that are their lanes in order: floats, newtypes transparent
            // around one, one or two registers, and `wide`'s types. Any bits are a value. `wide`'s
            // own conversion does the same, but is not always inlined in time to stay in registers.
            unsafe { core::mem::transmute::<[$float; $n], Self>(x) }
        }
        #[inline(always)]
        fn to_array(self) -> [$float; $n] {
            // SAFETY: as in `from_array`.
            unsafe { core::mem::transmute::<Self, [$float; $n]>(self) }
        }
    };
}

/// `Pack` for a float or a newtype that is transparent around one: `$inner` takes it out and
/// `$wrap` puts it in. `$fused` is `a * b + c`.
macro_rules! float_as_pack {
    ($name:ident, $float:ident, |$x:ident| $inner:expr, $wrap:path, $fused:path) => {
        impl $crate::lanes::Pack for $name {
            $crate::lanes::lanes_in_order!($float, 1);

            #[inline(always)]
            fn splat($x: $float) -> Self {
                $wrap($x)
            }
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                $wrap($fused(
                    {
                        let $x = self;
                        $inner
                    },
                    {
                        let $x = a;
                        $inner
                    },
                    {
                        let $x = b;
                        $inner
                    },
                ))
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                let $x = self;
                $wrap(num_traits::Float::sqrt($inner))
            }
            #[inline(always)]
            fn select_lt(self, limit: $float, below: Self, otherwise: Self) -> Self {
                let $x = self;
                if $inner < limit { below } else { otherwise }
            }
            #[inline(always)]
            fn all_within(self, limit: $float) -> bool {
                let $x = self;
                $inner.abs() <= limit
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                let sign = {
                    let $x = other;
                    $inner.to_bits()
                };
                let $x = self;
                $wrap($float::from_bits($inner.to_bits() ^ sign))
            }
            #[inline(always)]
            fn bit_as_sign<const BIT: u32>(self) -> Self {
                let $x = self;
                let sign = (-0.0 as $float).to_bits();
                $wrap($float::from_bits(($inner.to_bits() << (sign.trailing_zeros() - BIT)) & sign))
            }
            #[inline(always)]
            fn choose(self, negative: Self, positive: Self) -> Self {
                let $x = self;
                if $inner.to_bits() != 0 { negative } else { positive }
            }
        }
    };
}

/// `a * b + c`, in one instruction where every processor of the target has it.
#[inline(always)]
fn mul_add_f64(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { fused_f64(a, b, c) } else { a * b + c }
}

/// `a * b + c`, in one instruction where every processor of the target has it.
#[inline(always)]
fn mul_add_f32(a: f32, b: f32, c: f32) -> f32 {
    if FUSED { fused_f32(a, b, c) } else { a * b + c }
}

/// `a * b + c` in one instruction. Only called where the target has it.
#[inline(always)]
fn fused_f64(a: f64, b: f64, c: f64) -> f64 {
    #[cfg(feature = "std")]
    let sum = f64::mul_add(a, b, c);
    // SAFETY: compiled only where every processor of the target has the instruction.
    #[cfg(all(not(feature = "std"), target_arch = "x86_64", target_feature = "fma"))]
    let sum = unsafe {
        use core::arch::x86_64::{_mm_cvtsd_f64, _mm_fmadd_sd, _mm_set_sd};
        _mm_cvtsd_f64(_mm_fmadd_sd(_mm_set_sd(a), _mm_set_sd(b), _mm_set_sd(c)))
    };
    // SAFETY: as above; reading and writing through references of the vector's own size.
    #[cfg(all(not(feature = "std"), target_arch = "aarch64"))]
    let sum = unsafe {
        use core::arch::aarch64::{vdup_n_f64, vfma_f64, vst1_f64};
        let mut sum = 0.0;
        vst1_f64(&mut sum, vfma_f64(vdup_n_f64(c), vdup_n_f64(a), vdup_n_f64(b)));
        sum
    };
    #[cfg(not(any(
        feature = "std",
        target_arch = "aarch64",
        all(target_arch = "x86_64", target_feature = "fma")
    )))]
    let sum = a * b + c;
    sum
}

/// `a * b + c` in one instruction. Only called where the target has it.
#[inline(always)]
fn fused_f32(a: f32, b: f32, c: f32) -> f32 {
    #[cfg(feature = "std")]
    let sum = f32::mul_add(a, b, c);
    // SAFETY: compiled only where every processor of the target has the instruction.
    #[cfg(all(not(feature = "std"), target_arch = "x86_64", target_feature = "fma"))]
    let sum = unsafe {
        use core::arch::x86_64::{_mm_cvtss_f32, _mm_fmadd_ss, _mm_set_ss};
        _mm_cvtss_f32(_mm_fmadd_ss(_mm_set_ss(a), _mm_set_ss(b), _mm_set_ss(c)))
    };
    // SAFETY: as above; lane 0 exists.
    #[cfg(all(not(feature = "std"), target_arch = "aarch64"))]
    let sum = unsafe {
        use core::arch::aarch64::{vdup_n_f32, vfma_f32, vget_lane_f32};
        vget_lane_f32::<0>(vfma_f32(vdup_n_f32(c), vdup_n_f32(a), vdup_n_f32(b)))
    };
    #[cfg(not(any(
        feature = "std",
        target_arch = "aarch64",
        all(target_arch = "x86_64", target_feature = "fma")
    )))]
    let sum = a * b + c;
    sum
}

float_as_pack!(f64, f64, |x| x, core::convert::identity, mul_add_f64);
float_as_pack!(f32, f32, |x| x, core::convert::identity, mul_add_f32);

// Makes a type of `wide` a pack.
//
// `splat` and `neg` are written out here. `wide`'s own ones fill arrays, which are loops until the
// compiler unrolls them. Generated functions have thousands of each, and that many loops cost the
// compiler minutes.
macro_rules! wide_is_a_pack {
    ($pack:ident, $float:ident, $n:literal, [$($x:ident)*]) => {
        impl Pack for wide::$pack {
            lanes_in_order!($float, $n);

            #[inline(always)]
            fn splat(x: $float) -> Self {
                <Self as Pack>::from_array([$({ let $x = x; $x }),*])
            }
            #[inline(always)]
            fn opposite(self) -> Self {
                <Self as Pack>::splat(-0.0) - self
            }
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                self.mul_add(a, b)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn select_lt(self, limit: $float, below: Self, otherwise: Self) -> Self {
                self.simd_lt(Self::splat(limit)).select(below, otherwise)
            }
            #[inline(always)]
            fn all_within(self, limit: $float) -> bool {
                self.abs().simd_le(Self::splat(limit)).all()
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            #[inline(always)]
            fn bit_as_sign<const BIT: u32>(self) -> Self {
                let sign = (-0.0 as $float).to_bits();
                Self::from_bits(self.to_bits() << (sign.trailing_zeros() - BIT)) & Self::splat(-0.0)
            }
            #[inline(always)]
            fn choose(self, negative: Self, positive: Self) -> Self {
                (self | Self::splat(1.0)).simd_lt(Self::splat(0.0)).select(negative, positive)
            }
        }
    };
}

wide_is_a_pack!(f64x2, f64, 2, [a b]);
wide_is_a_pack!(f64x4, f64, 4, [a b c d]);
wide_is_a_pack!(f64x8, f64, 8, [a b c d e f g h]);
wide_is_a_pack!(f32x4, f32, 4, [a b c d]);
wide_is_a_pack!(f32x8, f32, 8, [a b c d e f g h]);
wide_is_a_pack!(f32x16, f32, 16, [a b c d e f g h i j k l m n o p]);

pub(crate) use {float_as_pack, lanes_in_order};
