rbd::rbd_robot!("robots/unknown_link.urdf");

fn main() {}
