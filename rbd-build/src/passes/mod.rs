//! From a graph to the statements of a program.

mod chain;
mod factor;
mod fuse;
mod rebuild;

pub use chain::chain;
pub use factor::factor;
pub use fuse::{Operation, Program, Statement};

#[cfg(test)]
mod tests;
