//! Writing plans as text, one folder a target.
//!
//! A target spells kernels, and what its language needs around them. It computes nothing and decides no order.

#[cfg(feature = "targets")]
pub mod c;
#[cfg(feature = "targets")]
pub(crate) mod c_family;
#[cfg(feature = "targets")]
pub mod gpu;
#[cfg(feature = "targets")]
pub mod python;
mod rust;

pub use rust::{Module, Naming, Rust, own_types, runtime_files};

use crate::cost::CostModel;
use crate::plan::Plan;
use rbd_runtime::Model;

/// A language in which robots are written.
pub trait Target {
    /// What is written of a robot.
    type Text;

    /// What code costs there: by this plans are chosen.
    const COSTS: CostModel;

    /// Everything of a robot that has these functions.
    fn robot(&self, model: &Model<f64>, plans: &[Plan]) -> Self::Text;

    /// The part of it that is one function.
    fn function(&self, model: &Model<f64>, plan: &Plan) -> String;
}
