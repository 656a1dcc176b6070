//! From a graph to the statements of a program.

mod fuse;

pub use fuse::{Operation, Program, Statement};
