rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        damping: true,
        base: fixed,
        damping: false,
    }
}

fn main() {}
