robot_benches::robot! { TiagoPro, "tiago_pro", pub struct TiagoPro { urdf: "../../robots/tiago_pro.urdf" } }
