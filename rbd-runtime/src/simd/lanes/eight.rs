//! Registers of eight lanes, for loops over the degrees of freedom.

#![allow(
    clippy::needless_range_loop,
    clippy::manual_memcpy,
    reason = "lanes by their number, written out by the compiler"
)]

use super::Pack;
use super::packed::{Like, Packed, float, floats, floats_mut};
use crate::simd::Register;
use crate::{Scalar, sincos};

/// Methods of [`Register`] that every register of `$float` has. `$constant` gives it eight constants.
macro_rules! whole {
    ($float:ident, |$x:ident| $constant:expr) => {
        type Of = S;

        #[cfg_attr(not(debug_assertions), inline(always))]
        fn splat(x: S) -> Self {
            Self::of(Pack::splat(float(x)))
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn load(x: &[S; 8]) -> Self {
            Self::of(Pack::from_array(*floats(x)))
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn constant($x: &[f64; 8]) -> Self {
            Self::of(Pack::from_array($constant))
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn store(self, x: &mut [S; 8]) {
            if let Some(x) = floats_mut(x).first_chunk_mut() {
                *x = Pack::to_array(self.0);
            }
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn sin_cos(self) -> (Self, Self) {
            let (sin, cos) = sincos::of_pack(self.0);
            (Self::of(sin), Self::of(cos))
        }
    };
}

#[inline(always)]
fn narrow(x: &[f64; 8]) -> [f32; 8] {
    let mut narrow = [0.0; 8];
    for l in 0..8 {
        narrow[l] = x[l] as f32;
    }
    narrow
}

/// The best for `f64` that this is compiled for.
#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512vl",
    target_feature = "avx512dq"
))]
pub(crate) type Best64 = super::avx512::Z64;
/// The best for `f64` that this is compiled for.
#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx2",
    target_feature = "fma",
    not(all(target_feature = "avx512f", target_feature = "avx512vl", target_feature = "avx512dq"))
))]
pub(crate) type Best64 = super::avx2::Two64;
/// The best for `f64` that this is compiled for.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma")))]
pub(crate) type Best64 = wide::f64x8;

impl<S: Scalar + Like<f64>> Register for Packed<S, wide::f64x8> {
    whole!(f64, |x| *x);
}
impl<S: Scalar + Like<f32>> Register for Packed<S, wide::f32x8> {
    whole!(f32, |x| narrow(x));
}

#[cfg(all(
    target_arch = "x86_64",
    any(feature = "dispatch", all(target_feature = "avx2", target_feature = "fma"))
))]
mod avx2 {
    use super::super::avx2::{Two64, V32, V64};
    use super::*;
    use core::arch::x86_64::*;

    /// Mask register with all bits set in the lanes of the low four bits of `mask`.
    #[inline(always)]
    fn lanes64(mask: u8) -> __m256d {
        // SAFETY: the processor has AVX2 (the condition of `super::super::avx2`).
        unsafe {
            let bits = _mm256_setr_epi64x(1, 2, 4, 8);
            let set = _mm256_and_si256(_mm256_set1_epi64x(i64::from(mask)), bits);
            _mm256_castsi256_pd(_mm256_cmpeq_epi64(set, bits))
        }
    }

    /// Stores lane l at `to + l`, for the lanes in the four-bit `mask`.
    ///
    /// It branches, because AMD's processors are slow at masked stores
    /// (docs/limits.md#second-derivatives). The branches repeat over many columns
    /// of a tensor.
    ///
    /// # Safety
    /// As [`Register::store_lanes`] asks.
    #[inline(always)]
    unsafe fn store_half(x: __m256d, to: *mut f64, mask: u8) {
        // SAFETY: the caller's promise, for the lanes that are written; the processor has AVX2, as above.
        unsafe {
            if mask == 15 {
                return _mm256_storeu_pd(to, x);
            }
            store_pair(_mm256_castpd256_pd128(x), to, mask & 3);
            store_pair(_mm256_extractf128_pd::<1>(x), to.wrapping_add(2), mask >> 2);
        }
    }

    /// Stores lane l at `to + l`, for the lanes in the two-bit `mask`.
    ///
    /// # Safety
    /// As [`Register::store_lanes`] asks.
    #[inline(always)]
    unsafe fn store_pair(x: __m128d, to: *mut f64, mask: u8) {
        // SAFETY: as above.
        unsafe {
            match mask {
                3 => _mm_storeu_pd(to, x),
                1 => _mm_storel_pd(to, x),
                2 => _mm_storeh_pd(to.wrapping_add(1), x),
                _ => {}
            }
        }
    }

