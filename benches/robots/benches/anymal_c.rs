robot_benches::robot! { AnymalC, "anymal_c", pub struct AnymalC { urdf: "../../robots/anymal_c.urdf", base: floating } }
