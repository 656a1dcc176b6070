//! Registers of AVX2 with FMA.
//!
//! The condition behind every intrinsic here: this is used where the build's target has AVX2 and FMA, or by
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
                // SAFETY: the processor has AVX2 (the module's condition).
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    };
}

/// One AVX2 register as a pack. `$cast`s go between its float and its integer form.
macro_rules! register {
    ($(#[$doc:meta])* $pack:ident, $register:ident, $float:ident, $n:literal, add $add:ident, sub $sub:ident,
     mul $mul:ident, div $div:ident, set $set:ident, fma $fma:ident, sqrt $sqrt:ident, cmp $cmp:ident,
     blend $blend:ident, mask $mask:ident, and $and:ident, andnot $andnot:ident, xor $xor:ident,
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
                // A difference, not a flipped bit: the compiler folds it into a fused multiply-add.
                Self::splat(-0.0) - self
            }
        }

        // SAFETY (all blocks): the processor has AVX2 and FMA (the module's condition); the register and
        // the array have the same size, and any bits are a value of either.
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
                Self(unsafe { $blend(otherwise.0, below.0, $cmp::<_CMP_LT_OQ>(self.0, $set(limit))) })
            }
            #[inline(always)]
            fn all_within(self, limit: $float) -> bool {
                unsafe { $mask($cmp::<_CMP_LE_OQ>($andnot($set(-0.0), self.0), $set(limit))) == (1 << $n) - 1 }
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
                Self(unsafe { $blend(positive.0, negative.0, self.0) })
            }
        }
    };
}

register!(
    /// Four `f64`.
    V64, __m256d, f64, 4, add _mm256_add_pd, sub _mm256_sub_pd, mul _mm256_mul_pd, div _mm256_div_pd,
    set _mm256_set1_pd, fma _mm256_fmadd_pd, sqrt _mm256_sqrt_pd, cmp _mm256_cmp_pd,
    blend _mm256_blendv_pd, mask _mm256_movemask_pd, and _mm256_and_pd, andnot _mm256_andnot_pd,
    xor _mm256_xor_pd, shift _mm256_sll_epi64, int _mm256_castpd_si256, float _mm256_castsi256_pd
);
register!(
    /// Eight `f32`.
    V32, __m256, f32, 8, add _mm256_add_ps, sub _mm256_sub_ps, mul _mm256_mul_ps, div _mm256_div_ps,
    set _mm256_set1_ps, fma _mm256_fmadd_ps, sqrt _mm256_sqrt_ps, cmp _mm256_cmp_ps,
    blend _mm256_blendv_ps, mask _mm256_movemask_ps, and _mm256_and_ps, andnot _mm256_andnot_ps,
    xor _mm256_xor_ps, shift _mm256_sll_epi32, int _mm256_castps_si256, float _mm256_castsi256_ps
);

register!(
    /// Two `f64`: half a register, for limbs in pairs.
    H64, __m128d, f64, 2, add _mm_add_pd, sub _mm_sub_pd, mul _mm_mul_pd, div _mm_div_pd,
    set _mm_set1_pd, fma _mm_fmadd_pd, sqrt _mm_sqrt_pd, cmp _mm_cmp_pd,
    blend _mm_blendv_pd, mask _mm_movemask_pd, and _mm_and_pd, andnot _mm_andnot_pd,
    xor _mm_xor_pd, shift _mm_sll_epi64, int _mm_castpd_si128, float _mm_castsi128_pd
);
register!(
    /// Four `f32`.
    H32, __m128, f32, 4, add _mm_add_ps, sub _mm_sub_ps, mul _mm_mul_ps, div _mm_div_ps,
    set _mm_set1_ps, fma _mm_fmadd_ps, sqrt _mm_sqrt_ps, cmp _mm_cmp_ps,
    blend _mm_blendv_ps, mask _mm_movemask_ps, and _mm_and_ps, andnot _mm_andnot_ps,
    xor _mm_xor_ps, shift _mm_sll_epi32, int _mm_castps_si128, float _mm_castsi128_ps
);

macro_rules! two_registers {
    ($(#[$doc:meta])* $pack:ident, $half:ident, $float:ident, $n:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(C)]
        pub(crate) struct $pack(pub(super) $half, pub(super) $half);

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
                Self(Pack::splat(x), Pack::splat(x))
            }
            #[inline(always)]
            fn from_array(x: [$float; $n]) -> Self {
                // SAFETY: two registers one after the other; any bits are a value.
                unsafe { core::mem::transmute::<[$float; $n], Self>(x) }
            }
            #[inline(always)]
            fn to_array(self) -> [$float; $n] {
                // SAFETY: as above.
                unsafe { core::mem::transmute::<Self, [$float; $n]>(self) }
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
