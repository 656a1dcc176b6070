rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        closed_loops: { "bar": { frames: ["uper", "base"], rows: 3 } },
    }
}

fn main() {}
