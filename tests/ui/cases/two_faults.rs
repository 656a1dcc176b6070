rbd::rbd_robot!("robots/two_faults.urdf");

fn main() {}
