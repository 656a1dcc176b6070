rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        functions: [gravity],
    }
}

fn main() {
    let q = Arm::neutral::<f64>();
    let tip = Arm::frame_placement(&q, ArmFrame::Upper);
}
