robot_benches::robot! { Ur5, "ur5", pub struct Ur5 { urdf: "../../robots/ur5.urdf" } }
