//! A controller for a microcontroller: no `std`, no allocation, no panic, single precision.
//!
//! A build script generates the robot, and an interrupt handler in C calls a function at every
//! sample. Compile it for the board with `cargo build --release --target thumbv7em-none-eabihf` and
//! `crate-type = ["staticlib"]`.
#![no_std]

use rbd::nalgebra::SVector;

rbd::include_robot!("double_pendulum");

/// Encoder readings and the desired state of the arm; rad, rad/s.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Measured angles.
    pub q: [f32; 2],
    /// Measured speeds.
    pub v: [f32; 2],
    /// Angles that are wanted.
    pub goal: [f32; 2],
}

/// The motors' torques, N m; C passes no array by value, so they are in a structure.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Torques {
    /// Torques in the order of the joints.
    pub tau: [f32; 2],
}

/// Gravity compensation, and a spring and a damper in the joints, weighted by the mass matrix.
#[unsafe(no_mangle)]
pub extern "C" fn torques(sample: &Sample) -> Torques {
    let (stiffness, damping) = (100.0, 20.0);
    let [q, v, goal] = [sample.q, sample.v, sample.goal].map(SVector::from);
    let a = (goal - q) * stiffness - v * damping;
    Torques { tau: DoublePendulum::rnea(&q, &v, &a).data.0[0] }
}
