//! Arguments and results of functions: the vocabulary of the algorithms, the table and the targets.
//!
//! - `signature` has parameters, results and their sizes, and those of the dynamics.
//! - `quantities` are the results of kinematics, energies and regressors, `second_order` those of second
//!   derivatives, `contact_rows` those of all contacts together.
//! - `frames` are frames and contacts as functions are generated for them.

pub(crate) mod contact_rows;
pub mod frames;
pub mod quantities;
pub mod second_order;
pub mod signature;
