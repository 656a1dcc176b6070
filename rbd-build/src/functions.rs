//! The table of functions that a robot can have: what each is called, takes, gives and means, and how it is computed.
//!
//! Whatever depends on a function reads its row: signatures, documentation, traits and result structs, the search, the
//! report, the tests' adapters. To add a function is to write its algorithm, a variant of [`Function`] and a row, and
//! to have the runtime's `functions.rs` written again (`rbd-build/tests/runtime_functions.rs` says how).

use crate::algorithms::joints::Robot;
use crate::algorithms::{
    Draft, aba, aba_derivatives, center_of_mass, centroidal, centroidal_derivatives, coriolis_matrix, crba,
    energy, frame_derivatives, frames, placements, regressor, rnea, rnea_derivatives,
};
use crate::family::Family;
use crate::quantities::{
    ACCELERATION, COM, COM_JACOBIAN, COM_VELOCITY, CORIOLIS, DACCELERATION_DA, DACCELERATION_DQ,
    DACCELERATION_DV, DKINETIC_DQ, DKINETIC_DV, DMOMENTUM_DQ, DRATE_DA, DRATE_DQ, DRATE_DV, DVELOCITY_DQ,
    DVELOCITY_DV, JACOBIAN, KINETIC_ENERGY, KINETIC_REGRESSOR, MOMENTUM, MOMENTUM_MATRIX, MOMENTUM_RATE,
    PLACEMENT, PLACEMENTS, POTENTIAL_ENERGY, POTENTIAL_REGRESSOR, REGRESSOR, VELOCITY,
};
use crate::second_order::{
    AVALUE, D2DDQ_DQDQ, D2DDQ_DQDTAU, D2DDQ_DQDV, D2DDQ_DVDV, D2TAU_DQDA, D2TAU_DQDQ, D2TAU_DQDV, D2TAU_DVDV,
    DQDA, DQDQ, DQDTAU, DQDV, DVDV, HDA, HDQ, HDTAU, HDV, LAMBDA, MU, VALUE,
};
use crate::signature::{
    A, DDQ, DDQ_DQ, DDQ_DTAU, DDQ_DV, DTAU_DA, DTAU_DQ, DTAU_DV, FEXT, M, MINV, Output, Param, Q, Shape, TAU,
    TAU_GIVEN, V,
};
use crate::strategy::{self as strategies, Strategy};
use crate::tree::Tree;

/// A function of a generated robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Function {
    /// Inverse dynamics.
    Rnea,
    /// Inverse dynamics under external forces.
    RneaFext,
    /// Torques at zero acceleration.
    Bias,
    /// Torques at rest.
    Gravity,
    /// Forward dynamics.
    Aba,
    /// Forward dynamics under external forces.
    AbaFext,
    /// Mass matrix.
    Crba,
    /// Inverse of the mass matrix.
    Minv,
    /// Inverse dynamics and its first derivatives.
    RneaDerivatives,
    /// The same under external forces that are constant in their body's frame.
    RneaDerivativesFext,
    /// Forward dynamics and its first derivatives.
    AbaDerivatives,
    /// The same under external forces that are constant in their body's frame.
    AbaDerivativesFext,
    /// Forward kinematics.
    ForwardKinematics,
    /// The pose of the frame in the world.
    FramePlacement,
    /// The Jacobian of the frame.
    FrameJacobian,
    /// The velocity of the frame.
    FrameVelocity,
    /// The spatial acceleration of the frame, without gravity.
    FrameAcceleration,
    /// The acceleration of the frame with that of the point at its origin as linear part, as an accelerometer without gravity has it.
    FrameClassicalAcceleration,
    /// The rate of the numbers of `frame_velocity` at zero joint accelerations, dJ/dt v.
    FrameBiasAcceleration,
    /// The velocity of the frame and its derivatives.
    FrameVelocityDerivatives,
    /// The spatial acceleration of the frame and its derivatives.
    FrameAccelerationDerivatives,
    /// The centre of mass of all moving bodies, in the world.
    CenterOfMass,
    /// The velocity of the centre of mass, in the world.
    CenterOfMassVelocity,
    /// The Jacobian of the centre of mass.
    CenterOfMassJacobian,
    /// The momentum about the centre of mass, in the world's axes.
    CentroidalMomentum,
    /// The centroidal momentum matrix.
    CentroidalMomentumMatrix,
    /// The rate of the centroidal momentum.
    CentroidalMomentumRate,
    /// The centroidal momentum, its rate, and their derivatives.
    CentroidalDerivatives,
    /// The kinetic energy of all moving bodies and rotors.
    KineticEnergy,
    /// The kinetic energy and its gradients.
    KineticEnergyDerivatives,
    /// The potential energy in the field of gravity, zero for a point at the world's origin.
    PotentialEnergy,
    /// The Coriolis matrix.
    CoriolisMatrix,
    /// The torque regressor.
    Regressor,
    /// For each body the kinetic energy by its ten parameters.
    KineticEnergyRegressor,
    /// For each body the potential energy by its ten parameters.
    PotentialEnergyRegressor,
    /// A weighted sum of the torques, its gradient and its Hessian.
    RneaHessian,
    /// The same under external forces that are constant in their body's frame.
    RneaHessianFext,
    /// A weighted sum of the accelerations, its gradient and its Hessian.
    AbaHessian,
    /// The same under external forces that are constant in their body's frame.
    AbaHessianFext,
    /// Second derivatives of inverse dynamics.
    RneaSecondDerivatives,
    /// The same under external forces that are constant in their body's frame.
    RneaSecondDerivativesFext,
    /// Second derivatives of forward dynamics.
    AbaSecondDerivatives,
    /// The same under external forces that are constant in their body's frame.
    AbaSecondDerivativesFext,
}

