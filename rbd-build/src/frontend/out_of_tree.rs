//! Announcing files that a build reads from outside of its crate.

use std::path::Path;

/// Message for the user if the file's true place is outside of the crate that cargo compiles
/// (`CARGO_MANIFEST_DIR`).
///
/// `None` if cargo does not name the crate, or if the file does not exist. Such files are allowed:
/// robots often lie next to the crates that use them. But a foreign crate that reads outside of
/// itself should be seen to do so.
pub fn outside_crate(file: &Path) -> Option<String> {
    let root = std::env::var_os("CARGO_MANIFEST_DIR")?;
    announcement(file, Path::new(&root))
}

fn announcement(file: &Path, root: &Path) -> Option<String> {
    // True places, so that neither `..` nor a symbolic link hides anything.
    let (file, root) = (file.canonicalize().ok()?, root.canonicalize().ok()?);
    let outside = !file.starts_with(&root);
    outside.then(|| format!("reads {file:?}, which is outside of the crate in {root:?}"))
}

#[cfg(test)]
mod tests {
    use super::announcement;
    use std::path::Path;

    #[test]
    fn true_places_count() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let inside = root.join("tests/good/arm.urdf");
        assert_eq!(announcement(&inside, root), None);
        assert_eq!(announcement(&root.join("src/../tests/good/arm.urdf"), root), None);
        assert_eq!(announcement(&root.join("nothing.urdf"), root), None);
        let said = announcement(&inside, &root.join("src")).unwrap();
        assert!(said.contains("arm.urdf") && said.contains("outside of the crate"), "{said}");
        // A folder whose name only starts with the same letters is another folder.
        assert!(announcement(&inside, &root.join("tests/go")).is_none(), "no such folder");
        assert!(announcement(&root.join("tests/../Cargo.toml"), &root.join("tests")).is_some());
    }

    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_is_followed() {
        let folder = std::env::temp_dir().join(format!("rbd-outside-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let link = folder.join("arm.urdf");
        let _ = std::fs::remove_file(&link);
        let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good/arm.urdf");
        std::os::unix::fs::symlink(target, &link).unwrap();
        let said = announcement(&link, &folder);
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(said.is_some());
    }
}
