rbd::rbd_robot!("robots/other_format.urdf");

fn main() {}
