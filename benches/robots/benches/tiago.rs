robot_benches::robot! { Tiago, "tiago", pub struct Tiago { urdf: "../../robots/tiago.urdf" } }
