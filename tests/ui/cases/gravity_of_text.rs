rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        gravity: [0.0, 0.0, "down"],
    }
}

fn main() {}
