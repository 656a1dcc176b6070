//! Operations on eight lanes that loops over the degrees of freedom need beyond arithmetic.

#![allow(
    clippy::needless_range_loop,
    clippy::manual_memcpy,
    reason = "lanes by their number, written out by the compiler"
)]

use super::Pack;
use num_traits::Zero;

/// Eight lanes.
///
/// The default methods go through arrays and leave the instructions to the compiler. Registers
/// override them.
pub(crate) trait Eight: Pack<Array = [<Self as Pack>::Lane; 8]> {
    /// True if the type is one of 32 registers, so that loops may keep many.
    const IS_ONE: bool = false;

    /// Eight constants side by side.
    fn constant(x: &[f64; 8]) -> Self;

    /// Stores the first lanes, as many as `x` has room for.
    #[inline(always)]
    fn store_first(self, x: &mut [Self::Lane]) {
        for (x, lane) in x.iter_mut().zip(self.to_array()) {
            *x = lane;
        }
    }

    /// Stores lane l at `to + l`, for the lanes in `mask`.
    ///
    /// # Safety
    /// For each lane l in `mask`, `to + l` is within the array that `to` points into or next to,
    /// and may be written.
    #[inline(always)]
    unsafe fn store_lanes(self, to: *mut Self::Lane, mask: u8) {
        let x = self.to_array();
        for l in 0..8 {
            if mask >> l & 1 == 1 {
                // SAFETY: the caller's promise.
                unsafe { to.wrapping_add(l).write(x[l]) };
            }
        }
    }

    /// Lanes in `mask` from `other`, the rest from `self`.
    #[inline(always)]
    fn select(self, other: Self, mask: u8) -> Self {
        let (mut x, other) = (self.to_array(), other.to_array());
        for l in 0..8 {
            x[l] = if mask >> l & 1 == 1 { other[l] } else { x[l] };
        }
        Self::from_array(x)
    }

    /// Lane l takes lane `l + N`; the last `N` are zero. `N` is 1, 2 or 4.
    #[inline(always)]
    fn shift<const N: usize>(self) -> Self {
        let (x, mut shifted) = (self.to_array(), [Self::Lane::zero(); 8]);
        for l in N..8 {
            shifted[l - N] = x[l];
        }
        Self::from_array(shifted)
    }

    /// Lane l takes lane `l - N`; the first `N` are zero. `N` is 1, 2 or 4.
    #[inline(always)]
    fn shift_up<const N: usize>(self) -> Self {
        let (x, mut shifted) = (self.to_array(), [Self::Lane::zero(); 8]);
        for l in N..8 {
            shifted[l] = x[l - N];
        }
        Self::from_array(shifted)
    }

    /// Lane `lane` in every lane.
    #[inline(always)]
    fn broadcast(self, lane: usize) -> Self {
        Self::splat(self.to_array()[lane % 8])
    }

    /// Component k of eight vectors of three, each in the first three of four numbers.
    #[inline(always)]
    fn columns(x: [&[Self::Lane; 4]; 8]) -> [Self; 3] {
        let mut columns = [[Self::Lane::zero(); 8]; 3];
        for l in 0..8 {
            for k in 0..3 {
                columns[k][l] = x[l][k];
            }
        }
        let [a, b, c] = columns;
        [Self::from_array(a), Self::from_array(b), Self::from_array(c)]
    }

