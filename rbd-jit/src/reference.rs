//! Values of the generic reference for each function of the table.

use nalgebra::{DMatrix, DVector};
use rbd_build::Function as Id;
use rbd_build::frames::FrameAt;
use rbd_build::second_order::{LAMBDA, MU};
use rbd_build::signature::{A, FEXT, Param, Q, TAU_GIVEN, V};
use rbd_runtime::Model;
use rbd_runtime::random::State;
use rbd_runtime::reference::{self as generic, Data, FrameDerivatives};
use rbd_runtime::spatial::{Placement, Vector6};

/// The value of an argument at a state; nothing for what is given at run time.
pub fn argument(name: &str, state: &State) -> Vec<f64> {
    let is = |param: Param| param.name == name;
    let known = [(Q, &state.q), (V, &state.v), (A, &state.a), (TAU_GIVEN, &state.tau)];
    match known.iter().find(|(param, _)| is(*param)) {
        Some((_, value)) => value.as_slice().to_vec(),
        None if is(FEXT) => state.fext.iter().flat_map(|f| f.iter().copied()).collect(),
        None if is(MU) || is(LAMBDA) => weights(state),
        None => Vec::new(),
    }
}

/// Weights of torques and accelerations.
fn weights(state: &State) -> Vec<f64> {
    state.tau.iter().map(|x| 0.1 * x).collect()
}

/// Results by columns, in the table's order; nothing of derivatives by what is given at run time.
pub fn results(id: Id, frame: Option<FrameAt>, model: &Model<f64>, s: &State) -> Option<Vec<Vec<f64>>> {
    let (q, v, a, tau) = (s.q.as_slice(), s.v.as_slice(), s.a.as_slice(), s.tau.as_slice());
    let fext = id.name().ends_with("_fext").then_some(&s.fext[..]);
    let data = &mut Data::new(model);
    let vector = |x: &DVector<f64>| x.as_slice().to_vec();
    let matrix = |x: &DMatrix<f64>| x.as_slice().to_vec();
    if let Some(frame) = frame {
        return of_frame(id, frame, model, s);
    }
    Some(match id {
        Id::Rnea => vec![vector(&model.rnea(q, v, a))],
        Id::RneaFext => vec![vector(&model.rnea_fext(q, v, a, &s.fext))],
        Id::Bias => vec![vector(&model.bias(q, v))],
        Id::Gravity => vec![vector(&model.gravity_torques(q))],
        Id::Aba => vec![vector(&model.aba(q, v, tau))],
        Id::AbaFext => vec![vector(&model.aba_fext(q, v, tau, &s.fext))],
        Id::Crba => vec![matrix(&model.crba(q))],
        Id::Minv => vec![matrix(&model.minv(q))],
        Id::RneaDerivatives | Id::RneaDerivativesFext => {
            let d = model.rnea_derivatives(q, v, a, fext);
            vec![vector(&d.tau), matrix(&d.dtau_dq), matrix(&d.dtau_dv), matrix(&d.dtau_da)]
        }
        Id::AbaDerivatives | Id::AbaDerivativesFext => {
            let d = model.aba_derivatives(q, v, tau, fext);
            vec![vector(&d.ddq), matrix(&d.ddq_dq), matrix(&d.ddq_dv), matrix(&d.ddq_dtau)]
        }
        Id::ForwardKinematics => {
            vec![generic::forward_kinematics(model, data, q).iter().flat_map(numbers).collect()]
        }
        Id::CenterOfMass => vec![generic::center_of_mass(model, data, q).as_slice().to_vec()],
        Id::CenterOfMassVelocity => {
            vec![generic::center_of_mass_velocity(model, data, q, v).as_slice().to_vec()]
        }
        Id::CenterOfMassJacobian => vec![matrix(&generic::center_of_mass_jacobian(model, data, q))],
        Id::CentroidalMomentum => vec![six(&generic::centroidal_momentum(model, data, q, v))],
        Id::CentroidalMomentumMatrix => vec![matrix(generic::centroidal_momentum_matrix(model, data, q))],
        Id::CentroidalMomentumRate => vec![six(&generic::centroidal_momentum_rate(model, data, q, v, a))],
        Id::CentroidalDerivatives => {
            let d = generic::centroidal_derivatives(model, data, q, v, a);
            let by = [&d.dmomentum_dq, &d.drate_dq, &d.drate_dv, &d.drate_da];
            [six(&d.momentum), six(&d.rate)].into_iter().chain(by.map(matrix)).collect()
        }
        Id::KineticEnergy => vec![vec![generic::kinetic_energy(model, data, q, v)]],
        Id::KineticEnergyDerivatives => {
            let d = generic::kinetic_energy_derivatives(model, data, q, v);
            vec![vec![d.energy], vector(&d.denergy_dq), vector(&d.denergy_dv)]
        }
        Id::PotentialEnergy => vec![vec![generic::potential_energy(model, data, q)]],
        Id::CoriolisMatrix => vec![matrix(generic::coriolis_matrix(model, data, q, v))],
        Id::Regressor => vec![matrix(generic::regressor(model, data, q, v, a))],
        Id::KineticEnergyRegressor => vec![vector(&generic::kinetic_energy_regressor(model, data, q, v))],
        Id::PotentialEnergyRegressor => vec![vector(&generic::potential_energy_regressor(model, data, q))],
        Id::RneaSecondDerivatives | Id::RneaSecondDerivativesFext => {
            let d = generic::rnea_second_derivatives(model, data, q, v, a, fext);
            [d.d2tau_dqdq, d.d2tau_dqdv, d.d2tau_dvdv, d.d2tau_dqda].iter().map(|x| pages(x)).collect()
        }
        Id::AbaSecondDerivatives | Id::AbaSecondDerivativesFext => {
            let d = generic::aba_second_derivatives(model, data, q, v, tau, fext);
            [d.d2ddq_dqdq, d.d2ddq_dqdv, d.d2ddq_dvdv, d.d2ddq_dqdtau].iter().map(|x| pages(x)).collect()
        }
        Id::RneaHessian | Id::RneaHessianFext => {
            let d = model.rnea_derivatives(q, v, a, fext);
            let of = generic::rnea_second_derivatives(model, data, q, v, a, fext);
            let second = [of.d2tau_dqdq, of.d2tau_dqdv, of.d2tau_dvdv, of.d2tau_dqda];
            weighted(&weights(s), &d.tau, [&d.dtau_dq, &d.dtau_dv, &d.dtau_da], &second)
        }
        Id::AbaHessian | Id::AbaHessianFext => {
            let d = model.aba_derivatives(q, v, tau, fext);
            let of = generic::aba_second_derivatives(model, data, q, v, tau, fext);
            let second = [of.d2ddq_dqdq, of.d2ddq_dqdv, of.d2ddq_dvdv, of.d2ddq_dqdtau];
            weighted(&weights(s), &d.ddq, [&d.ddq_dq, &d.ddq_dv, &d.ddq_dtau], &second)
        }
        _ => return None,
    })
}

