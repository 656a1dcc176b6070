//! Plan of a function for one robot.

pub use super::row::Row;
use super::stages;
pub use super::stages::{Stage, Version, Wire, verify_kernels_with};
use crate::algorithms::strategy::Strategy;
use crate::search::shape::Shape;
use crate::signatures::frames::FrameAt;
use crate::signatures::signature::{FEXT, Output, Param, Signature, Sizes};
use crate::table::functions::{Function, Spec};
use crate::table::routines::{self, Composer, Dependencies, Dependency, Way};
use crate::tree::Rewrite;
use rbd_ir::graph::OperationCount;
use rbd_ir::kernel::{Kernel, Role};
use rbd_runtime::{Model, Scalar};

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

/// Code that a function runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The function's own code.
    Own,
    /// Code of the function under external forces, with forces of zero.
    UnderForces,
    /// No code: the plan has signatures only, for editors and lints.
    None,
}

/// Way in which a function is computed.
#[derive(Clone, Debug)]
pub struct Plan<R: Row = Function> {
    /// The function.
    pub function: R,
    /// The frame, for a function of a frame.
    pub frame: Option<FrameAt>,
    /// Strategy of the computation; of a fused function, that of each component.
    pub strategy: R::Strategy,
    /// Code that runs.
    pub code: Code,
    /// Stages, in order.
    pub stages: Vec<Stage>,
    /// Composition in place of stages, for second derivatives that are no kernels.
    pub composition: Option<Box<Composition>>,
    /// Rejected strategies, with the cheapest candidate of each.
    pub rejected: Vec<Rejected>,
}

/// A second derivative composed by loops over tables, or of other functions' results.
#[derive(Clone, Debug)]
pub struct Composition {
    /// Operation on the results of dependencies.
    pub composer: Composer,
    /// Plans of first derivatives of forward dynamics, then of the Hessian of weighted torques, each if it is
    /// needed.
    pub dependencies: Vec<Plan>,
}

impl Composition {
    /// The way.
    pub fn way(&self) -> Way {
        self.composer.way()
    }

    /// Plan of a dependency, if the composition needs it.
    pub fn dependency(&self, dependency: Dependency) -> Option<&Plan> {
        self.dependencies
            .iter()
            .find(|plan| plan.function.is_second_order() == (dependency == Dependency::Hessian))
    }
}

impl Plan {
    /// A stage that leaves structural zeros alone, for results that are zero before the first call.
    ///
    /// One that loops or another stage use is written whole. So is a result of a frame, since a caller
    /// may use it for several frames.
    pub(crate) fn without_zeros(&self, stage: usize) -> Stage {
        if self.frame.is_some() {
            return self.stages[stage].clone();
        }
        // Memory that is borrowed of a result is not zero when the result is written.
        let others = self.stages.iter().enumerate().flat_map(|(k, other)| {
            other.versions().flat_map(move |version| {
                let all = version.kernel.declared();
                let others = all.filter(move |(_, decl)| k != stage || decl.role == Role::Lent);
                others.map(|(id, _)| version.wire(id))
            })
        });
        let others: Vec<Wire> = others.collect();
        let without = |version: &Version| {
            let in_loops = version.in_loops();
            version.without_zeros_of(|id| {
                let leaves = matches!(version.wire(id), Wire::Output(output) if output.shape.leaves_zeros());
                let is_only = !in_loops.contains(&id) && !others.contains(&version.wire(id));
                leaves && is_only && version.kernel.array(id).role == Role::Out
            })
        };
        let Stage { scalar, simd } = &self.stages[stage];
        Stage { scalar: without(scalar), simd: simd.iter().map(without).collect() }
    }

    /// Operations of the straight lines, in the versions for every scalar.
    pub(crate) fn straight_line(&self) -> usize {
        self.stages.iter().map(|stage| stage.scalar.straight_line.total()).sum()
    }

