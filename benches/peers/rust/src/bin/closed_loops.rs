//! rbd's side of the race of dynamics with closed loops.

use peers::{States, contacts, print_joints, serve};

rbd::rbd_robot! {
    pub struct ClosedLegs {
        urdf: "../closed_legs.urdf",
        base: floating,
        functions: [aba],
        contacts: { "left_sole": plane, "right_sole": plane },
        closed_loops: {
            "left_rod": { frames: ["left_heel", "left_rod_end"], rows: 3 },
            "right_rod": { frames: ["right_heel", "right_rod_end"], rows: 3 },
        },
    }
}

fn main() {
    if std::env::args().nth(1).as_deref() == Some("joints") {
        return print_joints(&[("closed_legs", &ClosedLegs::JOINTS)]);
    }
    serve(|robot, folder| {
        let states = States::read(&folder.join(format!("{robot}.states")));
        (robot == "closed_legs").then(|| contacts::jobs::<ClosedLegs, _, _, _, _>(&states))
    });
}
