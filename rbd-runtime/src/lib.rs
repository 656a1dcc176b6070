//! Runtime of the code that `rbd` generates, and the generic reference that the code is tested
//! against.
//!
//! - [`Scalar`]: the number type of every algorithm.
//! - [`Robot`]: functions of a generated robot and their results.
//! - [`manifold`]: neutral, integrate and difference of configurations, which need not be vectors.
//! - `Model`, `reference` (feature `alloc`): a kinematic tree as data, and generic algorithms over
//!   it; `random` makes robots and states for tests.
//!
//! # Conventions
//! SI units. A spatial motion is `[linear; angular]`, a spatial force `[force; moment]`, both
//! expressed in the body's joint frame (the frame that the joint moves). Pinocchio has the same
//! conventions.
#![no_std]
#![deny(missing_docs)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

#[doc(hidden)]
pub mod __private;
mod any_robot;
pub mod batch;
pub mod contact;
#[cfg(feature = "fixed")]
pub mod fixed;
mod float;
mod frame;
pub mod friction;
#[rustfmt::skip]
#[allow(unused_imports, reason = "written for any table of functions")]
mod functions;
mod inertial_parameters;
mod joint;
mod left_out;
pub mod linalg;
#[doc(hidden)]
pub mod loops;
pub mod manifold;
mod mechanism;
#[cfg(feature = "alloc")]
pub mod model;
mod order;
mod posture;
#[cfg(feature = "alloc")]
pub mod random;
#[cfg(feature = "alloc")]
pub mod reference;
mod scalar;
mod simd;
pub mod spatial;
pub mod step;
mod structure;
pub mod tables;

pub use any_robot::{AnyRobot, Compiled, Refused};
pub use contact::{
    ContactAxes, ContactDynamics, ContactDynamicsDerivatives, ContactDynamicsHessian, ContactHessians,
    ContactImpulse, ContactImpulseDerivatives, ContactKind, ContactSettings, Contacts,
    ContactsWithParameters,
};
#[cfg(feature = "fixed")]
pub use fixed::Fixed;
pub use frame::{Frames, ReferenceFrame};
pub use friction::{
    ContactMode, ContactSurface, FrictionIterations, FrictionResiduals, FrictionSettings, JointContacts,
};
pub use functions::*;
pub use joint::{Joint, JointKind, JointLimits, Mimic};
pub use mechanism::{DifferenceJacobians, IntegrateJacobians, Mechanism};
#[cfg(feature = "alloc")]
pub use model::Model;
pub use order::CoordinateOrder;
pub use posture::{Configuration, Posture};
pub use scalar::Scalar;
pub use simd::{dispatch, lanes, limbs, sincos};
pub use step::{
    ActuatedContactDynamicsDerivatives, ActuatedContactStepDerivatives, ActuatedContactSteps,
    ActuatedContactStepsWithParameters, ActuatedStepDerivatives, ActuatedStepHessian, ActuatedSteps,
    ActuatedStepsWithParameters, ContactStep, ContactStepDerivatives, ContactStepHessians, ContactSteps,
    ContactStepsWithParameters, DiscreteDynamics, FrictionContacts, FrictionStep, FrictionStepDerivatives,
    Integrator, JointFrictionStep, JointFrictionStepDerivatives, RolloutGradients, Step, StepDerivatives,
    StepHessian, StepsWithParameters,
};
pub use structure::Structure;