    /// True if the function has loops over tables, or no code of its own.
    pub(crate) fn has_calls(&self) -> bool {
        let has_calls = |stage: &Stage| stage.scalar.kernel.calls().next().is_some();
        self.stages.is_empty() || self.stages.iter().any(has_calls)
    }

    /// Row of the function.
    pub fn spec(&self) -> &'static Spec {
        self.function.spec()
    }

    /// Plan of a second derivative that is composed of these dependencies.
    pub fn composed(function: Function, model: &Model<f64>, dependencies: Vec<Self>) -> Self {
        let composer = Composer::new(Way::of(function, dependencies.len()), model);
        let composition = Some(Box::new(Composition { composer, dependencies }));
        Self { composition, ..Self::new(function, Strategy::LOOPS, Vec::new()) }
    }

    /// True if loops over tables fill SIMD registers with one state. Several states in lanes then gain
    /// nothing.
    pub fn fills_registers(&self) -> bool {
        let mut calls = self.all_stages().flat_map(|stage| stage.scalar.kernel.calls());
        self.function.is_second_order() || calls.any(|call| call.robot().is_some())
    }

    /// Plan of `function`, which is this one without external forces. It calls the same code with zero
    /// forces.
    #[must_use]
    pub fn without_forces(&self, function: Function) -> Self {
        let mut wires = self.stages.iter().flat_map(|stage| &stage.scalar.wires);
        let code = if wires.any(|wire| *wire == Wire::Param(FEXT)) { Code::UnderForces } else { Code::Own };
        Self { function, code, ..self.clone() }
    }
}

impl<R: Row> Plan<R> {
    /// Plan of a function without a frame.
    pub(crate) fn new(function: R, strategy: R::Strategy, stages: Vec<Stage>) -> Self {
        Self {
            function,
            frame: None,
            strategy,
            code: Code::Own,
            stages,
            composition: None,
            rejected: Vec::new(),
        }
    }

    /// Plan with signatures only.
    pub(crate) fn outline(function: R, strategy: R::Strategy) -> Self {
        Self { code: Code::None, ..Self::new(function, strategy, Vec::new()) }
    }

    /// Name, parameters and results.
    pub fn signature(&self) -> Signature {
        self.function.signature()
    }

    /// Plans of other functions, of whose results this one is composed.
    pub fn dependencies(&self) -> &[Plan] {
        self.composition.as_ref().map_or(&[], |composition| &composition.dependencies)
    }

    /// Stages of the dependencies, then its own.
    pub fn all_stages(&self) -> impl Iterator<Item = &Stage> {
        self.dependencies().iter().flat_map(|dependency| &dependency.stages).chain(&self.stages)
    }

