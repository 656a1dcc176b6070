robot_benches::robot! { Baxter, "baxter", pub struct Baxter { urdf: "../../robots/baxter.urdf" } }
