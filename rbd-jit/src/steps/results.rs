//! Results of steps.

use crate::results::Results;
use crate::{Error, Number};

/// Results of `step_derivatives`: the next state, and its derivatives in the tangent spaces of the old and
/// the new state. Matrices are nv x nv, by columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepDerivatives<T = f64> {
    /// Next configuration (nq).
    pub q: Vec<T>,
    /// Next velocity (nv).
    pub v: Vec<T>,
    /// Derivative of the next configuration by the configuration.
    pub dq_dq: Vec<T>,
    /// Derivative of the next configuration by the velocity, s.
    pub dq_dv: Vec<T>,
    /// Derivative of the next configuration by the torques.
    pub dq_dtau: Vec<T>,
    /// Derivative of the next velocity by the configuration, 1/s.
    pub dv_dq: Vec<T>,
    /// Derivative of the next velocity by the velocity.
    pub dv_dv: Vec<T>,
    /// Derivative of the next velocity by the torques.
    pub dv_dtau: Vec<T>,
}

/// Results of `step_hessian`: the next state, weighted: value, gradient and Hessian. Matrices are nv x nv,
/// by columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepHessian<T = f64> {
    /// `lambda_q . q+ + lambda_v . v+` (1). Of `q+` only joints of one coordinate count.
    pub value: Vec<T>,
    /// Gradient by the configuration (nv).
    pub dq: Vec<T>,
    /// Gradient by the velocity (nv).
    pub dv: Vec<T>,
    /// Gradient by the torques (nv).
    pub dtau: Vec<T>,
    /// Derivative of `dq` by the configuration. It is not symmetric where joints have several coordinates.
    pub dqdq: Vec<T>,
    /// Derivative of `dq` by the velocity.
    pub dqdv: Vec<T>,
    /// Derivative of `dv` by the velocity.
    pub dvdv: Vec<T>,
    /// Derivative of `dq` by the torques.
    pub dqdtau: Vec<T>,
    /// Derivative of `dv` by the torques.
    pub dvdtau: Vec<T>,
    /// Derivative of `dtau` by the torques.
    pub dtaudtau: Vec<T>,
}

/// Results of `actuated_step_derivatives`: the next state, and its derivatives by the state and the controls.
/// Tangent spaces are those of [`StepDerivatives`]. Matrices are by columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActuatedStepDerivatives<T = f64> {
    /// Next configuration (nq).
    pub q: Vec<T>,
    /// Next velocity (nv).
    pub v: Vec<T>,
    /// Derivative of the next configuration by the configuration (nv x nv).
    pub dq_dq: Vec<T>,
    /// Derivative of the next configuration by the velocity (nv x nv), s.
    pub dq_dv: Vec<T>,
    /// Derivative of the next configuration by the controls (nv x nu).
    pub dq_du: Vec<T>,
    /// Derivative of the next velocity by the configuration (nv x nv), 1/s.
    pub dv_dq: Vec<T>,
    /// Derivative of the next velocity by the velocity (nv x nv).
    pub dv_dv: Vec<T>,
    /// Derivative of the next velocity by the controls (nv x nu).
    pub dv_du: Vec<T>,
}

/// Results of `actuated_step_hessian`: the next state, weighted: value, gradient and Hessian by the state and
/// the controls. Matrices are by columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActuatedStepHessian<T = f64> {
    /// `lambda_q . q+ + lambda_v . v+` (1). Of `q+` only joints of one coordinate count.
    pub value: Vec<T>,
    /// Gradient by the configuration (nv).
    pub dq: Vec<T>,
    /// Gradient by the velocity (nv).
    pub dv: Vec<T>,
    /// Gradient by the controls (nu).
    pub du: Vec<T>,
    /// Derivative of `dq` by the configuration (nv x nv). It is not symmetric where joints have several
    /// coordinates.
    pub dqdq: Vec<T>,
    /// Derivative of `dq` by the velocity (nv x nv).
    pub dqdv: Vec<T>,
    /// Derivative of `dv` by the velocity (nv x nv).
    pub dvdv: Vec<T>,
    /// Derivative of `dq` by the controls (nv x nu).
    pub dqdu: Vec<T>,
    /// Derivative of `dv` by the controls (nv x nu).
    pub dvdu: Vec<T>,
    /// Derivative of `du` by the controls (nu x nu).
    pub dudu: Vec<T>,
}

impl<T> Results<T, 8> for StepDerivatives<T> {
    fn all(&mut self) -> [&mut Vec<T>; 8] {
        let Self { q, v, dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau } = self;
        [q, v, dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau]
    }
}

impl<T> Results<T, 10> for StepHessian<T> {
    fn all(&mut self) -> [&mut Vec<T>; 10] {
        let Self { value, dq, dv, dtau, dqdq, dqdv, dvdv, dqdtau, dvdtau, dtaudtau } = self;
        [value, dq, dv, dtau, dqdq, dqdv, dvdv, dqdtau, dvdtau, dtaudtau]
    }
}

impl<T> Results<T, 8> for ActuatedStepDerivatives<T> {
    fn all(&mut self) -> [&mut Vec<T>; 8] {
        let Self { q, v, dq_dq, dq_dv, dq_du, dv_dq, dv_dv, dv_du } = self;
        [q, v, dq_dq, dq_dv, dq_du, dv_dq, dv_dv, dv_du]
    }
}

impl<T> Results<T, 10> for ActuatedStepHessian<T> {
    fn all(&mut self) -> [&mut Vec<T>; 10] {
        let Self { value, dq, dv, du, dqdq, dqdv, dvdv, dqdu, dvdu, dudu } = self;
        [value, dq, dv, du, dqdq, dqdv, dvdv, dqdu, dvdu, dudu]
    }
}

/// Gives each vector its length.
pub(crate) fn fit<T: Number, const N: usize>(out: &mut impl Results<T, N>, lengths: [usize; N]) {
    for (result, length) in out.all().into_iter().zip(lengths) {
        if result.len() != length {
            result.clear();
            result.resize(length, T::zero());
        }
    }
}

/// Checks lengths: the name of each array, how many numbers it is to have, and how many it has.
pub(crate) fn check<const N: usize>(
    function: &'static str,
    lengths: [(&'static str, usize, usize); N],
) -> Result<(), Error> {
    for (name, expected, given) in lengths {
        if expected != given {
            return Err(Error::Length { function, name, expected, given });
        }
    }
    Ok(())
}
