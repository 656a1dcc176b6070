//! The front end: the builder and its options, and the cache of texts.
//!
//! - `config` is the builder, with checks of options and refusals of what a target lacks.
//! - `cache` keeps text and kernels between builds, `progress` tells what took long.
//! - `out_of_tree` finds a URDF outside of the crate.

pub(crate) mod cache;
pub(crate) mod config;
pub(crate) mod out_of_tree;
pub(crate) mod progress;
