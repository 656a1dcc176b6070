rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        damping: 1,
    }
}

fn main() {}
