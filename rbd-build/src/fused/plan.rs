//! Plan of a fused function for one robot.

use super::FusedFunction;
use crate::algorithms::strategy::Strategy;
use crate::search::stages::{self, Stage, Wire};
use crate::signatures::signature::{Output, Param};
use crate::table::routines;
use rbd_ir::graph::OperationCount;
use rbd_runtime::Scalar;

/// Way in which a fused function is computed.
#[derive(Clone, Debug)]
pub struct FusedPlan {
    /// The function.
    pub whole: FusedFunction,
    /// Strategy of each component.
    pub strategies: Vec<Strategy>,
    /// The only stage. Its second version for SIMD registers, if any, has the components for single bodies.
    /// An outline has none.
    pub stages: Vec<Stage>,
}

impl FusedPlan {
    /// Plan with signatures only, without any computation.
    pub(crate) fn outline(whole: FusedFunction) -> Self {
        Self { whole, strategies: Vec::new(), stages: Vec::new() }
    }

    /// Operations, loops included.
    pub fn count(&self) -> OperationCount {
        stages::count(&self.stages)
    }

    /// Instructions after products are fused with sums. Sines and cosines are not counted.
    pub fn fused(&self) -> usize {
        stages::fused(&self.stages)
    }

    /// Plan in which versions with limbs as lanes replace the others. `None` if there are none.
    #[must_use]
    pub fn packed(&self) -> Option<Self> {
        stages::packed(&self.stages).map(|stages| Self { stages, ..self.clone() })
    }

    /// Checks every kernel, that kernels take no other parameters, and that they write each result once.
    ///
    /// # Errors
    /// Names the violated condition.
    pub fn verify(&self) -> Result<(), String> {
        let is_other = |wire: &&Wire| matches!(wire, Wire::Param(p) if !self.whole.params.contains(p));
        let mut wires = self.stages.iter().flat_map(Stage::versions).flat_map(|version| &version.wires);
        if let Some(Wire::Param(other)) = wires.find(is_other) {
            return Err(format!("{} is no parameter", other.name));
        }
        stages::verify(&self.stages, &self.whole.outputs())
    }

    /// Runs the version for every scalar, which may call loops. Returns the results, by columns.
    ///
    /// # Panics
    /// If an argument has the wrong size, or the plan is invalid.
    pub fn run<T: Scalar>(&self, argument: impl Fn(Param) -> Vec<T>) -> Vec<(Output, Vec<T>)> {
        let outputs = self.whole.outputs();
        stages::run(
            &self.stages,
            &outputs,
            |param, _| argument(param),
            |kernel, inputs| kernel.run_with(inputs, routines::run),
        )
    }
}
