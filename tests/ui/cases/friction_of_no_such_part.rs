rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        friction: { smothing: 0.01 },
    }
}

fn main() {}
