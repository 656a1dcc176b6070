robot_benches::robot! { Icub, "icub", pub struct Icub { urdf: "../../robots/icub.urdf", base: floating } }
