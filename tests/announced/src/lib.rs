//! Reads files outside of the crate, to test the message about it.
#![no_std]
#![cfg(feature = "read")]

pub mod by_macro;
rbd::include_robot!("double_pendulum");
