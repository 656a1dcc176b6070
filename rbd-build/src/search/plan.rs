//! Plan of a function for one robot: kernels in order, and the place of each of their arrays.

use crate::frontend::options::Shape;
use crate::search::strategy::Strategy;
use crate::table::frames::FrameAt;
use crate::table::functions::{Function, Spec};
use crate::table::routines;
use crate::table::signature::{self, FEXT, Output, Param};
use crate::tree::Rewrite;
use rbd_ir::graph::OperationCount;
use rbd_ir::kernel::{ArrayId, Kernel, Role, Stmt};
use rbd_ir::products::{Product, ProductKind};
use rbd_runtime::Scalar;

/// Place of a kernel's array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// A parameter of the function.
    Param(Param),
    /// A result of the function. By its role the kernel writes it, reads it, or borrows its memory.
    /// A kernel reads what an earlier kernel wrote, and borrows memory that a later kernel fills.
    Output(Output),
    /// Memory of the kernel alone.
    Own,
}

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
    /// Version for scalars with SIMD registers, if it pays: limbs of equal shape are lanes.
    pub simd: Option<Version>,
}

/// A strategy that was tried and costs more.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The strategy.
    pub strategy: Strategy,
    /// Operations.
    pub count: OperationCount,
    /// Estimated cost, by the [`CostModel`](crate::search::cost::CostModel).
    pub cost: usize,
}

/// Way in which a function is computed.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The function.
    pub function: Function,
    /// The frame, for a function of a frame.
    pub frame: Option<FrameAt>,
    /// Strategy of the computation.
    pub strategy: Strategy,
    /// Stages, in order.
    pub stages: Vec<Stage>,
    /// Plans of other functions, from whose results the runtime composes this one's.
    pub parts: Vec<Plan>,
    /// Rejected strategies, with the cheapest candidate of each.
    pub rejected: Vec<Rejected>,
    /// True if the stages are those of the function under external forces, called with zero forces.
    pub is_without_forces: bool,
    /// True if the plan has signatures only, without any computation.
    pub is_outline: bool,
}

impl Version {
    /// Place of an array.
    pub fn wire(&self, array: ArrayId) -> Wire {
        self.wires[array.index()]
    }

    /// Version for results that are zero already. Stores of zeros are left out.
    #[must_use]
    pub fn without_zeros(&self) -> Self {
        self.without_zeros_of(|_| true)
    }

