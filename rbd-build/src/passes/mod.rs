//! From a graph to the statements of a program.

mod factor;
mod fuse;

pub use factor::factor;
pub use fuse::{Operation, Program, Statement};

#[cfg(test)]
mod tests;
