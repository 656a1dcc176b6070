//! Plan of a function of the table for one robot.

use super::stages;
pub use super::stages::{Stage, Version, Wire, verify_kernels};
use crate::frontend::options::Shape;
use crate::search::strategy::Strategy;
use crate::table::frames::FrameAt;
use crate::table::functions::{Function, Spec};
use crate::table::routines;
use crate::table::signature::{self, FEXT, Output, Param, Signature};
use crate::tree::Rewrite;
use rbd_ir::graph::OperationCount;
use rbd_ir::kernel::{Kernel, Role};
use rbd_runtime::Scalar;

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
        Stage { scalar: without(scalar), simd: simd.iter().map(without).collect() }
    }

    /// Operations of the straight lines, in the versions for every scalar.
    pub(crate) fn straight_line(&self) -> usize {
        self.stages.iter().map(|stage| stage.scalar.straight_line.total()).sum()
    }

    /// Row of the function.
    pub fn spec(&self) -> &'static Spec {
        self.function.spec()
    }

    /// Name, parameters and results.
    pub fn signature(&self) -> Signature {
        let Spec { name, params, outputs, result, .. } = *self.spec();
        let result = result.map(str::to_owned);
        Signature { name: name.into(), params: params.to_vec(), outputs: outputs.to_vec(), result }
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
        } else if self.stages.iter().any(|stage| !stage.simd.is_empty()) {
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
        stages::count(&self.stages)
    }

    /// Operations of the straight lines of all stages.
    pub fn count_of_straight_lines(&self) -> OperationCount {
        let counts = self.stages.iter().map(|stage| stage.scalar.straight_line);
        counts.fold(OperationCount::default(), |a, b| a + b)
    }

    /// Instructions of all stages after products are fused with sums. Sines and cosines are not counted.
    pub fn fused(&self) -> usize {
        stages::fused(&self.stages)
    }

    /// Plan in which versions with limbs as lanes replace the others. `None` if there are none.
    #[must_use]
    pub fn packed(&self) -> Option<Self> {
        stages::packed(&self.stages).map(|stages| Self { stages, ..self.clone() })
    }

    /// Checks every kernel and that the stages fit together.
    ///
    /// # Errors
    /// Names the violated condition.
    pub fn verify(&self) -> Result<(), String> {
        stages::verify(&self.stages, self.spec().outputs)
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
        let given = |param: Param, length: usize| match param {
            FEXT if self.is_without_forces => vec![T::zero(); length],
            _ => argument(param),
        };
        stages::run(&self.stages, self.spec().outputs, given, run)
    }
}
