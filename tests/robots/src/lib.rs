//! Robots for the tests in `tests/trust`.
//!
//! They are in a crate of their own, so that they are compiled with optimisation even if the tests
//! are not. Stack and allocations are then measured as users get them.

mod adapter;
mod few;

pub use adapter::{FUNCTIONS, Inputs, Robot, everyone, robots};

rbd::rbd_robot! {
    /// Two joints.
    pub struct DoublePendulum { urdf: "../../robots/double_pendulum.urdf", functions: [dynamics] }
}
rbd::rbd_robot! {
    /// An arm.
    pub struct Iiwa14 { urdf: "../../robots/iiwa14.urdf", functions: [dynamics] }
}
// With fewer functions it is in `few`: all functions take the compiler minutes.
#[cfg(feature = "all-robots")]
rbd::rbd_robot! {
    /// A quadruped.
    pub struct Hyq { urdf: "../../robots/hyq.urdf", base: floating, functions: [dynamics] }
}
rbd::rbd_robot! {
    /// Every kind of joint, among them followers of others.
    pub struct Gripper { urdf: "../../rbd-build/tests/good/gripper.urdf", functions: [dynamics] }
}
