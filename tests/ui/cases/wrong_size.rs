rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        functions: [gravity],
    }
}

fn main() {
    let q = rbd::__private::SVector::from([0.0, 0.0]);
    Arm::gravity(&q);
}
