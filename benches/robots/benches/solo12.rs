robot_benches::robot! { Solo12, "solo12", pub struct Solo12 { urdf: "../../robots/solo12.urdf", base: floating } }
