//! GPUs as a target: one text that is CUDA C++, HIP, OpenCL C and C99.
//!
//! A thread computes one state or a part of it. Neighbouring threads read neighbouring numbers.
//!
//! - `c_family` spells kernels, with the rules of `dialect`. Macros in `text/` hide differences between
//!   languages.
//! - `interface` writes the file, `function` the text around the kernels of one function.
//! - `second_order` composes second derivatives of other functions' results, by steps of loops in `text/`.
//! - `zeros` finds the zeros that users may leave alone.
//! - `contacts` writes dynamics under contacts, as kernels of all contacts' rows and loops in `text/`.
//!   `impulse` writes impacts.
//! - `step` writes the discrete step, by the joints' maps in `joints` and `text/`, `contact_step` that under
//!   contacts, `step_hessian` its second derivatives. `damped` and `runge_kutta` have what
//!   integrators add, `actuated` the forms under controls of some joints.
//! - `memory` is what the kernels of a function share.
//! - `fused` writes fused functions, `run_time` parameters at run time.

mod actuated;
mod contact_step;
mod contacts;
mod damped;
mod dialect;
mod function;
mod fused;
mod impulse;
mod interface;
mod joints;
mod memory;
mod product;
mod run_time;
mod runge_kutta;
mod runge_kutta_hessian;
mod second_order;
mod step;
mod step_hessian;
mod target;
mod zeros;

pub use target::Gpu;

use contacts::Contacts;
use step::Steps;

use super::Rust;
use super::c_family::spelling::Real;
use crate::fused::FusedFunction;
use crate::search::cost::CostModel;
use crate::search::plan::Plan;
use rbd_runtime::{Integrator, Model};

/// Text of a robot for GPUs.
#[derive(Clone, Copy, Debug)]
pub struct Writer<'a> {
    /// Prefix of all names, as checked by `is_prefix` in `c_family::spelling`.
    pub prefix: &'a str,
    /// Type of all numbers.
    pub real: Real,
    /// Generator and input, for the first line.
    pub origin: &'a str,
    /// Values alive in a thread above which a function is cut into parts, if it has several.
    pub most_alive: usize,
}

/// Most values alive at which kernels do not spill, for the robots of docs/gpu.md#registers.
///
/// One exception is a quadruped in `double`, which spills some hundred bytes.
/// A thread has 255 registers of 32 bits. Addresses take some ten.
/// The compiler reorders statements, and its order needs about as many registers as ours.
pub fn most_alive(real: Real) -> usize {
    match real {
        Real::F32 => 250,
        Real::F64 => 118,
    }
}

impl Writer<'_> {
    /// Returns the text of a robot with functions, fused functions, functions of contacts and the step.
    pub(crate) fn robot_under(
        &self,
        model: &Model<f64>,
        plans: &[Plan],
        fused: &[Plan<FusedFunction>],
        contacts: &Contacts<'_>,
        steps: Option<Steps<'_>>,
    ) -> String {
        interface::header(self, model, plans, fused, contacts, steps)
    }

    /// Returns the text of a robot with functions and fused functions.
    pub fn robot_with(&self, model: &Model<f64>, plans: &[Plan], fused: &[Plan<FusedFunction>]) -> String {
        self.robot_under(model, plans, fused, &Contacts::default(), None)
    }

    /// Returns the text of a robot with functions, forward dynamics among them, and the discrete step.
    pub fn robot_that_steps(&self, model: &Model<f64>, plans: &[Plan], integrator: Integrator) -> String {
        let steps = Steps { integrator, controls: &[] };
        self.robot_under(model, plans, &[], &Contacts::default(), Some(steps))
    }

    /// Text of a robot with these functions alone.
    pub fn robot(&self, model: &Model<f64>, plans: &[Plan]) -> String {
        self.robot_with(model, plans, &[])
    }
}

impl Gpu {
    /// Costs of a thread, which does one thing at a time. They have not been measured on a GPU.
    ///
    /// An arm's derivatives of forward dynamics, some 4000 operations, just fit its registers
    /// (docs/gpu.md#registers). Longer functions are better split into several kernels.
    pub const COSTS: CostModel = CostModel {
        straight_line_budget: 4500,
        stages_share_cache: false,
        looped_at_once: 1,
        block: (1, 1),
        // Entries of factors are in memory.
        per_block: 4,
        per_pivot: 0,
        packings: &[],
        tables: None,
        longest_hessian: usize::MAX,
        longest_tensors: 0,
        ..Rust::COSTS
    };
}
