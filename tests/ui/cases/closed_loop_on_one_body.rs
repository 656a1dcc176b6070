rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        closed_loops: { "bar": { frames: ["upper", "upper"], rows: 6 } },
    }
}

fn main() {}
