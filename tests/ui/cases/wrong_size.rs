rbd::rbd_robot! {
    pub struct Arm {
        urdf: "robots/arm.urdf",
        functions: [gravity],
    }
}

fn main() {
    let q: nalgebra::SVector<f64, 2> = nalgebra::SVector::zeros();
    Arm::gravity(&q);
}
