//! Robots for a machine without an operating system, as a library that nothing else can link.
//!
//! Empty, unless the test `no_panic` compiles it: with `--cfg bare`, and with the folder in `RBD_BARE` to which it has
//! written the robots' code. Written beforehand, because of all that the macro needs nothing is needed here then.
#![cfg(bare)]
#![no_std]

mod entries;
mod robots;
