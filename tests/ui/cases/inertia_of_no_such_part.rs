rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        inertia: { load: ["upper"] },
    }
}

fn main() {}