    // SAFETY (all blocks): the processor has AVX2 (the condition of `super::super::avx2`).
    impl<S: Scalar + Like<f64>> Register for Packed<S, Two64> {
        whole!(f64, |x| *x);

        #[inline(always)]
        fn store_first(self, x: &mut [S]) {
            if let Some(all) = x.first_chunk_mut() {
                return self.store(all);
            }
            let (x, Two64(V64(first), V64(second))) = (floats_mut(x), self.0);
            let mask = (1_u8 << x.len()) - 1;
            let (lo, hi) = (lanes64(mask), lanes64(mask >> 4));
            // Lanes in the mask are elements of `x`; the others are not touched, wherever they would be.
            unsafe {
                _mm256_maskstore_pd(x.as_mut_ptr(), _mm256_castpd_si256(lo), first);
                _mm256_maskstore_pd(x.as_mut_ptr().wrapping_add(4), _mm256_castpd_si256(hi), second);
            }
        }
        #[inline(always)]
        unsafe fn store_lanes(self, to: *mut S, mask: u8) {
            let (to, Two64(V64(first), V64(second))) = (to.cast::<f64>(), self.0);
            unsafe {
                store_half(first, to, mask & 15);
                store_half(second, to.wrapping_add(4), mask >> 4);
            }
        }
        #[inline(always)]
        fn select(self, other: Self, mask: u8) -> Self {
            let (Two64(V64(a), V64(b)), Two64(V64(c), V64(d))) = (self.0, other.0);
            unsafe { two(_mm256_blendv_pd(a, c, lanes64(mask)), _mm256_blendv_pd(b, d, lanes64(mask >> 4))) }
        }
        #[inline(always)]
        fn shift<const N: usize>(self) -> Self {
            let Two64(V64(lo), V64(hi)) = self.0;
            unsafe {
                let zero = _mm256_setzero_pd();
                let (middle, last) =
                    (_mm256_permute2f128_pd::<0x21>(lo, hi), _mm256_permute2f128_pd::<0x81>(hi, hi));
                match N {
                    1 => {
                        // Of each pair the second, and of the pair further on the first.
                        let lo = _mm256_shuffle_pd::<0b0101>(lo, middle);
                        two(lo, _mm256_shuffle_pd::<0b0101>(hi, last))
                    }
                    2 => two(middle, last),
                    _ => two(hi, zero),
                }
            }
        }
        #[inline(always)]
        fn shift_up<const N: usize>(self) -> Self {
            let Two64(V64(lo), V64(hi)) = self.0;
            unsafe {
                let zero = _mm256_setzero_pd();
                let (first, middle) =
                    (_mm256_permute2f128_pd::<0x08>(lo, lo), _mm256_permute2f128_pd::<0x21>(lo, hi));
                match N {
                    1 => {
                        // Of the pair before the second, and of each pair the first.
                        let lo = _mm256_shuffle_pd::<0b0101>(first, lo);
                        two(lo, _mm256_shuffle_pd::<0b0101>(middle, hi))
                    }
                    2 => two(first, middle),
                    _ => two(zero, lo),
                }
            }
        }
        #[inline(always)]
        fn columns(x: [&[S; 4]; 8]) -> [Self; 3] {
            let [a, b, c] = transposed([floats(x[0]), floats(x[1]), floats(x[2]), floats(x[3])]);
            let [d, e, f] = transposed([floats(x[4]), floats(x[5]), floats(x[6]), floats(x[7])]);
            [two(a, d), two(b, e), two(c, f)]
        }
    }

    /// Two halves as one.
    #[inline(always)]
    fn two<S>(first: __m256d, second: __m256d) -> Packed<S, Two64> {
        Packed::of(Two64(V64(first), V64(second)))
    }

    /// The first three columns of four rows of four.
    #[inline(always)]
    fn transposed(x: [&[f64; 4]; 4]) -> [__m256d; 3] {
        let (a, b) = (V64::from_array(*x[0]).0, V64::from_array(*x[1]).0);
        let (c, d) = (V64::from_array(*x[2]).0, V64::from_array(*x[3]).0);
        // SAFETY: as above.
        unsafe {
            let (l0, h0) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
            let (l1, h1) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
            [
                _mm256_permute2f128_pd::<0x20>(l0, l1),
                _mm256_permute2f128_pd::<0x20>(h0, h1),
                _mm256_permute2f128_pd::<0x31>(l0, l1),
            ]
        }
    }

    // SAFETY (all blocks): as above.
    impl<S: Scalar + Like<f32>> Register for Packed<S, V32> {
        whole!(f32, |x| narrow(x));

