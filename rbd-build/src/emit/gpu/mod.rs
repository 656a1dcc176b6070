//! One text that is CUDA C++, HIP, OpenCL C and C99: a thread computes one state, or a part of it.
//!
//! `c_family` spells kernels, by what `dialect` says. What languages say differently are macros at the top, in `text/`; states lie
//! side by side, so that neighbouring threads read neighbouring numbers. `interface` has the file, `function` what is around the
//! kernels of one; `second_order` makes second derivatives of other functions' results, by steps of loops in `text/`; `fused`
//! writes fused functions, and `run_time` what is given at run time.

mod dialect;
mod function;
mod fused;
mod interface;
mod product;
mod run_time;
mod second_order;

pub(crate) use fused::fault;

use super::c_family::spelling::Real;
use super::{Rust, Target};
use crate::cost::CostModel;
use crate::fused::FusedPlan;
use crate::plan::Plan;
use rbd_runtime::Model;

/// A header for GPUs, with names that begin so.
#[derive(Clone, Copy, Debug)]
pub struct Gpu<'a> {
    /// What all names begin with, as `spelling::is_prefix` of `c_family` says.
    pub prefix: &'a str,
    /// The type of all numbers.
    pub real: Real,
    /// What made it of what, for the first line.
    pub origin: &'a str,
    /// Values that a thread may have alive before a function is cut into parts, where it has such.
    pub most_alive: usize,
}

/// Values up to which no kernel of the robots of docs/gpu.md#registers spills, but a quadruped's in `double` some hundred bytes.
/// There are 255 registers of 32 bits; the compiler has an order of its own, which needs about as many as ours, and addresses
/// take some ten.
pub fn most_alive(real: Real) -> usize {
    match real {
        Real::F32 => 250,
        Real::F64 => 118,
    }
}

impl Gpu<'_> {
    /// Everything of a robot that has these functions, and these fused ones.
    pub fn robot_with(&self, model: &Model<f64>, plans: &[Plan], fused: &[FusedPlan]) -> String {
        interface::header(self, model, plans, fused)
    }
}

impl Target for Gpu<'_> {
    type Text = String;

    /// Nothing was timed on a GPU. A thread does one thing at a time, and an arm's derivatives of forward dynamics, some 4000
    /// operations, just fit its registers (docs/gpu.md#registers): what is longer is better done by several kernels.
    const COSTS: CostModel = CostModel {
        straight_line_budget: 4500,
        stages_share_cache: false,
        looped_at_once: 1,
        block: (1, 1),
        // Entries of factors are in memory, and not in registers.
        per_block: 4,
        per_pivot: 0,
        packings: &[],
        tables: None,
        longest_tensors: 0,
        ..<Rust<'static> as Target>::COSTS
    };

    fn robot(&self, model: &Model<f64>, plans: &[Plan]) -> String {
        self.robot_with(model, plans, &[])
    }

    fn function(&self, model: &Model<f64>, plan: &Plan) -> String {
        interface::definition(self, model, plan).text
    }
}
