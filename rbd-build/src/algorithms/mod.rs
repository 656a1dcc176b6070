//! Algorithms, written once, symbolically, one file each.
//!
//! The `trace` of each is what the table of [`functions`](crate::functions) calls: it takes the inputs that it needs from
//! a [`Draft`] and gives it the results. Below it an algorithm knows nothing of who asks.

pub mod aba;
pub mod aba_derivatives;
mod array;
pub mod center_of_mass;
pub mod centroidal;
pub mod centroidal_derivatives;
pub mod columns;
pub mod coriolis_matrix;
pub mod crba;
pub mod dense;
pub mod draft;
pub mod energy;
pub mod factors;
pub mod frame_derivatives;
pub mod frames;
mod frames_of_bodies;
pub mod joints;
mod lanes;
pub mod loops;
pub mod packed;
pub mod parameter_derivatives;
mod path;
pub mod placements;
pub mod regressor;
pub mod rnea;
pub mod rnea_derivatives;
mod root_columns;
pub mod run_time;

pub use array::Array;
pub use draft::Draft;

#[cfg(test)]
mod tests;
