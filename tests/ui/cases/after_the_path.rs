rbd::rbd_robot!("robots/arm.urdf", base: floating);

fn main() {}
