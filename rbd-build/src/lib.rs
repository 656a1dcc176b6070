//! Reads a URDF and writes Rust specialised for that one robot.
//!
//! Three representations, each with one owner: a validated [`Model`](rbd_runtime::Model) (physics),
//! an expression [`graph`] (pure arithmetic, knows no robots), and Rust tokens (know neither).

pub mod algebra;
pub mod algorithms;
pub mod findings;
pub mod function;
pub mod graph;
pub mod options;
pub mod passes;
pub mod tree;
pub mod urdf;
