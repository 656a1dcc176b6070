//! Results of functions of frames and of the whole robot, as constants of
//! [`signature`](crate::signatures::signature).

use crate::signatures::signature::{Dim, Dims, Output};

const fn output(name: &'static str, shape: Dims, unit: &'static str, doc: &'static str) -> Output {
    Output { name, shape, symmetric: false, unit, doc }
}

const fn scalar(name: &'static str, unit: &'static str, doc: &'static str) -> Output {
    output(name, Dims::Scalar, unit, doc)
}

const fn vector(name: &'static str, rows: Dim, unit: &'static str, doc: &'static str) -> Output {
    output(name, Dims::Vector(rows), unit, doc)
}

const fn wide(name: &'static str, rows: usize, unit: &'static str, doc: &'static str) -> Output {
    output(name, Dims::Matrix(Dim::Fixed(rows), Dim::Nv), unit, doc)
}

const SIX: Dim = Dim::Fixed(6);

/// Placements of all bodies.
pub const PLACEMENTS: Output = output(
    "placements",
    Dims::Placements(Dim::Nb),
    "1, m",
    "pose of each moving body's joint frame in the world",
);
/// Placement of a frame.
pub const PLACEMENT: Output = output("placement", Dims::Placement, "1, m", "pose of the frame in the world");
/// Jacobian of a frame.
pub const JACOBIAN: Output = wide("jacobian", 6, "m/rad, 1", "the frame's velocity by v");
/// Velocity of a frame.
pub const VELOCITY: Output = vector("velocity", SIX, "m/s, rad/s", "[linear; angular] velocity of the frame");
/// Acceleration of a frame.
pub const ACCELERATION: Output =
    vector("acceleration", SIX, "m/s^2, rad/s^2", "[linear; angular] acceleration of the frame");
/// Derivative of a frame's velocity by the configuration.
pub const DVELOCITY_DQ: Output =
    wide("dv_dq", 6, "m/(s rad), 1/s", "derivative of the velocity in the tangent space of q");
/// Derivative of a frame's velocity by the velocity.
pub const DVELOCITY_DV: Output =
    wide("dv_dv", 6, "m/rad, 1", "derivative of the velocity by v, the Jacobian");
/// Derivative of a frame's acceleration by the configuration.
pub const DACCELERATION_DQ: Output =
    wide("da_dq", 6, "m/(s^2 rad), 1/s^2", "derivative of the acceleration in the tangent space of q");
/// Derivative of a frame's acceleration by the velocity.
pub const DACCELERATION_DV: Output =
    wide("da_dv", 6, "m/(s rad), 1/s", "derivative of the acceleration by v");
/// Derivative of a frame's acceleration by the acceleration.
pub const DACCELERATION_DA: Output =
    wide("da_da", 6, "m/rad, 1", "derivative of the acceleration by a, the Jacobian");

/// Centre of mass.
pub const COM: Output = vector("com", Dim::Fixed(3), "m", "centre of mass in the world");
/// Velocity of the centre of mass.
pub const COM_VELOCITY: Output =
    vector("com_velocity", Dim::Fixed(3), "m/s", "velocity of the centre of mass in the world");
/// Jacobian of the centre of mass.
pub const COM_JACOBIAN: Output =
    wide("com_jacobian", 3, "m/rad", "derivative of the centre of mass in the tangent space of q");
/// Momentum about the centre of mass.
pub const MOMENTUM: Output = vector(
    "momentum",
    SIX,
    "kg m/s, kg m^2/s",
    "[linear; angular] momentum about the centre of mass, in the world's axes",
);
/// Centroidal momentum matrix, which maps velocities to the momentum.
pub const MOMENTUM_MATRIX: Output =
    wide("momentum_matrix", 6, "kg m/rad, kg m^2/rad", "the centroidal momentum by v");
