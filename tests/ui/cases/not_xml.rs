rbd::rbd_robot!("robots/not_xml.urdf");

fn main() {}
