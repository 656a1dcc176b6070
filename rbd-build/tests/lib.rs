//! Tests of `rbd-build`, as a package of its own: Cargo optimises packages as a whole. The generator is
//! optimised, and its tests are compiled in a fifth of the time without.

use std::path::{Path, PathBuf};

/// The repository's folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
