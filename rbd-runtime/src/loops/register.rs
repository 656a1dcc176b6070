//! Eight numbers that go through the same operation: eight degrees of freedom of one robot in one state.

use super::LANES;
use crate::Scalar;
use core::ops::{Add, Mul, Neg, Sub};

/// Eight `T`. One register of AVX-512 for `f64`, two of AVX2, four of SSE2 or NEON; an array, for scalars without
/// registers.
///
/// Everything is `#[inline(always)]` and written without closures, which would not be allowed the instructions of the
/// kernel that this ends up in.
pub trait Register<T>:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// The same number in every lane.
    fn splat(x: T) -> Self;
    /// Lane l is `x[l]`.
    fn load(x: &[T; LANES]) -> Self;
    /// Lane l is the constant `x[l]`.
    fn constant(x: &[f64; LANES]) -> Self;
    /// `x[l]` becomes lane l.
    fn store(self, x: &mut [T; LANES]);
    /// The first lanes, as many as `x` has room for.
    fn store_first(self, x: &mut [T]);
    /// `self * a + b`, fused as the scalar's own.
    #[must_use]
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// Lanes in `mask` (bit l is lane l) from `other`, the rest from `self`.
    #[must_use]
    fn select(self, other: Self, mask: u8) -> Self;
    /// Lane l takes lane `l + N`; the last `N` are zero. `N` is 1, 2 or 4.
    #[must_use]
    fn shift<const N: usize>(self) -> Self;
    /// Lane `lane` (below [`LANES`]) in every lane.
    #[must_use]
    fn broadcast(self, lane: usize) -> Self;
    /// Sine and cosine of every lane, an angle in radians.
    fn sin_cos(self) -> (Self, Self);
    /// Component k of eight vectors of three, each in the first three of four numbers: eight rows to three registers.
    fn columns(x: [&[T; 4]; LANES]) -> [Self; 3];

    /// Lanes in `mask`, the rest zero.
    #[inline(always)]
    #[must_use]
    fn keep(self, mask: u8) -> Self
    where
        T: Scalar,
    {
        Self::splat(T::zero()).select(self, mask)
    }
}
