//! Recorded files of the generator's output. `cargo xtask bless` writes them again.

use std::path::{Path, PathBuf};

/// The repository's root: this is a test of the crate `tests/robots`.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// A recorded file: `tests/...`.
pub fn recorded(name: &str) -> PathBuf {
    root().join("tests").join(name)
}

/// Returns whether to write recorded files instead of comparing with them.
pub fn blessing() -> bool {
    std::env::var_os("RBD_BLESS").is_some_and(|x| x == "1")
}

/// Compares `text` with the recorded file, or writes it.
#[track_caller]
pub fn check(name: &str, text: &str) {
    let path = recorded(name);
    if blessing() {
        std::fs::write(&path, text).unwrap();
        return;
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    if known == text {
        return;
    }
    let line = known.lines().zip(text.lines()).take_while(|(a, b)| a == b).count();
    panic!(
        "{name} is not what the generator writes now, from line {} on:\n  recorded: {:?}\n  now:      {:?}\n\
         If that is meant, run `cargo xtask bless`, and read the difference.",
        line + 1,
        known.lines().nth(line),
        text.lines().nth(line)
    );
}
