//! A robot with a plan for each function, before it is text.

use crate::emit::{Capabilities, Module, Rust, Target, controls};
use crate::fused::{FusedFunction, Saving};
use crate::search::contact_rows::RowsPlan;
use crate::search::measure::{Cost, Pattern};
use crate::search::plan::Plan;
use crate::search::shape::Shapes;
use crate::signatures::frames::ContactAt;
use crate::table::functions::Function;
use crate::urdf::findings::Findings;
use rbd_runtime::Model;
use std::sync::Arc;

/// A robot with a plan for each function, for one target, before emission as text.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The robot as read from the URDF.
    pub model: Model<f64>,
    /// Findings on the URDF, notes included.
    pub warnings: Findings,
    /// The plan of each function.
    pub functions: Vec<Plan>,
    /// The plan of each fused function.
    pub fused: Vec<Plan<FusedFunction>>,
    /// Contacts and closed loops, in this order.
    pub contacts: Vec<ContactAt>,
    /// Name of the robot.
    ///
    /// Rust's type has it. In C and for GPUs all names begin with it.
    pub name: String,
    pub(crate) urdf: String,
    pub(crate) rust: Rust,
    pub(crate) target: Arc<dyn Target>,
}

impl Generated {
    /// The integrator of the option `step`, if it was given.
    #[must_use]
    pub fn integrator(&self) -> Option<rbd_runtime::Integrator> {
        self.rust.step
    }

    /// Velocity coordinates of the controls of the option `actuated`.
    #[must_use]
    pub fn controls(&self) -> Vec<usize> {
        controls(&self.model, &self.rust.actuated)
    }

    /// Names and texts of the files.
    pub fn files(&self) -> Vec<(String, String)> {
        self.target.files(self)
    }

    /// Text of the first file, which is the only one of Rust.
    pub fn source(&self) -> String {
        self.files().into_iter().next().map(|(_, text)| text).unwrap_or_default()
    }

    /// Table of what the target of the plans has.
    pub fn capabilities(&self) -> Capabilities {
        self.target.capabilities()
    }

    /// Rust text in parts, unformatted, for the macro.
    ///
    /// The plans are those of [`Robot::trace`](crate::Robot::trace).
    pub fn module(&self) -> Module {
        self.rust.module(self)
    }

    /// Generator, version and the URDF's file name, for the first line of a file.
    pub fn origin(&self) -> String {
        format!("rbd {} from {}", env!("CARGO_PKG_VERSION"), self.urdf)
    }

    /// Cost of each function, in the order of [`Function::ALL`](crate::Function::ALL).
    pub fn costs(&self) -> Vec<Cost> {
        let cost = |plan: &Plan| Cost {
            function: plan.function,
            count: plan.count(),
            straight_line: plan.count_of_straight_lines(),
            fused: plan.fused(),
            source_bytes: self.source_bytes(plan),
        };
        self.functions.iter().map(cost).collect()
    }

    /// Zeros of the first generated result of this name, such as `m` or `ddq_dq`.
    pub fn pattern(&self, name: &str) -> Option<Pattern> {
        self.functions.iter().find_map(|f| f.pattern(name))
    }

    fn source_bytes(&self, plan: &Plan) -> usize {
        Rust::function(&self.name, &self.model, plan).len()
    }

    /// Savings of each fused function. Counts are exact, before products are fused with sums.
    pub fn savings(&self) -> Vec<Saving> {
        let search = self.target.search(&self.model);
        self.fused.iter().map(|plan| Saving::of(plan, &self.functions, &search)).collect()
    }

    /// Kernels of the rows of all contacts, for targets without loops over tables.
    ///
    /// Accelerations by articulated bodies need the sines again, which these targets do not keep.
    pub(crate) fn straight_contact_rows(&self) -> Vec<RowsPlan> {
        self.target.search(&self.model).contact_rows(&self.contacts, false, |_| true)
    }

    /// The inverse of the mass matrix, for targets without loops over tables.
    pub(crate) fn straight_minv(&self) -> Plan {
        let most_alive = self.target.capabilities().most_alive;
        let minv = &[(Function::Minv, None)];
        let plans = self.target.search(&self.model).composed(minv, &Shapes::default(), most_alive);
        plans.into_iter().find(|plan| plan.function == Function::Minv).expect("it is asked for")
    }

    /// Kernels of the rows of all contacts and closed loops, for targets with a runtime.
    pub fn contact_rows(&self) -> Vec<RowsPlan> {
        let is_straight = |function| {
            let plan = self.functions.iter().find(|plan| plan.function == function);
            plan.is_some_and(|plan| !plan.has_calls())
        };
        self.target.search(&self.model).contact_rows(&self.contacts, true, is_straight)
    }
}
