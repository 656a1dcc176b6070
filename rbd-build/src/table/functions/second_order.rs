//! Rows of second derivatives, computed by loops over tables or composed of other functions' results.

use super::{Function, Spec, composed};
use crate::algorithms::strategy as strategies;
use crate::algorithms::{rnea_hessian, rnea_second_derivatives};
use crate::signatures::second_order::{
    AVALUE, D2DDQ_DQDQ, D2DDQ_DQDTAU, D2DDQ_DQDV, D2DDQ_DVDV, D2TAU_DQDA, D2TAU_DQDQ, D2TAU_DQDV, D2TAU_DVDV,
    DQDA, DQDQ, DQDTAU, DQDV, DVDV, HDA, HDQ, HDTAU, HDV, LAMBDA, MU, VALUE,
};
use crate::signatures::signature::{A, Dims, FEXT, Output, Q, TAU_GIVEN, V};
use crate::table::family::Family;
use rbd_runtime::Model;

pub(super) const ROWS: &[Spec] = &[
    Spec {
        function: Function::RneaHessian,
        name: "rnea_hessian",
        aliases: &[],
        family: Family::SecondDerivatives,
        equation: "value = mu . tau, dq = d value/d q, dv = d value/d v, da = M mu, dqdq = d dq/d q, dqdv = d dq/d v, dvdv = d dv/d v, dqda = d dq/d a",
        doc: "The sum of torques `mu . tau`, its gradient and its Hessian, without any tensor: what an exact Hessian of inverse dynamics adds to a Lagrangian.",
        params: &[Q, V, A, MU],
        outputs: &[VALUE, HDQ, HDV, HDA, DQDQ, DQDV, DVDV, DQDA],
        result: Some("RneaHessian"),
        searched_as: &[Function::RneaDerivatives, Function::Crba],
        strategies: strategies::torque_derivatives,
        trace: rnea_hessian::trace,
    },
    Spec {
        function: Function::RneaHessianFext,
        name: "rnea_hessian_fext",
        aliases: &[],
        family: Family::SecondDerivatives,
        equation: "value = mu . tau, dq = d value/d q, dv = d value/d v, da = M mu, dqdq = d dq/d q, dqdv = d dq/d v, dvdv = d dv/d v, dqda = d dq/d a",
        doc: "Torques weighted with mu, their gradient and their Hessian, under external forces, each constant in its own body's joint frame.",
        params: &[Q, V, A, FEXT, MU],
        outputs: &[VALUE, HDQ, HDV, HDA, DQDQ, DQDV, DVDV, DQDA],
        result: Some("RneaHessian"),
        searched_as: &[Function::RneaDerivatives, Function::Crba],
        strategies: strategies::torque_derivatives,
        trace: rnea_hessian::trace,
    },
    Spec {
        function: Function::AbaHessian,
        name: "aba_hessian",
        aliases: &[],
        family: Family::SecondDerivatives,
        equation: "value = lambda . ddq, dq = d value/d q, dv = d value/d v, dtau = M^-1 lambda, dqdq = d dq/d q, dqdv = d dq/d v, dvdv = d dv/d v, dqdtau = d dq/d tau",
        doc: "The sum of accelerations `lambda . ddq` under the torques `tau`, its gradient and its Hessian, without any tensor: what DDP needs.",
        params: &[Q, V, TAU_GIVEN, LAMBDA],
        outputs: &[AVALUE, HDQ, HDV, HDTAU, DQDQ, DQDV, DVDV, DQDTAU],
        result: Some("AbaHessian"),
        searched_as: &[],
        strategies: strategies::tables,
        trace: composed,
    },
    Spec {
        function: Function::AbaHessianFext,
        name: "aba_hessian_fext",
        aliases: &[],
        family: Family::SecondDerivatives,
        equation: "value = lambda . ddq, dq = d value/d q, dv = d value/d v, dtau = M^-1 lambda, dqdq = d dq/d q, dqdv = d dq/d v, dvdv = d dv/d v, dqdtau = d dq/d tau",
        doc: "Accelerations weighted with lambda, their gradient and their Hessian, under external forces, each constant in its own body's joint frame.",
        params: &[Q, V, TAU_GIVEN, FEXT, LAMBDA],
        outputs: &[AVALUE, HDQ, HDV, HDTAU, DQDQ, DQDV, DVDV, DQDTAU],
        result: Some("AbaHessian"),
        searched_as: &[],
        strategies: strategies::tables,
        trace: composed,
    },
    Spec {
        function: Function::RneaSecondDerivatives,
        name: "rnea_second_derivatives",
        aliases: &["ComputeRNEASecondOrderDerivatives"],
        family: Family::SecondDerivatives,
        equation: "d2tau_dqdq = d2 tau/d q d q, d2tau_dqdv = d2 tau/d q d v, d2tau_dvdv = d2 tau/d v d v, d2tau_dqda = d M/d q",
        doc: "Second derivatives of inverse dynamics. The form that writes leaves alone what is zero for this robot: give it what `zeros` made, and use that again. Large: keep it in a `static` or a `Box`.",
        params: &[Q, V, A],
        outputs: &[D2TAU_DQDQ, D2TAU_DQDV, D2TAU_DVDV, D2TAU_DQDA],
        result: Some("RneaSecondDerivatives"),
        searched_as: &[Function::RneaDerivatives, Function::Crba],
        strategies: strategies::tensors,
        trace: rnea_second_derivatives::trace,
    },
    Spec {
        function: Function::RneaSecondDerivativesFext,
        name: "rnea_second_derivatives_fext",
        aliases: &[],
        family: Family::SecondDerivatives,
        equation: "d2tau_dqdq = d2 tau/d q d q, d2tau_dqdv = d2 tau/d q d v, d2tau_dvdv = d2 tau/d v d v, d2tau_dqda = d M/d q",
        doc: "All second derivatives of inverse dynamics, under external forces, each constant in its own body's joint frame.",
        params: &[Q, V, A, FEXT],
        outputs: &[D2TAU_DQDQ, D2TAU_DQDV, D2TAU_DVDV, D2TAU_DQDA],
        result: Some("RneaSecondDerivatives"),
        searched_as: &[Function::RneaDerivatives, Function::Crba],
        strategies: strategies::tensors,
        trace: rnea_second_derivatives::trace,
    },
    Spec {
        function: Function::AbaSecondDerivatives,
        name: "aba_second_derivatives",
        aliases: &[],
        family: Family::SecondDerivatives,
        equation: "d2ddq_dqdq = d2 ddq/d q d q, d2ddq_dqdv = d2 ddq/d q d v, d2ddq_dvdv = d2 ddq/d v d v, d2ddq_dqdtau = d M^-1/d q",
        doc: "Second derivatives of forward dynamics. The form that writes wants what `zeros` made, or it itself. Large: keep it in a `static` or a `Box`.",
        params: &[Q, V, TAU_GIVEN],
        outputs: &[D2DDQ_DQDQ, D2DDQ_DQDV, D2DDQ_DVDV, D2DDQ_DQDTAU],
        result: Some("AbaSecondDerivatives"),
        searched_as: &[],
        strategies: strategies::tables,
        trace: composed,
    },
    Spec {
        function: Function::AbaSecondDerivativesFext,
        name: "aba_second_derivatives_fext",
        aliases: &[],
        family: Family::SecondDerivatives,
        equation: "d2ddq_dqdq = d2 ddq/d q d q, d2ddq_dqdv = d2 ddq/d q d v, d2ddq_dvdv = d2 ddq/d v d v, d2ddq_dqdtau = d M^-1/d q",
        doc: "All second derivatives of forward dynamics, under external forces, each constant in its own body's joint frame.",
        params: &[Q, V, TAU_GIVEN, FEXT],
        outputs: &[D2DDQ_DQDQ, D2DDQ_DQDV, D2DDQ_DVDV, D2DDQ_DQDTAU],
        result: Some("AbaSecondDerivatives"),
        searched_as: &[],
        strategies: strategies::tables,
        trace: composed,
    },
];

