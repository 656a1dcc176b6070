//! Spatial algebra of loops: vectors of three and six components, inertias and Coriolis operators.
//!
//! Components are numbers or registers. Operations are functions on arrays: closures and iterators do not
//! inherit a kernel's target features.

mod operators;
mod vectors;

pub use operators::*;
pub use vectors::*;
