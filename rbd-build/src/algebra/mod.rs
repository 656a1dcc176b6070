//! Symbolic spatial algebra, in which the papers' formulas are written.
//!
//! Motions are `[linear; angular]`, forces `[force; moment]`. Operations are written in full. The
//! graph folds structural zeros and ones as they are applied.

mod articulated;
mod coriolis;
mod inertia;
mod matrix;
mod motion;
mod placement;
mod transform;

pub use articulated::ArticulatedInertia;
pub use coriolis::Coriolis;
pub use inertia::SpatialInertia;
pub use matrix::{Components, Mat3, Sym3, Vec3};
pub use motion::{Force, Motion};
pub use placement::Placement;
pub use transform::{Step, Transform};

#[cfg(test)]
mod tests;
