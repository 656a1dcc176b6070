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
pub mod python;
mod rust;

pub use rust::{Module, Naming, Rust, own_types, runtime_files};

use crate::cost::CostModel;
use crate::plan::Plan;
use rbd_runtime::Model;

/// A language in which robots are written.
pub trait Target {
    /// Type of the emitted text.
    type Text;

    /// Costs of code in the target's language, by which plans are chosen.
    const COSTS: CostModel;

    /// Returns the text of a robot with its functions.
    fn robot(&self, model: &Model<f64>, plans: &[Plan]) -> Self::Text;

    /// Returns the text of one function.
    fn function(&self, model: &Model<f64>, plan: &Plan) -> String;
}
