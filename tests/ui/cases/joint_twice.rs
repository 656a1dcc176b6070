rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        lock: { "shoulder": 0.1, "shoulder": 0.2 },
    }
}

fn main() {}
