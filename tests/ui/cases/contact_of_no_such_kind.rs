rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        contacts: { "upper": plain },
    }
}

fn main() {}
