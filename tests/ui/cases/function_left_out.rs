rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        functions: [rnea],
    }
}

fn main() {
    let x = Arm::neutral::<f64>();
    let tau = Arm::rnea(&x, &x, &x);
    let ddq = Arm::aba(&x, &x, &tau);
}
