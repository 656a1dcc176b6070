rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        functions: [gravity],
    }
}

/// A name that the macro has a stand-in for is the user's own.
pub struct ArmFrame;

fn main() {
    rbd::rbd_robot!("robots/arm.urdf");
    let _ = (ArmFrame, Arm::neutral::<f64>());
    let q = Arm::neutral::<f64>();
    Arm::gravity(&q);
}
