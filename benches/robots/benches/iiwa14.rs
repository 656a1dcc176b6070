robot_benches::robot! { Iiwa14, "iiwa14", pub struct Iiwa14 { urdf: "../../robots/iiwa14.urdf" } }
