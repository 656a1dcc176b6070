//! Structural zeros of tensors, which `.._into` leaves alone.

use super::body::Body;
use super::double_pendulum::DoublePendulum;
use nalgebra::{SMatrix, SVector};
use rbd::RneaSecondDerivatives;

#[test]
fn a_regressor_is_written_over_that_of_another_state() {
    let vectors = [[0.3, -0.7], [1.1, 0.4], [-0.2, 0.9]].map(SVector::from);
    let [q, v, a] = vectors;
    let mut out = [SMatrix::zeros(); 2];
    DoublePendulum::regressor_into(&q, &v, &a, &mut out);
    DoublePendulum::regressor_into(&a, &q, &v, &mut out);
    assert_eq!(out, DoublePendulum::regressor(&a, &q, &v));
}

/// No torque of the second joint depends on the first link's inertia.
#[cfg_attr(debug_assertions, should_panic(expected = "make it by `zeros()`"))]
#[test]
fn other_numbers_stay_in_a_regressor_or_are_refused() {
    let mut out = [SMatrix::<f64, 2, 10>::zeros(); 2];
    out[0][(1, 9)] = 7.0;
    DoublePendulum::regressor_into(&SVector::zeros(), &SVector::zeros(), &SVector::zeros(), &mut out);
    assert_eq!(out[0][(1, 9)], 7.0);
}

/// Second derivatives by where a free body is are zero.
#[cfg_attr(debug_assertions, should_panic(expected = "make it by `zeros()`"))]
#[test]
fn other_numbers_stay_in_tensors_or_are_refused() {
    let mut out = RneaSecondDerivatives::zeros();
    out.d2tau_dqdq[0][(0, 0)] = 7.0;
    Body::rnea_second_derivatives_into(&Body::neutral(), &SVector::zeros(), &SVector::zeros(), &mut out);
    assert_eq!(out.d2tau_dqdq[0][(0, 0)], 7.0);
}
