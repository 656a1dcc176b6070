//! Plan of a fused function for one robot.

use super::Call;
use crate::search::plan::{Version, Wire};
use crate::search::strategy::Strategy;
use crate::table::signature::{Output, Param};
use rbd_ir::graph::OperationCount;
use rbd_ir::kernel::Role;
use rbd_runtime::Scalar;

/// Way in which a fused function is computed.
#[derive(Clone, Debug)]
pub struct FusedPlan {
    /// The function.
    pub call: Call,
    /// Strategy of each part.
    pub strategies: Vec<Strategy>,
    /// Kernel for every scalar. `None` in an outline.
    pub scalar: Option<Version>,
    /// Kernels for scalars with SIMD registers, if they pay. Together they compute what `scalar` computes.
    /// The first has limbs of equal shape as lanes. The second, if any, has the parts for single bodies.
    pub limbs: Vec<Version>,
}

impl FusedPlan {
    /// Plan with signatures only, without any computation.
    pub(crate) fn outline(call: Call) -> Self {
        Self { call, strategies: Vec::new(), scalar: None, limbs: Vec::new() }
    }

    /// All kernels.
    pub fn versions(&self) -> impl Iterator<Item = &Version> {
        self.scalar.iter().chain(&self.limbs)
    }

    /// Operations, loops included.
    pub fn count(&self) -> OperationCount {
        self.scalar.as_ref().map(Version::count).unwrap_or_default()
    }

    /// Instructions after products are fused with sums. Sines and cosines are not counted.
    pub fn instructions(&self) -> usize {
        self.scalar.as_ref().map_or(0, Version::fused)
    }

    /// Checks every kernel, and that together they write each result once.
    ///
    /// # Errors
    /// Names the violated condition.
    pub fn verify(&self) -> Result<(), String> {
        let Some(scalar) = &self.scalar else { return Ok(()) };
        self.verify_whole(&[scalar])?;
        if self.limbs.is_empty() { Ok(()) } else { self.verify_whole(&self.limbs.iter().collect::<Vec<_>>()) }
    }

    fn verify_whole(&self, versions: &[&Version]) -> Result<(), String> {
        let mut made: Vec<Output> = Vec::new();
        for version in versions {
            version.kernel.verify()?;
            for (id, decl) in version.kernel.declared() {
                match (decl.role, version.wire(id)) {
                    (Role::In, Wire::Param(param)) if self.call.params.contains(&param) => {}
                    (Role::Out, Wire::Output(output)) if !made.contains(&output) => made.push(output),
                    (Role::Scratch, Wire::Own) => {}
                    _ => return Err(format!("{} has no place in a fused function", decl.name)),
                }
            }
        }
        let missing = self.call.fields.iter().find(|f| !made.contains(&f.output));
        missing.map_or(Ok(()), |f| Err(format!("{} is not made", f.output.name)))
    }

    /// Runs the kernel for every scalar or, with `limbs`, those with limbs as lanes.
    ///
    /// Returns the results, by columns.
    ///
    /// # Panics
    /// If an argument has the wrong size, or the plan is invalid.
    pub fn run<T: Scalar>(&self, limbs: bool, argument: impl Fn(Param) -> Vec<T>) -> Vec<(Output, Vec<T>)> {
        let versions: Vec<&Version> =
            if limbs { self.limbs.iter().collect() } else { self.scalar.iter().collect() };
        let mut made: Vec<(Output, Vec<T>)> = Vec::new();
        for version in versions {
            let inputs = version.kernel.declared().filter(|(_, decl)| decl.role == Role::In);
            let inputs: Vec<Vec<T>> = inputs
                .map(|(id, decl)| match version.wire(id) {
                    Wire::Param(param) => argument(param),
                    Wire::Output(_) | Wire::Own => unreachable!("{} is an input", decl.name),
                })
                .collect();
            let inputs: Vec<&[T]> = inputs.iter().map(Vec::as_slice).collect();
            let results = version.kernel.run_with(&inputs, crate::table::routines::run);
            made.extend(version.outputs(Role::Out).map(|(_, output)| output).zip(results));
        }
        made.sort_by_key(|(output, _)| self.call.fields.iter().position(|f| f.output == *output));
        made
    }
}
