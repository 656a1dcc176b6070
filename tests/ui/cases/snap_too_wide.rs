rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        snap: 0.5,
    }
}

fn main() {}
