//! Writes the robot's code to `OUT_DIR/double_pendulum.rs`.

use rbd_build::{Function, Robot};

fn main() -> Result<(), rbd_build::Error> {
    // Your own: "robots/arm.urdf", from the crate's folder.
    Robot::from_urdf("../../robots/double_pendulum.urdf").functions([Function::Rnea]).generate()
}
