robot_benches::robot! { Panda, "panda", pub struct Panda { urdf: "../../robots/panda.urdf" } }
