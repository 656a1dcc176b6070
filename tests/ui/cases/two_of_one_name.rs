rbd::rbd_robot! { pub struct Arm { urdf: "robots/arm.urdf", functions: [rnea] } }
rbd::rbd_robot! { pub struct Arm { urdf: "robots/arm.urdf", functions: [aba] } }

fn main() {}
