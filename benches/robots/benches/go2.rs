robot_benches::robot! { Go2, "go2", pub struct Go2 { urdf: "../../robots/go2.urdf", base: floating } }
