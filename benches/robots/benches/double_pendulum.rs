robot_benches::robot! { DoublePendulum, "double_pendulum", pub struct DoublePendulum { urdf: "../../robots/double_pendulum.urdf" } }
