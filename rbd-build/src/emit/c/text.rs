//! Text in C common to all robots: macros, sines and cosines, block products.
//!
//! `c_family::text` lists the placeholders.

use crate::emit::c_family::sines::one_sine;
use crate::emit::c_family::spelling::Real;

/// Macros that users may define.
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

/// Macro `RBD_HYPOT(a, b)`.
pub const HYPOT: &str = include_str!("text/hypot.c");
/// Sums of a block product, for both kinds of product.
pub const ROWS: &str = include_str!("text/rows.c");
/// Product `-a x`.
pub const NEGATIVE: &str = include_str!("text/negative.c");
/// Product `g d g^T`.
pub const GRAM: &str = include_str!("text/gram.c");
/// Hessian of forward dynamics from first derivatives and the Hessian of weighted torques.
pub const FORWARD_HESSIAN: &str = include_str!("text/forward_hessian.c");
/// Checks of forms that leave structural zeros alone.
pub const ZEROS: &str = include_str!("text/zeros.c");
