//! Registers of AVX-512: eight `f64` or sixteen `f32`.
//!
//! The condition behind every intrinsic here: this is used where the build's target has AVX-512 F, VL and DQ, or by
//! [`crate::dispatch`] once the processor said that it has them. The types are crate-private for that.

use super::Pack;
use core::arch::x86_64::*;
use core::ops::{Add, Div, Mul, Neg, Sub};

/// `impl $trait for $pack` by one intrinsic.
macro_rules! operator {
    ($pack:ident, $trait:ident, $method:ident, $intrinsic:ident) => {
        impl $trait for $pack {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: the processor has AVX-512 F (the module's condition).
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    };
}

/// One register as a pack. Comparisons give a bit a lane. `$int` and `$back` go to its integer form and from there.
macro_rules! register {
    ($(#[$doc:meta])* $pack:ident, $register:ident, $float:ident, $n:literal, add $add:ident, sub $sub:ident,
     mul $mul:ident, div $div:ident, set $set:ident, fma $fma:ident, sqrt $sqrt:ident, cmp $cmp:ident,
     blend $blend:ident, signs $signs:ident, and $and:ident, andnot $andnot:ident, xor $xor:ident,
     shift $shift:ident, int $int:ident, float $back:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $pack(pub(super) $register);

        operator!($pack, Add, add, $add);
        operator!($pack, Sub, sub, $sub);
        operator!($pack, Mul, mul, $mul);
        operator!($pack, Div, div, $div);

        impl Neg for $pack {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                // A difference, as in `avx2`, which must give the same bits.
                Self::splat(-0.0) - self
            }
        }

        // SAFETY (all blocks): the processor has AVX-512 F and DQ (the module's condition); the register and the
        // array have the same size, and any bits are a value of either.
        impl Pack for $pack {
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
            fn splat(x: $float) -> Self {
                Self(unsafe { $set(x) })
            }
            #[inline(always)]
            fn from_array(x: [$float; $n]) -> Self {
                Self(unsafe { core::mem::transmute::<[$float; $n], $register>(x) })
            }
            #[inline(always)]
            fn to_array(self) -> [$float; $n] {
                unsafe { core::mem::transmute::<$register, [$float; $n]>(self.0) }
            }
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                Self(unsafe { $fma(self.0, a.0, b.0) })
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                Self(unsafe { $sqrt(self.0) })
            }
            #[inline(always)]
            fn select_lt(self, limit: $float, below: Self, otherwise: Self) -> Self {
                Self(unsafe { $blend($cmp::<_CMP_LT_OQ>(self.0, $set(limit)), otherwise.0, below.0) })
            }
            #[inline(always)]
            fn all_within(self, limit: $float) -> bool {
                unsafe { $cmp::<_CMP_LE_OQ>($andnot($set(-0.0), self.0), $set(limit)) == !0 }
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                Self(unsafe { $xor(self.0, other.0) })
            }
            #[inline(always)]
            fn bit_as_sign<const BIT: u32>(self) -> Self {
                let to_sign = 8 * size_of::<$float>() as i32 - 1 - BIT as i32;
                unsafe { Self($and($back($shift($int(self.0), _mm_cvtsi32_si128(to_sign))), $set(-0.0))) }
            }
            #[inline(always)]
            fn choose(self, negative: Self, positive: Self) -> Self {
                Self(unsafe { $blend($signs($int(self.0)), positive.0, negative.0) })
            }
        }
    };
}

register!(
    /// Eight `f64`.
    Z64, __m512d, f64, 8, add _mm512_add_pd, sub _mm512_sub_pd, mul _mm512_mul_pd, div _mm512_div_pd,
    set _mm512_set1_pd, fma _mm512_fmadd_pd, sqrt _mm512_sqrt_pd, cmp _mm512_cmp_pd_mask,
    blend _mm512_mask_blend_pd, signs _mm512_movepi64_mask, and _mm512_and_pd, andnot _mm512_andnot_pd,
    xor _mm512_xor_pd, shift _mm512_sll_epi64, int _mm512_castpd_si512, float _mm512_castsi512_pd
);
register!(
    /// Sixteen `f32`.
    Z32, __m512, f32, 16, add _mm512_add_ps, sub _mm512_sub_ps, mul _mm512_mul_ps, div _mm512_div_ps,
    set _mm512_set1_ps, fma _mm512_fmadd_ps, sqrt _mm512_sqrt_ps, cmp _mm512_cmp_ps_mask,
    blend _mm512_mask_blend_ps, signs _mm512_movepi32_mask, and _mm512_and_ps, andnot _mm512_andnot_ps,
    xor _mm512_xor_ps, shift _mm512_sll_epi32, int _mm512_castps_si512, float _mm512_castsi512_ps
);
