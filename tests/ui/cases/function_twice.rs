rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        functions: [rnea, crba, rnea],
    }
}

fn main() {}
