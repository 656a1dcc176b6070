//! Tests of `rbd-verilog`, as a package of its own: Cargo optimises packages as a whole. The generator of
//! circuits is optimised, and its tests are not.

use std::path::{Path, PathBuf};

/// The repository's folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
