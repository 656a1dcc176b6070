rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        base: flying,
    }
}

fn main() {}
