robot_benches::robot! { Hyq, "hyq", pub struct Hyq { urdf: "../../robots/hyq.urdf", base: floating } }
