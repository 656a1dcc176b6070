rbd::rbd_robot! { pub struct Arm { urdf: "robots/arm.urdf", functions: [rnea] } }

const ELBOW: usize = Arm::joint("elbow").unwrap();

fn main() {}
