//! Robot dynamics specialised at run time: reads a URDF and makes machine code for that one robot, without
//! a compiler.
//!
//! ```
//! use rbd_jit::{Base, Robot};
//! # fn main() -> Result<(), rbd_jit::Error> {
//! # let urdf = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/double_pendulum.urdf");
//! let robot = Robot::from_urdf(urdf).base(Base::Fixed).functions(["rnea"]).load()?;
//! let mut workspace = robot.workspace();
//! let mut tau = vec![0.0; robot.nv()];
//! robot.rnea(&mut workspace, &[0.3, -0.2], &[0.0; 2], &[0.0; 2], &mut tau)?;
//! # Ok(())
//! # }
//! ```
//!
//! [`Robot`] has the options of build scripts; [`Robot::load`] makes the code, and gives a [`Loaded`] robot.
//! Results are those of compiled Rust to the last bit, but for contacts and single precision, which agree to
//! rounding. `docs/run-time.md` says what it costs, and what is not there yet.
//!
//! Inside: `lower` makes plain instructions of a kernel, `allocate` gives their values registers, `x86_64`
//! and `aarch64` write machine code, and `interpret` runs the same instructions where there is no machine
//! code.
#![deny(missing_docs)]

#[cfg(any(test, target_arch = "aarch64"))]
mod aarch64;
mod allocate;
mod arrays;
mod batch;
mod batched;
mod blocks;
mod builder;
mod calls;
#[cfg(test)]
mod cases;
mod check;
mod code;
#[cfg(target_arch = "aarch64")]
mod coherence;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod constants;
mod contacts;
mod engine;
mod error;
mod function;
mod interpret;
mod joint;
mod kept;
mod lanes;
mod loaded;
mod lower;
mod machine;
mod manifold;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod memory;
mod number;
mod order;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod ordered;
mod parameters;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod pointers;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod polynomials;
mod products;
#[cfg(test)]
mod random;
mod reference;
mod results;
mod routine;
mod runner;
mod second_order;
mod sines;
mod stack;
mod steps;
#[cfg(test)]
mod trees;
mod turn;
#[rustfmt::skip]
mod typed;
mod workspace;
#[cfg(target_arch = "x86_64")]
mod x86_64;
mod zeros;

pub use batch::Batch;
pub use builder::{Robot, Wanted};
pub use check::Sample;
pub use contacts::{
    ActuatedContactDynamicsDerivatives, ActuatedContactStepDerivatives, Contact, ContactDynamics,
    ContactDynamicsDerivatives, ContactDynamicsHessian, ContactSettings, ContactStep, ContactStepDerivatives,
    ContactsWithParameters, FrictionGiven, FrictionJoints, FrictionMore, FrictionOut, FrictionStep,
    FrictionStepDerivatives, JointContacts, JointFrictionStep, JointFrictionStepDerivatives,
};
pub use engine::Engine;
pub use error::{Error, Nearest};
pub use function::{Argument, Function};
pub use joint::Joint;
pub use loaded::{Loaded, Options};
pub use manifold::CoordinateOrder;
pub use number::Number;
pub use order::Place;
pub use parameters::Parameters;
pub use rbd_build::{Base, Cache, Function as Id, Shape};
pub use rbd_runtime::friction::{
    ContactMode, ContactSurface, FrictionIterations, FrictionReport, FrictionResiduals, FrictionSettings,
};
pub use rbd_runtime::spatial::Placement;
pub use rbd_runtime::{ContactAxes, ContactKind, Integrator, ReferenceFrame};
pub use runner::Runner;
#[doc(hidden)]
pub use steps::Controls;
pub use steps::{
    ActuatedStepDerivatives, ActuatedStepHessian, StepDerivatives, StepHessian, StepsWithParameters,
};
pub use typed::*;
pub use workspace::Workspace;
