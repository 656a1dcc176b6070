rbd::rbd_robot! {
    pub struct Arm {
        urdf: 3,
    }
}

fn main() {}
