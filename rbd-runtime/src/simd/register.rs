//! Eight numbers that undergo the same operation: eight degrees of freedom of one robot in one
//! state.

#![allow(
    clippy::needless_range_loop,
    clippy::manual_memcpy,
    reason = "components by their number; iterators and closures would not be allowed the instructions of a kernel"
)]

use super::Lane;
use crate::Scalar;
use crate::limbs::{Limbs, Plain};
use num_traits::Zero;

/// Lanes of a register: for every scalar and processor, so that tables do not depend on them.
pub const LANES: usize = 8;

/// Eight numbers. One register of AVX-512 for `f64`, two of AVX2, four of SSE2 or NEON; an array, for
/// scalars without registers.
///
/// Operations are `#[inline(always)]` and contain no closures: a closure would not be allowed the
/// kernel's instructions. The default methods go through arrays and leave the instructions to the compiler.
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
    /// Sine and cosine of every lane, an angle in radians.
    fn sin_cos(self) -> (Self, Self);

    /// The numbers, lane by lane.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn lanes(self) -> [Self::Of; LANES] {
        let mut lanes = [Self::Of::zero(); LANES];
        self.store(&mut lanes);
        lanes
    }

    /// Stores the first lanes, as many as `x` has room for.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn store_first(self, x: &mut [Self::Of]) {
        for (x, lane) in x.iter_mut().zip(self.lanes()) {
            *x = lane;
        }
    }

    /// Stores lane l at `to + l`, for the lanes in `mask` (bit l is lane l).
    ///
    /// # Safety
    /// For each lane l in `mask`, `to + l` is within the array that `to` points into or next to,
    /// and may be written.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_lanes(self, to: *mut Self::Of, mask: u8) {
        let x = self.lanes();
        for l in 0..LANES {
            if mask >> l & 1 == 1 {
                // SAFETY: the caller's promise.
                unsafe { to.wrapping_add(l).write(x[l]) };
            }
        }
    }

    /// Lanes in `mask` (bit l is lane l) from `other`, the rest from `self`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    fn select(self, other: Self, mask: u8) -> Self {
        let (mut x, other) = (self.lanes(), other.lanes());
        for l in 0..LANES {
            x[l] = if mask >> l & 1 == 1 { other[l] } else { x[l] };
        }
        Self::load(&x)
    }

    /// Lanes in `mask`, the rest zero.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    fn keep(self, mask: u8) -> Self {
        Self::splat(Self::Of::zero()).select(self, mask)
    }

    /// Lane l takes lane `l + N`; the last `N` are zero. `N` is 1, 2 or 4.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    fn shift<const N: usize>(self) -> Self {
        let (x, mut shifted) = (self.lanes(), [Self::Of::zero(); LANES]);
        for l in N..LANES {
            shifted[l - N] = x[l];
        }
        Self::load(&shifted)
    }

    /// Lane l takes lane `l - N`; the first `N` are zero. `N` is 1, 2 or 4.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    fn shift_up<const N: usize>(self) -> Self {
        let (x, mut shifted) = (self.lanes(), [Self::Of::zero(); LANES]);
        for l in N..LANES {
            shifted[l] = x[l - N];
        }
        Self::load(&shifted)
    }

    /// Lane `lane` (below [`LANES`]) in every lane.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    fn broadcast(self, lane: usize) -> Self {
        Self::splat(self.lanes()[lane % LANES])
    }

    /// Component k of eight vectors of three, each in the first three of four numbers: eight rows
    /// to three registers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn columns(x: [&[Self::Of; 4]; LANES]) -> [Self; 3] {
        let mut columns = [[Self::Of::zero(); LANES]; 3];
        for l in 0..LANES {
            for k in 0..3 {
                columns[k][l] = x[l][k];
            }
        }
        [Self::load(&columns[0]), Self::load(&columns[1]), Self::load(&columns[2])]
    }

    /// Six rows of eight as eight columns, in the first six lanes of each; the others are any
    /// numbers of `x`, or zero.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn transposed(x: [Self; 6]) -> [Self; LANES] {
        let mut columns = [[Self::Of::zero(); LANES]; LANES];
        for k in 0..6 {
            let row = x[k].lanes();
            for l in 0..LANES {
                columns[l][k] = row[l];
            }
        }
        let mut out = [x[0]; LANES];
        for l in 0..LANES {
            out[l] = Self::load(&columns[l]);
        }
        out
    }

    /// Eight rows of eight as eight columns.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn transposed_square(x: [Self; LANES]) -> [Self; LANES] {
        let mut columns = [[Self::Of::zero(); LANES]; LANES];
        for k in 0..LANES {
            let row = x[k].lanes();
            for l in 0..LANES {
                columns[l][k] = row[l];
            }
        }
        let mut out = x;
        for l in 0..LANES {
            out[l] = Self::load(&columns[l]);
        }
        out
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
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = S::sin_cos_all(self.0);
        (Self(sin), Self(cos))
    }
}
