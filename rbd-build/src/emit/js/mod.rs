//! JavaScript: an ES module without dependencies, and its types for TypeScript.
//!
//! - `interface` writes the module around the functions, `declarations` the types.
//! - `function` writes a function of the table or a fused one, `body` spells its statements.
//! - `parts` cuts long kernels into functions that engines compile well.
//! - `tables` writes calls of loops, and a robot's tables. The loops are a module of their own.
//! - `second_order` joins second derivatives of first ones and of Hessians of torques.
//! - `step` joins forward dynamics and `integrate`, by text in `text/step/`.
//! - `joints` writes the robot's data, `manifold` the maps of its joints.
//! - Text common to all robots is JavaScript in `text/`.

mod actuated;
mod body;
mod declarations;
mod function;
mod interface;
mod joints;
mod manifold;
mod parts;
mod second_order;
mod spell;
mod step;
mod tables;
mod target;

pub use tables::FILE as LOOPS_FILE;
pub use target::Js;

use super::Rust;
use super::c_family::second_order::reads_tables;
use crate::fused::FusedFunction;
use crate::search::cost::{CostModel, LoopCosts};
use crate::search::plan::Plan;
use rbd_runtime::{Integrator, Model};

/// Text of a robot in JavaScript.
#[derive(Clone, Copy, Debug)]
pub struct Writer<'a> {
    /// Generator and input, for the first line.
    pub origin: &'a str,
    /// Statements of the longest part of a kernel.
    pub longest: usize,
}

/// Statements of a kernel above which it is cut into parts.
///
/// V8 optimises no function of more than 60 KB of bytecode. HyQ's `aba`, 2042 statements, took 3.6 us whole,
/// and 2.1 to 2.4 us in parts of 200 to 1600 statements (docs/javascript.md#speed).
pub const LONGEST: usize = 800;

/// Costs of loops over tables, without registers of several numbers.
///
/// Measured in Node.js 20 with chains of 7 to 40 joints, HyQ and Talos. A straight line runs slowly for its
/// first thousands of calls: an operation takes 0.7 ns on average of a hundred thousand calls, and 0.25 ns at
/// the end (docs/javascript.md#loops-over-tables).
const LOOPS: LoopCosts = LoopCosts {
    per_call: 300,
    per_register: 1000,
    per_row: 390,
    derivatives: [300, 780],
    forward: [300, 780],
    merged: 1,
    above: 130,
    below: 130,
    per_store: 4,
    torques: [300, 0, 240],
    accelerations: [300, 0, 550],
    // Its loops do not solve for columns.
    per_solved: [0, 0],
    hessian_tenths: 15,
    // Loops for tensors are not written.
    per_pair: 200,
};

/// The option `step`: the integrator, and the velocity coordinates of the controls.
pub type Step<'a> = (Integrator, &'a [usize]);

impl Writer<'_> {
    /// Text of the module.
    pub fn module(&self, model: &Model<f64>, plans: &[Plan], fused: &[Plan<FusedFunction>]) -> String {
        self.module_with(model, plans, fused, None)
    }

    /// [`Self::module`], with the discrete step.
    pub fn module_with(
        &self,
        model: &Model<f64>,
        plans: &[Plan],
        fused: &[Plan<FusedFunction>],
        step: Option<Step<'_>>,
    ) -> String {
        interface::module(self, model, (plans, fused), step)
    }

    /// Text of the types.
    pub fn declarations(
        &self,
        model: &Model<f64>,
        plans: &[Plan],
        fused: &[Plan<FusedFunction>],
        step: Option<Step<'_>>,
    ) -> String {
        declarations::text(self, model, (plans, fused), step)
    }
}

/// Text of the module of loops over tables, which is the same for every robot.
pub fn loops() -> String {
    tables::module()
}

/// The line by which a robot's module has the loops.
pub fn import_of_loops() -> String {
    tables::import()
}

/// Returns whether functions are computed by loops over tables.
fn has_loops(plans: &[Plan], fused: &[Plan<FusedFunction>]) -> bool {
    let stages = plans.iter().map(|plan| &plan.stages).chain(fused.iter().map(|plan| &plan.stages));
    stages.flatten().any(|stage| stage.scalar.kernel.calls().next().is_some())
        || plans.iter().any(reads_tables)
}

impl Js {
    /// Costs in an engine that compiles to machine code without SIMD.
    ///
    /// The costs of products have not been measured.
    pub const COSTS: CostModel = CostModel {
        looped_at_once: 1,
        block: (1, 1),
        // Bounds of rows and terms are read from a table.
        per_block: 4,
        per_pivot: 0,
        packings: &[],
        tables: Some(LOOPS),
        // Once optimised, straight lines take a sixth of the loops' time for HyQ, and a third for G1
        // (docs/javascript.md#second-derivatives).
        longest_hessian: usize::MAX,
        longest_tensors: 0,
        ..Rust::COSTS
    };
}
