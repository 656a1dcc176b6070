//! What a function of one robot is computed by: kernels one after the other, and where their arrays are.

use crate::frames::FrameAt;
use crate::functions::{Function, Spec};
use crate::graph::OperationCount;
use crate::kernel::{ArrayId, Kernel, Role, Stmt};
use crate::options::Shape;
use crate::products::Product;
use crate::routines;
use crate::signature::{FEXT, Output, Param};
use crate::strategy::Strategy;
use crate::tree::Rewrite;
use rbd_runtime::Scalar;

/// Where an array of a kernel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// It is one of the function's parameters.
    Param(Param),
    /// It is one of the function's results: this kernel makes it, reads what an earlier one made, or uses the memory
    /// until a later one does. Its role says which.
    Output(Output),
    /// It is nobody else's.
    Own,
}

/// A kernel with its arrays in place.
#[derive(Clone, Debug)]
pub struct Version {
    /// How it computes what it gives.
    pub strategy: Strategy,
    /// The frames and inertias that it works with.
    pub rewrite: Rewrite,
    /// The arithmetic of its straight line, before any product is fused with a sum.
    pub straight_line: OperationCount,
    /// What is done.
    pub kernel: Kernel,
    /// Where each array of the kernel is.
    pub wires: Vec<Wire>,
}

/// A step of a plan.
#[derive(Clone, Debug)]
pub struct Stage {
    /// For every scalar.
    pub scalar: Version,
    /// For scalars that have registers: limbs of one shape side by side; where that pays.
    pub simd: Option<Version>,
}

/// A way that was tried and costs more.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The way.
    pub strategy: Strategy,
    /// Its arithmetic.
    pub count: OperationCount,
    /// What it was thought to cost, by the [`CostModel`](crate::cost::CostModel).
    pub cost: usize,
}

/// How a function is computed.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The function.
    pub function: Function,
    /// The frame that it is of, if it is of one.
    pub frame: Option<FrameAt>,
    /// The way in which it is computed.
    pub strategy: Strategy,
    /// What is computed, in order.
    pub stages: Vec<Stage>,
    /// Plans of other functions, of whose results the runtime makes this one's.
    pub parts: Vec<Plan>,
    /// Other ways, the cheapest of each kind.
    pub rejected: Vec<Rejected>,
    /// Whether its stages are those of the function under external forces, which are to be zero.
    pub is_without_forces: bool,
    /// Whether it says what the function takes and gives, and not how that is computed.
    pub is_outline: bool,
}

impl Version {
    /// The array that is this parameter or result.
    pub fn wire(&self, array: ArrayId) -> Wire {
        self.wires[array.index()]
    }

    /// The same where results are zero already: zeros are not written.
    #[must_use]
    pub fn without_zeros(&self) -> Self {
        let is_zero = |stmt: &Stmt| match stmt {
            Stmt::Fill { .. } => true,
            Stmt::Store { from, .. } => from.is_zero(),
            _ => false,
        };
        let mut version = self.clone();
        version.kernel.body.retain(|stmt| !is_zero(stmt));
        version
    }

    /// The arithmetic, loops included.
    pub fn count(&self) -> OperationCount {
        self.loops().fold(self.straight_line, |a, b| a + b)
    }

    /// Instructions once products are fused with sums; sines and cosines are not among them.
    pub fn fused(&self) -> usize {
        // Each term of a looped product is fused with a sum.
        self.kernel.instructions() + self.loops().map(|count| count.muls + count.divs).sum::<usize>()
    }

    /// The arithmetic of each product and call.
    fn loops(&self) -> impl Iterator<Item = OperationCount> + '_ {
        let calls = self.kernel.calls().map(routines::count_of);
        self.kernel.products().map(Product::count).chain(calls)
    }

    /// The results that this kernel makes, or with another role reads or borrows.
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
    /// In all its versions.
    pub fn versions(&self) -> impl Iterator<Item = &Version> {
        std::iter::once(&self.scalar).chain(&self.simd)
    }
}

impl Plan {
    /// Operations of the straight lines that every scalar has.
    pub(crate) fn straight_line(&self) -> usize {
        self.stages.iter().map(|stage| stage.scalar.straight_line.total()).sum()
    }

    /// The function's row.
    pub fn spec(&self) -> &'static Spec {
        self.function.spec()
    }

    /// Whether the runtime computes it by loops over tables, if not from what the plans of its parts give.
    pub fn is_by_tables(&self) -> bool {
        self.function.is_by_tables() && self.stages.is_empty()
    }

    /// Whether one state fills registers, so that several side by side gain nothing: in loops over tables.
    pub fn fills_registers(&self) -> bool {
        let mut calls = self.all_stages().flat_map(|stage| stage.scalar.kernel.calls());
        self.function.is_by_tables() || calls.any(|call| call.robot().is_some())
    }

    /// The stages of what it is made of, and its own.
    pub fn all_stages(&self) -> impl Iterator<Item = &Stage> {
        self.parts.iter().flat_map(|part| &part.stages).chain(&self.stages)
    }

    /// The same without external forces, by the code of this one, which is under forces.
    #[must_use]
    pub fn without_forces(&self, function: Function) -> Self {
        Self { function, is_without_forces: true, ..self.clone() }
    }

    /// The shape of its code.
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

    /// The frames and inertias that the first stage works with, if there is one.
    pub fn rewrite(&self) -> Option<&Rewrite> {
        self.stages.first().map(|stage| &stage.scalar.rewrite)
    }

    /// The arithmetic of all stages, straight-line and in loops.
    pub fn count(&self) -> OperationCount {
        self.for_every_scalar().map(Version::count).fold(OperationCount::default(), |a, b| a + b)
    }

    /// The arithmetic of the straight lines of all stages.
    pub fn count_of_straight_lines(&self) -> OperationCount {
        let counts = self.for_every_scalar().map(|version| version.straight_line);
        counts.fold(OperationCount::default(), |a, b| a + b)
    }

    /// Instructions of all stages once products are fused with sums; sines and cosines are not among them.
    pub fn fused(&self) -> usize {
        self.for_every_scalar().map(Version::fused).sum()
    }

    /// The kernels for every scalar.
    fn for_every_scalar(&self) -> impl Iterator<Item = &Version> {
        self.stages.iter().map(|stage| &stage.scalar)
    }

    /// The same by the kernels with limbs side by side, in each stage that has such; `None` where none has.
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

    /// Checks every kernel, and that stages fit together: what one reads an earlier one has made, what one borrows a later
    /// one makes, and each result is made once.
    ///
    /// # Errors
    /// Says what does not hold.
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

    /// The results for these arguments, by columns; by the kernels for every scalar.
    ///
    /// # Panics
    /// If the arguments have other sizes than the robot's, the plan is not sound, or a kernel calls loops.
    pub fn run<T: Scalar>(&self, argument: impl Fn(Param) -> Vec<T>) -> Vec<(Output, Vec<T>)> {
        self.by(argument, |kernel, inputs| kernel.run(inputs))
    }

    /// The same of plans that may call loops.
    ///
    /// # Panics
    /// If the arguments have other sizes than the robot's, or the plan is not sound.
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
