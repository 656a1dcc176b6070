//! The interface between the driver and a target.

use super::Rust;
use crate::emit::error::Error;
use crate::emit::generated::Generated;
use crate::fused::{Fused, FusedFunction};
use crate::search::cost::CostModel;
use crate::search::plan::Plan;
use crate::search::{Capabilities, Search};
use crate::signatures::frames::{ContactAt, FrameAt};
use crate::table::functions::Function;
use rbd_runtime::Model;
use std::fmt::Debug;

/// A language in which robots are written, with its options.
///
/// [`Robot::plan`](crate::Robot::plan) takes one. A new target is a value that implements this trait: nothing
/// else names it. `rbd-build/tests/toy_target.rs` has one of a few lines.
pub trait Target: Debug + Send + Sync {
    /// Table of what the target has. Everything else is refused.
    fn capabilities(&self) -> Capabilities;

    /// Costs of code in the target's language, by which plans are chosen.
    fn costs(&self) -> CostModel;

    /// Functions that are written if none are listed. By default all but second derivatives.
    fn default_functions(&self, _model: &Model<f64>) -> Vec<Function> {
        Function::default_ones().filter(|function| !function.is_second_order()).collect()
    }

    /// Name of a robot by default, from the stem of its file.
    fn name_of(&self, stem: &str) -> String {
        stem.to_owned()
    }

    /// Checks the target's own options, and names that its language cannot have.
    ///
    /// # Errors
    /// The option that is wrong.
    fn check(&self, _asked: &Asked<'_>) -> Result<(), Error> {
        Ok(())
    }

    /// Names and texts of the files.
    fn files(&self, robot: &Generated) -> Vec<(String, String)>;
}

impl dyn Target {
    /// A search for this robot's plans in the target's language.
    pub(crate) fn search<'m>(&self, model: &'m Model<f64>) -> Search<'m> {
        Search::new(model, self.costs(), self.capabilities().loops)
    }
}

impl FusedFunction {
    /// Returns the cheapest plan found, by costs of Rust.
    pub fn cheapest(self, model: &Model<f64>) -> Plan<FusedFunction> {
        <dyn Target>::search(&Rust::default(), model).fused(self)
    }
}

/// A robot that was read, and what is asked for of it.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// Name of the robot.
    pub name: &'a str,
    /// The robot as read from the URDF.
    pub model: &'a Model<f64>,
    /// Contacts and closed loops.
    pub contacts: &'a [ContactAt],
    /// Functions. A function of a frame is listed once for each frame and reference frame.
    pub functions: &'a [(Function, Option<FrameAt>)],
    /// Fused functions.
    pub fused: &'a [Fused],
    /// The discrete step.
    pub step: bool,
    /// The discrete step under controls of some joints.
    pub actuated: bool,
}
