//! Robots compiled as users compile them: by the macro, and by the build script. The tests are in
//! `tests/all`.
//!
//! All functions are instantiated here, for the scalars of the tests, so that tests compile
//! quickly.

mod compiled;
pub mod robots;
pub mod scalars;
pub mod trees;
pub mod urdf;
pub mod variants;

pub use compiled::{Compiled, Dense, Inputs, Outputs, Subject, Way, dense, fixed};

/// Random trees and the variants of one tree, made by the build script.
pub mod random {
    include!(concat!(env!("OUT_DIR"), "/random.rs"));

    /// The robot of this stem.
    pub fn named(stem: &str) -> &'static crate::Subject<f64> {
        ALL.iter().find(|s| s.name == stem).expect("a random robot of this stem")
    }
}

/// Real robots made by the build script; the macro makes the same ones in [`robots`].
pub mod by_build_script {
    /// Without options.
    pub mod ur5 {
        rbd::include_robot!("ur5");
        crate::compiled!(Ur5);
    }
    /// With every option.
    pub mod quadruped {
        rbd::include_robot!("quadruped");
        crate::compiled!(Quadruped: rnea aba);
    }
    /// The robots of the macro that have twins by the build script.
    pub static ALL: &[crate::Subject<f64>] =
        &[crate::Subject::of::<ur5::Ur5>("ur5"), crate::Subject::of::<quadruped::Quadruped>("quadruped")];
}

/// Folder of the generated files and random URDFs.
pub const OUT_DIR: &str = env!("OUT_DIR");

/// Root of the repository, with the robots and stored values.
pub const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
