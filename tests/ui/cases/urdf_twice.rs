rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        urdf: "robots/arm.urdf",
    }
}

fn main() {}