/// All that is known of a function.
#[derive(Debug)]
pub struct Spec {
    /// The function.
    pub function: Function,
    /// Its name in Rust.
    pub name: &'static str,
    /// What Pinocchio calls it: its C++ functions, and the fields of `Data` that they fill.
    pub aliases: &'static [&'static str],
    /// The trait that has it.
    pub family: Family,
    /// What it computes, as an equation.
    pub equation: &'static str,
    /// Its documentation in generated code.
    pub doc: &'static str,
    /// What it takes, in order.
    pub params: &'static [Param],
    /// What it gives, in order.
    pub outputs: &'static [Output],
    /// The runtime's struct of several outputs; one output alone is returned as such.
    pub result: Option<&'static str>,
    /// The functions for whose sake ways of writing bodies are searched; what is found serves this one too.
    pub searched_as: &'static [Function],
    /// The ways in which it can be computed for a tree.
    pub(crate) strategies: fn(&Tree) -> Vec<Strategy>,
    /// What computes a stage of it.
    pub(crate) trace: for<'g> fn(&Robot<'g>, &mut Draft<'g>),
}

impl Spec {
    /// The output that is the whole result, if there are no others.
    pub fn only_output(&self) -> Option<Output> {
        self.result.is_none().then(|| self.outputs[0])
    }

    /// Whether the result is so large that users may want it written where they have it.
    pub fn is_large(&self) -> bool {
        !matches!(self.only_output().map(|o| o.shape), Some(Shape::Scalar | Shape::Vector(_)))
    }
}

