//! Algorithms, written once, symbolically, one file each.
//!
//! The table of [`functions`](crate::table::functions) calls each algorithm's `trace`. It takes its inputs
//! from a [`Draft`] and stores the results there. The algorithm itself does not depend on its
//! caller.

pub mod aba;
pub mod aba_derivatives;
mod ancestors;
pub mod center_of_mass;
pub mod centroidal;
pub mod centroidal_derivatives;
pub mod constrained_bodies;
pub mod contact_factors;
pub mod contact_propagators;
pub mod contact_rows;
pub mod coriolis_matrix;
pub mod crba;
pub mod draft;
pub mod energy;
mod expr_matrix;
pub mod frame_derivatives;
pub mod frames;
mod frames_of_bodies;
pub mod mass_matrix;
mod one_frame;
pub mod parameter_derivatives;
pub mod placements;
pub mod regressor;
mod resistance;
pub mod rnea;
pub mod rnea_derivatives;
pub mod rnea_hessian;
pub mod rnea_second_derivatives;
pub mod robot;
mod root_columns;
mod rows_by_factors;
pub mod run_time;
mod second_frames;
mod simd_transfer;
pub mod strategy;

pub use draft::Draft;
pub use expr_matrix::ExprMatrix;

#[cfg(test)]
mod tests;
