//! Four `f64` limbs in two registers of SSE2, which every x86-64 processor has.
//!
//! A humanoid's kernel has some ten thousand operations on limbs. Compile time depends on the code
//! of each one before optimisation (docs/limits.md#compile-time):
//!
//! - Between operations a register is an integer of 128 bits. Two integers are passed and returned
//!   by value; a vector or a struct of vectors would be passed by address. The conversions take no
//!   instructions.
//! - Operations are `#[inline]`, not `#[inline(always)]`: each is optimised before it is put into
//!   the kernel. Other lane types need `#[inline(always)]` because they use instructions that only
//!   their callers are allowed; SSE2 needs no permission.

use crate::limbs::Limbs;
use core::arch::x86_64::{
    __m128d, _mm_add_pd, _mm_cvtsd_f64, _mm_div_pd, _mm_mul_pd, _mm_set_pd, _mm_set1_pd, _mm_sub_pd,
    _mm_unpackhi_pd,
};
use core::mem::transmute;

/// Four `f64` as limbs.
#[derive(Clone, Copy, Debug)]
pub struct FourOf64(u128, u128);

// SAFETY (all blocks of this file): x86-64 has SSE2; a register and an integer of equal size have
// the same values.

#[inline(always)]
fn bits(x: __m128d) -> u128 {
    unsafe { transmute::<__m128d, u128>(x) }
}

#[inline(always)]
fn register(x: u128) -> __m128d {
    unsafe { transmute::<u128, __m128d>(x) }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $intrinsic:ident) => {
        impl core::ops::$trait for FourOf64 {
            type Output = Self;
            #[inline]
            fn $method(self, other: Self) -> Self {
                unsafe {
                    Self(
                        bits($intrinsic(register(self.0), register(other.0))),
                        bits($intrinsic(register(self.1), register(other.1))),
                    )
                }
            }
        }
    };
}
operator!(Add, add, _mm_add_pd);
operator!(Sub, sub, _mm_sub_pd);
operator!(Mul, mul, _mm_mul_pd);

impl core::ops::Neg for FourOf64 {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        unsafe {
            let zero = _mm_set1_pd(-0.0);
            Self(bits(_mm_sub_pd(zero, register(self.0))), bits(_mm_sub_pd(zero, register(self.1))))
        }
    }
}

impl Limbs<f64, 4> for FourOf64 {
    crate::limbs::kept_as_it_is!(f64, 4);

    #[inline]
    fn gather([a, b, c, d]: [f64; 4]) -> Self {
        unsafe { Self(bits(_mm_set_pd(b, a)), bits(_mm_set_pd(d, c))) }
    }
    #[inline]
    fn constant(x: &[f64; 4]) -> Self {
        let x: *const [u128; 2] = core::ptr::from_ref(x).cast();
        // SAFETY: two 128-bit integers are the bytes of four floats; the read may be unaligned.
        let [first, second] = unsafe { x.read_unaligned() };
        Self(first, second)
    }
    #[inline]
    fn splat(x: f64) -> Self {
        let x = bits(unsafe { _mm_set1_pd(x) });
        Self(x, x)
    }
    #[inline]
    fn lanes(self) -> [f64; 4] {
        // SAFETY: any bits are floats.
        unsafe { transmute::<[u128; 2], [f64; 4]>([self.0, self.1]) }
    }
    #[inline]
    fn lane(self, lane: usize) -> f64 {
        let half = register(if lane < 2 { self.0 } else { self.1 });
        unsafe { _mm_cvtsd_f64(if lane & 1 == 0 { half } else { _mm_unpackhi_pd(half, half) }) }
    }
    #[inline]
    fn sum(self) -> f64 {
        unsafe {
            let sum = _mm_add_pd(register(self.0), register(self.1));
            _mm_cvtsd_f64(sum) + _mm_cvtsd_f64(_mm_unpackhi_pd(sum, sum))
        }
    }
    #[inline]
    fn recip(self) -> Self {
        unsafe {
            let one = _mm_set1_pd(1.0);
            Self(bits(_mm_div_pd(one, register(self.0))), bits(_mm_div_pd(one, register(self.1))))
        }
    }
    #[inline]
    fn mul_add(self, a: Self, b: Self) -> Self {
        self * a + b
    }
}
