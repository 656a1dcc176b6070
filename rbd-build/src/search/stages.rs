//! Stages of a function: kernels in order, and the place of each of their arrays.
//!
//! Functions of the table and fused functions have stages alike.

pub use crate::algorithms::draft::Wire;
use crate::algorithms::strategy::Strategy;
use crate::signatures::signature::{Output, Param};
use crate::table::routines;
use crate::tree::Rewrite;
use rbd_ir::graph::OperationCount;
use rbd_ir::kernel::{ArrayId, Kernel, Role, Stmt};
use rbd_ir::products::{Product, ProductKind};
use rbd_runtime::Scalar;

/// A kernel with the places of its arrays.
#[derive(Clone, Debug)]
pub struct Version {
    /// Strategy of the computation.
    pub strategy: Strategy,
    /// Frames and forms of inertia.
    pub rewrite: Rewrite,
    /// Operations of the straight line, before products are fused with sums.
    pub straight_line: OperationCount,
    /// Statements and arrays.
    pub kernel: Kernel,
    /// Place of each array of the kernel.
    pub wires: Vec<Wire>,
}

/// A step of a plan.
#[derive(Clone, Debug)]
pub struct Stage {
    /// Version for every scalar.
    pub scalar: Version,
    /// Versions for scalars with SIMD registers, if they pay: limbs of equal shape are lanes.
    /// Together they compute what `scalar` computes.
    pub simd: Vec<Version>,
}

impl Version {
    /// Place of an array.
    pub fn wire(&self, array: ArrayId) -> Wire {
        self.wires[array.index()]
    }

    /// Version whose arrays are elsewhere.
    #[must_use]
    pub(crate) fn rewired(&self, to: impl Fn(Wire) -> Wire) -> Self {
        Self { wires: self.wires.iter().map(|wire| to(*wire)).collect(), ..self.clone() }
    }

    /// Version for results that are zero already. Stores of zeros are left out.
    #[must_use]
    pub fn without_zeros(&self) -> Self {
        self.without_zeros_of(|_| true)
    }

    /// Version without stores of zeros to these arrays.
    pub(crate) fn without_zeros_of(&self, is_left: impl Fn(ArrayId) -> bool) -> Self {
        let is_zero = |stmt: &Stmt| match stmt {
            Stmt::Fill { array, with } => *with == 0.0 && is_left(*array),
            Stmt::Store { to, from } => from.is_zero() && is_left(to.array),
            _ => false,
        };
        let mut version = self.clone();
        version.kernel.body.retain(|stmt| !is_zero(stmt));
        version
    }

    /// Runs of entries of a result that no statement writes, by columns: zeros that were left out.
    pub(crate) fn unwritten(&self, array: ArrayId) -> Vec<(usize, usize)> {
        if self.in_loops().contains(&array) {
            return Vec::new();
        }
        let mut is_written = vec![false; self.kernel.array(array).len()];
        for stmt in &self.kernel.body {
            match stmt {
                Stmt::Fill { array: filled, .. } if *filled == array => is_written.fill(true),
                Stmt::Store { to, .. } if to.array == array => is_written[to.index as usize] = true,
                _ => {}
            }
        }
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for k in (0..is_written.len()).filter(|k| !is_written[*k]) {
            match runs.last_mut() {
                Some((_, end)) if *end == k => *end += 1,
                _ => runs.push((k, k + 1)),
            }
        }
        runs
    }

    /// Arrays that loops read or write.
    pub(crate) fn in_loops(&self) -> Vec<ArrayId> {
        let products = self.kernel.products().flat_map(|product| match product.kind {
            ProductKind::Negative { a, x } => vec![a, x],
            ProductKind::Gram { g, d, out } => vec![g, d, out],
        });
        let calls = self.kernel.calls().flat_map(|call| {
            let scratch = call.scratch.iter().copied();
            call.reads().chain(call.results.iter().copied()).chain(scratch)
        });
        products.chain(calls).collect()
    }

    /// Operations, loops included.
    pub fn count(&self) -> OperationCount {
        self.loops().fold(self.straight_line, |a, b| a + b)
    }

    /// Instructions after products are fused with sums. Sines and cosines are not counted.
    pub fn fused(&self) -> usize {
        // Each term of a looped product is fused with a sum.
        self.kernel.instructions() + self.loops().map(|count| count.muls + count.divs).sum::<usize>()
    }

    /// Operations of each product and call.
    fn loops(&self) -> impl Iterator<Item = OperationCount> + '_ {
        let calls = self.kernel.calls().map(routines::count_of);
        self.kernel.products().map(Product::count).chain(calls)
    }

    /// Results of the function with a role in this kernel.
    pub(crate) fn outputs(&self, role: Role) -> impl Iterator<Item = (ArrayId, Output)> + '_ {
        self.kernel.declared().filter(move |(_, decl)| decl.role == role).filter_map(
            move |(id, _)| match self.wire(id) {
                Wire::Output(output) => Some((id, output)),
                Wire::Param(_) | Wire::Own => None,
            },
        )
    }
}

impl Stage {
    /// Stage without a version for SIMD registers.
    pub fn of(scalar: Version) -> Self {
        Self { scalar, simd: Vec::new() }
    }

