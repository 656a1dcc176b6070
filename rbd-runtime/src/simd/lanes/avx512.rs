//! Registers of AVX-512: eight `f64` or sixteen `f32`.
//!
//! Every intrinsic here needs AVX-512 F, VL and DQ. Either the build's target has them, or
//! [`crate::dispatch`] found that the processor has them. The types are crate-private to ensure it.

use super::intrinsics::register;
use super::{Pack, lanes_in_order};
use core::arch::x86_64::*;

// Comparisons give a bit of a mask for each lane.
register!(
    /// Eight `f64`.
    Z64, __m512d, f64, 8, add _mm512_add_pd, sub _mm512_sub_pd, mul _mm512_mul_pd, div _mm512_div_pd,
    set _mm512_set1_pd, fma _mm512_fmadd_pd, sqrt _mm512_sqrt_pd, cmp _mm512_cmp_pd_mask,
    blend |a, b, mask| _mm512_mask_blend_pd(mask, a, b), all |mask| mask == !0,
    signs |x| _mm512_movepi64_mask(_mm512_castpd_si512(x)), and _mm512_and_pd, andnot _mm512_andnot_pd,
    xor _mm512_xor_pd, shift _mm512_sll_epi64, int _mm512_castpd_si512, float _mm512_castsi512_pd
);
register!(
    /// Sixteen `f32`.
    Z32, __m512, f32, 16, add _mm512_add_ps, sub _mm512_sub_ps, mul _mm512_mul_ps, div _mm512_div_ps,
    set _mm512_set1_ps, fma _mm512_fmadd_ps, sqrt _mm512_sqrt_ps, cmp _mm512_cmp_ps_mask,
    blend |a, b, mask| _mm512_mask_blend_ps(mask, a, b), all |mask| mask == !0,
    signs |x| _mm512_movepi32_mask(_mm512_castps_si512(x)), and _mm512_and_ps, andnot _mm512_andnot_ps,
    xor _mm512_xor_ps, shift _mm512_sll_epi32, int _mm512_castps_si512, float _mm512_castsi512_ps
);
