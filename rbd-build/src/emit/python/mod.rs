//! A Python package: a crate that maturin makes a wheel of.
//!
//! The robot itself is the Rust target's text. `items`, `contacts` and `manifold` have what functions there are, `functions` writes what calls it on arrays, `stub` the types for Python's
//! checkers, `project` what cargo and maturin read. What is the same for every robot is in `text/`, as Rust.

mod contacts;
mod fault;
mod functions;
mod items;
mod manifold;
mod project;
mod shapes;
mod spell;
mod stub;

pub use fault::fused_fault;
pub use project::RuntimeAt;
pub use spell::module_fault;

use crate::frames::ContactAt;
use crate::fused::FusedPlan;
use crate::plan::Plan;
use rbd_runtime::Model;

/// The name of the robot's type in the crate.
pub const TYPE_NAME: &str = "Robot";

/// A Python package of this name.
#[derive(Clone, Copy, Debug)]
pub struct Python<'a> {
    /// The module's name, which [`module_fault`] accepts.
    pub name: &'a str,
    /// What made it of what, for the first lines.
    pub origin: &'a str,
}

/// What a module is of.
#[derive(Clone, Copy, Debug)]
pub struct Of<'a> {
    /// The robot.
    pub model: &'a Model<f64>,
    /// Functions of the table.
    pub plans: &'a [Plan],
    /// Fused ones.
    pub fused: &'a [FusedPlan],
    /// Contacts and closed loops.
    pub contacts: &'a [ContactAt],
}

impl Python<'_> {
    /// The files of the crate by their paths in it, but for the robot itself, which is `src/robot.rs`.
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

/// The functions of these plans, those of frames once.
fn specs(plans: &[Plan]) -> Vec<&Plan> {
    let mut out: Vec<&Plan> = Vec::new();
    for plan in plans {
        if !out.iter().any(|known| known.function == plan.function) {
            out.push(plan);
        }
    }
    out
}
