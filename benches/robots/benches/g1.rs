robot_benches::robot! { G1, "g1", pub struct G1 { urdf: "../../robots/g1.urdf", base: floating } }