impl Function {
    /// The Hessian of a weighted sum that is a row of these tensors if one weight is 1 and the others are 0.
    /// Its blocks are in the tensors' order.
    pub(crate) fn hessian_of_row(self) -> Option<Self> {
        self.dependencies_without_loops().last().copied().filter(|_| self.is_tensor())
    }

    /// Returns whether it gives second derivatives of single torques or accelerations, as tensors.
    pub(crate) fn is_tensor(self) -> bool {
        let is_tensor = |output: &Output| matches!(output.shape, Dims::Tensor(..));
        self.is_second_order() && self.spec().outputs.iter().any(is_tensor)
    }

    /// Functions of whose results the runtime composes this one, if loops over tables do not suffice.
    ///
    /// Hessians of accelerations need first derivatives and the Hessian of weighted torques.
    /// With parameters at run time, tensors are composed of Hessians of single torques: tables are constants.
    pub fn dependencies(self, model: &Model<f64>) -> &'static [Self] {
        use Function as F;
        let of_hessians = !model.run_time.is_none();
        match self {
            F::RneaSecondDerivatives if of_hessians => &[F::RneaHessian],
            F::RneaSecondDerivativesFext if of_hessians => &[F::RneaHessianFext],
            F::AbaSecondDerivatives if of_hessians => &[F::AbaDerivatives, F::RneaHessian],
            F::AbaSecondDerivativesFext if of_hessians => &[F::AbaDerivativesFext, F::RneaHessianFext],
            F::AbaHessian => &[F::AbaDerivatives, F::RneaHessian],
            F::AbaHessianFext => &[F::AbaDerivativesFext, F::RneaHessianFext],
            F::AbaSecondDerivatives => &[F::AbaDerivatives],
            F::AbaSecondDerivativesFext => &[F::AbaDerivativesFext],
            _ => &[],
        }
    }

    /// Functions of whose results this one is composed without loops: first derivatives and Hessians.
    ///
    /// Tensors take a Hessian for each row.
    pub fn dependencies_without_loops(self) -> &'static [Self] {
        use Function as F;
        match self {
            F::AbaHessian => &[F::AbaDerivatives, F::RneaHessian],
            F::AbaHessianFext => &[F::AbaDerivativesFext, F::RneaHessianFext],
            F::RneaSecondDerivatives => &[F::RneaHessian],
            F::RneaSecondDerivativesFext => &[F::RneaHessianFext],
            F::AbaSecondDerivatives => &[F::AbaDerivatives, F::RneaHessian, F::AbaHessian],
            F::AbaSecondDerivativesFext => &[F::AbaDerivativesFext, F::RneaHessianFext, F::AbaHessianFext],
            _ => &[],
        }
    }
}
