//! The interface between the driver and a target.

use crate::frontend::config::Error;
use crate::frontend::generated::Generated;
use crate::fused::Fused;
use crate::search::cost::CostModel;
use crate::table::frames::FrameAt;
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

/// A robot that was read, and what is asked for of it.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// Its name.
    pub name: &'a str,
    /// The robot as read from the URDF.
    pub model: &'a Model<f64>,
    /// Its functions, each of a frame once for each frame and reference frame.
    pub functions: &'a [(Function, Option<FrameAt>)],
    /// Its fused functions.
    pub fused: &'a [Fused],
    /// The discrete step.
    pub step: bool,
}

/// Table of a target's capabilities.
#[derive(Clone, Copy, Debug)]
pub struct Capabilities {
    /// The target in messages, such as `in C`.
    pub place: &'static str,
    /// Calls of `rbd-runtime` in the code.
    ///
    /// The runtime composes second derivatives of the plans of their parts. A long function without external
    /// forces calls the one with forces.
    pub runtime: bool,
    /// Dynamics under contacts and with closed loops.
    pub contacts: bool,
    /// Fused functions.
    pub fused: bool,
    /// The discrete step and its derivatives.
    pub step: bool,
    /// Parameters at run time.
    pub parameters: bool,
    /// Loops over tables.
    pub loops: Option<Loops>,
    /// Second derivatives.
    pub second_derivatives: Option<SecondDerivatives>,
    /// Most values alive in a thread, for targets that cut kernels into parts.
    pub most_alive: Option<usize>,
}

/// Capabilities of a target's loops over tables.
#[derive(Clone, Copy, Debug)]
pub struct Loops {
    /// Rows of the longest tables.
    pub most_rows: usize,
    /// Joint friction.
    pub friction: bool,
    /// Torques or accelerations alone.
    pub vectors: bool,
}

/// Second derivatives of a target.
#[derive(Clone, Copy, Debug)]
pub struct SecondDerivatives {
    /// Tensors, and not only Hessians of weighted sums.
    pub tensors: bool,
    /// Those of robots with parameters at run time.
    pub parameters: bool,
    /// Lower bound on operations, by [`CostModel::least`], from which a Hessian is too long for a straight
    /// line.
    pub longest: usize,
    /// Functions that they are made of are written as well, and called.
    pub calls_parts: bool,
}

impl Capabilities {
    /// Straight lines of arithmetic, and nothing else: all that a target needs.
    pub const fn straight_lines(place: &'static str) -> Self {
        Self {
            place,
            runtime: false,
            contacts: false,
            fused: false,
            step: false,
            parameters: false,
            loops: None,
            second_derivatives: None,
            most_alive: None,
        }
    }
}
