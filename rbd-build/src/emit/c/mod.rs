//! C99 that needs only a sine and a cosine.
//!
//! - `header` is for users. `interface` writes the source around the kernels.
//! - `c_family` spells kernels, with the rules of `dialect`.
//! - Text common to all robots is C in `text/`. Its loops over tables read the tables of `tables`.
//! - `step` joins forward dynamics and `integrate`, `contact_step` dynamics under contacts, by text in
//!   `text/step/`. `rollouts` has many of them one after the other.
//! - `contacts` has dynamics under contacts, by the kernels of `contact_rows`. `contact_hessian` has second
//!   derivatives under contacts, `friction` the step with friction.
//! - `casadi` writes CasADi's interface, by text in `text/casadi/`: `adjoint`, `casadi_step`,
//!   `casadi_contacts`. `coordinates` has derivatives by the coordinates of quaternions.
//! - `second_order` composes second derivatives of other functions' results.
//! - `zeros` writes the forms of functions that leave structural zeros alone.

mod acados;
mod actuated;
mod adjoint;
mod casadi;
mod casadi_contacts;
mod casadi_step;
mod contact_hessian;
mod contact_rows;
mod contact_step;
mod contacts;
mod coordinates;
mod dialect;
mod friction;
mod fused;
mod header;
mod interface;
mod joints;
mod manifold;
mod rollouts;
mod run_time;
mod second_order;
mod spell;
mod step;
mod tables;
mod target;
mod text;
mod zeros;

pub use super::c_family::spelling::Real;
use spell::is_header;
pub use step::Steps;
pub use target::C;

use super::Rust;
use super::rust::LOOPS;
use crate::fused::FusedFunction;
use crate::search::contact_rows::RowsPlan;
use crate::search::cost::{CostModel, LoopCosts};
use crate::search::plan::Plan;
use crate::signatures::frames::ContactAt;
use rbd_runtime::{Integrator, Model};

/// A robot's text in C.
#[derive(Clone, Copy, Debug)]
pub struct Writer<'a> {
    /// Prefix of all names: letters, digits and `_`, as checked by `is_prefix` in `c_family::spelling`.
    pub prefix: &'a str,
    /// Type of all numbers.
    pub real: Real,
    /// Generator and input, for the first line.
    pub origin: &'a str,
}

/// Contacts of a robot, with the kernels of their rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Contacts<'a> {
    /// The contacts and closed loops.
    pub at: &'a [ContactAt],
    /// The kernels.
    pub rows: &'a [RowsPlan],
}

/// A robot in C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// The header, with documentation.
    pub header: String,
    /// The source.
    pub source: String,
}

impl Writer<'_> {
    /// Returns the text of a robot with functions, fused functions, contacts and steps.
    pub fn robot_with(
        &self,
        model: &Model<f64>,
        contacts: Contacts<'_>,
        plans: &[Plan],
        fused: &[Plan<FusedFunction>],
        step: Option<Steps<'_>>,
    ) -> Files {
        Files {
            header: header::text(self, model, contacts.at, plans, fused, step),
            source: interface::source(self, model, contacts, plans, fused, step),
        }
    }

    /// Text of a robot with these functions alone.
    pub fn robot(&self, model: &Model<f64>, plans: &[Plan]) -> Files {
        self.robot_with(model, Contacts::default(), plans, &[], None)
    }

    /// Text of the file that lets CasADi call the functions.
    pub fn casadi(
        &self,
        model: &Model<f64>,
        contacts: &[ContactAt],
        plans: &[Plan],
        step: Option<Integrator>,
    ) -> String {
        casadi::text(self, model, contacts, plans, step)
    }

    /// Text of the file that has the step as acados calls it, and the robot's own text.
    pub fn acados(
        &self,
        model: &Model<f64>,
        contacts: &[ContactAt],
        plans: &[Plan],
        files: &Files,
    ) -> String {
        acados::text(self, model, (plans, contacts), files)
    }
}

impl C {
    /// Costs on the processors that Rust targets. Costs on microcontrollers have not been measured.
    pub const COSTS: CostModel = CostModel {
        // Costs of Rust's loops. C's loops gain more on an Intel Xeon and less on an AMD Zen 4
        // (docs/c.md#loops-over-tables).
        tables: Some(LoopCosts {
            // HyQ's loops take as long as a straight line (docs/c.md#second-derivatives).
            hessian_tenths: 15,
            // Tensors of iiwa14 take 3 us, of G1 55 us (docs/c.md#second-derivatives).
            per_pair: 250,
            ..LOOPS
        }),
        longest_tensors: 0,
        ..Rust::COSTS
    };
}
