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

/// Text of a robot's package.
#[derive(Clone, Copy, Debug)]
struct Writer<'a> {
    /// Name of the module, which [`module_fault`] accepts.
    name: &'a str,
    /// Generator and input, for the first lines.
    origin: &'a str,
}

/// Content of a module.
#[derive(Clone, Copy, Debug)]
pub struct Of<'a> {
    /// The robot.
    pub model: &'a Model<f64>,
    /// Plans of functions in the table.
    pub plans: &'a [Plan],
    /// Plans of fused functions.
    pub fused: &'a [FusedPlan],
    /// Contacts and closed loops.
    pub contacts: &'a [ContactAt],
}

impl Writer<'_> {
    /// Paths in the crate and texts of its files, without the robot itself, which is `src/robot.rs`.
    pub fn files(&self, of: &Of<'_>, runtime: &RuntimeAt) -> Vec<(String, String)> {
        let name = self.name;
        let same_for_all = [
            ("src/arrays.rs", include_str!("text/arrays.rs")),
            ("src/call.rs", include_str!("text/call.rs")),
            ("src/given.rs", include_str!("text/given.rs")),
            ("src/joints.rs", include_str!("text/joints.rs")),
            ("src/rows.rs", include_str!("text/rows.rs")),
        ];
        let mut files = vec![
            ("Cargo.toml".to_owned(), project::manifest(self, runtime)),
            ("pyproject.toml".to_owned(), project::pyproject(self)),
            (format!("{name}.pyi"), stub::text(self, of)),
            ("src/lib.rs".to_owned(), functions::text(self, of)),
        ];
        files.extend(same_for_all.map(|(path, text)| (path.to_owned(), text.to_owned())));
        files
    }
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
