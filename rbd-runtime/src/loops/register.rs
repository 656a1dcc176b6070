//! Eight numbers that undergo the same operation: eight degrees of freedom of one robot in one
//! state.

use super::{LANES, Lane};
use crate::Scalar;
use crate::limbs::{Limbs, Plain};
use num_traits::Zero;

/// Eight `T`. One register of AVX-512 for `f64`, two of AVX2, four of SSE2 or NEON; an array, for
/// scalars without registers.
///
/// Operations are `#[inline(always)]` and contain no closures: a closure would not be allowed the
/// kernel's instructions.
pub trait Register: Lane {
    /// A number.
    type Of: Scalar;

    /// True if the type is one register of a processor that has many.
    const IS_ONE: bool = false;

    /// One number in every lane.
    fn splat(x: Self::Of) -> Self;
    /// Lane l is `x[l]`.
    fn load(x: &[Self::Of; LANES]) -> Self;
    /// Lane l is the constant `x[l]`.
    fn constant(x: &[f64; LANES]) -> Self;
    /// `x[l]` becomes lane l.
    fn store(self, x: &mut [Self::Of; LANES]);
    /// Stores the first lanes, as many as `x` has room for.
    fn store_first(self, x: &mut [Self::Of]);
    /// Stores lane l at `to + l`, for the lanes in `mask` (bit l is lane l).
    ///
    /// # Safety
    /// For each lane l in `mask`, `to + l` is within the array that `to` points into or next to,
    /// and may be written.
    unsafe fn store_lanes(self, to: *mut Self::Of, mask: u8);
    /// Lanes in `mask` (bit l is lane l) from `other`, the rest from `self`.
    #[must_use]
    fn select(self, other: Self, mask: u8) -> Self;
    /// Lane l takes lane `l + N`; the last `N` are zero. `N` is 1, 2 or 4.
    #[must_use]
    fn shift<const N: usize>(self) -> Self;
    /// Lane l takes lane `l - N`; the first `N` are zero. `N` is 1, 2 or 4.
    #[must_use]
    fn shift_up<const N: usize>(self) -> Self;
    /// Lane `lane` (below [`LANES`]) in every lane.
    #[must_use]
    fn broadcast(self, lane: usize) -> Self;
    /// Sine and cosine of every lane, an angle in radians.
    fn sin_cos(self) -> (Self, Self);
    /// Component k of eight vectors of three, each in the first three of four numbers: eight rows
    /// to three registers.
    fn columns(x: [&[Self::Of; 4]; LANES]) -> [Self; 3];

    /// Six rows of eight as eight columns, in the first six lanes of each; the others are any
    /// numbers of `x`, or zero.
    fn transposed(x: [Self; 6]) -> [Self; LANES];

    /// The numbers, lane by lane.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn lanes(self) -> [Self::Of; LANES] {
        let mut lanes = [Self::Of::zero(); LANES];
        self.store(&mut lanes);
        lanes
    }

    /// Lanes in `mask`, the rest zero.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    fn keep(self, mask: u8) -> Self {
        Self::splat(Self::Of::zero()).select(self, mask)
    }
}

// Written out lane by lane where a closure would be in the way, see `crate::limbs`.
impl<S: Scalar> Lane for Plain<S, LANES> {
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn number(x: f64) -> Self {
        Self([S::from_f64(x); LANES])
    }
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Limbs::mul_add(self, a, b)
    }
}
impl<S: Scalar> Register for Plain<S, LANES> {
    type Of = S;

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn splat(x: S) -> Self {
        Self([x; LANES])
    }
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn load(x: &[S; LANES]) -> Self {
        Self(*x)
    }
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn constant(x: &[f64; LANES]) -> Self {
        Limbs::constant(x)
    }
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn store(self, x: &mut [S; LANES]) {
        *x = self.0;
    }
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn store_first(self, x: &mut [S]) {
        for (x, lane) in x.iter_mut().zip(self.0) {
            *x = lane;
        }
    }
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_lanes(self, to: *mut S, mask: u8) {
        for l in 0..LANES {
            if mask >> l & 1 == 1 {
                // SAFETY: the caller's promise.
                unsafe { to.wrapping_add(l).write(self.0[l]) };
            }
        }
    }
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn select(mut self, other: Self, mask: u8) -> Self {
        for l in 0..LANES {
            if mask >> l & 1 == 1 {
                self.0[l] = other.0[l];
            }
        }
        self
    }
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn shift<const N: usize>(self) -> Self {
        let mut shifted = [S::zero(); LANES];
        for l in N..LANES {
            shifted[l - N] = self.0[l];
        }
        Self(shifted)
    }
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn shift_up<const N: usize>(self) -> Self {
        let mut shifted = [S::zero(); LANES];
        for l in N..LANES {
            shifted[l] = self.0[l - N];
        }
        Self(shifted)
    }
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn broadcast(self, lane: usize) -> Self {
        Self([self.0[lane % LANES]; LANES])
    }
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = S::sin_cos_all(self.0);
        (Self(sin), Self(cos))
    }
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn columns(x: [&[S; 4]; LANES]) -> [Self; 3] {
        let mut columns = [Self([S::zero(); LANES]); 3];
        for l in 0..LANES {
            for k in 0..3 {
                columns[k].0[l] = x[l][k];
            }
        }
        columns
    }
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn transposed(x: [Self; 6]) -> [Self; LANES] {
        let mut columns = [Self([S::zero(); LANES]); LANES];
        for l in 0..LANES {
            for k in 0..6 {
                columns[l].0[k] = x[k].0[l];
            }
        }
        columns
    }
}

