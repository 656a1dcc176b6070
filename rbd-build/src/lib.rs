//! Reads a URDF and writes Rust specialised for that one robot.

pub mod findings;
pub mod options;
pub mod urdf;
