rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/no_such_arm.urdf",
        base: floating,
    }
}

fn main() {}
