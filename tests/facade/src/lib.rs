//! A crate of edition 2021 without the standard library that knows `rbd` by another name and hands it on.
#![no_std]
#![deny(warnings, missing_docs)]
#![forbid(unsafe_code)]

pub use motion as dynamics;

motion::rbd_robot!("../../robots/double_pendulum.urdf");
