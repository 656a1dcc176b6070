rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        fused: { Step: [ddq, tool: placment("upper")] },
    }
}

fn main() {}
