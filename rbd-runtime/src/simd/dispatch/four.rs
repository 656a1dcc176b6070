//! Four limbs of a kernel that has AVX2: two integers between operations (`crate::simd::by_value`).

use super::Fused64;
use crate::lanes::Pack;
use crate::lanes::avx2::V64;
use crate::limbs::Limbs;
use crate::simd::by_value::operations;
use core::arch::x86_64::{__m128d, _mm_cvtsd_f64, _mm_unpackhi_pd};
use core::mem::transmute;

/// Four [`Fused64`] as limbs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FusedFour(u128, u128);

// SAFETY (all conversions of this file): four floats, a register of them and two integers of 128 bits have
// equal sizes, and any bits are a value of each.
impl FusedFour {
    #[inline(always)]
    fn pack(self) -> V64 {
        unsafe { transmute::<[u128; 2], V64>([self.0, self.1]) }
    }
    #[inline(always)]
    fn of(pack: V64) -> Self {
        let [first, second] = unsafe { transmute::<V64, [u128; 2]>(pack) };
        Self(first, second)
    }
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn gathered(a: f64, b: f64, c: f64, d: f64) -> Self {
        Self::of(V64::gather(a, b, c, d))
    }
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn everywhere(x: f64) -> Self {
        Self::of(Pack::splat(x))
    }
}
operations!(FusedFour, V64, "avx2,fma");

impl Limbs<Fused64, 4> for FusedFour {
    operations!(@limbs V64);

    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn gather([a, b, c, d]: [Fused64; 4]) -> Self {
        operations!(@call Self::gathered(a.0, b.0, c.0, d.0))
    }
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn constant(x: &[f64; 4]) -> Self {
        let [first, second] = unsafe { transmute::<[f64; 4], [u128; 2]>(*x) };
        Self(first, second)
    }
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn splat(x: Fused64) -> Self {
        operations!(@call Self::everywhere(x.0))
    }
    #[inline]
    fn lanes(self) -> [Fused64; 4] {
        [self.lane(0), self.lane(1), self.lane(2), self.lane(3)]
    }
    // By SSE2, which every x86-64 has: bits of an integer would go through integer registers.
    #[inline]
    fn lane(self, lane: usize) -> Fused64 {
        let half = if lane < 2 { self.0 } else { self.1 };
        unsafe {
            let half = transmute::<u128, __m128d>(half);
            Fused64(_mm_cvtsd_f64(if lane & 1 == 0 { half } else { _mm_unpackhi_pd(half, half) }))
        }
    }
    #[inline]
    fn sum(self) -> Fused64 {
        let [a, b, c, d] = self.lanes();
        (a + c) + (b + d)
    }
}
