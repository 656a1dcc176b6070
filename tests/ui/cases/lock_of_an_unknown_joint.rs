rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        lock: { "sholder": 0.1 },
    }
}

fn main() {}
