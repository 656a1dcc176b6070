rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        fused: { Step: [ddq, jacobian("uper", local)] },
    }
}

fn main() {}
