//! Symbolic spatial algebra: what the papers' formulas are written with.
//!
//! Motions are `[linear; angular]`, forces `[force; moment]`. Every operation is written in full;
//! what is structurally zero or one vanishes in the graph as it is applied.

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
