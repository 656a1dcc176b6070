//! C99 that needs nothing but a sine and a cosine.
//!
//! `header` is what users read, `interface` what is around the kernels; `c_family` spells these, by what `dialect` says. What is the same for every robot is in
//! `text/`, as C; so are loops over tables, which read what `tables` writes. What of second derivatives is made of other functions' results is
//! in `second_order`.

mod adjoint;
mod casadi;
mod contacts;
mod dialect;
mod fused;
mod header;
mod interface;
mod joints;
mod manifold;
mod run_time;
mod second_order;
mod spell;
mod tables;
mod text;

pub use super::c_family::spelling::Real;
pub use spell::is_header;

use super::rust::LOOPS;
use super::{Rust, Target};
use crate::cost::{CostModel, LoopCosts};
use crate::frames::ContactAt;
use crate::fused::{Fused, FusedPlan};
use crate::plan::Plan;
use rbd_runtime::Model;

/// C, with names that begin so.
#[derive(Clone, Copy, Debug)]
pub struct C<'a> {
    /// What all names begin with: letters, digits and `_`, as `spelling::is_prefix` of `c_family` says.
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
    /// Everything of a robot that has these functions, these fused ones, and these contacts.
    pub fn robot_with(
        &self,
        model: &Model<f64>,
        contacts: &[ContactAt],
        plans: &[Plan],
        fused: &[FusedPlan],
    ) -> Files {
        Files {
            header: header::text(self, model, contacts, plans, fused),
            source: interface::source(self, model, contacts, plans, fused),
        }
    }

    /// Why a fused function cannot be called so in C, if it cannot.
    pub(crate) fn fault_of(&self, fused: &Fused) -> Option<String> {
        fused::fault(self, fused)
    }

    /// Whether derivatives by coordinates, as CasADi has them, are those in the tangent space.
    pub fn has_derivatives_for_casadi(model: &Model<f64>) -> bool {
        manifold::is_flat(model)
    }

    /// A file that lets CasADi call the functions.
    pub fn casadi(&self, model: &Model<f64>, plans: &[Plan]) -> String {
        casadi::text(self, model, plans)
    }
}

impl Target for C<'_> {
    type Text = Files;

    /// The same processors as for Rust. What a microcontroller costs is not known here.
    const COSTS: CostModel = CostModel {
        // As Rust's: on an Intel Xeon they gain more than there, on an AMD Zen 4 less (docs/c.md#loops-over-tables).
        tables: Some(LoopCosts {
            // HyQ's takes as long as a straight line, by docs/c.md#second-derivatives.
            hessian_tenths: 15,
            most_rows: tables::MOST_ROWS,
            know_friction: true,
            know_vectors: false,
            // iiwa14's tensors take 3 us, G1's 55, by docs/c.md#second-derivatives.
            per_pair: 250,
            ..LOOPS
        }),
        longest_tensors: 0,
        ..<Rust<'static> as Target>::COSTS
    };

    fn robot(&self, model: &Model<f64>, plans: &[Plan]) -> Files {
        self.robot_with(model, &[], plans, &[])
    }

    fn function(&self, model: &Model<f64>, plan: &Plan) -> String {
        interface::definition(self, model, plan).text
    }
}
