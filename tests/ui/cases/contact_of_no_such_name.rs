rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        contacts: ["uper"],
    }
}

fn main() {}