fn of_frame(id: Id, frame: FrameAt, model: &Model<f64>, s: &State) -> Option<Vec<Vec<f64>>> {
    let (q, v, a) = (s.q.as_slice(), s.v.as_slice(), s.a.as_slice());
    let data = &mut Data::new(model);
    let (k, reference) = (frame.index, frame.reference);
    let matrix = |x: &DMatrix<f64>| x.as_slice().to_vec();
    Some(match id {
        Id::FramePlacement => vec![numbers(&generic::frame_placement(model, data, q, k)).to_vec()],
        Id::FrameJacobian => vec![matrix(generic::frame_jacobian(model, data, q, k, reference))],
        Id::FrameVelocity => vec![six(&generic::frame_velocity(model, data, q, v, k, reference))],
        Id::FrameAcceleration => vec![six(&generic::frame_acceleration(model, data, q, v, a, k, reference))],
        Id::FrameClassicalAcceleration => {
            vec![six(&generic::frame_classical_acceleration(model, data, q, v, a, k, reference))]
        }
        Id::FrameBiasAcceleration => {
            vec![six(&generic::frame_bias_acceleration(model, data, q, v, k, reference))]
        }
        Id::FrameVelocityDerivatives => {
            let d = generic::frame_derivatives(model, data, q, v, a, k, reference);
            vec![six(&d.velocity), matrix(&d.dv_dq), matrix(&d.jacobian)]
        }
        Id::FrameAccelerationDerivatives => {
            let FrameDerivatives { acceleration, da_dq, da_dv, jacobian, .. } =
                generic::frame_derivatives(model, data, q, v, a, k, reference);
            vec![six(&acceleration), matrix(&da_dq), matrix(&da_dv), matrix(&jacobian)]
        }
        _ => return None,
    })
}

/// Value, gradient and Hessian of a weighted sum, from its terms' derivatives.
fn weighted(
    weights: &[f64],
    value: &DVector<f64>,
    first: [&DMatrix<f64>; 3],
    second: &[Vec<DMatrix<f64>>; 4],
) -> Vec<Vec<f64>> {
    let by = DVector::from_column_slice(weights);
    let sum = vec![value.dot(&by)];
    let gradient = first.map(|x| x.tr_mul(&by).as_slice().to_vec());
    let block = |pages: &Vec<DMatrix<f64>>| -> Vec<f64> {
        pages.iter().flat_map(|page| page.tr_mul(&by).as_slice().to_vec()).collect()
    };
    std::iter::once(sum).chain(gradient).chain(second.iter().map(block)).collect()
}

fn numbers(at: &Placement<f64>) -> [f64; 12] {
    let (rotation, translation) = (at.rotation.as_slice(), at.translation.as_slice());
    std::array::from_fn(|k| if k < 9 { rotation[k] } else { translation[k - 9] })
}

fn six(x: &Vector6<f64>) -> Vec<f64> {
    x.as_slice().to_vec()
}

fn pages(x: &[DMatrix<f64>]) -> Vec<f64> {
    x.iter().flat_map(|page| page.as_slice().to_vec()).collect()
}
