//! The runtime's results and traits match the tables of functions.

use std::path::Path;

/// Generated files of `rbd-runtime/src` match the tables; `cargo xtask bless` writes them again.
#[test]
fn the_runtime_has_the_tables_functions() {
    for (path, text) in rbd_build::emit::runtime_files() {
        let at = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rbd-runtime/src").join(path);
        if std::env::var_os("RBD_BLESS").is_some() {
            std::fs::write(&at, &text).expect("can be written");
        }
        let there = std::fs::read_to_string(&at).expect("is there");
        assert!(there == text, "{path}: run `cargo xtask bless`");
    }
}
