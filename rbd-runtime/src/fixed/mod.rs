//! Fixed-point numbers, for hardware and for processors without floating point.
//!
//! [`Fixed<16>`](Fixed) has 32 bits, 16 of them behind the point (Q16.16): steps of 1.5e-5, numbers
//! from -32768 to 32768. `Fixed<10, 18>` has 18 bits in all, what one multiplier of an FPGA takes.
//!
//! # What is exact and what is rounded
//! - Sums and differences are exact, and **wrap** where they leave the range, as adders in hardware
//!   do. A sum of several terms is therefore right whenever its value is in range, in any order and
//!   for any intermediate values.
//! - A product is rounded once to the nearest step, ties upwards (`floor(a b + 1/2)` in steps), and
//!   wraps.
//! - A quotient is rounded to the nearest step, ties away from zero, and **saturates**; so does
//!   `x / 0`, by the sign of x.
//! - A conversion from `f64` ([`Scalar::from_f64`]) rounds to the nearest step and saturates. NaN
//!   becomes 0.
//!
//! # Errors of functions
//! Errors in steps (units in the last place), for angles within 100 rad. Found by trying every
//! angle from -7 to 7 rad in Q16.16 and Q10.8, and others in steps of a prime
//! (`rbd-runtime/src/fixed/tests.rs`):
//!
//! | | at most |
//! |---|---|
//! | sine, cosine, 32 bits with up to 16 behind the point | 0.56 |
//! | with up to 24 | 0.75 |
//! | Q8.10 in 18 bits, Q9.18 in 27 bits | 0.80 |
//! | `sqrt`, `atan2` | 0.51 |
//!
//! A sine consists of integer products and sums only (see [`sine`]), so hardware can compute it bit
//! for bit.
//!
//! Overflow is not checked. `rbd report --format Q16.16` tells in advance whether a robot's numbers
//! stay in range.

mod angle;
#[cfg(test)]
mod tests;

pub use angle::{SineSteps, fold, sine};

use crate::Scalar;
use core::cmp::Ordering;
use core::fmt;
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use num_traits::{One, Zero};

/// A number of `BITS` bits, the sign included, `FRAC` of them behind the point.
///
/// ```
/// use rbd_runtime::{Fixed, Scalar};
///
/// let x = Fixed::<16>::from_f64(0.75);
/// assert_eq!((x * x).to_f64(), 0.5625);
/// assert_eq!(x.to_bits(), 49152);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Fixed<const FRAC: u32, const BITS: u32 = 32>(i32);

/// Integer of `bits` bits, with sign, that equals `x` in its last bits.
#[inline(always)]
#[must_use]
pub const fn wrap(x: i64, bits: u32) -> i32 {
    let beyond = 64 - bits;
    ((x << beyond) >> beyond) as i32
}

/// The product `a b / 2^shift`, rounded to nearest, ties upwards, wrapped to `bits` bits. `shift`
/// is at least 1.
#[inline(always)]
#[must_use]
pub const fn product(a: i32, b: i32, shift: u32, bits: u32) -> i32 {
    // Two 32-bit factors and half a step do not leave 64 bits: the product is at most 2^62.
    let exact = a as i64 * b as i64;
    wrap((exact + (1 << (shift - 1))) >> shift, bits)
}

impl<const FRAC: u32, const BITS: u32> Fixed<FRAC, BITS> {
    /// The least number.
    pub const MIN: Self = Self(((-1_i64) << (BITS - 1)) as i32);
    /// The largest number.
    pub const MAX: Self = Self(((1_i64 << (BITS - 1)) - 1) as i32);
    const IS_A_FORMAT: () = assert!(
        8 <= BITS && BITS <= 32 && 1 <= FRAC && FRAC <= BITS - 2,
        "a format has 8 to 32 bits, at least one of them behind the point and two before it"
    );

    /// The number that equals `steps` steps. Bits beyond `BITS` are cut off.
    #[inline]
    #[must_use]
    pub const fn from_bits(steps: i32) -> Self {
        let () = Self::IS_A_FORMAT;
        Self(wrap(steps as i64, BITS))
    }

    /// Bits of the number, as a count of steps.
    #[inline]
    #[must_use]
    pub const fn to_bits(self) -> i32 {
        self.0
    }

    /// The number as `f64`, exactly.
    #[inline]
    #[must_use]
    pub fn to_f64(self) -> f64 {
        f64::from(self.0) / (1_u64 << FRAC) as f64
    }

