//! A URDF outside of the crate is read, and that is said: by the macro, and by a build script.

use crate::bless::root;
use std::path::Path;
use std::process::Command;

#[test]
fn what_lies_outside_is_announced() {
    // Shares what `no_panic` compiles. A flag of its own makes the crate new, and so its macro runs.
    let target_dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no_std");
    let new = format!("run_{}", std::process::id());
    let output = Command::new(env!("CARGO"))
        .current_dir(root())
        .args(["rustc", "--package", "rbd-test-announced", "--features", "read", "--release", "--target-dir"])
        .arg(target_dir)
        .args(["--", "--cfg", &new])
        .env("CARGO_PROFILE_RELEASE_PANIC", "abort")
        .env("RUSTFLAGS", "-C symbol-mangling-version=v0")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let line = |start: &str, file: &str| {
        said.lines().any(|l| l.contains(start) && l.contains(file) && l.contains("outside of the crate"))
    };
    assert!(line("note: rbd_robot! reads", "gripper.urdf"), "{said}");
    assert!(line("rbd reads", "double_pendulum.urdf"), "{said}");
}
