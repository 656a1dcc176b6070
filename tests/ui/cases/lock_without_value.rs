rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        lock: { "shoulder" },
    }
}

fn main() {}
