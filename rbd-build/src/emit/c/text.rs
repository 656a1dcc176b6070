//! Text of C that is the same for every robot: macros, sines and cosines, block products. `c_family::text` says which words in
//! it stand for what.

use crate::emit::c_family::sines::one_sine;
use crate::emit::c_family::spelling::Real;

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