/// Rate of the centroidal momentum.
pub const MOMENTUM_RATE: Output = vector("rate", SIX, "N, N m", "rate of the centroidal momentum");
/// Derivative of the momentum by the configuration.
pub const DMOMENTUM_DQ: Output = wide(
    "dmomentum_dq",
    6,
    "kg m/(s rad), kg m^2/(s rad)",
    "derivative of the momentum in the tangent space of q",
);
/// Derivative of the momentum's rate by the configuration.
pub const DRATE_DQ: Output =
    wide("drate_dq", 6, "N/rad, N m/rad", "derivative of the rate in the tangent space of q");
/// Derivative of the momentum's rate by the velocity.
pub const DRATE_DV: Output = wide("drate_dv", 6, "N s/rad, N m s/rad", "derivative of the rate by v");
/// Derivative of the momentum's rate by the acceleration.
pub const DRATE_DA: Output = wide(
    "drate_da",
    6,
    "kg m/rad, kg m^2/rad",
    "derivative of the rate by a, the centroidal momentum matrix",
);

/// Kinetic energy.
pub const KINETIC_ENERGY: Output = scalar("energy", "J", "kinetic energy, v^T M(q) v / 2");
/// Derivative of the kinetic energy by the configuration.
pub const DKINETIC_DQ: Output =
    vector("denergy_dq", Dim::Nv, "J/rad", "derivative of the kinetic energy in the tangent space of q");
/// Derivative of the kinetic energy by the velocity.
pub const DKINETIC_DV: Output =
    vector("denergy_dv", Dim::Nv, "J s/rad", "derivative of the kinetic energy by v, M(q) v");
/// Potential energy.
pub const POTENTIAL_ENERGY: Output = scalar("energy", "J", "potential energy in the field of gravity");
/// Coriolis matrix.
pub const CORIOLIS: Output = output(
    "coriolis",
    Dims::Matrix(Dim::Nv, Dim::Nv),
    "kg m^2/s",
    "C(q, v) with C v the Coriolis and centrifugal torques and dM/dt = C + C^T",
);

const fn by_parameters(name: &'static str, rows: Dim, unit: &'static str, doc: &'static str) -> Output {
    output(name, Dims::Tensor(rows, Dim::Fixed(10), Dim::Nb), unit, doc)
}

/// Derivative of the torques by the inertias that are given at run time.
pub const DTAU_DINERTIA: Output = output(
    "dtau_dinertia",
    Dims::Tensor(Dim::Nv, Dim::Fixed(10), Dim::Np),
    "N m per unit of the parameter",
    "derivative of the torques by the ten parameters of each inertia that is given at run time",
);
/// Derivative of the torques by gravity.
pub const DTAU_DGRAVITY: Output = output(
    "dtau_dgravity",
    Dims::Matrix(Dim::Nv, Dim::Fixed(3)),
    "kg m",
    "derivative of the torques by the gravitational acceleration in the world",
);
/// Derivative of the accelerations by the inertias that are given at run time.
pub const DDQ_DINERTIA: Output = output(
    "ddq_dinertia",
    Dims::Tensor(Dim::Nv, Dim::Fixed(10), Dim::Np),
    "rad/s^2 per unit of the parameter",
    "derivative of the accelerations by the ten parameters of each inertia that is given at run time",
);
/// Derivative of the accelerations by gravity.
pub const DDQ_DGRAVITY: Output = output(
    "ddq_dgravity",
    Dims::Matrix(Dim::Nv, Dim::Fixed(3)),
    "rad/m",
    "derivative of the accelerations by the gravitational acceleration in the world",
);

/// Torque regressor.
pub const REGRESSOR: Output = by_parameters(
    "regressor",
    Dim::Nv,
    "N m per unit of the parameter",
    "torques by each body's m, hx, hy, hz, Jxx, Jxy, Jyy, Jxz, Jyz, Jzz about its joint frame",
);
/// Regressor of kinetic energy.
pub const KINETIC_REGRESSOR: Output = by_parameters(
    "kinetic_energy_regressor",
    Dim::Fixed(1),
    "J per unit of the parameter",
    "kinetic energy by each body's ten parameters",
);
/// Regressor of potential energy.
pub const POTENTIAL_REGRESSOR: Output = by_parameters(
    "potential_energy_regressor",
    Dim::Fixed(1),
    "J per unit of the parameter",
    "potential energy by each body's ten parameters",
);
