rbd::rbd_robot!("robots/negative_mass.urdf");

fn main() {}
