//! What a fused function of one robot is computed by.

use super::Call;
use crate::graph::OperationCount;
use crate::kernel::Role;
use crate::plan::{Version, Wire};
use crate::signature::{Output, Param};
use crate::strategy::Strategy;
use rbd_runtime::Scalar;

/// How a fused function is computed.
#[derive(Clone, Debug)]
pub struct FusedPlan {
    /// What it is.
    pub call: Call,
    /// How each of its parts is computed.
    pub strategies: Vec<Strategy>,
    /// The kernel, for every scalar; none of an outline.
    pub scalar: Option<Version>,
    /// For scalars that have registers, where that pays: a kernel with limbs of one shape side by side, and one for what is of
    /// single bodies, if there is such. Together they give what the first one gives.
    pub limbs: Vec<Version>,
}

impl FusedPlan {
    /// A plan that says what the function takes and gives, and not how that is computed.
    pub(crate) fn outline(call: Call) -> Self {
        Self { call, strategies: Vec::new(), scalar: None, limbs: Vec::new() }
    }

    /// Its kernels.
    pub fn versions(&self) -> impl Iterator<Item = &Version> {
        self.scalar.iter().chain(&self.limbs)
    }

    /// The arithmetic, loops included.
    pub fn count(&self) -> OperationCount {
        self.scalar.as_ref().map(Version::count).unwrap_or_default()
    }

    /// Instructions once products are fused with sums; sines and cosines are not among them.
    pub fn instructions(&self) -> usize {
        self.scalar.as_ref().map_or(0, Version::fused)
    }

    /// Checks every kernel, and that together they make each result once.
    ///
    /// # Errors
    /// Says what does not hold.
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

    /// The results for these arguments, by columns; by the kernel for every scalar, or by those with limbs side by side.
    ///
    /// # Panics
    /// If the arguments have other sizes than the robot's, or the plan is not sound.
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
            let results = version.kernel.run_with(&inputs, crate::routines::run);
            made.extend(version.outputs(Role::Out).map(|(_, output)| output).zip(results));
        }
        made.sort_by_key(|(output, _)| self.call.fields.iter().position(|f| f.output == *output));
        made
    }
}
