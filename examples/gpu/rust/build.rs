//! Writes the robot for the GPU, `OUT_DIR/iiwa14.cuh`, and for the processor, `OUT_DIR/iiwa14.rs`.

use rbd_build::{Function, Gpu, Robot};
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Your own: "robots/arm.urdf", from the crate's folder.
    let robot = Robot::from_urdf("../../../robots/iiwa14.urdf").functions([Function::Aba]);
    let (name, text) = robot.plan(Gpu { float: true })?.files().remove(0);
    std::fs::write(PathBuf::from(std::env::var("OUT_DIR")?).join(name), text)?;
    // It also tells cargo when to run this again.
    robot.generate()?;
    Ok(())
}
