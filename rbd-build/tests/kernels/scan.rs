//! Every robot of the repository at default options against the reference, without compiling. Loops
//! over tables are left out: `loops.rs` and `agreement.rs` compare them.
//!
//! Every other robot, fixed and floating in turn; with `RBD_ALL_SEEDS` each is both.

use crate::common::scan::scan;
use rbd_build::{Base, Function};
use std::path::Path;

#[test]
fn every_robot_is_its_reference() {
    let robots = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robots");
    let mut files: Vec<_> =
        robots.read_dir().expect("the robots").map(|f| f.expect("a file").path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "urdf"));
    files.sort();
    let mut refused = Vec::new();
    let both = std::env::var_os("RBD_ALL_SEEDS").is_some();
    for (k, file) in files.iter().enumerate() {
        for (j, base) in [Base::Fixed, Base::Floating].into_iter().enumerate() {
            if !both && k % 4 != 2 * j {
                continue;
            }
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            // Functions that are left out for the large robots are in the agreement tests, and in
            // `published.rs`.
            let functions = [Function::Gravity, Function::Rnea, Function::Crba, Function::RneaDerivatives];
            let Some(errors) = scan(file, base, &functions, 1) else {
                refused.push(name);
                continue;
            };
            println!("{name} {base:?}: {errors}");
            assert!(errors.exact <= 1e-13, "{name} {base:?}: {errors}");
            assert!(errors.rows <= 1.0, "{name} {base:?}: {errors}");
            assert!(errors.doubles <= 1e-12, "{name} {base:?}: {errors}");
        }
    }
    // Inertias of its antenna are not positive semidefinite, as robots/README.md says.
    assert!(refused.iter().all(|name| name == "tiago"), "others are refused: {refused:?}");
    assert!(!both || refused.len() == 2, "{refused:?}");
    assert!(files.len() >= 18, "{files:?}");
}
