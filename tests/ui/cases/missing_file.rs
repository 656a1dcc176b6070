rbd::rbd_robot!("robots/no_such_arm.urdf");

fn main() {}
