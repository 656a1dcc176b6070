//! rbd's side of the race.

use nalgebra::SVector;
use peers::jobs::Lanes;
use peers::{Job, Jobs, State, States, jobs, print_joints, serve};
use rbd::AbaDerivatives;
use rbd::batch::Float;
use std::rc::Rc;

rbd::rbd_robot! { pub struct Iiwa14 { urdf: "../../../robots/iiwa14.urdf",
functions: [rnea, aba, crba, minv, rnea_derivatives, aba_derivatives] } }
rbd::rbd_robot! { pub struct Ur5 { urdf: "../../../robots/ur5.urdf",
functions: [rnea, aba, crba, minv, rnea_derivatives, aba_derivatives] } }
rbd::rbd_robot! { pub struct Hyq { urdf: "../../../robots/hyq.urdf", base: floating,
functions: [rnea, aba, crba, minv, rnea_derivatives, aba_derivatives] } }
rbd::rbd_robot! { pub struct G1 { urdf: "../../../robots/g1.urdf", base: floating,
functions: [rnea, aba, crba, minv, rnea_derivatives, aba_derivatives] } }
rbd::rbd_robot! { pub struct TalosReduced { urdf: "../../../robots/talos_reduced.urdf", base: floating,
functions: [rnea, aba, crba, minv, rnea_derivatives, aba_derivatives] } }

const LANES: usize = <f64 as Float>::LANES;

/// States side by side.
struct Several<const NQ: usize, const NV: usize> {
    q: SVector<Lanes, NQ>,
    v: SVector<Lanes, NV>,
    tau: SVector<Lanes, NV>,
}

fn in_lanes<const NQ: usize, const NV: usize>(states: &[State<NQ, NV>]) -> Rc<[Several<NQ, NV>]> {
    let several = |s: &[State<NQ, NV>; LANES]| Several {
        q: SVector::from_fn(|i, _| f64::gather(|lane| s[lane].q[i])),
        v: SVector::from_fn(|i, _| f64::gather(|lane| s[lane].v[i])),
        tau: SVector::from_fn(|i, _| f64::gather(|lane| s[lane].tau[i])),
    };
    let (groups, rest) = states.as_chunks();
    assert!(rest.is_empty(), "a multiple of {LANES} states");
    groups.iter().map(several).collect()
}

fn flat_lanes<const NV: usize>(x: &AbaDerivatives<Lanes, NV>, all: &mut Vec<f64>) {
    for lane in 0..LANES {
        let parts = [x.ddq.as_slice(), x.ddq_dq.as_slice(), x.ddq_dv.as_slice(), x.ddq_dtau.as_slice()];
        all.extend(parts.into_iter().flatten().map(|y| y.to_array()[lane]));
    }
}

macro_rules! jobs {
    ($robot:ident, $states:expr) => {{
        const NV: usize = $robot::NV;
        type S = State<{ $robot::NQ }, NV>;
        let states = &$states.fixed::<{ $robot::NQ }, NV>();
        let lanes = in_lanes(states);
        Jobs::from([
            ("rnea", Job::vector(states, |s: &S| $robot::rnea(&s.q, &s.v, &s.a))),
            ("aba", Job::vector(states, |s: &S| $robot::aba(&s.q, &s.v, &s.tau))),
            ("crba", Job::matrix(states, |s: &S, out| $robot::crba_into(&s.q, out))),
            ("minv", Job::matrix(states, |s: &S, out| $robot::minv_into(&s.q, out))),
            ("rnea_derivatives", jobs::rnea_derivatives(states, $robot::rnea_derivatives_into)),
            ("aba_derivatives", jobs::aba_derivatives(states, $robot::aba_derivatives_into)),
            (
                "rnea_differences",
                jobs::rnea_differences(states, $robot::integrate, $robot::rnea, $robot::crba_into),
            ),
            (
                "aba_differences",
                jobs::aba_differences(states, $robot::integrate, $robot::aba, $robot::minv_into),
            ),
            (
                "aba_derivatives_lanes",
                Job::new(
                    lanes,
                    || Box::new(AbaDerivatives::<Lanes, NV>::zeros()),
                    |s, out| $robot::aba_derivatives_into(&s.q, &s.v, &s.tau, out),
                    flat_lanes,
                ),
            ),
        ])
    }};
}

fn main() {
    if std::env::args().nth(1).as_deref() == Some("joints") {
        return print_joints(&[
            ("iiwa14", &Iiwa14::JOINTS),
            ("ur5", &Ur5::JOINTS),
            ("hyq", &Hyq::JOINTS),
            ("g1", &G1::JOINTS),
            ("talos_reduced", &TalosReduced::JOINTS),
        ]);
    }
    serve(|robot, folder| {
        let states = || States::read(&folder.join(format!("{robot}.states")));
        // A name with a dot is the robot before the dot with other states.
        Some(match robot.split('.').next()? {
            "iiwa14" => {
                let states = states();
                let (one, lanes) = (Iiwa14::aba_derivatives_into, Iiwa14::aba_derivatives_into);
                let mut all = jobs!(Iiwa14, states);
                all.extend(jobs::batches(&states.fixed(), one, lanes));
                all
            }
            "ur5" => jobs!(Ur5, states()),
            "hyq" => jobs!(Hyq, states()),
            "g1" => jobs!(G1, states()),
            "talos_reduced" => jobs!(TalosReduced, states()),
            _ => return None,
        })
    });
}
