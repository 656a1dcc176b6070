//! rbd's side of the race of kinematics, quantities of the whole body, and dynamics under contacts.

use peers::values::Value;
use peers::{Job, Jobs, State, States, contacts, print_joints, serve};
use rbd::ReferenceFrame::{Local, LocalWorldAligned, World};

rbd::rbd_robot! { pub struct Iiwa14 { urdf: "../../../robots/iiwa14.urdf", frames: ["iiwa_link_7"],
functions: [bodies, frames, centroidal, centroidal_dynamics_derivatives, energy, coriolis, regressors] } }
rbd::rbd_robot! { pub struct Hyq { urdf: "../../../robots/hyq.urdf", base: floating, frames: ["lf_foot"],
functions: [bodies, frames, centroidal, centroidal_dynamics_derivatives, energy, coriolis, regressors],
contacts: ["lf_foot", "rf_foot", "lh_foot", "rh_foot"] } }
rbd::rbd_robot! { pub struct G1 { urdf: "../../../robots/g1.urdf", base: floating, frames: ["right_rubber_hand"],
functions: [bodies, frames, centroidal, centroidal_dynamics_derivatives, energy, coriolis, regressors] } }
rbd::rbd_robot! { pub struct TalosReduced { urdf: "../../../robots/talos_reduced.urdf", base: floating,
frames: ["gripper_right_base_link"],
functions: [bodies, frames, centroidal, centroidal_dynamics_derivatives, energy, coriolis, regressors] } }
// On two soles. Apart from the others, whose race has no contacts.
rbd::rbd_robot! { pub struct StandingG1 { urdf: "../../../robots/g1.urdf", base: floating, functions: [aba],
contacts: { "left_ankle_roll_link": plane, "right_ankle_roll_link": plane } } }
rbd::rbd_robot! { pub struct StandingTalos { urdf: "../../../robots/talos_reduced.urdf", base: floating, functions: [aba],
contacts: { "left_sole_link": plane, "right_sole_link": plane } } }
// And on two hands.
rbd::rbd_robot! { pub struct LeaningG1 { urdf: "../../../robots/g1.urdf", base: floating, functions: [aba],
contacts: { "left_ankle_roll_link": plane, "right_ankle_roll_link": plane,
"left_rubber_hand": plane, "right_rubber_hand": plane } } }
rbd::rbd_robot! { pub struct LeaningTalos { urdf: "../../../robots/talos_reduced.urdf", base: floating, functions: [aba],
contacts: { "left_sole_link": plane, "right_sole_link": plane,
"gripper_left_base_link": plane, "gripper_right_base_link": plane } } }

