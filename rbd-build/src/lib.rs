//! Reads a URDF and writes Rust specialised for that one robot.
