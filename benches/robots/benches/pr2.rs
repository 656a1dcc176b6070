robot_benches::robot! { Pr2, "pr2", pub struct Pr2 { urdf: "../../robots/pr2.urdf" } }