/// The table, in the order of [`Function`].
pub static FUNCTIONS: [Spec; 43] = [
    Spec {
        function: Function::Rnea,
        name: "rnea",
        aliases: &["rnea", "inverseDynamics"],
        family: Family::InverseDynamics,
        equation: "tau = M(q) a + C(q, v) v + g(q)",
        doc: "Inverse dynamics: the torques (N m, N) that give the accelerations `a` at `q`, `v`.",
        params: &[Q, V, A],
        outputs: &[TAU],
        result: None,
        searched_as: &[Function::Rnea],
        strategies: strategies::torques,
        trace: rnea::trace,
    },
    Spec {
        function: Function::RneaFext,
        name: "rnea_fext",
        aliases: &[],
        family: Family::ExternalForces,
        equation: "tau = M(q) a + C(q, v) v + g(q) - sum_i J_i(q)^T fext_i",
        doc: "Inverse dynamics under external forces: `fext[i]` is the force `[force; moment]` on moving body i, \
              in its joint frame.",
        params: &[Q, V, A, FEXT],
        outputs: &[TAU],
        result: None,
        searched_as: &[Function::Rnea],
        strategies: strategies::torques,
        trace: rnea::trace,
    },
    Spec {
        function: Function::Bias,
        name: "bias",
        aliases: &["nonLinearEffects", "nle"],
        family: Family::InverseDynamics,
        equation: "tau = C(q, v) v + g(q)",
        doc: "Torques at zero acceleration: Coriolis, centrifugal and gravity terms, C(q, v) v + g(q).",
        params: &[Q, V],
        outputs: &[TAU],
        result: None,
        searched_as: &[Function::Rnea],
        strategies: strategies::torques,
        trace: rnea::trace,
    },
    Spec {
        function: Function::Gravity,
        name: "gravity",
        aliases: &["computeGeneralizedGravity"],
        family: Family::InverseDynamics,
        equation: "tau = g(q)",
        doc: "Torques that hold the robot at rest, g(q).",
        params: &[Q],
        outputs: &[TAU],
        result: None,
        searched_as: &[Function::Rnea],
        strategies: strategies::torques,
        trace: rnea::trace,
    },
    Spec {
        function: Function::Aba,
        name: "aba",
        aliases: &["aba", "forwardDynamics"],
        family: Family::ForwardDynamics,
        equation: "ddq = M(q)^-1 (tau - C(q, v) v - g(q))",
        doc: "Forward dynamics: the accelerations under the torques `tau` at `q`, `v`.",
        params: &[Q, V, TAU_GIVEN],
        outputs: &[DDQ],
        result: None,
        searched_as: &[Function::Rnea, Function::Crba],
        strategies: strategies::accelerations,
        trace: aba::trace,
    },
    Spec {
        function: Function::AbaFext,
        name: "aba_fext",
        aliases: &[],
        family: Family::ExternalForces,
        equation: "ddq = M(q)^-1 (tau - C(q, v) v - g(q) + sum_i J_i(q)^T fext_i)",
        doc: "Forward dynamics under external forces: `fext[i]` is the force `[force; moment]` on moving body i, \
              in its joint frame.",
        params: &[Q, V, TAU_GIVEN, FEXT],
        outputs: &[DDQ],
        result: None,
        searched_as: &[Function::Rnea, Function::Crba],
        strategies: strategies::accelerations,
        trace: aba::trace,
    },
    Spec {
        function: Function::Crba,
        name: "crba",
        aliases: &["crba"],
        family: Family::MassMatrix,
        equation: "m = M(q)",
        doc: "The joint-space mass matrix M(q), full and symmetric.",
        params: &[Q],
        outputs: &[M],
        result: None,
        searched_as: &[Function::Crba],
        strategies: strategies::mass_matrix,
        trace: crba::trace,
    },
    Spec {
        function: Function::Minv,
        name: "minv",
        aliases: &["computeMinverse", "Minv"],
        family: Family::InverseMassMatrix,
        equation: "minv = M(q)^-1",
        doc: "The inverse of the mass matrix, full and symmetric.",
        params: &[Q],
        outputs: &[MINV],
        result: None,
        searched_as: &[Function::Crba],
        strategies: strategies::inverse,
        trace: aba_derivatives::trace_inverse,
    },
    Spec {
        function: Function::RneaDerivatives,
        name: "rnea_derivatives",
        aliases: &["computeRNEADerivatives"],
        family: Family::InverseDynamicsDerivatives,
        equation: "tau = M(q) a + C(q, v) v + g(q), dtau_dq = d tau/d q, dtau_dv = d tau/d v, dtau_da = M(q)",
        doc: "Inverse dynamics and its derivatives: `dtau_dq` in the tangent space of q, `dtau_dv`, and `dtau_da`, \
              which is M(q).",
        params: &[Q, V, A],
        outputs: &[TAU, DTAU_DQ, DTAU_DV, DTAU_DA],
        result: Some("RneaDerivatives"),
        searched_as: &[Function::RneaDerivatives, Function::Crba],
        strategies: strategies::torque_derivatives,
        trace: rnea_derivatives::trace,
    },
    Spec {
        function: Function::RneaDerivativesFext,
        name: "rnea_derivatives_fext",
        aliases: &[],
        family: Family::ExternalForces,
        equation: "tau = M(q) a + C(q, v) v + g(q) - sum_i J_i(q)^T fext_i, dtau_dq = d tau/d q, dtau_dv = d tau/d v, \
                   dtau_da = M(q)",
        doc: "The same under external forces. Each is constant in its own body's joint frame: it turns with the body. \
              A force fixed in the world needs a term of its own in `dtau_dq`.",
        params: &[Q, V, A, FEXT],
        outputs: &[TAU, DTAU_DQ, DTAU_DV, DTAU_DA],
        result: Some("RneaDerivatives"),
        searched_as: &[Function::RneaDerivatives, Function::Crba],
        strategies: strategies::torque_derivatives,
        trace: rnea_derivatives::trace,
    },
    Spec {
        function: Function::AbaDerivatives,
        name: "aba_derivatives",
        aliases: &["computeABADerivatives"],
        family: Family::ForwardDynamicsDerivatives,
        equation: "ddq = M(q)^-1 (tau - C(q, v) v - g(q)), ddq_dq = -M^-1 d tau/d q, ddq_dv = -M^-1 d tau/d v, \
                   ddq_dtau = M^-1",
        doc: "Forward dynamics and its derivatives: `ddq_dq` in the tangent space of q, `ddq_dv`, and `ddq_dtau`, \
              which is the inverse of M(q).",
        params: &[Q, V, TAU_GIVEN],
        outputs: &[DDQ, DDQ_DQ, DDQ_DV, DDQ_DTAU],
        result: Some("AbaDerivatives"),
        searched_as: &[Function::RneaDerivatives, Function::Crba],
        strategies: strategies::acceleration_derivatives,
        trace: aba_derivatives::trace,
    },
    Spec {
        function: Function::AbaDerivativesFext,
        name: "aba_derivatives_fext",
        aliases: &[],
        family: Family::ExternalForces,
        equation: "ddq = M(q)^-1 (tau - C(q, v) v - g(q) + sum_i J_i(q)^T fext_i), ddq_dq = -M^-1 d tau/d q, \
                   ddq_dv = -M^-1 d tau/d v, ddq_dtau = M^-1",
        doc: "The same under external forces. Each is constant in its own body's joint frame: it turns with the body. \
              A force fixed in the world needs a term of its own in `ddq_dq`.",
        params: &[Q, V, TAU_GIVEN, FEXT],
        outputs: &[DDQ, DDQ_DQ, DDQ_DV, DDQ_DTAU],
        result: Some("AbaDerivatives"),
        searched_as: &[Function::RneaDerivatives, Function::Crba],
        strategies: strategies::acceleration_derivatives,
        trace: aba_derivatives::trace,
    },
    Spec {
        function: Function::ForwardKinematics,
        name: "forward_kinematics",
        aliases: &["forwardKinematics", "oMi"],
        family: Family::Bodies,
        equation: "placements = [R_i(q), p_i(q)] for each moving body i",
        doc: "Forward kinematics: the pose in the world of each moving body's joint frame, in the order of \
              `JOINTS`.",
        params: &[Q],
        outputs: &[PLACEMENTS],
        result: None,
        searched_as: &[],
        strategies: strategies::one_pass,
        trace: placements::trace,
    },
    Spec {
        function: Function::FramePlacement,
        name: "frame_placement",
        aliases: &["framesForwardKinematics", "updateFramePlacement", "oMf"],
        family: Family::Frames,
        equation: "placement = [R(q), p(q)]",
        doc: "The pose of the frame in the world.",
        params: &[Q],
        outputs: &[PLACEMENT],
        result: None,
        searched_as: &[],
        strategies: strategies::either_way,
        trace: frames::placement,
    },
    Spec {
        function: Function::FrameJacobian,
        name: "frame_jacobian",
        aliases: &["computeFrameJacobian", "getFrameJacobian"],
        family: Family::Frames,
        equation: "jacobian = J(q), with velocity = J v",
        doc: "The Jacobian of the frame: its velocity, as the reference frame says, by v.",
        params: &[Q],
        outputs: &[JACOBIAN],
        result: None,
        searched_as: &[],
        strategies: strategies::body_by_body,
        trace: frames::jacobian,
    },
    Spec {
        function: Function::FrameVelocity,
        name: "frame_velocity",
        aliases: &["getFrameVelocity"],
        family: Family::Frames,
        equation: "velocity = J(q) v",
        doc: "The velocity of the frame.",
        params: &[Q, V],
        outputs: &[VELOCITY],
        result: None,
        searched_as: &[],
        strategies: strategies::body_by_body,
        trace: frames::velocity,
    },
    Spec {
        function: Function::FrameAcceleration,
        name: "frame_acceleration",
        aliases: &["getFrameAcceleration"],
        family: Family::Frames,
        equation: "acceleration = X (d/dt) (velocity in the world)",
        doc: "The spatial acceleration of the frame, without gravity. In its own axes and in the world's it \
              is the rate of the numbers of `frame_velocity`; in `LocalWorldAligned` it is the former in the \
              world's axes.",
        params: &[Q, V, A],
        outputs: &[ACCELERATION],
        result: None,
        searched_as: &[],
        strategies: strategies::body_by_body,
        trace: frames::acceleration,
    },
    Spec {
        function: Function::FrameClassicalAcceleration,
        name: "frame_classical_acceleration",
        aliases: &["getFrameClassicalAcceleration"],
        family: Family::Frames,
        equation: "acceleration = frame_acceleration + [w x v; 0]",
        doc: "The acceleration of the frame with that of the point at its origin as linear part, as an \
              accelerometer without gravity has it. In `LocalWorldAligned` it is the rate of the numbers of \
              `frame_velocity`.",
        params: &[Q, V, A],
        outputs: &[ACCELERATION],
        result: None,
        searched_as: &[],
        strategies: strategies::body_by_body,
        trace: frames::classical_acceleration,
    },
    Spec {
        function: Function::FrameBiasAcceleration,
        name: "frame_bias_acceleration",
        aliases: &["getFrameJacobianTimeVariation"],
        family: Family::Frames,
        equation: "acceleration = (dJ/dt) v",
        doc: "The rate of the numbers of `frame_velocity` at zero joint accelerations, dJ/dt v: with \
              `frame_jacobian` J in the same reference frame, their rate is J a + dJ/dt v.",
        params: &[Q, V],
        outputs: &[ACCELERATION],
        result: None,
        searched_as: &[],
        strategies: strategies::body_by_body,
        trace: frames::bias_acceleration,
    },
    Spec {
        function: Function::FrameVelocityDerivatives,
        name: "frame_velocity_derivatives",
        aliases: &["getFrameVelocityDerivatives"],
        family: Family::Frames,
        equation: "velocity = J(q) v, dv_dq = d velocity/d q, dv_dv = J(q)",
        doc: "The velocity of the frame and its derivatives.",
        params: &[Q, V],
        outputs: &[VELOCITY, DVELOCITY_DQ, DVELOCITY_DV],
        result: Some("FrameVelocityDerivatives"),
        searched_as: &[],
        strategies: strategies::body_by_body,
        trace: frame_derivatives::velocity,
    },
    Spec {
        function: Function::FrameAccelerationDerivatives,
        name: "frame_acceleration_derivatives",
        aliases: &["getFrameAccelerationDerivatives"],
        family: Family::Frames,
        equation: "acceleration = frame_acceleration, da_dq = d acceleration/d q, da_dv = d acceleration/d \
                   v, da_da = J(q)",
        doc: "The spatial acceleration of the frame and its derivatives.",
        params: &[Q, V, A],
        outputs: &[ACCELERATION, DACCELERATION_DQ, DACCELERATION_DV, DACCELERATION_DA],
        result: Some("FrameAccelerationDerivatives"),
        searched_as: &[],
        strategies: strategies::body_by_body,
        trace: frame_derivatives::acceleration,
    },
    Spec {
        function: Function::CenterOfMass,
        name: "center_of_mass",
        aliases: &["centerOfMass"],
        family: Family::Centroidal,
        equation: "com = sum_i m_i c_i / sum_i m_i",
        doc: "The centre of mass of all moving bodies, in the world.",
        params: &[Q],
        outputs: &[COM],
        result: None,
        searched_as: &[],
        strategies: strategies::inward,
        trace: center_of_mass::trace,
    },
    Spec {
        function: Function::CenterOfMassVelocity,
        name: "center_of_mass_velocity",
        aliases: &["vcom"],
        family: Family::Centroidal,
        equation: "com_velocity = d com/dt",
        doc: "The velocity of the centre of mass, in the world.",
        params: &[Q, V],
        outputs: &[COM_VELOCITY],
        result: None,
        searched_as: &[],
        strategies: strategies::inward,
        trace: center_of_mass::velocity,
    },
    Spec {
        function: Function::CenterOfMassJacobian,
        name: "center_of_mass_jacobian",
        aliases: &["jacobianCenterOfMass"],
        family: Family::Centroidal,
        equation: "com_jacobian = d com/d q",
        doc: "The Jacobian of the centre of mass: its velocity by v.",
        params: &[Q],
        outputs: &[COM_JACOBIAN],
        result: None,
        searched_as: &[],
        strategies: strategies::inward,
        trace: center_of_mass::jacobian,
    },
    Spec {
        function: Function::CentroidalMomentum,
        name: "centroidal_momentum",
        aliases: &["computeCentroidalMomentum", "hg"],
        family: Family::Centroidal,
        equation: "momentum = A_g(q) v",
        doc: "The momentum about the centre of mass, in the world's axes.",
        params: &[Q, V],
        outputs: &[MOMENTUM],
        result: None,
        searched_as: &[Function::Rnea],
        strategies: strategies::one_pass,
        trace: centroidal::momentum,
    },
    Spec {
        function: Function::CentroidalMomentumMatrix,
        name: "centroidal_momentum_matrix",
        aliases: &["computeCentroidalMap", "ccrba", "Ag"],
        family: Family::Centroidal,
        equation: "momentum_matrix = A_g(q)",
        doc: "The centroidal momentum matrix: the centroidal momentum by v.",
        params: &[Q],
        outputs: &[MOMENTUM_MATRIX],
        result: None,
        searched_as: &[Function::Crba],
        strategies: strategies::one_pass,
        trace: centroidal::matrix,
    },
    Spec {
        function: Function::CentroidalMomentumRate,
        name: "centroidal_momentum_rate",
        aliases: &["computeCentroidalMomentumTimeVariation", "dhg"],
        family: Family::Centroidal,
        equation: "rate = A_g(q) a + dA_g/dt v",
        doc: "The rate of the centroidal momentum: what forces from the world, gravity among them, must add \
              up to.",
        params: &[Q, V, A],
        outputs: &[MOMENTUM_RATE],
        result: None,
        searched_as: &[Function::Rnea],
        strategies: strategies::one_pass,
        trace: centroidal::rate,
    },
    Spec {
        function: Function::CentroidalDerivatives,
        name: "centroidal_derivatives",
        aliases: &["computeCentroidalDynamicsDerivatives"],
        family: Family::CentroidalDynamicsDerivatives,
        equation: "momentum = A_g(q) v, rate = A_g(q) a + dA_g/dt v, dmomentum_dq = d momentum/d q, drate_dq \
                   = d rate/d q, drate_dv = d rate/d v, drate_da = A_g(q)",
        doc: "The centroidal momentum, its rate, and their derivatives. The derivative of the momentum by v \
              is `drate_da` too.",
        params: &[Q, V, A],
        outputs: &[MOMENTUM, MOMENTUM_RATE, DMOMENTUM_DQ, DRATE_DQ, DRATE_DV, DRATE_DA],
        result: Some("CentroidalDerivatives"),
        searched_as: &[Function::RneaDerivatives],
        strategies: strategies::one_pass,
        trace: centroidal_derivatives::trace,
    },
    Spec {
        function: Function::KineticEnergy,
        name: "kinetic_energy",
        aliases: &["computeKineticEnergy"],
        family: Family::Energy,
        equation: "energy = v^T M(q) v / 2",
        doc: "The kinetic energy of all moving bodies and rotors.",
        params: &[Q, V],
        outputs: &[KINETIC_ENERGY],
        result: None,
        searched_as: &[Function::Rnea],
        strategies: strategies::one_pass,
        trace: energy::kinetic,
    },
    Spec {
        function: Function::KineticEnergyDerivatives,
        name: "kinetic_energy_derivatives",
        aliases: &[],
        family: Family::Energy,
        equation: "energy = v^T M(q) v / 2, denergy_dq = d energy/d q, denergy_dv = M(q) v",
        doc: "The kinetic energy and its gradients.",
        params: &[Q, V],
        outputs: &[KINETIC_ENERGY, DKINETIC_DQ, DKINETIC_DV],
        result: Some("KineticEnergyDerivatives"),
        searched_as: &[Function::Rnea],
        strategies: strategies::one_pass,
        trace: energy::kinetic_derivatives,
    },
    Spec {
        function: Function::PotentialEnergy,
        name: "potential_energy",
        aliases: &["computePotentialEnergy"],
        family: Family::Energy,
        equation: "energy = -sum_i m_i g . c_i",
        doc: "The potential energy in the field of gravity, zero for a point at the world's origin. Its \
              gradient is `gravity`.",
        params: &[Q],
        outputs: &[POTENTIAL_ENERGY],
        result: None,
        searched_as: &[],
        strategies: strategies::inward,
        trace: energy::potential,
    },
    Spec {
        function: Function::CoriolisMatrix,
        name: "coriolis_matrix",
        aliases: &["computeCoriolisMatrix"],
        family: Family::Coriolis,
        equation: "coriolis = C(q, v), with C v + g(q) = bias and dM/dt = C + C^T",
        doc: "The Coriolis matrix. Damping has no part in it.",
        params: &[Q, V],
        outputs: &[CORIOLIS],
        result: None,
        searched_as: &[Function::RneaDerivatives],
        strategies: strategies::one_pass,
        trace: coriolis_matrix::trace,
    },
    Spec {
        function: Function::Regressor,
        name: "regressor",
        aliases: &["computeJointTorqueRegressor", "jointTorqueRegressor"],
        family: Family::Regressors,
        equation: "regressor = Y(q, v, a), with tau = sum_i Y_i pi_i",
        doc: "The torque regressor: for each body the torques by its ten parameters, m, hx, hy, hz, Jxx, \
              Jxy, Jyy, Jxz, Jyz, Jzz about its joint frame's origin. Armature and damping have no part in \
              it.",
        params: &[Q, V, A],
        outputs: &[REGRESSOR],
        result: None,
        searched_as: &[],
        strategies: strategies::body_by_body,
        trace: regressor::torques,
    },
    Spec {
        function: Function::KineticEnergyRegressor,
        name: "kinetic_energy_regressor",
        aliases: &["computeKineticEnergyRegressor"],
        family: Family::Regressors,
        equation: "kinetic_energy_regressor = d energy/d pi",
        doc: "For each body the kinetic energy by its ten parameters.",
        params: &[Q, V],
        outputs: &[KINETIC_REGRESSOR],
        result: None,
        searched_as: &[],
        strategies: strategies::body_by_body,
        trace: regressor::kinetic_energy,
    },
    Spec {
        function: Function::PotentialEnergyRegressor,
        name: "potential_energy_regressor",
        aliases: &["computePotentialEnergyRegressor"],
        family: Family::Regressors,
        equation: "potential_energy_regressor = d energy/d pi",
        doc: "For each body the potential energy by its ten parameters.",
        params: &[Q],
        outputs: &[POTENTIAL_REGRESSOR],
        result: None,
        searched_as: &[],
        strategies: strategies::body_by_body,
        trace: regressor::potential_energy,
    },
    Spec {
        function: Function::RneaHessian,
        name: "rnea_hessian",
        aliases: &[],
        family: Family::SecondDerivatives,
        equation: "value = mu . tau, dq = d value/d q, dv = d value/d v, da = M mu, dqdq = d dq/d q, dqdv = d dq/d v, dvdv = d dv/d v, dqda = d dq/d a",
        doc: "The sum of torques `mu . tau`, its gradient and its Hessian, without any tensor: what an exact Hessian of inverse dynamics adds to a Lagrangian. The sines and cosines of a `Posture` are not used, but its `q`.",
        params: &[Q, V, A, MU],
        outputs: &[VALUE, HDQ, HDV, HDA, DQDQ, DQDV, DVDV, DQDA],
        result: Some("RneaHessian"),
        searched_as: &[],
        strategies: strategies::tables,
        trace: by_the_runtime,
    },
    Spec {
        function: Function::RneaHessianFext,
        name: "rnea_hessian_fext",
        aliases: &[],
        family: Family::SecondDerivatives,
        equation: "value = mu . tau, dq = d value/d q, dv = d value/d v, da = M mu, dqdq = d dq/d q, dqdv = d dq/d v, dvdv = d dv/d v, dqda = d dq/d a",
        doc: "The same under external forces, each constant in its own body's joint frame.",
        params: &[Q, V, A, FEXT, MU],
        outputs: &[VALUE, HDQ, HDV, HDA, DQDQ, DQDV, DVDV, DQDA],
        result: Some("RneaHessian"),
        searched_as: &[],
        strategies: strategies::tables,
        trace: by_the_runtime,
    },
    Spec {
        function: Function::AbaHessian,
        name: "aba_hessian",
        aliases: &[],
        family: Family::SecondDerivatives,
        equation: "value = lambda . ddq, dq = d value/d q, dv = d value/d v, dtau = M^-1 lambda, dqdq = d dq/d q, dqdv = d dq/d v, dvdv = d dv/d v, dqdtau = d dq/d tau",
        doc: "The sum of accelerations `lambda . ddq` under the torques `tau`, its gradient and its Hessian, without any tensor: what DDP needs. The sines and cosines of a `Posture` are not used, but its `q`.",
        params: &[Q, V, TAU_GIVEN, LAMBDA],
        outputs: &[AVALUE, HDQ, HDV, HDTAU, DQDQ, DQDV, DVDV, DQDTAU],
        result: Some("AbaHessian"),
        searched_as: &[],
        strategies: strategies::tables,
        trace: by_the_runtime,
    },
    Spec {
        function: Function::AbaHessianFext,
        name: "aba_hessian_fext",
        aliases: &[],
        family: Family::SecondDerivatives,
        equation: "value = lambda . ddq, dq = d value/d q, dv = d value/d v, dtau = M^-1 lambda, dqdq = d dq/d q, dqdv = d dq/d v, dvdv = d dv/d v, dqdtau = d dq/d tau",
        doc: "The same under external forces, each constant in its own body's joint frame.",
        params: &[Q, V, TAU_GIVEN, FEXT, LAMBDA],
        outputs: &[AVALUE, HDQ, HDV, HDTAU, DQDQ, DQDV, DVDV, DQDTAU],
        result: Some("AbaHessian"),
        searched_as: &[],
        strategies: strategies::tables,
        trace: by_the_runtime,
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
        searched_as: &[],
        strategies: strategies::tables,
        trace: by_the_runtime,
    },
    Spec {
        function: Function::RneaSecondDerivativesFext,
        name: "rnea_second_derivatives_fext",
        aliases: &[],
        family: Family::SecondDerivatives,
        equation: "d2tau_dqdq = d2 tau/d q d q, d2tau_dqdv = d2 tau/d q d v, d2tau_dvdv = d2 tau/d v d v, d2tau_dqda = d M/d q",
        doc: "The same under external forces, each constant in its own body's joint frame.",
        params: &[Q, V, A, FEXT],
        outputs: &[D2TAU_DQDQ, D2TAU_DQDV, D2TAU_DVDV, D2TAU_DQDA],
        result: Some("RneaSecondDerivatives"),
        searched_as: &[],
        strategies: strategies::tables,
        trace: by_the_runtime,
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
        trace: by_the_runtime,
    },
    Spec {
        function: Function::AbaSecondDerivativesFext,
        name: "aba_second_derivatives_fext",
        aliases: &[],
        family: Family::SecondDerivatives,
        equation: "d2ddq_dqdq = d2 ddq/d q d q, d2ddq_dqdv = d2 ddq/d q d v, d2ddq_dvdv = d2 ddq/d v d v, d2ddq_dqdtau = d M^-1/d q",
        doc: "The same under external forces, each constant in its own body's joint frame.",
        params: &[Q, V, TAU_GIVEN, FEXT],
        outputs: &[D2DDQ_DQDQ, D2DDQ_DQDV, D2DDQ_DVDV, D2DDQ_DQDTAU],
        result: Some("AbaSecondDerivatives"),
        searched_as: &[],
        strategies: strategies::tables,
        trace: by_the_runtime,
    },
];

