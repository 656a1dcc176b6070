//! Robots whose compiled functions the tests in `tests/trust` look at.
//!
//! A crate of its own, so that they are compiled with optimisation even where the tests are not: what
//! is measured (stack, allocations, symbols) is then what users get. Without the feature `std` it is
//! a `no_std` library that nothing can link but a machine without an operating system.
#![cfg_attr(not(feature = "std"), no_std)]

mod entries;
#[cfg(feature = "all-robots")]
mod humanoid;
#[cfg(feature = "std")]
mod subject;

pub use entries::{Results, everything};
#[cfg(feature = "std")]
pub use subject::{FUNCTIONS, Inputs, Robot, everyone, robots};

rbd::rbd_robot!("../../robots/double_pendulum.urdf");
rbd::rbd_robot!("../../robots/iiwa14.urdf");
rbd::rbd_robot! {
    /// A quadruped.
    pub struct Hyq { urdf: "../../robots/hyq.urdf", base: floating }
}
rbd::rbd_robot! {
    /// Every kind of joint, among them followers of others.
    pub struct Gripper { urdf: "../../rbd-build/tests/good/gripper.urdf" }
}

entries::entries! {
    double_pendulum_f64: DoublePendulum, f64, 2, 2;
    double_pendulum_f32: DoublePendulum, f32, 2, 2;
    double_pendulum_f64x4: DoublePendulum, rbd::lanes::F64x4, 2, 2;
    iiwa14_f64: Iiwa14, f64, 7, 7;
    iiwa14_f32: Iiwa14, f32, 7, 7;
    hyq_f64: Hyq, f64, 19, 18;
    gripper_f64: Gripper, f64, 8, 7;
}

/// Functions that are given sines and cosines, some of which they make others of.
#[cfg(not(feature = "std"))]
#[unsafe(no_mangle)]
pub fn gripper_at_f64(
    q: &nalgebra::SVector<f64, 8>,
    v: &nalgebra::SVector<f64, 7>,
    a: &nalgebra::SVector<f64, 7>,
    out: &mut Results<f64, 8, 7>,
) {
    let at = rbd::Posture::of(*q);
    out.vectors[0] = Gripper::rnea_at(&at, v, a);
    Gripper::minv_at_into(&at, &mut out.matrices[0]);
    Gripper::aba_derivatives_at_into(&at, v, a, &mut out.aba[0]);
}

/// What the test must find, where it is.
#[cfg(not(feature = "std"))]
#[unsafe(no_mangle)]
pub fn panics_beyond_three(x: &[f64; 3], i: usize) -> f64 {
    x[i]
}

/// What a machine without an operating system does when a program panics; never called, says the test.
#[cfg(not(feature = "std"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