    /// Six rows of eight as eight columns, in the first six lanes of each; the others are any
    /// numbers of `x`, or zero.
    #[inline(always)]
    fn transposed(x: [Self; 6]) -> [Self; 8] {
        let mut columns = [[Self::Lane::zero(); 8]; 8];
        for k in 0..6 {
            let row = x[k].to_array();
            for l in 0..8 {
                columns[l][k] = row[l];
            }
        }
        let mut out = [x[0]; 8];
        for l in 0..8 {
            out[l] = Self::from_array(columns[l]);
        }
        out
    }
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

impl Eight for wide::f64x8 {
    #[inline(always)]
    fn constant(x: &[f64; 8]) -> Self {
        <Self as Pack>::from_array(*x)
    }
}
impl Eight for wide::f32x8 {
    #[inline(always)]
    fn constant(x: &[f64; 8]) -> Self {
        <Self as Pack>::from_array(narrow(x))
    }
}

#[cfg(all(
    target_arch = "x86_64",
    any(feature = "dispatch", all(target_feature = "avx2", target_feature = "fma"))
))]
mod avx2 {
    use super::super::avx2::{Two64, V32, V64};
    use super::{Eight, Pack, narrow};
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
    /// (docs/benchmarks.md#what-limits-second-derivatives). The branches repeat over many columns
    /// of a tensor.
    ///
    /// # Safety
    /// As [`Eight::store_lanes`] asks.
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
    /// As [`Eight::store_lanes`] asks.
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
    impl Eight for Two64 {
        #[inline(always)]
        fn constant(x: &[f64; 8]) -> Self {
            Self::from_array(*x)
        }
        #[inline(always)]
        fn store_first(self, x: &mut [f64]) {
            if let Some(all) = x.first_chunk_mut() {
                *all = self.to_array();
                return;
            }
            let mask = (1_u8 << x.len()) - 1;
            let (lo, hi) = (lanes64(mask), lanes64(mask >> 4));
            // Lanes in the mask are elements of `x`; the others are not touched, wherever they would be.
            unsafe {
                _mm256_maskstore_pd(x.as_mut_ptr(), _mm256_castpd_si256(lo), self.0.0);
                _mm256_maskstore_pd(x.as_mut_ptr().wrapping_add(4), _mm256_castpd_si256(hi), self.1.0);
            }
        }
        #[inline(always)]
        unsafe fn store_lanes(self, to: *mut f64, mask: u8) {
            unsafe {
                store_half(self.0.0, to, mask & 15);
                store_half(self.1.0, to.wrapping_add(4), mask >> 4);
            }
        }
        #[inline(always)]
        fn select(self, other: Self, mask: u8) -> Self {
            unsafe {
                let lo = _mm256_blendv_pd(self.0.0, other.0.0, lanes64(mask));
                let hi = _mm256_blendv_pd(self.1.0, other.1.0, lanes64(mask >> 4));
                Self(V64(lo), V64(hi))
            }
        }
        #[inline(always)]
        fn shift<const N: usize>(self) -> Self {
            let (lo, hi) = (self.0.0, self.1.0);
            unsafe {
                let zero = _mm256_setzero_pd();
                let (middle, last) =
                    (_mm256_permute2f128_pd::<0x21>(lo, hi), _mm256_permute2f128_pd::<0x81>(hi, hi));
                match N {
                    1 => {
                        // Of each pair the second, and of the pair further on the first.
                        let lo = _mm256_shuffle_pd::<0b0101>(lo, middle);
                        Self(V64(lo), V64(_mm256_shuffle_pd::<0b0101>(hi, last)))
                    }
                    2 => Self(V64(middle), V64(last)),
                    _ => Self(V64(hi), V64(zero)),
                }
            }
        }
        #[inline(always)]
        fn shift_up<const N: usize>(self) -> Self {
            let (lo, hi) = (self.0.0, self.1.0);
            unsafe {
                let zero = _mm256_setzero_pd();
                let (first, middle) =
                    (_mm256_permute2f128_pd::<0x08>(lo, lo), _mm256_permute2f128_pd::<0x21>(lo, hi));
                match N {
                    1 => {
                        // Of the pair before the second, and of each pair the first.
                        let lo = _mm256_shuffle_pd::<0b0101>(first, lo);
                        Self(V64(lo), V64(_mm256_shuffle_pd::<0b0101>(middle, hi)))
                    }
                    2 => Self(V64(first), V64(middle)),
                    _ => Self(V64(zero), V64(lo)),
                }
            }
        }
        #[inline(always)]
        fn columns(x: [&[f64; 4]; 8]) -> [Self; 3] {
            let [a, b, c] = transposed([x[0], x[1], x[2], x[3]]);
            let [d, e, f] = transposed([x[4], x[5], x[6], x[7]]);
            [Self(a, d), Self(b, e), Self(c, f)]
        }
    }

    /// The first three columns of four rows of four.
    #[inline(always)]
    fn transposed(x: [&[f64; 4]; 4]) -> [V64; 3] {
        let (a, b) = (V64::from_array(*x[0]).0, V64::from_array(*x[1]).0);
        let (c, d) = (V64::from_array(*x[2]).0, V64::from_array(*x[3]).0);
        // SAFETY: as above.
        unsafe {
            let (l0, h0) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
            let (l1, h1) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
            [
                V64(_mm256_permute2f128_pd::<0x20>(l0, l1)),
                V64(_mm256_permute2f128_pd::<0x20>(h0, h1)),
                V64(_mm256_permute2f128_pd::<0x31>(l0, l1)),
            ]
        }
    }

