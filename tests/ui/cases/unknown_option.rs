rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        gravty: [0.0, 0.0, -9.81],
    }
}

fn main() {}