/// `Register` for `struct $name($pack)` of lanes `$float`, as registers of `$scalar`: the float
/// itself, or a newtype that is transparent around it.
macro_rules! pack_as_register {
    ($name:ident($pack:ty), $scalar:ident, $float:ident, $unwrap:expr) => {
        impl core::ops::Add for $name {
            type Output = Self;
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }
        impl core::ops::Sub for $name {
            type Output = Self;
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }
        impl core::ops::Mul for $name {
            type Output = Self;
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn mul(self, other: Self) -> Self {
                Self(self.0 * other.0)
            }
        }
        impl core::ops::Neg for $name {
            type Output = Self;
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn neg(self) -> Self {
                Self($crate::lanes::Pack::opposite(self.0))
            }
        }
        impl $crate::loops::Lane for $name {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn number(x: f64) -> Self {
                Self($crate::lanes::Pack::splat(x as $float))
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn mul_add(self, a: Self, b: Self) -> Self {
                Self($crate::lanes::Pack::mul_add(self.0, a.0, b.0))
            }
        }
        impl $crate::loops::Register for $name {
            type Of = $scalar;
            const IS_ONE: bool = <$pack as $crate::lanes::Eight>::IS_ONE;

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn splat(x: $scalar) -> Self {
                Self($crate::lanes::Pack::splat($unwrap(x)))
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn load(x: &[$scalar; 8]) -> Self {
                // SAFETY: the scalar is the float, or transparent around it.
                let x = unsafe { &*core::ptr::from_ref(x).cast::<[$float; 8]>() };
                Self($crate::lanes::Pack::from_array(*x))
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn constant(x: &[f64; 8]) -> Self {
                Self($crate::lanes::Eight::constant(x))
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn store(self, x: &mut [$scalar; 8]) {
                // SAFETY: as in `load`.
                let x = unsafe { &mut *core::ptr::from_mut(x).cast::<[$float; 8]>() };
                *x = $crate::lanes::Pack::to_array(self.0);
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn store_first(self, x: &mut [$scalar]) {
                // SAFETY: as in `load`; the length is kept.
                let x = unsafe { core::slice::from_raw_parts_mut(x.as_mut_ptr().cast::<$float>(), x.len()) };
                $crate::lanes::Eight::store_first(self.0, x);
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn store_lanes(self, to: *mut $scalar, mask: u8) {
                // SAFETY: the caller's promise; the scalar is the float, or transparent around it.
                unsafe { $crate::lanes::Eight::store_lanes(self.0, to.cast::<$float>(), mask) }
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn select(self, other: Self, mask: u8) -> Self {
                Self($crate::lanes::Eight::select(self.0, other.0, mask))
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn shift<const N: usize>(self) -> Self {
                Self($crate::lanes::Eight::shift::<N>(self.0))
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn shift_up<const N: usize>(self) -> Self {
                Self($crate::lanes::Eight::shift_up::<N>(self.0))
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn broadcast(self, lane: usize) -> Self {
                Self($crate::lanes::Eight::broadcast(self.0, lane))
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn sin_cos(self) -> (Self, Self) {
                let (sin, cos) = $crate::sincos::of_pack(self.0);
                (Self(sin), Self(cos))
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn columns(x: [&[$scalar; 4]; 8]) -> [Self; 3] {
                // SAFETY: as in `load`; references all have the same layout.
                let x = unsafe { core::mem::transmute::<[&[$scalar; 4]; 8], [&[$float; 4]; 8]>(x) };
                let [a, b, c] = $crate::lanes::Eight::columns(x);
                [Self(a), Self(b), Self(c)]
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn transposed(x: [Self; 6]) -> [Self; 8] {
                let [a, b, c, d, e, f, g, h] =
                    $crate::lanes::Eight::transposed([x[0].0, x[1].0, x[2].0, x[3].0, x[4].0, x[5].0]);
                [Self(a), Self(b), Self(c), Self(d), Self(e), Self(f), Self(g), Self(h)]
            }
        }
    };
}
pub(crate) use pack_as_register;
