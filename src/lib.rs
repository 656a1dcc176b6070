//! Robot dynamics specialised at compile time.
//!
//! `rbd` reads a robot's URDF while your crate compiles and writes the Rust that an expert would
//! have written for that one robot: no zero is ever multiplied, and there are no loops over bodies, unless a
//! long chain makes them faster.
//!
//! ```
//! rbd::rbd_robot!("robots/iiwa14.urdf"); // makes `pub struct Iiwa14`
//!
//! use nalgebra::SVector;
//! let q = SVector::from([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]);
//! let v = SVector::zeros();
//! let tau = Iiwa14::rnea(&q, &v, &SVector::zeros()); // holds the arm still
//! let ddq = Iiwa14::aba(&q, &v, &tau);
//! assert!(ddq.norm() < 1e-9);
//! let d = Iiwa14::aba_derivatives(&q, &v, &tau); // d.ddq_dq, d.ddq_dv, d.ddq_dtau
//! assert!((d.ddq_dtau - Iiwa14::minv(&q)).norm() < 1e-9);
//! ```
//!
//! # Conventions
//! - Joints are numbered depth first from the root, siblings in the URDF's order. Pinocchio sorts
//!   siblings by name: for robots with limbs its vectors may have to be permuted.
//! - A continuous joint has one angle.
//! - Units are SI.
//! - A spatial motion is `[linear; angular]` and a force `[force; moment]`, both in the body's
//!   joint frame.
//! - Derivatives by the configuration are in its tangent space: column j is the derivative along
//!   `integrate(q, e * unit(j))`.
#![no_std]
#![deny(missing_docs)]

pub use nalgebra;
pub use rbd_runtime::{
    AbaDerivatives, Centroidal, CentroidalDerivatives, CentroidalDynamicsDerivatives, Configuration,
    CoordinateOrder, Coriolis, DifferenceJacobians, Dynamics, Energy, ExternalForces, ForwardDynamics,
    ForwardDynamicsDerivatives, FrameAccelerationDerivatives, FrameVelocityDerivatives, Frames,
    IntegrateJacobians, InverseDynamics, InverseDynamicsDerivatives, InverseMassMatrix, Joint, JointKind,
    JointLimits, KineticEnergyDerivatives, MassMatrix, Mechanism, Mimic, Posture, ReferenceFrame,
    RneaDerivatives, Robot, Scalar, Structure,
};
pub use rbd_runtime::{
    AbaHessian, AbaSecondDerivatives, RneaHessian, RneaSecondDerivatives, SecondDerivatives,
};
pub use rbd_runtime::{
    AbaParameterDerivatives, DynamicsWithParameters, HasParameters, RneaParameterDerivatives,
};
pub use rbd_runtime::{
    ActuatedContactDynamicsDerivatives, ActuatedContactStepDerivatives, ActuatedContactSteps,
    ActuatedContactStepsWithParameters, ActuatedStepDerivatives, ActuatedStepHessian, ActuatedSteps,
    ActuatedStepsWithParameters, ContactStep, ContactStepDerivatives, ContactStepHessians, ContactSteps,
    ContactStepsWithParameters, DiscreteDynamics, Integrator, RolloutGradients, Step, StepDerivatives,
    StepHessian, StepsWithParameters,
};
pub use rbd_runtime::{AnyRobot, Compiled, Refused};
pub use rbd_runtime::{
    ContactAxes, ContactDynamics, ContactDynamicsDerivatives, ContactDynamicsHessian, ContactHessians,
    ContactImpulse, ContactImpulseDerivatives, ContactKind, ContactSettings, Contacts,
    ContactsWithParameters,
};
pub use rbd_runtime::{
    ContactMode, ContactSurface, FrictionContacts, FrictionIterations, FrictionResiduals, FrictionSettings,
    FrictionStep, FrictionStepDerivatives, JointContacts, JointFrictionStep, JointFrictionStepDerivatives,
};
#[cfg(feature = "alloc")]
pub use rbd_runtime::{Model, model, random, reference};
pub use rbd_runtime::{batch, contact, dispatch, friction, lanes, manifold, spatial};