    /// All versions.
    pub fn versions(&self) -> impl Iterator<Item = &Version> {
        std::iter::once(&self.scalar).chain(&self.simd)
    }

    /// Versions with limbs as lanes, or else the version for every scalar.
    pub fn fastest(&self) -> &[Version] {
        if self.simd.is_empty() { std::slice::from_ref(&self.scalar) } else { &self.simd }
    }
}

/// Stages in which versions with limbs as lanes replace the others. `None` if there are none.
pub fn packed(stages: &[Stage]) -> Option<Vec<Stage>> {
    let has_limbs = stages.iter().any(|stage| !stage.simd.is_empty());
    has_limbs.then(|| stages.iter().flat_map(Stage::fastest).cloned().map(Stage::of).collect())
}

/// Operations of the versions for every scalar, loops included.
pub fn count(stages: &[Stage]) -> OperationCount {
    stages.iter().map(|stage| stage.scalar.count()).fold(OperationCount::default(), |a, b| a + b)
}

/// Instructions of the versions for every scalar. Sines and cosines are not counted.
pub fn fused(stages: &[Stage]) -> usize {
    stages.iter().map(|stage| stage.scalar.fused()).sum()
}

/// Checks every kernel and that the stages fit together.
///
/// A stage reads only results written before it, and borrows only memory of results written later.
/// Each result is written once.
///
/// # Errors
/// Names the violated condition.
pub fn verify(stages: &[Stage], outputs: &[Output]) -> Result<(), String> {
    verify_with(&[], stages, outputs)
}

/// [`verify`] of stages that also read these results of others.
///
/// # Errors
/// Names the violated condition.
pub fn verify_with(given: &[Output], stages: &[Stage], outputs: &[Output]) -> Result<(), String> {
    let check = |versions: &mut dyn Iterator<Item = &Version>| {
        let kernels = versions.map(|version| (&version.kernel, &version.wires[..]));
        verify_kernels_with(given, kernels, outputs)
    };
    check(&mut stages.iter().map(|stage| &stage.scalar))?;
    check(&mut stages.iter().flat_map(Stage::fastest))
}

/// Checks kernels with the places of their arrays, as the kernels of a whole function are. They also read the
/// results `given`.
///
/// # Errors
/// Names the violated condition.
pub fn verify_kernels_with<'k>(
    given: &[Output],
    kernels: impl Iterator<Item = (&'k Kernel, &'k [Wire])>,
    outputs: &[Output],
) -> Result<(), String> {
    let mut made: Vec<Output> = given.to_vec();
    for (kernel, wires) in kernels {
        kernel.verify()?;
        if wires.len() != kernel.arrays.len() {
            return Err("an array is nowhere".into());
        }
        let mut written = Vec::new();
        for (decl, wire) in kernel.arrays.iter().zip(wires) {
            let is_in_place = match (decl.role, wire) {
                (Role::In, Wire::Param(_)) | (Role::Scratch, Wire::Own) => true,
                (Role::In, Wire::Output(output)) => made.contains(output),
                (Role::Lent, Wire::Output(output)) => outputs.contains(output) && !made.contains(output),
                (Role::Out, Wire::Output(output)) => {
                    let is_new = !made.contains(output) && !written.contains(output);
                    written.push(*output);
                    outputs.contains(output) && is_new
                }
                _ => false,
            };
            if !is_in_place {
                return Err(format!("{} is out of place", decl.name));
            }
        }
        made.extend(written);
    }
    let missing = outputs.iter().find(|output| !made.contains(output));
    missing.map_or(Ok(()), |output| Err(format!("{} is not made", output.name)))
}

/// Runs the versions for every scalar. Returns the results, by columns, in the order of `outputs`.
///
/// `argument` returns a parameter with so many numbers, and `run` runs a kernel.
///
/// # Panics
/// If an argument has the wrong size, or the stages do not fit together.
pub fn run<T: Scalar>(
    stages: &[Stage],
    outputs: &[Output],
    argument: impl Fn(Param, usize) -> Vec<T>,
    run: impl Fn(&Kernel, &[&[T]]) -> Vec<Vec<T>>,
) -> Vec<(Output, Vec<T>)> {
    let mut made: Vec<(Output, Vec<T>)> = Vec::new();
    for Stage { scalar, .. } in stages {
        let inputs = scalar.kernel.declared().filter(|(_, decl)| decl.role == Role::In);
        let inputs: Vec<Vec<T>> = inputs
            .map(|(id, decl)| match scalar.wire(id) {
                Wire::Param(param) => argument(param, decl.len()),
                Wire::Output(output) => {
                    let earlier = made.iter().find(|(o, _)| *o == output);
                    earlier.expect("stages are in order").1.clone()
                }
                Wire::Own => unreachable!("{} is an input", decl.name),
            })
            .collect();
        let results = run(&scalar.kernel, &inputs.iter().map(Vec::as_slice).collect::<Vec<_>>());
        made.extend(scalar.outputs(Role::Out).map(|(_, output)| output).zip(results));
    }
    made.sort_by_key(|(output, _)| outputs.iter().position(|o| o == output));
    made
}
