//! Python packages as a target: a crate of which maturin builds a wheel.
//!
//! The robot itself is the text of the target Rust.
//!
//! - `items`, `contacts` and `manifold` list the functions. `functions` writes their calls on arrays.
//! - `stub` writes types for Python's checkers, `project` the files for cargo and maturin.
//! - Text common to all robots is Rust in `text/`.

mod contacts;
mod fault;
mod functions;
mod items;
mod manifold;
mod project;
mod shapes;
mod spell;
mod stub;
mod target;

use fault::fused_fault;
pub use project::RuntimeAt;
use spell::module_fault;
pub use target::Python;

use crate::fused::FusedPlan;
use crate::search::plan::Plan;
use crate::table::frames::ContactAt;
use rbd_runtime::Model;

/// Name of the robot's type in the crate.
const TYPE_NAME: &str = "Robot";

/// Content of a module.
#[derive(Clone, Copy, Debug)]
struct Of<'a> {
    /// Name of the module, which [`module_fault`] accepts.
    name: &'a str,
    /// Generator and input, for the first lines.
    origin: &'a str,
    /// The robot.
    model: &'a Model<f64>,
    /// Plans of functions in the table.
    plans: &'a [Plan],
    /// Plans of fused functions.
    fused: &'a [FusedPlan],
    /// Contacts and closed loops.
    contacts: &'a [ContactAt],
}

/// One plan for each function. Functions of frames have several plans.
fn specs(plans: &[Plan]) -> Vec<&Plan> {
    let mut out: Vec<&Plan> = Vec::new();
    for plan in plans {
        if !out.iter().any(|known| known.function == plan.function) {
            out.push(plan);
        }
    }
    out
}
