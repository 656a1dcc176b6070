//! Reads a robot from outside of the crate, where the feature `read` asks for it.

pub fn main() -> Result<(), rbd_build::Error> {
    if std::env::var_os("CARGO_FEATURE_READ").is_none() {
        return Ok(());
    }
    let robot = rbd_build::Robot::from_urdf("../../robots/double_pendulum.urdf");
    robot.functions([rbd_build::Function::Gravity]).generate()
}