    // SAFETY (all blocks): as above.
    impl Eight for V32 {
        #[inline(always)]
        fn constant(x: &[f64; 8]) -> Self {
            Self::from_array(narrow(x))
        }
        #[inline(always)]
        fn select(self, other: Self, mask: u8) -> Self {
            unsafe {
                let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
                let set = _mm256_and_si256(_mm256_set1_epi32(i32::from(mask)), bits);
                let lanes = _mm256_castsi256_ps(_mm256_cmpeq_epi32(set, bits));
                Self(_mm256_blendv_ps(self.0, other.0, lanes))
            }
        }
        #[inline(always)]
        fn shift<const N: usize>(self) -> Self {
            let n = N as i32;
            unsafe {
                let from = _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(n));
                let shifted = Self(_mm256_permutevar8x32_ps(self.0, from));
                Self(_mm256_setzero_ps()).select(shifted, 0xff >> N)
            }
        }
        #[inline(always)]
        fn shift_up<const N: usize>(self) -> Self {
            let n = N as i32;
            unsafe {
                let from = _mm256_sub_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(n));
                let shifted = Self(_mm256_permutevar8x32_ps(self.0, from));
                Self(_mm256_setzero_ps()).select(shifted, 0xff << N)
            }
        }
        #[inline(always)]
        fn broadcast(self, lane: usize) -> Self {
            Self(unsafe { _mm256_permutevar8x32_ps(self.0, _mm256_set1_epi32(lane as i32)) })
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
    use super::{Eight, Pack};
    use core::arch::x86_64::*;

    // SAFETY (all blocks): the processor has AVX-512 F, VL and DQ (the condition of `super::super::avx512`).
    impl Eight for Z64 {
        const IS_ONE: bool = true;

        #[inline(always)]
        fn constant(x: &[f64; 8]) -> Self {
            Self::from_array(*x)
        }
        #[inline(always)]
        fn store_first(self, x: &mut [f64]) {
            if let Some(all) = x.first_chunk_mut() {
                *all = self.to_array();
                return;
            }
            // Lanes in the mask are elements of `x`; the others are not touched.
            unsafe { _mm512_mask_storeu_pd(x.as_mut_ptr(), (1 << x.len()) - 1, self.0) }
        }
        #[inline(always)]
        unsafe fn store_lanes(self, to: *mut f64, mask: u8) {
            // Only lanes in the mask are written.
            unsafe { _mm512_mask_storeu_pd(to, mask, self.0) }
        }
        #[inline(always)]
        fn select(self, other: Self, mask: u8) -> Self {
            Self(unsafe { _mm512_mask_blend_pd(mask, self.0, other.0) })
        }
        #[inline(always)]
        fn shift<const N: usize>(self) -> Self {
            unsafe {
                let (x, zero) = (_mm512_castpd_si512(self.0), _mm512_setzero_si512());
                Self(_mm512_castsi512_pd(match N {
                    1 => _mm512_alignr_epi64::<1>(zero, x),
                    2 => _mm512_alignr_epi64::<2>(zero, x),
                    _ => _mm512_alignr_epi64::<4>(zero, x),
                }))
            }
        }
        #[inline(always)]
        fn shift_up<const N: usize>(self) -> Self {
            unsafe {
                let (x, zero) = (_mm512_castpd_si512(self.0), _mm512_setzero_si512());
                Self(_mm512_castsi512_pd(match N {
                    1 => _mm512_alignr_epi64::<7>(x, zero),
                    2 => _mm512_alignr_epi64::<6>(x, zero),
                    _ => _mm512_alignr_epi64::<4>(x, zero),
                }))
            }
        }
        #[inline(always)]
        fn broadcast(self, lane: usize) -> Self {
            Self(unsafe { _mm512_permutexvar_pd(_mm512_set1_epi64(lane as i64), self.0) })
        }
        #[inline(always)]
        fn columns(x: [&[f64; 4]; 8]) -> [Self; 3] {
            unsafe {
                let (a, b) = (pair(x[0], x[4]), pair(x[1], x[5]));
                let (c, d) = (pair(x[2], x[6]), pair(x[3], x[7]));
                let (l0, h0) = (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
                let (l1, h1) = (_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d));
                let first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
                let third = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
                [
                    Self(_mm512_permutex2var_pd(l0, first, l1)),
                    Self(_mm512_permutex2var_pd(h0, first, h1)),
                    Self(_mm512_permutex2var_pd(l0, third, l1)),
                ]
            }
        }
        #[inline(always)]
        fn transposed(x: [Self; 6]) -> [Self; 8] {
            let [a, b, c, d, e, f] = [x[0].0, x[1].0, x[2].0, x[3].0, x[4].0, x[5].0];
            unsafe {
                // Pairs of rows: of columns 0, 2, 4, 6, and of 1, 3, 5, 7.
                let (l0, h0) = (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
                let (l1, h1) = (_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d));
                let (l2, h2) = (_mm512_unpacklo_pd(e, f), _mm512_unpackhi_pd(e, f));
                let ([c0, c2, c4, c6], [c1, c3, c5, c7]) = (pairs([l0, l1, l2]), pairs([h0, h1, h2]));
                [Self(c0), Self(c1), Self(c2), Self(c3), Self(c4), Self(c5), Self(c6), Self(c7)]
            }
        }
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