        #[inline(always)]
        fn select(self, other: Self, mask: u8) -> Self {
            unsafe {
                let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
                let set = _mm256_and_si256(_mm256_set1_epi32(i32::from(mask)), bits);
                let lanes = _mm256_castsi256_ps(_mm256_cmpeq_epi32(set, bits));
                Self::of(V32(_mm256_blendv_ps(self.0.0, other.0.0, lanes)))
            }
        }
        #[inline(always)]
        fn shift<const N: usize>(self) -> Self {
            let n = N as i32;
            unsafe {
                let from = _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(n));
                let shifted = Self::of(V32(_mm256_permutevar8x32_ps(self.0.0, from)));
                shifted.keep(0xff >> N)
            }
        }
        #[inline(always)]
        fn shift_up<const N: usize>(self) -> Self {
            let n = N as i32;
            unsafe {
                let from = _mm256_sub_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(n));
                let shifted = Self::of(V32(_mm256_permutevar8x32_ps(self.0.0, from)));
                shifted.keep(0xff << N)
            }
        }
        #[inline(always)]
        fn broadcast(self, lane: usize) -> Self {
            Self::of(V32(unsafe { _mm256_permutevar8x32_ps(self.0.0, _mm256_set1_epi32(lane as i32)) }))
        }
    }
}

#[cfg(all(
    target_arch = "x86_64",
    any(
        all(feature = "dispatch", not(all(target_feature = "avx2", target_feature = "fma"))),
        all(target_feature = "avx512f", target_feature = "avx512vl", target_feature = "avx512dq")
    )
))]
mod avx512 {
    use super::super::avx512::Z64;
    use super::*;
    use core::arch::x86_64::*;

    // SAFETY (all blocks): the processor has AVX-512 F, VL and DQ (the condition of `super::super::avx512`).
    impl<S: Scalar + Like<f64>> Register for Packed<S, Z64> {
        whole!(f64, |x| *x);
        const IS_ONE: bool = true;

        #[inline(always)]
        fn store_first(self, x: &mut [S]) {
            if let Some(all) = x.first_chunk_mut() {
                return self.store(all);
            }
            let x = floats_mut(x);
            // Lanes in the mask are elements of `x`; the others are not touched.
            unsafe { _mm512_mask_storeu_pd(x.as_mut_ptr(), (1 << x.len()) - 1, self.0.0) }
        }
        #[inline(always)]
        unsafe fn store_lanes(self, to: *mut S, mask: u8) {
            // Only lanes in the mask are written.
            unsafe { _mm512_mask_storeu_pd(to.cast(), mask, self.0.0) }
        }
        #[inline(always)]
        fn select(self, other: Self, mask: u8) -> Self {
            one(unsafe { _mm512_mask_blend_pd(mask, self.0.0, other.0.0) })
        }
        #[inline(always)]
        fn shift<const N: usize>(self) -> Self {
            unsafe {
                let (x, zero) = (_mm512_castpd_si512(self.0.0), _mm512_setzero_si512());
                one(_mm512_castsi512_pd(match N {
                    1 => _mm512_alignr_epi64::<1>(zero, x),
                    2 => _mm512_alignr_epi64::<2>(zero, x),
                    _ => _mm512_alignr_epi64::<4>(zero, x),
                }))
            }
        }
        #[inline(always)]
        fn shift_up<const N: usize>(self) -> Self {
            unsafe {
                let (x, zero) = (_mm512_castpd_si512(self.0.0), _mm512_setzero_si512());
                one(_mm512_castsi512_pd(match N {
                    1 => _mm512_alignr_epi64::<7>(x, zero),
                    2 => _mm512_alignr_epi64::<6>(x, zero),
                    _ => _mm512_alignr_epi64::<4>(x, zero),
                }))
            }
        }
        #[inline(always)]
        fn broadcast(self, lane: usize) -> Self {
            one(unsafe { _mm512_permutexvar_pd(_mm512_set1_epi64(lane as i64), self.0.0) })
        }
        #[inline(always)]
        fn columns(x: [&[S; 4]; 8]) -> [Self; 3] {
            unsafe {
                let (a, b) = (pair(floats(x[0]), floats(x[4])), pair(floats(x[1]), floats(x[5])));
                let (c, d) = (pair(floats(x[2]), floats(x[6])), pair(floats(x[3]), floats(x[7])));
                let (l0, h0) = (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
                let (l1, h1) = (_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d));
                let first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
                let third = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
                [
                    one(_mm512_permutex2var_pd(l0, first, l1)),
                    one(_mm512_permutex2var_pd(h0, first, h1)),
                    one(_mm512_permutex2var_pd(l0, third, l1)),
                ]
            }
        }
        #[inline(always)]
        fn transposed(x: [Self; 6]) -> [Self; 8] {
            let [a, b, c, d, e, f] = [x[0].0.0, x[1].0.0, x[2].0.0, x[3].0.0, x[4].0.0, x[5].0.0];
            unsafe {
                // Pairs of rows: of columns 0, 2, 4, 6, and of 1, 3, 5, 7.
                let (l0, h0) = (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
                let (l1, h1) = (_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d));
                let (l2, h2) = (_mm512_unpacklo_pd(e, f), _mm512_unpackhi_pd(e, f));
                let ([c0, c2, c4, c6], [c1, c3, c5, c7]) = (pairs([l0, l1, l2]), pairs([h0, h1, h2]));
                [one(c0), one(c1), one(c2), one(c3), one(c4), one(c5), one(c6), one(c7)]
            }
        }
        #[inline(always)]
        fn transposed_square(x: [Self; 8]) -> [Self; 8] {
            let [a, b, c, d] = [x[0].0.0, x[1].0.0, x[2].0.0, x[3].0.0];
            let [e, f, g, h] = [x[4].0.0, x[5].0.0, x[6].0.0, x[7].0.0];
            unsafe {
                // Pairs of rows: of columns 0, 2, 4, 6, and of 1, 3, 5, 7.
                let (l0, h0) = (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
                let (l1, h1) = (_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d));
                let (l2, h2) = (_mm512_unpacklo_pd(e, f), _mm512_unpackhi_pd(e, f));
                let (l3, h3) = (_mm512_unpacklo_pd(g, h), _mm512_unpackhi_pd(g, h));
                let [c0, c2, c4, c6] = four_pairs([l0, l1, l2, l3]);
                let [c1, c3, c5, c7] = four_pairs([h0, h1, h2, h3]);
                [one(c0), one(c1), one(c2), one(c3), one(c4), one(c5), one(c6), one(c7)]
            }
        }
    }

