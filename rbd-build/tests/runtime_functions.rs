//! The runtime's results and traits match the table of functions.

use std::path::Path;

/// `rbd-runtime/src/functions.rs` matches the table; `cargo xtask bless` writes it again.
#[test]
fn the_runtime_has_the_tables_functions() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rbd-runtime/src/functions.rs");
    let text = rbd_build::emit::runtime_text();
    if std::env::var_os("RBD_BLESS").is_some() {
        std::fs::write(&path, &text).expect("can be written");
    }
    let there = std::fs::read_to_string(&path).expect("is there");
    assert!(there == text, "run `cargo xtask bless`");
}
