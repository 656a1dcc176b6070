//! Text that is the same for every robot: macros, sines and cosines, block products.
//!
//! `ROBOT` stands for the robot's prefix, `REAL` for the type of numbers, `WHOLE` for that of whole ones, `SIZE` for the
//! degrees of freedom, `LIBM` for the end of the names of the library's functions.

use super::spell::Real;

/// The text for a robot.
pub fn of(text: &str, prefix: &str, real: Real, nv: usize) -> String {
    let suffix = match real {
        Real::F64 => "",
        Real::F32 => "f",
    };
    let text = text.replace("REAL", real.name()).replace("SIZE", &nv.max(1).to_string());
    // An `int` may have 16 bits.
    let text = text.replace("WHOLE", "long");
    // The prefix last: it may have any of these words in it.
    text.replace("LIBM", suffix).replace("ROBOT", prefix)
}

/// What may be set from outside.
pub fn macros(real: Real) -> &'static str {
    match real {
        Real::F64 => include_str!("text/macros_f64.c"),
        Real::F32 => include_str!("text/macros_f32.c"),
    }
}

/// Sines and cosines: `ROBOT_sin_cos(n, q, s, c)`.
pub fn sines(real: Real) -> String {
    format!("{}{}", one_sine(real), include_str!("text/sines.c"))
}

/// Those of one angle: `ROBOT_sin_cos_one(q, s, c)`.
pub fn one_sine(real: Real) -> String {
    let numbers = match real {
        Real::F64 => include_str!("text/sines_f64.c"),
        Real::F32 => include_str!("text/sines_f32.c"),
    };
    format!("{numbers}{}", include_str!("text/sines_one.c"))
}

/// `RBD_HYPOT(a, b)`.
pub const HYPOT: &str = include_str!("text/hypot.c");
/// Sums of a block product, which both kinds need.
pub const ROWS: &str = include_str!("text/rows.c");
/// `-a x`.
pub const NEGATIVE: &str = include_str!("text/negative.c");
/// `g d g^T`.
pub const GRAM: &str = include_str!("text/gram.c");
/// Second derivatives of forward dynamics from first ones and the Hessian of weighted torques.
pub const FORWARD_HESSIAN: &str = include_str!("text/forward_hessian.c");
