//! Registers of numbers: of floats, and of numbers that the processor computes as floats.

use super::Pack;
use crate::Scalar;
use crate::limbs::Limbs;
use crate::simd::Lane;
use core::marker::PhantomData;
use core::mem::transmute_copy;

/// Numbers with the bits of `T`.
///
/// # Safety
/// Every bit pattern of `T` is a value of `Self` and the reverse. Sizes are equal. The alignment of `Self`
/// is at most that of `T`.
pub unsafe trait Like<T>: Copy {}
// SAFETY: they are one type.
unsafe impl<T: Copy> Like<T> for T {}

/// Registers `P` of numbers `S`, which have the bits of its lanes.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Packed<S, P>(pub(super) P, PhantomData<S>);

impl<S, P> Packed<S, P> {
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn of(pack: P) -> Self {
        Self(pack, PhantomData)
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident) => {
        impl<S, P: Pack> core::ops::$trait for Packed<S, P> {
            type Output = Self;
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn $method(self, other: Self) -> Self {
                Self::of(self.0.$method(other.0))
            }
        }
    };
}
operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);

impl<S, P: Pack> core::ops::Neg for Packed<S, P> {
    type Output = Self;
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn neg(self) -> Self {
        Self::of(self.0.opposite())
    }
}

impl<S: Scalar + Like<P::Lane>, P: Pack> Lane for Packed<S, P> {
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn number(x: f64) -> Self {
        Self::of(P::splat(float(S::from_f64(x))))
    }
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Self::of(self.0.mul_add(a.0, b.0))
    }
}

impl<S, P> Limbs<S, 4> for Packed<S, P>
where
    S: Scalar + Like<P::Lane>,
    P: Pack<Array = [<P as Pack>::Lane; 4]>,
{
    crate::limbs::kept_as_it_is!(S, 4);

    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn gather(x: [S; 4]) -> Self {
        Self::of(P::from_array(*floats(&x)))
    }
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn constant(x: &[f64; 4]) -> Self {
        Self::gather([S::from_f64(x[0]), S::from_f64(x[1]), S::from_f64(x[2]), S::from_f64(x[3])])
    }
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn splat(x: S) -> Self {
        Self::of(P::splat(float(x)))
    }
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn lanes(self) -> [S; 4] {
        // SAFETY: `S` has the bits of a lane.
        unsafe { transmute_copy(&self.0.to_array()) }
    }
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn lane(self, lane: usize) -> S {
        self.lanes()[lane]
    }
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn sum(self) -> S {
        let x = self.lanes();
        (x[0] + x[2]) + (x[1] + x[3])
    }
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn recip(self) -> Self {
        Self::of(P::splat(float(S::one())) / self.0)
    }
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Self::of(self.0.mul_add(a.0, b.0))
    }
}

/// A number as a float.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn float<S: Like<F>, F: Copy>(x: S) -> F {
    // SAFETY: `Like`.
    unsafe { transmute_copy(&x) }
}

/// Numbers as floats.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn floats<S: Like<F>, F, const N: usize>(x: &[S; N]) -> &[F; N] {
    // SAFETY: `Like`; an array adds nothing between its elements.
    unsafe { &*core::ptr::from_ref(x).cast() }
}

/// Numbers, to be written as floats.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn floats_mut<S: Like<F>, F>(x: &mut [S]) -> &mut [F] {
    // SAFETY: as in `floats`; the length is kept.
    unsafe { core::slice::from_raw_parts_mut(x.as_mut_ptr().cast(), x.len()) }
}
