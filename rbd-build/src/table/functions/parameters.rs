//! Parameters at run time: functions that take them, and rows of derivatives by them.

use super::{Function, Spec};
use crate::algorithms::parameter_derivatives;
use crate::algorithms::strategy as strategies;
use crate::signatures::quantities::{DDQ_DGRAVITY, DDQ_DINERTIA, DTAU_DGRAVITY, DTAU_DINERTIA};
use crate::signatures::signature::{A, DDQ, Q, TAU, TAU_GIVEN, V};
use crate::table::family::Family;
use rbd_runtime::Model;

pub(super) const ROWS: [Spec; 2] = [
    Spec {
        function: Function::RneaParameterDerivatives,
        name: "rnea_parameter_derivatives",
        aliases: &[],
        family: Family::ParameterDerivatives,
        equation: "tau = M(q) a + C(q, v) v + g(q), dtau_dinertia = d tau/d inertia, dtau_dgravity = d tau/d gravity",
        doc: "Inverse dynamics, and its derivatives by the inertias that are given at run time and by gravity.",
        params: &[Q, V, A],
        outputs: &[TAU, DTAU_DINERTIA, DTAU_DGRAVITY],
        result: Some("RneaParameterDerivatives"),
        searched_as: &[],
        strategies: strategies::body_by_body,
        trace: parameter_derivatives::inverse,
    },
    Spec {
        function: Function::AbaParameterDerivatives,
        name: "aba_parameter_derivatives",
        aliases: &[],
        family: Family::ParameterDerivatives,
        equation: "ddq = M(q)^-1 (tau - C(q, v) v - g(q)), ddq_dinertia = -M^-1 d tau/d inertia, \
                   ddq_dgravity = -M^-1 d tau/d gravity",
        doc: "Forward dynamics, and its derivatives by the inertias that are given at run time and by gravity.",
        params: &[Q, V, TAU_GIVEN],
        outputs: &[DDQ, DDQ_DINERTIA, DDQ_DGRAVITY],
        result: Some("AbaParameterDerivatives"),
        searched_as: &[],
        strategies: strategies::body_by_body,
        trace: parameter_derivatives::forward,
    },
];

impl Function {
    /// True if the result depends on inertias.
    pub fn depends_on_inertia(self) -> bool {
        use Family as F;
        let dynamics = F::DYNAMICS.contains(&self.spec().family);
        let others = [
            F::Centroidal,
            F::CentroidalDynamicsDerivatives,
            F::Energy,
            F::Coriolis,
            F::ParameterDerivatives,
            F::SecondDerivatives,
        ];
        dynamics || others.contains(&self.spec().family)
    }

    /// True if the result depends on gravity.
    pub fn depends_on_gravity(self) -> bool {
        use Family as F;
        match self.spec().family {
            F::MassMatrix | F::InverseMassMatrix => false,
            F::Energy => self == Self::PotentialEnergy,
            F::Regressors => self != Self::KineticEnergyRegressor,
            F::ParameterDerivatives | F::SecondDerivatives => true,
            family => F::DYNAMICS.contains(&family),
        }
    }

    /// True if it takes the robot's parameters at run time.
    pub fn takes_parameters(self, model: &Model<f64>) -> bool {
        let run_time = &model.run_time;
        !run_time.inertias.is_empty() && self.depends_on_inertia()
            || run_time.gravity && self.depends_on_gravity()
    }

    /// True for a derivative by the parameters at run time.
    pub fn is_by_parameters(self) -> bool {
        self.spec().family == Family::ParameterDerivatives
    }
}
