rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        inertia: { loads: ["uper"] },
    }
}

fn main() {}
