rbd::rbd_robot!(robots/arm.urdf);

fn main() {}
