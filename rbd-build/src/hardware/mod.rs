//! Functions in fixed point and as hardware.
//!
//! From a [`Plan`](crate::plan::Plan) to a circuit: [`straight`] writes it as one list of operations, [`range`] tells how
//! many bits these need, [`precision`] what these lose, and [`formats`] where the points are; [`integers`] are operations on
//! integers, [`micro`] what units do; [`schedule`] says when, and [`bind`] by which unit; [`pipeline`] gives each operation a
//! unit of its own. [`emit::verilog`](crate::emit) spells the result.
//!
//! Sums of integers that wrap may be taken in any order: so they are reordered here as suits the units, and still every
//! bit is that of [`rbd_runtime::Fixed`].

pub mod bind;
pub mod formats;
pub mod integers;
mod lower;
pub mod micro;
pub mod pipeline;
pub mod precision;
pub mod range;
pub mod schedule;
pub mod straight;
mod work;

use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A format of fixed-point numbers: that of [`rbd_runtime::Fixed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Bits of a number, the sign included.
    pub bits: u32,
    /// Bits of them behind the point.
    pub frac: u32,
}

impl Format {
    /// 16 bits before the point, the sign among them, and 16 behind it: what Plancher et al. 2021 use.
    pub const Q16_16: Self = Self { bits: 32, frac: 16 };

    /// The nearest integer, in steps of this format; saturates. As `Fixed::from_f64`.
    pub fn integer(self, x: f64) -> i32 {
        let most = ((1_i64 << (self.bits - 1)) - 1) as f64;
        (x * (1_u64 << self.frac) as f64 + 0.5).floor().clamp(-most - 1.0, most) as i32
    }

    /// One unit in the last place.
    pub fn step(self) -> f64 {
        1.0 / (1_u64 << self.frac) as f64
    }
}

impl fmt::Display for Format {
    /// Such as `Q16.16`: bits before and behind the point.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Q{}.{}", self.bits - self.frac, self.frac)
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.trim().strip_prefix(['Q', 'q']).and_then(|rest| rest.split_once('.'));
        let parts = parts.and_then(|(a, b)| Some((a.parse::<u32>().ok()?, b.parse::<u32>().ok()?)));
        match parts {
            Some((whole @ 2..=31, frac @ 1..=30)) if (8..=32).contains(&(whole + frac)) => {
                Ok(Self { bits: whole + frac, frac })
            }
            _ => Err(format!(
                "`{text}` is no format: write bits before the point, the sign among them, and bits behind it, as in \
                 Q16.16; 8 to 32 in all, at least 2 before and 1 behind"
            )),
        }
    }
}

/// Where sines and cosines are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Angles {
    /// In the circuit.
    Inside,
    /// By whoever gives the state.
    Given,
}

/// Why there is no circuit of a function.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Refusal {
    /// A sine that is to be an input is not one of a coordinate.
    #[error(
        "a joint's angle is no coordinate of its own (it follows another, or has an offset); take `--angles inside`"
    )]
    AngleIsNoCoordinate,
    /// It takes roots, as joint friction does.
    #[error(
        "it takes roots, as joint friction does, and circuits have no unit for these; leave friction out"
    )]
    TakesRoots,
    /// It has too many operations to be worth a circuit.
    #[error("it has {0} operations; a circuit is written of at most {1}")]
    TooLarge(usize, usize),
    /// Its values do not fit the format.
    #[error(
        "its values reach {largest:.3e}, which takes {needed} bits in all with {} behind the point, and {format} has {}; \
         give each value a format of its own (`--formats each`), or see `rbd report --format`",
        .format.frac,
        .format.bits
    )]
    DoesNotFit {
        /// The largest value that was found.
        largest: f64,
        /// Bits that it takes.
        needed: i32,
        /// The format that was asked for.
        format: Format,
    },
}
