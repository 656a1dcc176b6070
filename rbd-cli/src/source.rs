//! Source of rbd for crates that are written.

use crate::output::Error;
use std::path::{Path, PathBuf};

/// Folder of rbd's source: the given one, or the one that the command was built from. `None` stands
/// for a version from the registry.
pub fn folder(given: Option<&Path>) -> Result<Option<PathBuf>, Error> {
    let built_from = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let is_rbd = |folder: &Path| {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        manifest.lines().any(|line| line.trim() == "name = \"rbd\"")
    };
    let source = match given {
        Some(folder) if !is_rbd(folder) => {
            return Err(Error::Request(format!("{} is not the source of rbd", folder.display())));
        }
        Some(folder) => folder,
        None if is_rbd(&built_from) => &built_from,
        None => return Ok(None),
    };
    let source = source.canonicalize().map_err(|e| Error::Request(format!("{}: {e}", source.display())))?;
    Ok(Some(source))
}
