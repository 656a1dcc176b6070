rbd::rbd_robot! {
    pub enum Arm {
        urdf: "robots/arm.urdf",
    }
}

fn main() {}