// A row is found by its place.
const _: () = {
    let mut k = 0;
    while k < FUNCTIONS.len() {
        assert!(FUNCTIONS[k].function as usize == k);
        k += 1;
    }
};

/// What stands for the algorithm of a function that is no kernel.
fn by_the_runtime(_: &Robot<'_>, _: &mut Draft<'_>) {
    unreachable!("the runtime computes it, by loops over tables")
}

impl Function {
    /// Every function that has kernels of its own, in the order in which they are documented. Those after them in
    /// [`FUNCTIONS`] are computed by the runtime, by loops over tables.
    pub const ALL: [Self; 35] = {
        let mut all = [Self::Rnea; 35];
        let mut k = 0;
        while k < all.len() {
            all[k] = FUNCTIONS[k].function;
            k += 1;
        }
        all
    };

    /// Whether the runtime computes it, by loops over the robot's tables.
    pub fn is_by_tables(self) -> bool {
        self as usize >= Self::ALL.len()
    }

    /// Its row.
    pub fn spec(self) -> &'static Spec {
        &FUNCTIONS[self as usize]
    }

    /// Whether it has both kernels of its own and loops of the runtime, of which the search chooses.
    pub fn has_loops(self) -> bool {
        use Function as F;
        let inverse_dynamics = [F::RneaDerivatives, F::RneaDerivativesFext, F::Crba];
        let forward_dynamics = [F::AbaDerivatives, F::AbaDerivativesFext, F::Minv];
        inverse_dynamics.contains(&self) || forward_dynamics.contains(&self)
    }

    /// Its name in Rust.
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// The function with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        FUNCTIONS.iter().find(|spec| spec.name == name).map(|spec| spec.function)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row describes itself: its equation says what each output is.
    #[test]
    fn equations_name_what_is_given() {
        for spec in &FUNCTIONS {
            for output in spec.outputs {
                let left = format!("{} =", output.name);
                assert!(spec.equation.contains(&left), "{}: no `{left}` in `{}`", spec.name, spec.equation);
            }
            assert_eq!(spec.result.is_none(), spec.outputs.len() == 1, "{}", spec.name);
            assert_eq!(spec.params[0], Q, "{}", spec.name);
        }
    }

    #[test]
    fn a_name_is_of_one_function() {
        for (k, spec) in FUNCTIONS.iter().enumerate() {
            let other = |s: &&Spec| s.name == spec.name || s.aliases.iter().any(|a| spec.aliases.contains(a));
            assert!(!FUNCTIONS[..k].iter().any(|s| other(&s)), "{}", spec.name);
            assert_eq!(Function::from_name(spec.name), Some(spec.function));
        }
    }
}
