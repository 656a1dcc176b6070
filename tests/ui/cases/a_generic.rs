rbd::rbd_robot! {
    pub struct Arm<T> {
        urdf: "robots/arm.urdf",
    }
}

fn main() {}
