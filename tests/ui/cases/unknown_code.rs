rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        allow: ["damping-ignored", "non-unit-axes"],
    }
}

fn main() {}
