rbd::rbd_robot!();

fn main() {}
