//! Formats of fixed-point numbers.

use std::fmt;
use std::str::FromStr;

/// A format of fixed-point numbers, as in [`rbd_runtime::Fixed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Bits of a number, the sign included.
    pub bits: u32,
    /// Bits behind the point.
    pub frac: u32,
}

impl Format {
    /// 16 bits before the point, sign included, and 16 behind it, as in Plancher et al. 2021.
    pub const Q16_16: Self = Self { bits: 32, frac: 16 };

    /// Nearest integer in steps of the format. Saturates, as `Fixed::from_f64` does.
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
    /// Bits before and behind the point, such as `Q16.16`.
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
