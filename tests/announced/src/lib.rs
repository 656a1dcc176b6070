//! What is read from outside of the crate, to see that it is said.
#![no_std]
#![cfg(feature = "read")]

pub mod by_macro;
rbd::include_robot!("double_pendulum");