    /// Shape of the code.
    pub fn shape(&self) -> Shape {
        let mut calls = self.stages.iter().flat_map(|stage| stage.scalar.kernel.calls());
        if self.composition.is_some() || calls.any(|call| call.robot().is_some()) {
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

    /// Checks every kernel, those of dependencies included, and that the stages fit together.
    ///
    /// # Errors
    /// Names the violated condition.
    pub fn verify(&self) -> Result<(), String> {
        let Some(composition) = &self.composition else {
            let is_other = |wire: &&Wire| matches!(wire, Wire::Param(p) if !self.function.may_read(*p));
            let mut wires = self.stages.iter().flat_map(Stage::versions).flat_map(|version| &version.wires);
            if let Some(Wire::Param(other)) = wires.find(is_other) {
                return Err(format!("{} is no parameter", other.name));
            }
            return stages::verify(&self.stages, &self.function.outputs());
        };
        let way = composition.way();
        let is_composed = self.function.is_composed(way, composition.dependencies.len());
        if !self.stages.is_empty() || !is_composed {
            return Err(format!("{} is not composed in this way", self.signature().name));
        }
        let is_there = |dependency: &Dependency| composition.dependency(*dependency).is_some();
        if let Some(missing) = way.dependencies().iter().find(|dependency| !is_there(dependency)) {
            return Err(format!("there is no dependency {missing:?}"));
        }
        composition.dependencies.iter().try_for_each(Plan::verify)
    }

    /// Runs the versions for every scalar. Returns the results, by columns.
    ///
    /// # Panics
    /// If an argument has the wrong size, the plan is invalid, or a kernel calls loops.
    pub fn run<T: Scalar>(&self, argument: impl Fn(Param) -> Vec<T>) -> Vec<(Output, Vec<T>)> {
        self.by(&argument, &|kernel, inputs| kernel.run(inputs))
    }

    /// Runs the versions for every scalar, which may call loops. Returns the results, by columns.
    ///
    /// # Panics
    /// If an argument has the wrong size, the plan is invalid, or the robot is too large for loops.
    pub fn run_with_loops<T: Scalar>(&self, argument: impl Fn(Param) -> Vec<T>) -> Vec<(Output, Vec<T>)> {
        self.by(&argument, &|kernel, inputs| kernel.run_with(inputs, routines::run))
    }

    fn by<T: Scalar>(&self, argument: Arguments<'_, T>, run: Run<'_, T>) -> Vec<(Output, Vec<T>)> {
        let outputs = self.function.outputs();
        let Some(composition) = &self.composition else {
            let given = |param: Param, length: usize| match param {
                FEXT if self.code == Code::UnderForces => vec![T::zero(); length],
                _ => argument(param),
            };
            return stages::run(&self.stages, &outputs, given, run);
        };
        let composer = &composition.composer;
        let sizes = Sizes { nv: composer.nv(), ..Sizes::default() };
        let params = self.function.params().iter();
        let given: Vec<(&str, Vec<T>)> = params.map(|param| (param.name, argument(*param))).collect();
        let zeros = |output: &Output| {
            let (rows, columns) = output.shape.extent(sizes);
            (*output, vec![T::zero(); rows * columns])
        };
        let mut results: Vec<(Output, Vec<T>)> = outputs.iter().map(zeros).collect();
        let mut slices: Vec<&mut [T]> = results.iter_mut().map(|(_, result)| &mut result[..]).collect();
        let mut dependencies = DependenciesOf { composition, given: &given, argument, run };
        composer.run(&mut dependencies, &mut slices, &mut vec![T::zero(); composer.work()]);
        results
    }
}

/// Arguments of a plan that is run.
type Arguments<'a, T> = &'a dyn Fn(Param) -> Vec<T>;
/// Interpreter of kernels.
type Run<'a, T> = &'a dyn Fn(&Kernel, &[&[T]]) -> Vec<Vec<T>>;

/// Dependencies of a composition that is run.
struct DependenciesOf<'a, T> {
    composition: &'a Composition,
    given: &'a [(&'a str, Vec<T>)],
    argument: Arguments<'a, T>,
    run: Run<'a, T>,
}

impl<'a, T: Scalar> Dependencies<'a, T> for DependenciesOf<'a, T> {
    fn argument(&self, name: &str) -> &'a [T] {
        let given = self.given.iter().find(|(known, _)| *known == name);
        given.map_or(&[], |(_, numbers)| numbers)
    }

    fn call(
        &mut self,
        dependency: Dependency,
        instead: &[(&str, &[T])],
        outputs: &mut [&mut [T]],
        _: &mut [T],
    ) {
        let argument = |param: Param| {
            let other = instead.iter().find(|(name, _)| *name == param.name);
            other.map_or_else(|| (self.argument)(param), |(_, numbers)| numbers.to_vec())
        };
        let plan = self.composition.dependency(dependency).expect("the plan has the dependencies of its way");
        for (to, (_, from)) in outputs.iter_mut().zip(plan.by(&argument, self.run)) {
            to.copy_from_slice(&from);
        }
    }
}
