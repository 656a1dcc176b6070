//! A URDF outside of the crate is read, and that is said: by the macro, and by a build script.

mod compiler;

use compiler::Compiler;
use std::path::Path;
use std::process::Command;

fn says(text: &[u8], start: &str, file: &str) -> bool {
    let text = String::from_utf8_lossy(text);
    text.lines().any(|l| l.starts_with(start) && l.contains(file) && l.contains("outside of the crate"))
}

#[test]
fn the_macro_says_what_it_reads_outside() {
    let source = Path::new("src/by_macro.rs");
    let output = Compiler::new(env!("CARGO_MANIFEST_DIR"), env!("CARGO_TARGET_TMPDIR"))
        .command(source)
        .arg("--crate-type=lib")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(says(&output.stderr, "note: rbd_robot! reads", "gripper.urdf"));
}

/// Output that cargo shows as a warning.
#[test]
fn a_build_script_says_what_it_reads_outside() {
    let output = Command::new(env!("CARGO_BIN_EXE_announced-build-script"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("CARGO_FEATURE_READ", "1")
        .env("OUT_DIR", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(says(&output.stdout, "cargo::warning=rbd reads", "double_pendulum.urdf"));
}
