//! The table of functions: what each takes, gives and means, and how it is computed.
//!
//! - `functions` are the rows, `family` the traits that have them.
//! - `signature`, `quantities` and `second_order` are their arguments and results.
//! - `contact_rows` are the rows of kernels that all contacts share.
//! - `frames` are the frames that a function is generated for.
//! - `routines` are the rows of what the runtime computes in loops.

pub(crate) mod contact_rows;
pub(crate) mod family;
pub mod frames;
pub mod functions;
pub mod quantities;
pub mod routines;
pub mod second_order;
pub mod signature;
