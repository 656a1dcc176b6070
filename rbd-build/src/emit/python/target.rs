//! Python as a target: options and capabilities.

use super::{Of, RuntimeAt, TYPE_NAME, functions, fused_fault, module_fault, project, stub};
use crate::emit::c_family::spelling::prefix;
use crate::emit::rust::check_types;
use crate::emit::{Asked, Capabilities, Rust, SecondDerivatives, Target};
use crate::frontend::config::Error;
use crate::frontend::generated::Generated;
use crate::search::cost::CostModel;
use crate::search::plan::Plan;

/// A crate of which maturin makes a Python package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Python {
    /// Where the crate finds the runtime.
    pub runtime: RuntimeAt,
}

/// Most numbers of a tensor. A thread has four tensors and their inputs on its stack.
const LARGEST_TENSOR: usize = 8_000;

impl Python {
    fn rust() -> Rust {
        Rust { runtime_path: "::rbd_runtime::__private".into(), ..Rust::default() }
    }
}

impl Target for Python {
    /// Those of Rust, which the package calls, but for steps.
    fn capabilities(&self) -> Capabilities {
        let rust = Self::rust().capabilities();
        let limited = |of_rust| SecondDerivatives { largest_tensor: LARGEST_TENSOR, ..of_rust };
        let second_derivatives = rust.second_derivatives.map(limited);
        Capabilities { place: "in Python", step: false, second_derivatives, ..rust }
    }

    fn costs(&self) -> CostModel {
        Rust::COSTS
    }

    fn name_of(&self, stem: &str) -> String {
        prefix(stem)
    }

    fn check(&self, asked: &Asked<'_>) -> Result<(), Error> {
        if let Some(fault) = module_fault(asked.name) {
            return Err(Error::Option { name: "name", what: format!("`{}` {fault}", asked.name) });
        }
        if let Some(what) = asked.fused.iter().find_map(fused_fault) {
            return Err(Error::Option { name: "fused", what });
        }
        check_types(TYPE_NAME, asked.fused)
    }

    /// Paths in the crate and texts of its files.
    fn files(&self, robot: &Generated) -> Vec<(String, String)> {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
        let urdf: String = robot.urdf.chars().map(plain).collect();
        let origin = format!("rbd {} from {urdf}", env!("CARGO_PKG_VERSION"));
        let Generated { name, model, fused, contacts, .. } = robot;
        // Functions of contacts call others, which the package does not have.
        let is_asked = |plan: &&Plan| robot.asked.contains(&plan.function);
        let plans: Vec<Plan> = robot.functions.iter().filter(is_asked).cloned().collect();
        let of = Of { name, origin: &origin, model, plans: &plans, fused, contacts };
        let rust = Self::rust();
        let module =
            rust.robot_with(TYPE_NAME, model, (contacts, &robot.contact_rows()), &robot.functions, fused);
        vec![
            ("Cargo.toml".into(), project::manifest(&of, &self.runtime)),
            ("pyproject.toml".into(), project::pyproject(&of)),
            (format!("{name}.pyi"), stub::text(&of)),
            ("src/lib.rs".into(), functions::text(&of)),
            ("src/arrays.rs".into(), include_str!("text/arrays.rs").into()),
            ("src/call.rs".into(), include_str!("text/call.rs").into()),
            ("src/given.rs".into(), include_str!("text/given.rs").into()),
            ("src/joints.rs".into(), include_str!("text/joints.rs").into()),
            ("src/rows.rs".into(), include_str!("text/rows.rs").into()),
            ("src/robot.rs".into(), rust.source(&robot.urdf, &module)),
        ]
    }
}
