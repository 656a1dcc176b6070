//! Robots for a machine without an operating system, as a library that nothing else can link.
//!
//! Empty, unless the test `no_panic` compiles it with `--cfg bare` and with the folder of the
//! robots' code in `RBD_BARE`. The code is written beforehand, so that the crate needs none of the
//! macro's dependencies.
#![cfg(bare)]
#![no_std]

mod entries;
mod robots;