/// Products and Cholesky factors for solvers, with the instructions chosen at run time.
///
/// By default, rustc compiles your code, `nalgebra` included, for the oldest processor of the
/// architecture. The functions here choose instructions at run time. They allocate nothing and
/// cannot panic. A vector is a matrix of one column.
pub mod linalg {
    pub use rbd_runtime::linalg::{
        Cholesky, Indefinite, add_mul, add_symmetric_tr_mul, add_tr_mul, mul, mul_into, tr_mul, tr_mul_into,
    };
}

#[doc(hidden)]
pub use rbd_runtime::__private;

#[doc(hidden)]
pub use rbd_macros as __macros;

/// Makes a type with a robot's dynamics from a URDF. The path is relative to `CARGO_MANIFEST_DIR`.
///
/// The short form, `rbd_robot!("robots/talos_reduced.urdf")`, makes `pub struct TalosReduced`. The full
/// form:
///
/// ```
/// rbd::rbd_robot! {
///     /// The lab's pendulum.
///     pub struct Pendulum {
///         urdf: "robots/double_pendulum.urdf",
///         base: fixed,                 // default; or floating
///         gravity: [0.0, 0.0, -9.81],  // default, m/s^2
///         functions: [rnea, aba],      // default: all
///     }
/// }
/// # let _ = Pendulum::NV;
/// ```
///
/// Further options:
///
/// - `fused: { Step: [ddq, com] }`: one function for several quantities
/// - `frames: ["tool0"]`: functions of these frames, chosen by the type `PendulumFrame`
/// - `lock: { "joint": 0.5 }`: fixes joints
/// - `armature: { "joint": 0.1 }`: rotor inertia
/// - `inertia: { runtime: ["link_7"], loads: ["tool0"] }` and `gravity: runtime`: arguments of
///   functions, with the type `PendulumParameters`
/// - `damping: true`: the URDF's joint damping is part of the dynamics
/// - `strict: true`: warnings are errors
/// - `allow_unphysical_inertia: true`
/// - `step: semi_implicit`, `explicit`, `rk4` or `implicit_damping`: the discrete step, with its derivatives
/// - `actuated: ["joint"]`: joints with motors, whose torques are the controls of steps
/// - `contacts: ["foot"]`, `closed_loops: {..}`: dynamics under contacts and loops, the step with friction
/// - `friction: { smoothing: 0.01 }`: the URDF's joint friction is part of the dynamics
/// - `shape: loops`: the shape of code, of all functions or of one
/// - `snap: 1e-5`: angles of an `rpy` this close to a multiple of a right angle, zero included, are
///   taken for it
/// - `allow: ["damping-ignored"]`: warnings with these codes are left out
#[macro_export]
macro_rules! rbd_robot {
    ($($input:tt)*) => { $crate::__macros::robot! { [$crate] $($input)* } };
}

/// Includes the robot that a build script generated with `rbd_build::Robot::generate`, by its URDF's stem.
#[macro_export]
macro_rules! include_robot {
    ($stem:literal) => {
        ::core::include!(::core::concat!(::core::env!("OUT_DIR"), "/", $stem, ".rs"));
    };
}

/// Example of the macro's output, for the documentation of this crate alone: the KUKA LBR iiwa 14.
#[cfg(doc)]
pub mod example {
    crate::rbd_robot! {
        /// `rbd_robot!("robots/iiwa14.urdf")`: a generated type.
        pub struct Iiwa14 { urdf: "robots/iiwa14.urdf" }
    }
}

/// The programs in the documents are tests.
#[cfg(doctest)]
pub mod documents {
    #[doc = include_str!("../README.md")]
    pub struct Readme;
    #[doc = include_str!("../docs/api.md")]
    pub struct Api;
    #[doc = include_str!("../docs/second-derivatives.md")]
    pub struct SecondDerivatives;
    #[doc = include_str!("../docs/contacts.md")]
    pub struct Contacts;
    #[doc = include_str!("../docs/friction.md")]
    pub struct Friction;
    #[doc = include_str!("../docs/step.md")]
    pub struct Step;
    #[doc = include_str!("../docs/parameters.md")]
    pub struct Parameters;
    #[doc = include_str!("../docs/fused.md")]
    pub struct Fused;
    #[doc = include_str!("../docs/batches.md")]
    pub struct Batches;
    #[doc = include_str!("../docs/front-ends.md")]
    pub struct FrontEnds;
    #[doc = include_str!("../docs/options.md")]
    pub struct Options;
    #[doc = include_str!("../TRUST.md")]
    pub struct Trust;
}
