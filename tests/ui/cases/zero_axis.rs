rbd::rbd_robot! {
    /// Documented.
    pub struct Arm {
        functions: [rnea],
        urdf: "robots/zero_axis.urdf",
    }
}

fn main() {}
