rbd::rbd_robot!("robots/empty.urdf");

fn main() {}