    /// Narrows twice as many bits, saturating.
    const fn saturated(x: i64) -> Self {
        let (least, most) = (Self::MIN.0 as i64, Self::MAX.0 as i64);
        Self(if x < least {
            least
        } else if x > most {
            most
        } else {
            x
        } as i32)
    }
}

impl<const FRAC: u32, const BITS: u32> fmt::Debug for Fixed<FRAC, BITS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_f64(), f)
    }
}

impl<const FRAC: u32, const BITS: u32> fmt::Display for Fixed<FRAC, BITS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.to_f64(), f)
    }
}

impl<const FRAC: u32, const BITS: u32> Add for Fixed<FRAC, BITS> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(wrap(i64::from(self.0) + i64::from(other.0), BITS))
    }
}

impl<const FRAC: u32, const BITS: u32> Sub for Fixed<FRAC, BITS> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(wrap(i64::from(self.0) - i64::from(other.0), BITS))
    }
}

impl<const FRAC: u32, const BITS: u32> Neg for Fixed<FRAC, BITS> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(wrap(-i64::from(self.0), BITS))
    }
}

impl<const FRAC: u32, const BITS: u32> Mul for Fixed<FRAC, BITS> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let () = Self::IS_A_FORMAT;
        Self(product(self.0, other.0, FRAC, BITS))
    }
}

impl<const FRAC: u32, const BITS: u32> Div for Fixed<FRAC, BITS> {
    type Output = Self;
    #[inline]
    fn div(self, other: Self) -> Self {
        let (above, below) = (i64::from(self.0) << FRAC, i64::from(other.0));
        if below == 0 {
            return match self.0.cmp(&0) {
                Ordering::Less => Self::MIN,
                Ordering::Equal => Self(0),
                Ordering::Greater => Self::MAX,
            };
        }
        // Adds half of the divisor and divides towards zero; the terms are at most 2^61 and 2^30.
        let half = below.abs() / 2;
        Self::saturated((above + if above < 0 { -half } else { half }) / below)
    }
}

macro_rules! assigning {
    ($($trait:ident $method:ident $operator:tt),*) => {$(
        impl<const FRAC: u32, const BITS: u32> $trait for Fixed<FRAC, BITS> {
            #[inline(always)]
            fn $method(&mut self, other: Self) {
                *self = *self $operator other;
            }
        }
    )*};
}
assigning!(AddAssign add_assign +, SubAssign sub_assign -, MulAssign mul_assign *, DivAssign div_assign /);

impl<const FRAC: u32, const BITS: u32> Zero for Fixed<FRAC, BITS> {
    #[inline]
    fn zero() -> Self {
        Self(0)
    }
    #[inline]
    fn is_zero(&self) -> bool {
        self.0 == 0
    }
}

impl<const FRAC: u32, const BITS: u32> One for Fixed<FRAC, BITS> {
    #[inline]
    fn one() -> Self {
        let () = Self::IS_A_FORMAT;
        Self(1 << FRAC)
    }
}

// Without this, the type that the compiler proposes where one is missing depends on the crate's
// features.
#[diagnostic::do_not_recommend]
impl<const FRAC: u32, const BITS: u32> Scalar for Fixed<FRAC, BITS> {
    #[inline]
    fn from_f64(x: f64) -> Self {
        let () = Self::IS_A_FORMAT;
        // Exact until it is rounded; the conversion saturates, and makes 0 of NaN.
        Self::saturated(num_traits::Float::floor(x * (1_u64 << FRAC) as f64 + 0.5) as i64)
    }

    /// The product is rounded before the sum.
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        self * a + b
    }

    #[inline]
    fn sin_cos(self) -> (Self, Self) {
        let () = Self::IS_A_FORMAT;
        let (sin, cos) = angle::sin_cos(self.0, FRAC, BITS);
        (Self(sin), Self(cos))
    }

    /// Square root; 0 for a negative number.
    #[inline]
    fn sqrt(self) -> Self {
        let square = (self.0.max(0) as u64) << FRAC;
        let root = square.isqrt();
        // The nearest: root + 1/2 squared is root^2 + root and a quarter.
        let above = square - root * root > root;
        Self::saturated((root + u64::from(above)) as i64)
    }

    #[inline]
    fn atan2(self, x: Self) -> Self {
        Self::saturated(angle::atan2(self.0, x.0, FRAC))
    }

    #[inline]
    fn select_lt(self, limit: f64, below: Self, otherwise: Self) -> Self {
        if self.to_f64() < limit { below } else { otherwise }
    }
}
