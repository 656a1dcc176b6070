//! Tensors of torques, and weighted torques and their Hessians, from the reference's tensors.

use nalgebra::{DMatrix, DVector};
use rbd_runtime::reference::{self, Data};
use rbd_runtime::spatial::Vector6;
use rbd_runtime::{Model, Scalar};

/// The weights, of torques and of accelerations.
pub fn weights(n: usize) -> Vec<f64> {
    (0..n).map(|k| 0.3 + (1.7 * k as f64).sin()).collect()
}

/// Results of `rnea_hessian`, by its names.
pub fn rnea_hessian<T: Scalar>(
    model: &Model<T>,
    [q, v, a]: [&[T]; 3],
    fext: Option<&[Vector6<T>]>,
) -> Vec<(&'static str, DMatrix<T>)> {
    let mu = DVector::from_vec(weights(model.nv).into_iter().map(T::from_f64).collect());
    let first = model.rnea_derivatives(q, v, a, fext);
    let of = reference::rnea_second_derivatives(model, &mut Data::new(model), q, v, a, fext);
    let gradient = |of: &DMatrix<T>| DMatrix::from_column_slice(model.nv, 1, of.tr_mul(&mu).as_slice());
    let block = |of: &[DMatrix<T>]| {
        let pages: Vec<T> = of.iter().flat_map(|page| page.tr_mul(&mu).as_slice().to_vec()).collect();
        DMatrix::from_vec(model.nv, model.nv, pages)
    };
    vec![
        ("value", DMatrix::from_element(1, 1, first.tau.dot(&mu))),
        ("dq", gradient(&first.dtau_dq)),
        ("dv", gradient(&first.dtau_dv)),
        ("da", gradient(&first.dtau_da)),
        ("dqdq", block(&of.d2tau_dqdq)),
        ("dqdv", block(&of.d2tau_dqdv)),
        ("dvdv", block(&of.d2tau_dvdv)),
        ("dqda", block(&of.d2tau_dqda)),
    ]
}

/// Results of `rnea_second_derivatives`, by its names: pages side by side.
pub fn tensors<T: Scalar>(
    model: &Model<T>,
    [q, v, a]: [&[T]; 3],
    fext: Option<&[Vector6<T>]>,
) -> Vec<(&'static str, DMatrix<T>)> {
    let of = reference::rnea_second_derivatives(model, &mut Data::new(model), q, v, a, fext);
    let pages = |of: &[DMatrix<T>]| {
        let numbers: Vec<T> = of.iter().flat_map(|page| page.as_slice().to_vec()).collect();
        DMatrix::from_vec(model.nv, model.nv * model.nv, numbers)
    };
    vec![
        ("d2tau_dqdq", pages(&of.d2tau_dqdq)),
        ("d2tau_dqdv", pages(&of.d2tau_dqdv)),
        ("d2tau_dvdv", pages(&of.d2tau_dvdv)),
        ("d2tau_dqda", pages(&of.d2tau_dqda)),
    ]
}
