rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        gravity: build,
    }
}

fn main() {}
