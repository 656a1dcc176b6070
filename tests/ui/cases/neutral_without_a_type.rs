rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        functions: [gravity],
    }
}

fn main() {
    let q = Arm::neutral();
}
