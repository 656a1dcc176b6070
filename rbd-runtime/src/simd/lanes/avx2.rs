//! Registers of AVX2 with FMA.
//!
//! The condition behind every intrinsic here: this is used where the build's target has AVX2 and FMA, or by
//! [`crate::dispatch`] once the processor said that it has them. The types are crate-private for that.

use super::intrinsics::register;
use super::{Pack, lanes_in_order};
use core::arch::x86_64::*;
use core::ops::{Add, Div, Mul, Neg, Sub};

// Comparisons give all bits of a lane, and a choice looks at the sign.
register!(
    /// Four `f64`.
    V64, __m256d, f64, 4, add _mm256_add_pd, sub _mm256_sub_pd, mul _mm256_mul_pd, div _mm256_div_pd,
    set _mm256_set1_pd, fma _mm256_fmadd_pd, sqrt _mm256_sqrt_pd, cmp _mm256_cmp_pd,
    blend |a, b, mask| _mm256_blendv_pd(a, b, mask), all |mask| _mm256_movemask_pd(mask) == 0xf,
    signs |x| x, and _mm256_and_pd, andnot _mm256_andnot_pd,
    xor _mm256_xor_pd, shift _mm256_sll_epi64, int _mm256_castpd_si256, float _mm256_castsi256_pd
);
register!(
    /// Eight `f32`.
    V32, __m256, f32, 8, add _mm256_add_ps, sub _mm256_sub_ps, mul _mm256_mul_ps, div _mm256_div_ps,
    set _mm256_set1_ps, fma _mm256_fmadd_ps, sqrt _mm256_sqrt_ps, cmp _mm256_cmp_ps,
    blend |a, b, mask| _mm256_blendv_ps(a, b, mask), all |mask| _mm256_movemask_ps(mask) == 0xff,
    signs |x| x, and _mm256_and_ps, andnot _mm256_andnot_ps,
    xor _mm256_xor_ps, shift _mm256_sll_epi32, int _mm256_castps_si256, float _mm256_castsi256_ps
);

#[cfg_attr(not(feature = "dispatch"), allow(dead_code, reason = "used where there is a choice at run time"))]
impl V64 {
    /// Four numbers side by side. An array of them would be put together in integer registers.
    #[inline(always)]
    pub fn gather(a: f64, b: f64, c: f64, d: f64) -> Self {
        // SAFETY: the processor has AVX2 (the condition of this module).
        Self(unsafe { _mm256_set_pd(d, c, b, a) })
    }
}

register!(
    /// Two `f64`: half a register, for limbs in pairs.
    H64, __m128d, f64, 2, add _mm_add_pd, sub _mm_sub_pd, mul _mm_mul_pd, div _mm_div_pd,
    set _mm_set1_pd, fma _mm_fmadd_pd, sqrt _mm_sqrt_pd, cmp _mm_cmp_pd,
    blend |a, b, mask| _mm_blendv_pd(a, b, mask), all |mask| _mm_movemask_pd(mask) == 0x3,
    signs |x| x, and _mm_and_pd, andnot _mm_andnot_pd,
    xor _mm_xor_pd, shift _mm_sll_epi64, int _mm_castpd_si128, float _mm_castsi128_pd
);
register!(
    /// Four `f32`.
    H32, __m128, f32, 4, add _mm_add_ps, sub _mm_sub_ps, mul _mm_mul_ps, div _mm_div_ps,
    set _mm_set1_ps, fma _mm_fmadd_ps, sqrt _mm_sqrt_ps, cmp _mm_cmp_ps,
    blend |a, b, mask| _mm_blendv_ps(a, b, mask), all |mask| _mm_movemask_ps(mask) == 0xf,
    signs |x| x, and _mm_and_ps, andnot _mm_andnot_ps,
    xor _mm_xor_ps, shift _mm_sll_epi32, int _mm_castps_si128, float _mm_castsi128_ps
);

/// Two registers of AVX2 as one of twice the lanes.
macro_rules! two_registers {
    ($(#[$doc:meta])* $pack:ident, $half:ident, $float:ident, $n:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(C)]
        pub struct $pack(pub(super) $half, pub(super) $half);

        two_registers!(@operator $pack, Add, add);
        two_registers!(@operator $pack, Sub, sub);
        two_registers!(@operator $pack, Mul, mul);
        two_registers!(@operator $pack, Div, div);

        impl Neg for $pack {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self(-self.0, -self.1)
            }
        }

        impl Pack for $pack {
            lanes_in_order!($float, $n);

            #[inline(always)]
            fn splat(x: $float) -> Self {
                Self(Pack::splat(x), Pack::splat(x))
            }
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                Self(self.0.mul_add(a.0, b.0), self.1.mul_add(a.1, b.1))
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                Self(self.0.sqrt(), self.1.sqrt())
            }
            #[inline(always)]
            fn select_lt(self, limit: $float, below: Self, otherwise: Self) -> Self {
                let first = self.0.select_lt(limit, below.0, otherwise.0);
                Self(first, self.1.select_lt(limit, below.1, otherwise.1))
            }
            #[inline(always)]
            fn all_within(self, limit: $float) -> bool {
                self.0.all_within(limit) & self.1.all_within(limit)
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                Self(self.0.xor(other.0), self.1.xor(other.1))
            }
            #[inline(always)]
            fn bit_as_sign<const BIT: u32>(self) -> Self {
                Self(self.0.bit_as_sign::<BIT>(), self.1.bit_as_sign::<BIT>())
            }
            #[inline(always)]
            fn choose(self, negative: Self, positive: Self) -> Self {
                Self(self.0.choose(negative.0, positive.0), self.1.choose(negative.1, positive.1))
            }
        }
    };
    (@operator $pack:ident, $trait:ident, $method:ident) => {
        impl $trait for $pack {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0.$method(other.0), self.1.$method(other.1))
            }
        }
    };
}

two_registers!(
    /// Eight `f64`.
    Two64, V64, f64, 8
);
two_registers!(
    /// Sixteen `f32`.
    Two32, V32, f32, 16
);