    /// Version without stores of zeros to these arrays.
    fn without_zeros_of(&self, is_left: impl Fn(ArrayId) -> bool) -> Self {
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
    fn in_loops(&self) -> Vec<ArrayId> {
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
    /// All versions.
    pub fn versions(&self) -> impl Iterator<Item = &Version> {
        std::iter::once(&self.scalar).chain(&self.simd)
    }
}

impl Plan {
    /// A stage for matrices that are zero before the first call: it leaves structural zeros alone.
    ///
    /// A matrix that loops or another stage use is written whole. So is a result of a frame, since a caller
    /// may use it for several frames.
    pub(crate) fn without_zeros(&self, stage: usize) -> Stage {
        let Some(others) = self.frame.is_none().then(|| {
            let others = self.stages.iter().enumerate().filter(|(k, _)| *k != stage);
            let wires = others.flat_map(|(_, other)| other.versions()).flat_map(|v| v.wires.iter().copied());
            wires.collect::<Vec<Wire>>()
        }) else {
            return self.stages[stage].clone();
        };
        let without = |version: &Version| {
            let in_loops = version.in_loops();
            version.without_zeros_of(|id| {
                let is_matrix = matches!(version.wire(id), Wire::Output(output)
                    if matches!(output.shape, signature::Shape::Matrix(..)));
                let is_only = !in_loops.contains(&id) && !others.contains(&version.wire(id));
                is_matrix && is_only && version.kernel.array(id).role == Role::Out
            })
        };
        let Stage { scalar, simd } = &self.stages[stage];
        Stage { scalar: without(scalar), simd: simd.as_ref().map(without) }
    }

    /// Operations of the straight lines, in the versions for every scalar.
    pub(crate) fn straight_line(&self) -> usize {
        self.stages.iter().map(|stage| stage.scalar.straight_line.total()).sum()
    }

    /// Row of the function.
    pub fn spec(&self) -> &'static Spec {
        self.function.spec()
    }

    /// True if the runtime computes the function, by loops over tables or from the plans of its parts.
    pub fn is_by_tables(&self) -> bool {
        self.function.is_by_tables() && self.stages.is_empty()
    }

    /// True if loops over tables fill SIMD registers with one state. Several states in lanes then gain
    /// nothing.
    pub fn fills_registers(&self) -> bool {
        let mut calls = self.all_stages().flat_map(|stage| stage.scalar.kernel.calls());
        self.function.is_by_tables() || calls.any(|call| call.robot().is_some())
    }

    /// Stages of the parts, then its own.
    pub fn all_stages(&self) -> impl Iterator<Item = &Stage> {
        self.parts.iter().flat_map(|part| &part.stages).chain(&self.stages)
    }

    /// Plan of `function`, which is this one without external forces. It calls the same code with zero
    /// forces.
    #[must_use]
    pub fn without_forces(&self, function: Function) -> Self {
        Self { function, is_without_forces: true, ..self.clone() }
    }

    /// Shape of the code.
    pub fn shape(&self) -> Shape {
        let mut calls = self.stages.iter().flat_map(|stage| stage.scalar.kernel.calls());
        if self.is_by_tables() || calls.any(|call| call.robot().is_some()) {
            Shape::Loops
        } else if self.stages.iter().any(|stage| stage.simd.is_some()) {
            Shape::Limbs
        } else {
            Shape::Straight
        }
    }

    /// Frames and forms of inertia of the first stage, if there is one.
    pub fn rewrite(&self) -> Option<&Rewrite> {
        self.stages.first().map(|stage| &stage.scalar.rewrite)
    }

    /// Operations of all stages, loops included.
    pub fn count(&self) -> OperationCount {
        self.for_every_scalar().map(Version::count).fold(OperationCount::default(), |a, b| a + b)
    }

    /// Operations of the straight lines of all stages.
    pub fn count_of_straight_lines(&self) -> OperationCount {
        let counts = self.for_every_scalar().map(|version| version.straight_line);
        counts.fold(OperationCount::default(), |a, b| a + b)
    }

    /// Instructions of all stages after products are fused with sums. Sines and cosines are not counted.
    pub fn fused(&self) -> usize {
        self.for_every_scalar().map(Version::fused).sum()
    }

    /// Versions for every scalar.
    fn for_every_scalar(&self) -> impl Iterator<Item = &Version> {
        self.stages.iter().map(|stage| &stage.scalar)
    }

    /// Plan in which versions with limbs as lanes replace the others. `None` if there are none.
    #[must_use]
    pub fn packed(&self) -> Option<Self> {
        self.stages.iter().any(|stage| stage.simd.is_some()).then(|| {
            let packed = |stage: &Stage| Stage {
                scalar: stage.simd.as_ref().unwrap_or(&stage.scalar).clone(),
                simd: None,
            };
            Self { stages: self.stages.iter().map(packed).collect(), ..self.clone() }
        })
    }

    /// Checks every kernel and that the stages fit together.
    ///
    /// A stage reads only results written before it, and borrows only memory of results written later.
    /// Each result is written once.
    ///
    /// # Errors
    /// Names the violated condition.
    pub fn verify(&self) -> Result<(), String> {
        let mut made: Vec<Output> = Vec::new();
        for Stage { scalar, .. } in &self.stages {
            scalar.kernel.verify()?;
            if let Some((_, output)) = scalar.outputs(Role::In).find(|(_, o)| !made.contains(o)) {
                return Err(format!("{} is read before it is made", output.name));
            }
            let mut written = scalar.outputs(Role::Lent).chain(scalar.outputs(Role::Out));
            if let Some((_, output)) = written.find(|(_, o)| made.contains(o)) {
                return Err(format!("{} is written after it is made", output.name));
            }
            made.extend(scalar.outputs(Role::Out).map(|(_, output)| output));
        }
        if let Some(output) = self.spec().outputs.iter().find(|o| !made.contains(o)) {
            return Err(format!("{} is not made", output.name));
        }
        self.packed().map_or(Ok(()), |packed| packed.verify())
    }

    /// Runs the versions for every scalar. Returns the results, by columns.
    ///
    /// # Panics
    /// If an argument has the wrong size, the plan is invalid, or a kernel calls loops.
    pub fn run<T: Scalar>(&self, argument: impl Fn(Param) -> Vec<T>) -> Vec<(Output, Vec<T>)> {
        self.by(argument, |kernel, inputs| kernel.run(inputs))
    }

    /// Runs the versions for every scalar, which may call loops. Returns the results, by columns.
    ///
    /// # Panics
    /// If an argument has the wrong size, or the plan is invalid.
    pub fn run_with_loops<T: Scalar>(&self, argument: impl Fn(Param) -> Vec<T>) -> Vec<(Output, Vec<T>)> {
        self.by(argument, |kernel, inputs| kernel.run_with(inputs, routines::run))
    }

    fn by<T: Scalar>(
        &self,
        argument: impl Fn(Param) -> Vec<T>,
        run: impl Fn(&Kernel, &[&[T]]) -> Vec<Vec<T>>,
    ) -> Vec<(Output, Vec<T>)> {
        let mut made: Vec<(Output, Vec<T>)> = Vec::new();
        for Stage { scalar, .. } in &self.stages {
            let inputs = scalar.kernel.declared().filter(|(_, decl)| decl.role == Role::In);
            let inputs: Vec<Vec<T>> = inputs
                .map(|(id, decl)| match scalar.wire(id) {
                    Wire::Param(FEXT) if self.is_without_forces => vec![T::zero(); decl.rows * decl.columns],
                    Wire::Param(param) => argument(param),
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
        made.sort_by_key(|(output, _)| self.spec().outputs.iter().position(|o| o == output));
        made
    }
}
