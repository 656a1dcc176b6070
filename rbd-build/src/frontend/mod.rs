//! The front end: the builder and its options, generated robots, and the cache of their text.
//!
//! - `config` is the builder, with checks of options and refusals of what a target lacks.
//! - `options` are the options on reading; `generated` is the robot with its plans.
//! - `cache` keeps text and kernels between builds, `progress` tells each step.
//! - `naming` makes legal names, `out_of_tree` finds a URDF outside of the crate.

pub(crate) mod cache;
pub(crate) mod config;
pub(crate) mod generated;
pub(crate) mod naming;
pub mod options;
pub(crate) mod out_of_tree;
pub(crate) mod progress;
