rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        armature: { "elbow": 0.1 },
    }
}

fn main() {}
