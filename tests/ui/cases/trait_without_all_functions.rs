rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        functions: [rnea],
    }
}

fn solve<R: rbd::Robot<1, 1>>() {}

fn main() {
    solve::<Arm>();
}
