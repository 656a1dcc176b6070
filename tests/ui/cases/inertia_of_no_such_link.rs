rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        inertia: { runtime: ["uper"] },
    }
}

fn main() {}
