robot_benches::robot! { Talos, "talos", pub struct Talos { urdf: "../../robots/talos.urdf", base: floating } }
