//! Emission of plans as text, one folder a target.
//!
//! A target spells kernels and the text around them. It computes nothing and decides no order.

#[cfg(feature = "targets")]
pub mod c;
#[cfg(feature = "targets")]
pub(crate) mod c_family;
#[cfg(feature = "targets")]
pub mod gpu;
#[cfg(feature = "targets")]
pub mod js;
mod rust;

pub(crate) mod error;
pub(crate) mod generated;
pub(crate) mod manifold;
mod target;

pub use crate::search::{Capabilities, Loops, SecondDerivatives, Solves, StepForms};
pub use rust::{Module, Rust, runtime_files};
pub(crate) use rust::{controls, coordinates};
pub use target::{Asked, Target};
