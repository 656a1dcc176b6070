//! C99 that needs nothing but a sine and a cosine.
//!
//! `header` is what users read, `interface` what is around the kernels, `body` spells these. What is the same for every robot is in
//! `text/`, as C. Loops over tables are not written yet: a plan's stages are straight lines and block products, and second
//! derivatives are made of these (`second_order`).

mod adjoint;
pub(super) mod body;
mod casadi;
pub(super) mod frames;
mod fused;
pub(super) mod header;
pub(super) mod interface;
mod joints;
mod manifold;
mod run_time;
mod second_order;
pub(super) mod spell;
pub(super) mod text;

pub(super) use spell::comment;
pub use spell::{Real, is_prefix, prefix};

use super::{Rust, Target};
use crate::cost::CostModel;
use crate::fused::{Fused, FusedPlan};
use crate::plan::Plan;
use rbd_runtime::Model;

/// C, with names that begin so.
#[derive(Clone, Copy, Debug)]
pub struct C<'a> {
    /// What all names begin with: letters, digits and `_`, as [`is_prefix`] says.
    pub prefix: &'a str,
    /// The type of all numbers.
    pub real: Real,
    /// What made it of what, for the first line.
    pub origin: &'a str,
}

/// A robot in C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// The header, which documents.
    pub header: String,
    /// What computes.
    pub source: String,
}

impl C<'_> {
    /// Everything of a robot that has these functions, and these fused ones.
    pub fn robot_with(&self, model: &Model<f64>, plans: &[Plan], fused: &[FusedPlan]) -> Files {
        Files {
            header: header::text(self, model, plans, fused),
            source: interface::source(self, model, plans, fused),
        }
    }

    /// Why a fused function cannot be called so in C, if it cannot.
    pub(crate) fn fault_of(&self, fused: &Fused) -> Option<String> {
        fused::fault(self, fused)
    }

    /// A file that lets CasADi call the functions.
    pub fn casadi(&self, model: &Model<f64>, plans: &[Plan]) -> String {
        casadi::text(self, model, plans)
    }
}

impl Target for C<'_> {
    type Text = Files;

    /// The same processors as for Rust. What a microcontroller costs is not known here.
    const COSTS: CostModel = CostModel { tables: None, ..<Rust<'static> as Target>::COSTS };

    fn robot(&self, model: &Model<f64>, plans: &[Plan]) -> Files {
        self.robot_with(model, plans, &[])
    }

    fn function(&self, model: &Model<f64>, plan: &Plan) -> String {
        interface::definition(self, model, plan)
    }
}
