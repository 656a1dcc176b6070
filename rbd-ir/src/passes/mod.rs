//! From a graph to a kernel.
//!
//! [`Ir::simplified`] is the list of passes from a graph to a graph. [`schedule`] puts the result
//! in order and fuses products with sums.

mod chain;
mod factor;
mod fuse;
mod ir;
mod rebuild;
mod schedule;

pub use chain::chain;
pub use factor::factor;
pub use fuse::{Operation, Statement, fuse};
pub use ir::Ir;
pub use schedule::schedule;

#[cfg(test)]
mod tests;
