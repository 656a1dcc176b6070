//! rbd's side of the race of kinematics, quantities of the whole body, and dynamics under contacts.

use nalgebra::SMatrix;
use peers::{Job, Jobs, State, States, serve};
use rbd::ReferenceFrame::{Local, LocalWorldAligned, World};
use rbd::contact::{ContactDynamics, ContactDynamicsDerivatives};
use rbd::spatial::Placement;
use rbd::{CentroidalDerivatives, ContactSettings, FrameAccelerationDerivatives, FrameVelocityDerivatives};

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

/// A result: its initial value, and the numbers to compare.
trait Value {
    fn nothing() -> Self;
    fn flat(&self, all: &mut Vec<f64>);
}

impl Value for f64 {
    fn nothing() -> Self {
        0.0
    }
    fn flat(&self, all: &mut Vec<f64>) {
        all.push(*self);
    }
}

impl<const R: usize, const C: usize> Value for SMatrix<f64, R, C> {
    fn nothing() -> Self {
        Self::zeros()
    }
    fn flat(&self, all: &mut Vec<f64>) {
        all.extend(self.iter());
    }
}

impl Value for Placement<f64> {
    fn nothing() -> Self {
        Self::identity()
    }
    fn flat(&self, all: &mut Vec<f64>) {
        all.extend(self.rotation.iter().chain(&self.translation));
    }
}

impl<V: Value, const N: usize> Value for [V; N] {
    fn nothing() -> Self {
        core::array::from_fn(|_| V::nothing())
    }
    fn flat(&self, all: &mut Vec<f64>) {
        self.iter().for_each(|x| x.flat(all));
    }
}

/// Implements `Value` for these fields of a struct, which Pinocchio also gives.
macro_rules! value {
    ($name:ident < $($n:ident),+ >, $nothing:expr, $($field:ident)+) => {
        impl<$(const $n: usize),+> Value for $name<f64, $($n),+> {
            fn nothing() -> Self {
                $nothing
            }
            fn flat(&self, all: &mut Vec<f64>) {
                $(self.$field.flat(all);)+
            }
        }
    };
}
value!(FrameVelocityDerivatives<NV>, Self::zeros(), dv_dq dv_dv);
value!(FrameAccelerationDerivatives<NV>, Self::zeros(), da_dq da_dv da_da);
value!(CentroidalDerivatives<NV>, Self::zeros(), dmomentum_dq drate_dq drate_dv drate_da);
value!(ContactDynamicsDerivatives<NV, NR>, Self::zeros(), ddq forces ddq_dq ddq_dv ddq_dtau forces_dq forces_dv forces_dtau);

impl<const NV: usize, const NR: usize> Value for ContactDynamics<f64, NV, NR> {
    fn nothing() -> Self {
        Self { ddq: SMatrix::zeros(), forces: SMatrix::zeros(), residual: SMatrix::zeros() }
    }
    fn flat(&self, all: &mut Vec<f64>) {
        self.ddq.flat(all);
        self.forces.flat(all);
    }
}

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

/// A robot on all of its contacts.
macro_rules! contacts {
    ($robot:ident, $states:expr) => {{
        type S = State<{ $robot::NQ }, { $robot::NV }>;
        let states = $states.fixed::<{ $robot::NQ }, { $robot::NV }>();
        const ALL: [bool; $robot::NC] = [true; $robot::NC];
        macro_rules! returned {
            ($name:expr, $value:expr) => {{
                let run = |s: &S, out: &mut _| *out = $value(s);
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
        Jobs::from([
            returned!("contact_jacobian", |s: &S| $robot::contact_jacobian(&s.q, &ALL)),
            returned!("contact_dynamics", |s: &S| {
                $robot::contact_dynamics(&s.q, &s.v, &s.tau, &ALL, &ContactSettings::default())
            }),
            (
                "contact_dynamics_derivatives",
                Job::new(
                    states.clone(),
                    || Box::new(ContactDynamicsDerivatives::nothing()),
                    |s: &S, out| {
                        let settings = ContactSettings::default();
                        $robot::contact_dynamics_derivatives_into(&s.q, &s.v, &s.tau, &ALL, &settings, out);
                    },
                    Value::flat,
                ),
            ),
        ])
    }};
}

/// Prints the coordinates of each joint, for programs with another joint order.
fn print_joints() {
    let robots = [
        ("iiwa14", Iiwa14::JOINTS.as_slice()),
        ("hyq", Hyq::JOINTS.as_slice()),
        ("g1", G1::JOINTS.as_slice()),
        ("talos_reduced", TalosReduced::JOINTS.as_slice()),
    ];
    for (robot, joints) in robots {
        let joints = joints.iter().map(|x| format!("{}:{}:{}", x.name, x.idx_q, x.idx_v));
        println!("{robot} {}", joints.collect::<Vec<_>>().join(" "));
    }
}

fn main() {
    if std::env::args().nth(1).as_deref() == Some("joints") {
        return print_joints();
    }
    serve(|robot, folder| {
        let states = States::read(&folder.join(format!("{robot}.states")));
        Some(match robot {
            "iiwa14" => jobs!(Iiwa14, Iiwa14Frame::IiwaLink7, states),
            "hyq" => {
                jobs!(Hyq, HyqFrame::LfFoot, states).into_iter().chain(contacts!(Hyq, &states)).collect()
            }
            "g1" => {
                let standing = contacts!(StandingG1, &states);
                jobs!(G1, G1Frame::RightRubberHand, states).into_iter().chain(standing).collect()
            }
            "talos_reduced" => {
                let standing = contacts!(StandingTalos, &states);
                let hand = jobs!(TalosReduced, TalosReducedFrame::GripperRightBaseLink, states);
                hand.into_iter().chain(standing).collect()
            }
            _ => return None,
        })
    });
}
