robot_benches::robot! { TalosReduced, "talos_reduced", pub struct TalosReduced { urdf: "../../robots/talos_reduced.urdf", base: floating } }
