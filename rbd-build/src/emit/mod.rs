//! Writing programs as text, one file a target.

mod angles;
mod interface;
mod kernel;
mod manifold;
mod tables;

pub use interface::{FunctionText, Module, Naming, module};
