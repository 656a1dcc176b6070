rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        closed_loops: { "bar": { frames: ["upper", "base"], rows: 5 } },
    }
}

fn main() {}
