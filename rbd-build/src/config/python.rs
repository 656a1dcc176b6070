//! Python packages as a target of the builder.

use super::{Error, Generated, Robot};
use crate::emit::c_family::spelling::prefix;
use crate::emit::python::{Of, Python, RuntimeAt, TYPE_NAME, fused_fault, module_fault};
use crate::functions::{Function, Spec};
use crate::plan::Plan;
use crate::signature::{Dim, Shape};

/// A robot as a Python package, before it is written to files.
#[derive(Clone, Debug)]
pub struct GeneratedPython {
    /// The robot in Rust, which the package calls.
    pub robot: Generated,
    /// Functions of the package. The robot has more: functions of contacts call others.
    chosen: Vec<Function>,
    name: String,
    origin: String,
    runtime: RuntimeAt,
}

/// Most numbers of a tensor. A thread has four tensors and their inputs on its stack.
const LARGEST_TENSOR: usize = 8_000;

impl Robot {
    /// Reads the URDF and traces the functions for a crate, of which maturin builds a Python package.
    ///
    /// The module's name is [`Self::name`], by default the file's stem in lower case.
    ///
    /// # Errors
    /// All faults of the URDF, or a fault in an option.
    pub fn trace_python(&self, runtime: RuntimeAt) -> Result<GeneratedPython, Error> {
        let name = match &self.name {
            Some(name) => name.clone(),
            None => prefix(&self.urdf.file_stem().unwrap_or_default().to_string_lossy()),
        };
        if let Some(fault) = module_fault(&name) {
            return Err(Error::Option { name: "name", what: format!("`{name}` {fault}") });
        }
        if let Some(what) = self.fused.iter().find_map(fused_fault) {
            return Err(Error::Option { name: "fused", what });
        }
        // Refused before tracing, which takes longer.
        let model = self.judged()?.model;
        let nv = model.nv;
        // Functions by tables are no default: a package compiles every function, called or not.
        // Parameters at run time bring their derivatives, as in Rust.
        let mut chosen = self.functions.clone().unwrap_or_else(|| {
            let by_parameters = Function::ALL.into_iter().filter(|function| function.is_by_parameters());
            let by_parameters = by_parameters.filter(|_| !model.run_time.is_none());
            Function::default_ones()
                .filter(|function| !function.is_by_tables())
                .chain(by_parameters)
                .collect()
        });
        // A user who names frames wants functions of frames, as in Rust.
        if !self.read.frames.is_empty() && !chosen.iter().any(|function| function.is_of_frame()) {
            chosen.extend(Function::ALL.into_iter().filter(|function| function.is_of_frame()));
        }
        let is_tensor = |shape: &Shape| matches!(shape, Shape::Tensor(_, _, Dim::Nv));
        let too_large =
            |spec: &&Spec| spec.outputs.iter().any(|o| is_tensor(&o.shape)) && nv.pow(3) > LARGEST_TENSOR;
        if let Some(spec) = chosen.iter().map(|f| f.spec()).find(too_large) {
            let what = format!(
                "`{}` of {nv} degrees of freedom is too large for Python; weighted sums, such as `rnea_hessian`, are not",
                spec.name
            );
            return Err(Error::Option { name: "functions", what });
        }
        let robot = self
            .clone()
            .functions(chosen.clone())
            .name(TYPE_NAME)
            .visibility("pub")
            .attributes("")
            .runtime_path("::rbd_runtime::__private")
            .trace()?;
        let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
        let urdf = self.urdf.file_name().unwrap_or_default().to_string_lossy();
        let origin =
            format!("rbd {} from {}", env!("CARGO_PKG_VERSION"), urdf.chars().map(plain).collect::<String>());
        Ok(GeneratedPython { robot, chosen, name, origin, runtime })
    }
}

impl GeneratedPython {
    /// Name of the module.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Paths in the crate and texts of its files.
    pub fn files(&self) -> Vec<(String, String)> {
        let python = Python { name: &self.name, origin: &self.origin };
        let Generated { model, functions, fused, contacts, .. } = &self.robot;
        let is_chosen = |plan: &&Plan| self.chosen.contains(&plan.function);
        let plans: Vec<Plan> = functions.iter().filter(is_chosen).cloned().collect();
        let mut files = python.files(&Of { model, plans: &plans, fused, contacts }, &self.runtime);
        files.push(("src/robot.rs".into(), self.robot.source()));
        files
    }
}
