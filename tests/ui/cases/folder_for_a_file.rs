rbd::rbd_robot!("robots");

fn main() {}
