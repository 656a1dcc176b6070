rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        frames: ["uper"],
    }
}

fn main() {}
