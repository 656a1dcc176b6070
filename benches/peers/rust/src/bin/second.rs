//! rbd's side of the race of second derivatives.

use nalgebra::SMatrix;
use peers::{Job, Jobs, State, States, print_joints, serve};
use rbd::{AbaDerivatives, AbaHessian, RneaDerivatives, RneaHessian, RneaSecondDerivatives};

rbd::rbd_robot! { pub struct Iiwa14 { urdf: "../../../robots/iiwa14.urdf",
functions: [rnea_derivatives, aba_derivatives, rnea_hessian, aba_hessian, rnea_second_derivatives] } }
rbd::rbd_robot! { pub struct Hyq { urdf: "../../../robots/hyq.urdf", base: floating,
functions: [rnea_derivatives, aba_derivatives, rnea_hessian, aba_hessian, rnea_second_derivatives] } }
rbd::rbd_robot! { pub struct TalosReduced { urdf: "../../../robots/talos_reduced.urdf", base: floating,
functions: [rnea_derivatives, aba_derivatives, rnea_hessian, aba_hessian, rnea_second_derivatives] } }

fn flat<const N: usize>(tensor: &[SMatrix<f64, N, N>; N], all: &mut Vec<f64>) {
    tensor.iter().for_each(|page| all.extend(page.iter()));
}

/// The velocity weights the torques.
macro_rules! jobs {
    ($robot:ident, $states:expr) => {{
        const NV: usize = $robot::NV;
        type S = State<{ $robot::NQ }, NV>;
        let states = &$states.fixed::<{ $robot::NQ }, NV>();
        Jobs::from([
            (
                "rnea_second_derivatives",
                Job::new(
                    states.clone(),
                    || Box::new(RneaSecondDerivatives::<f64, NV>::zeros()),
                    |s: &S, out| $robot::rnea_second_derivatives_into(&s.q, &s.v, &s.a, out),
                    |x, all| {
                        flat(&x.d2tau_dqdq, all);
                        flat(&x.d2tau_dqdv, all);
                        flat(&x.d2tau_dvdv, all);
                        flat(&x.d2tau_dqda, all);
                    },
                ),
            ),
            (
                "rnea_hessian",
                Job::new(
                    states.clone(),
                    || Box::new(RneaHessian::<f64, NV>::zeros()),
                    |s: &S, out| $robot::rnea_hessian_into(&s.q, &s.v, &s.a, &s.v, out),
                    |x, all| {
                        all.extend(x.dqdq.iter().chain(&x.dqdv).chain(&x.dvdv).chain(&x.dqda));
                    },
                ),
            ),
            (
                "rnea_derivatives",
                Job::new(
                    states.clone(),
                    || Box::new(RneaDerivatives::<f64, NV>::zeros()),
                    |s: &S, out| $robot::rnea_derivatives_into(&s.q, &s.v, &s.a, out),
                    |_, _| {},
                ),
            ),
            (
                "aba_derivatives",
                Job::new(
                    states.clone(),
                    || Box::new(AbaDerivatives::<f64, NV>::zeros()),
                    |s: &S, out| $robot::aba_derivatives_into(&s.q, &s.v, &s.tau, out),
                    |_, _| {},
                ),
            ),
            (
                "aba_hessian",
                Job::new(
                    states.clone(),
                    || Box::new((AbaDerivatives::<f64, NV>::zeros(), AbaHessian::<f64, NV>::zeros())),
                    |s: &S, (first, out)| {
                        $robot::aba_hessian_with_first_into(&s.q, &s.v, &s.tau, &s.v, first, out);
                    },
                    |_, _| {},
                ),
            ),
        ])
    }};
}

fn main() {
    if std::env::args().nth(1).as_deref() == Some("joints") {
        return print_joints(&[
            ("iiwa14", &Iiwa14::JOINTS),
            ("hyq", &Hyq::JOINTS),
            ("talos_reduced", &TalosReduced::JOINTS),
        ]);
    }
    serve(|robot, folder| {
        let states = || States::read(&folder.join(format!("{robot}.states")));
        Some(match robot {
            "iiwa14" => jobs!(Iiwa14, states()),
            "hyq" => jobs!(Hyq, states()),
            "talos_reduced" => jobs!(TalosReduced, states()),
            _ => return None,
        })
    });
}