/// Jobs that return their results, or write them.
macro_rules! jobs {
    ($robot:ident, $frame:expr, $states:expr) => {{
        const FRAME: <$robot as Of>::Frame = $frame;
        type S = State<{ $robot::NQ }, { $robot::NV }>;
        let states = $states.fixed::<{ $robot::NQ }, { $robot::NV }>();
        macro_rules! returned {
            ($name:expr, $value:expr) => {{
                let of = $value;
                let run = move |s: &S, out: &mut _| *out = of(s);
                (
                    $name,
                    Job::new(
                        states.clone(),
                        || Box::new(Value::nothing()),
                        run,
                        |x, all| Value::flat(x, all),
                    ),
                )
            }};
        }
        macro_rules! written {
            ($name:expr, $value:expr) => {
                (
                    $name,
                    Job::new(
                        states.clone(),
                        || Box::new(Value::nothing()),
                        $value,
                        |x, all| Value::flat(x, all),
                    ),
                )
            };
        }
        Jobs::from([
            written!("forward_kinematics", |s: &S, out| $robot::forward_kinematics_into(&s.q, out)),
            written!("frame_placement", |s: &S, out| $robot::frame_placement_into(&s.q, FRAME, out)),
            written!("frame_jacobian_local", |s: &S, out| $robot::frame_jacobian_into(
                &s.q, FRAME, Local, out
            )),
            written!("frame_jacobian_world", |s: &S, out| $robot::frame_jacobian_into(
                &s.q, FRAME, World, out
            )),
            written!("frame_jacobian_local_world_aligned", |s: &S, out| {
                $robot::frame_jacobian_into(&s.q, FRAME, LocalWorldAligned, out)
            }),
            returned!("frame_velocity", |s: &S| $robot::frame_velocity(&s.q, &s.v, FRAME, Local)),
            returned!("frame_acceleration", |s: &S| $robot::frame_acceleration(
                &s.q, &s.v, &s.a, FRAME, Local
            )),
            returned!("frame_classical_acceleration", |s: &S| {
                $robot::frame_classical_acceleration(&s.q, &s.v, &s.a, FRAME, LocalWorldAligned)
            }),
            written!("frame_velocity_derivatives", |s: &S, out| {
                $robot::frame_velocity_derivatives_into(&s.q, &s.v, FRAME, Local, out)
            }),
            written!("frame_acceleration_derivatives", |s: &S, out| {
                $robot::frame_acceleration_derivatives_into(&s.q, &s.v, &s.a, FRAME, Local, out)
            }),
            returned!("center_of_mass", |s: &S| $robot::center_of_mass(&s.q)),
            returned!("center_of_mass_velocity", |s: &S| $robot::center_of_mass_velocity(&s.q, &s.v)),
            written!("center_of_mass_jacobian", |s: &S, out| $robot::center_of_mass_jacobian_into(&s.q, out)),
            returned!("centroidal_momentum", |s: &S| $robot::centroidal_momentum(&s.q, &s.v)),
            written!("centroidal_momentum_matrix", |s: &S, out| $robot::centroidal_momentum_matrix_into(
                &s.q, out
            )),
            returned!("centroidal_momentum_rate", |s: &S| $robot::centroidal_momentum_rate(&s.q, &s.v, &s.a)),
            written!("centroidal_derivatives", |s: &S, out| {
                $robot::centroidal_derivatives_into(&s.q, &s.v, &s.a, out)
            }),
            returned!("kinetic_energy", |s: &S| $robot::kinetic_energy(&s.q, &s.v)),
            returned!("potential_energy", |s: &S| $robot::potential_energy(&s.q)),
            written!("coriolis_matrix", |s: &S, out| $robot::coriolis_matrix_into(&s.q, &s.v, out)),
            written!("regressor", |s: &S, out| $robot::regressor_into(&s.q, &s.v, &s.a, out)),
            written!("kinetic_energy_regressor", |s: &S, out| {
                $robot::kinetic_energy_regressor_into(&s.q, &s.v, out)
            }),
            written!("potential_energy_regressor", |s: &S, out| $robot::potential_energy_regressor_into(
                &s.q, out
            )),
        ])
    }};
}

/// The type of a robot's frames.
trait Of {
    type Frame;
}
impl Of for Iiwa14 {
    type Frame = Iiwa14Frame;
}
impl Of for Hyq {
    type Frame = HyqFrame;
}
impl Of for G1 {
    type Frame = G1Frame;
}
impl Of for TalosReduced {
    type Frame = TalosReducedFrame;
}

fn main() {
    if std::env::args().nth(1).as_deref() == Some("joints") {
        return print_joints(&[
            ("iiwa14", &Iiwa14::JOINTS),
            ("hyq", &Hyq::JOINTS),
            ("g1", &G1::JOINTS),
            ("talos_reduced", &TalosReduced::JOINTS),
        ]);
    }
    serve(|robot, folder| {
        let states = States::read(&folder.join(format!("{robot}.states")));
        Some(match robot {
            "iiwa14" => jobs!(Iiwa14, Iiwa14Frame::IiwaLink7, states),
            "hyq" => jobs!(Hyq, HyqFrame::LfFoot, states)
                .into_iter()
                .chain(contacts::jobs::<Hyq, _, _, _, _>(&states))
                .collect(),
            "g1" => {
                let standing = contacts::jobs::<StandingG1, _, _, _, _>(&states);
                jobs!(G1, G1Frame::RightRubberHand, states).into_iter().chain(standing).collect()
            }
            "talos_reduced" => {
                let standing = contacts::jobs::<StandingTalos, _, _, _, _>(&states);
                let hand = jobs!(TalosReduced, TalosReducedFrame::GripperRightBaseLink, states);
                hand.into_iter().chain(standing).collect()
            }
            "g1_leaning" => contacts::jobs::<LeaningG1, _, _, _, _>(&states),
            "talos_reduced_leaning" => contacts::jobs::<LeaningTalos, _, _, _, _>(&states),
            _ => return None,
        })
    });
}
