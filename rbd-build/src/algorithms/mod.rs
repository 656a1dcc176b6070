//! Algorithms, written once, symbolically, one file each.

pub mod aba;
pub mod aba_derivatives;
mod array;
pub mod crba;
pub mod dense;
pub mod factors;
pub mod joints;
mod lanes;
pub mod packed;
mod path;
pub mod rnea;
pub mod rnea_derivatives;
mod root_columns;

pub use array::Array;
