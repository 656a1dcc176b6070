//! What the test `outside` compiles, to see that it is told what is read.
#![no_std]
#![cfg(feature = "read")]

rbd::rbd_robot! {
    /// Read by the macro.
    pub struct ByMacro { urdf: "../../tests/golden/gripper.urdf", functions: [gravity] }
}
rbd::include_robot!("double_pendulum");
