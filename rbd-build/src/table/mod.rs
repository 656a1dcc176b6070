//! The table of functions: what each takes, gives and means, and how it is computed.
//!
//! - `functions` are the rows, `family` the traits that have them.
//! - `signatures` beside it has their arguments and results.
//! - `contact_rows` are the rows of kernels that all contacts share.
//! - `frames` are the variants of functions of frames.
//! - `routines` are the rows of what the runtime computes in loops.

pub mod contact_rows;
pub(crate) mod family;
mod frames;
pub mod functions;
pub mod routines;
