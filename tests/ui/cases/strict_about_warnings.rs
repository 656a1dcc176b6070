rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/not_unit.urdf",
        strict: true,
    }
}

fn main() {}
