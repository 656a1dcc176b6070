//! Arguments and results of second derivatives, as constants of [`signature`](crate::signatures::signature).
//! Derivatives by q are in the tangent space.

use crate::signatures::signature::{Dim, Dims, Kind, Output, Param};

const fn block(name: &'static str, doc: &'static str) -> Output {
    Output { name, shape: Dims::Matrix(Dim::Nv, Dim::Nv), symmetric: false, unit: "of the sum", doc }
}

const fn gradient(name: &'static str, doc: &'static str) -> Output {
    Output { name, shape: Dims::Vector(Dim::Nv), symmetric: false, unit: "of the sum", doc }
}

const fn tensor(name: &'static str, unit: &'static str, doc: &'static str) -> Output {
    Output { name, shape: Dims::Tensor(Dim::Nv, Dim::Nv, Dim::Nv), symmetric: false, unit, doc }
}

const fn value(doc: &'static str) -> Output {
    Output { name: "value", shape: Dims::Scalar, symmetric: false, unit: "of the weights", doc }
}

/// Weights of the torques.
pub const MU: Param = Param { name: "mu", kind: Kind::Tangent, doc: "weight of each torque" };
/// Weights of the accelerations.
pub const LAMBDA: Param = Param { name: "lambda", kind: Kind::Tangent, doc: "weight of each acceleration" };

/// `mu . tau`.
pub const VALUE: Output = value("the sum `mu . tau`");
/// `lambda . ddq`.
pub const AVALUE: Output = value("the sum `lambda . ddq`");
/// Gradient by the configuration.
pub const HDQ: Output = gradient("dq", "derivative by q");
/// Gradient by the velocity.
pub const HDV: Output = gradient("dv", "derivative by v");
/// Gradient by the acceleration.
pub const HDA: Output = gradient("da", "derivative by a: M mu");
/// Gradient by the torques.
pub const HDTAU: Output = gradient("dtau", "derivative by tau: M^-1 lambda");
/// By the configuration twice.
pub const DQDQ: Output = block(
    "dqdq",
    "entry (i, j) is the derivative along q_j of the derivative along q_i: not symmetric among the coordinates of one \
     joint of several, elsewhere symmetric",
);
/// By the configuration, then the velocity.
pub const DQDV: Output = block("dqdv", "entry (i, j) is the derivative by v_j of the derivative by q_i");
/// By the velocity twice.
pub const DVDV: Output = Output { symmetric: true, ..block("dvdv", "by v twice") };
/// By the configuration, then the acceleration.
pub const DQDA: Output = block("dqda", "entry (i, j) is the derivative by a_j of the derivative by q_i");
/// By the configuration, then the torques.
pub const DQDTAU: Output =
    block("dqdtau", "entry (i, j) is the derivative by tau_j of the derivative by q_i");

/// Torques, by the configuration twice.
pub const D2TAU_DQDQ: Output = tensor(
    "d2tau_dqdq",
    "N m/rad^2",
    "element `[k][(i, j)]` is the derivative along q_k of the derivative of tau_i along q_j",
);
/// Torques, by the configuration, then the velocity.
pub const D2TAU_DQDV: Output =
    tensor("d2tau_dqdv", "N m s/rad^2", "element `[k][(i, j)]` is the derivative of tau_i by q_j and v_k");
/// Torques, by the velocity twice.
pub const D2TAU_DVDV: Output =
    tensor("d2tau_dvdv", "N m s^2/rad^2", "element `[k][(i, j)]` is the derivative of tau_i by v_j and v_k");
/// Torques, by the configuration, then the acceleration.
pub const D2TAU_DQDA: Output =
    tensor("d2tau_dqda", "kg m^2/rad", "element `[k][(i, j)]` is the derivative of M_ik by q_j");
/// Accelerations, by the configuration twice.
pub const D2DDQ_DQDQ: Output = tensor(
    "d2ddq_dqdq",
    "1/(rad s^2)",
    "element `[k][(i, j)]` is the derivative along q_k of the derivative of ddq_i along q_j",
);
/// Accelerations, by the configuration, then the velocity.
pub const D2DDQ_DQDV: Output =
    tensor("d2ddq_dqdv", "1/(rad s)", "element `[k][(i, j)]` is the derivative of ddq_i by q_j and v_k");
/// Accelerations, by the velocity twice.
pub const D2DDQ_DVDV: Output =
    tensor("d2ddq_dvdv", "1/rad", "element `[k][(i, j)]` is the derivative of ddq_i by v_j and v_k");
/// Accelerations, by the configuration, then the torques.
pub const D2DDQ_DQDTAU: Output = tensor(
    "d2ddq_dqdtau",
    "1/(kg m^2 rad)",
    "element `[k][(i, j)]` is the derivative of entry (i, k) of M^-1 by q_j",
);
