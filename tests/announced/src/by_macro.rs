//! Input that the test gives to the compiler only.

rbd::rbd_robot! {
    /// Read by the macro.
    pub struct ByMacro { urdf: "../../tests/golden/gripper.urdf", functions: [gravity] }
}