    /// The register.
    #[inline(always)]
    fn one<S>(x: __m512d) -> Packed<S, Z64> {
        Packed::of(Z64(x))
    }

    /// Regroups three registers of four pairs: the first pairs of each, then the second pairs, and
    /// so on.
    #[inline(always)]
    fn pairs([a, b, c]: [__m512d; 3]) -> [__m512d; 4] {
        // SAFETY: as above.
        unsafe {
            let (ab, ab2) = (
                _mm512_permutex2var_pd(a, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), b),
                _mm512_permutex2var_pd(a, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), b),
            );
            // The pairs of `c` follow the pairs of `a` and `b`.
            let (first, second) =
                (_mm512_setr_epi64(0, 1, 2, 3, 8, 9, 0, 0), _mm512_setr_epi64(4, 5, 6, 7, 10, 11, 0, 0));
            let (third, last) =
                (_mm512_setr_epi64(0, 1, 2, 3, 12, 13, 0, 0), _mm512_setr_epi64(4, 5, 6, 7, 14, 15, 0, 0));
            [
                _mm512_permutex2var_pd(ab, first, c),
                _mm512_permutex2var_pd(ab, second, c),
                _mm512_permutex2var_pd(ab2, third, c),
                _mm512_permutex2var_pd(ab2, last, c),
            ]
        }
    }

    /// Regroups four registers of four pairs, as [`pairs`] does three.
    #[inline(always)]
    fn four_pairs([a, b, c, d]: [__m512d; 4]) -> [__m512d; 4] {
        // SAFETY: as above.
        unsafe {
            // Pairs 0 and 2, and 1 and 3, of each two.
            let (ab, ab2) = (_mm512_shuffle_f64x2::<0x88>(a, b), _mm512_shuffle_f64x2::<0xdd>(a, b));
            let (cd, cd2) = (_mm512_shuffle_f64x2::<0x88>(c, d), _mm512_shuffle_f64x2::<0xdd>(c, d));
            [
                _mm512_shuffle_f64x2::<0x88>(ab, cd),
                _mm512_shuffle_f64x2::<0x88>(ab2, cd2),
                _mm512_shuffle_f64x2::<0xdd>(ab, cd),
                _mm512_shuffle_f64x2::<0xdd>(ab2, cd2),
            ]
        }
    }

    /// One after the other.
    #[inline(always)]
    fn pair(a: &[f64; 4], b: &[f64; 4]) -> __m512d {
        // SAFETY: as above.
        unsafe {
            let (a, b) = (_mm256_loadu_pd(a.as_ptr()), _mm256_loadu_pd(b.as_ptr()));
            _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(a), b)
        }
    }
}
