rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        functions: [rnea, contact_dynamics],
    }
}

fn main() {}
