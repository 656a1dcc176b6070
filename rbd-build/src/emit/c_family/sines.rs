//! Sine and cosine of one angle, in C: `ROBOT_sin_cos_one(q, s, c)`.

use super::spelling::Real;

/// Text of `ROBOT_sin_cos_one`.
pub fn one_sine(real: Real) -> String {
    let numbers = match real {
        Real::F64 => include_str!("text/sines_f64.c"),
        Real::F32 => include_str!("text/sines_f32.c"),
    };
    format!("{numbers}{}", include_str!("text/sines_one.c"))
}
