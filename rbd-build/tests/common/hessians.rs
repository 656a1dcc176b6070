//! Second derivatives of the reference, which shares no code with the generator.

use super::argument;
use nalgebra::{DMatrix, DVector};
use rbd_build::Function;
use rbd_build::second_order::{LAMBDA, MU};
use rbd_build::signature::Param;
use rbd_runtime::Model;
use rbd_runtime::random::State;
use rbd_runtime::reference::{self, Data};

/// Weights of a sum.
pub fn weights(n: usize) -> Vec<f64> {
    (0..n).map(|k| 0.3 + (1.7 * k as f64).sin()).collect()
}

/// Outputs of the function, one after the other.
pub fn expected(function: Function, model: &Model<f64>, state: &State) -> Vec<f64> {
    use Function as F;
    let [q, v, a, tau] = [&state.q, &state.v, &state.a, &state.tau].map(|x| x.as_slice());
    let with_forces =
        [F::RneaHessianFext, F::AbaHessianFext, F::RneaSecondDerivativesFext, F::AbaSecondDerivativesFext];
    let fext = with_forces.contains(&function).then_some(&state.fext[..]);
    let data = &mut Data::new(model);
    let is_forward = [F::AbaHessian, F::AbaHessianFext, F::AbaSecondDerivatives, F::AbaSecondDerivativesFext]
        .contains(&function);
    let (value, first, tensors) = if is_forward {
        let d = model.aba_derivatives(q, v, tau, fext);
        let of = reference::aba_second_derivatives(model, data, q, v, tau, fext);
        let tensors = [of.d2ddq_dqdq, of.d2ddq_dqdv, of.d2ddq_dvdv, of.d2ddq_dqdtau];
        (d.ddq, [d.ddq_dq, d.ddq_dv, d.ddq_dtau], tensors)
    } else {
        let d = model.rnea_derivatives(q, v, a, fext);
        let of = reference::rnea_second_derivatives(model, data, q, v, a, fext);
        let tensors = [of.d2tau_dqdq, of.d2tau_dqdv, of.d2tau_dvdv, of.d2tau_dqda];
        (d.tau, [d.dtau_dq, d.dtau_dv, d.dtau_da], tensors)
    };
    let pages = |of: &dyn Fn(&DMatrix<f64>) -> Vec<f64>| -> Vec<f64> {
        tensors.iter().flatten().flat_map(of).collect()
    };
    if function.name().contains("second_derivatives") {
        return pages(&|page| page.as_slice().to_vec());
    }
    let by = DVector::from_vec(weights(model.nv));
    let mut all = vec![value.dot(&by)];
    all.extend(first.iter().flat_map(|of| of.tr_mul(&by).as_slice().to_vec()));
    all.extend(pages(&|page| page.tr_mul(&by).as_slice().to_vec()));
    all
}

/// A function's argument, weights included.
pub fn value(state: &State, param: Param) -> Vec<f64> {
    if [MU, LAMBDA].contains(&param) { weights(state.v.len()) } else { argument(state, param) }
}
