robot_benches::robot! { Kinova, "kinova", pub struct Kinova { urdf: "../../robots/kinova.urdf" } }
