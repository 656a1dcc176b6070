//! A function of a loaded robot.

use crate::arrays::Location;
use crate::batched::Batched;
use crate::code::{Code, Stages};
use crate::kept::{RowsSource, Source, Wired, arrays};
use crate::machine::Machine;
use crate::order::{Order, Place};
use crate::second_order::SecondOrder;
use crate::zeros;
use crate::{Engine, Error, Number, Workspace};
use rbd_build::frames::FrameAt;
use rbd_build::fused::{Component, FusedFunction};
use rbd_build::plan::{Row, Wire};
use rbd_build::routines::has_room_for;
use rbd_build::signature::{Dims, GRAVITY, INERTIA, Output, Param, Sizes};
use rbd_build::{Function as Id, interned, measure};
use rbd_runtime::{Model, ReferenceFrame, Structure};
use std::sync::{Arc, OnceLock};

/// The most arguments that a function has, zeros that it was not given included.
pub(crate) const MOST_INPUTS: usize = 8;

/// A function of a loaded robot.
#[derive(Debug)]
pub struct Function<T = f64> {
    name: &'static str,
    equation: &'static str,
    frame: Option<FrameAt>,
    /// Functions whose results a fused function gives; empty for others.
    fused: Vec<Component>,
    inputs: Vec<Argument>,
    outputs: Vec<Argument>,
    /// The results as kernels know them.
    made: Vec<Output>,
    sizes: Sizes,
    /// Code of the kernels; none if the function is computed in another way.
    stages: Stages<T>,
    /// Code for matrices that are zero at first, once that is asked for.
    leaving_zeros: OnceLock<Option<Stages<T>>>,
    work: usize,
    /// Second derivatives in place of kernels: by loops over tables, or of other functions' results. Batches
    /// have kernels nevertheless if there are `versions`.
    second_order: Option<Box<SecondOrder<T>>>,
    /// The kernels of calls.
    single: Vec<Arc<Wired>>,
    /// The plan's kernels for every scalar, and their code for states side by side once that is asked for.
    versions: Vec<Arc<Wired>>,
    machine: Machine,
    /// True if batches compute several states side by side.
    has_lanes: bool,
    batch: OnceLock<Option<Batched<T>>>,
    /// Order in which batches write results, if not as calls do.
    order: Option<Order>,
    /// For each result, an entry a bit: set if the entry can differ from zero. Empty for results that are no
    /// matrix.
    structure: OnceLock<Vec<Vec<u64>>>,
}

/// An argument or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Name of the argument or result.
    pub name: &'static str,
    /// Length, in numbers; a matrix is stored by columns.
    pub length: usize,
    /// Meaning, with the unit.
    pub doc: &'static str,
}

impl<T: Number> Function<T> {
    /// The code of a function of the table, or what is missing.
    pub(crate) fn new(
        id: Id,
        frame: Option<FrameAt>,
        source: &Source,
        model: &Model<f64>,
        machine: &Machine,
    ) -> Result<Self, Error> {
        let spec = id.spec();
        if id.is_second_order() && source.scalar.is_empty() {
            return Self::of_second_order(id, source, model, machine);
        }
        let (named, outputs) = ((spec.name, spec.equation), spec.outputs.to_vec());
        let mut function = Self::empty(named, Sizes::from(model), outputs, machine);
        function.frame = frame;
        function.second_order = Self::loops_of_arm(id, source, model).map(Box::new);
        function.with_kernels(source, spec.params, &[])
    }

    /// Loops for calls of second derivatives, where the straight line, which batches compute in lanes, is so
    /// long that most of its time goes into fetching it.
    fn loops_of_arm(id: Id, source: &Source, model: &Model<f64>) -> Option<SecondOrder<T>> {
        // Not by bytes, of which engines have more or fewer: all of x86-64 give equal bits.
        let statements: usize = source.scalar.iter().map(|wired| wired.kernel.body.len()).sum();
        let is_given = |wire: &Wire| [INERTIA, GRAVITY].map(Wire::Param).contains(wire);
        let is_long = id.is_second_order()
            && statements > MOST_STATEMENTS_PER_JOINT * model.nv
            && !source.scalar.iter().flat_map(|wired| &wired.wires).any(is_given);
        is_long.then(|| SecondOrder::new(id, model, Vec::new()))?.filter(SecondOrder::is_loops_of_arm)
    }

    /// The code of a kernel of the rows of all contacts, or what is missing. It reads some of its results.
    pub(crate) fn of_rows(source: &RowsSource, sizes: Sizes, machine: &Machine) -> Result<Self, Error> {
        let (spec, sizes) = (source.spec(), Sizes { nf: source.nf, ..sizes });
        let function = Self::empty((spec.name, ""), sizes, arrays(spec), machine);
        function.with_kernels(&source.source, spec.params, spec.reads)
    }

    /// The code of a fused function, or what is missing.
    pub(crate) fn fused(
        whole: &FusedFunction,
        source: &Source,
        model: &Model<f64>,
        machine: &Machine,
    ) -> Result<Self, Error> {
        let name = interned(&whole.fused.method());
        let outputs = whole.outputs().into_owned();
        let mut function = Self::empty((name, ""), Sizes::from(model), outputs, machine);
        function.fused = whole.components.clone();
        function.with_kernels(source, &whole.params, &[])
    }

    /// Second derivatives that are no kernel of their own.
    fn of_second_order(
        id: Id,
        source: &Source,
        model: &Model<f64>,
        machine: &Machine,
    ) -> Result<Self, Error> {
        let spec = id.spec();
        let parts = id.dependencies(model).iter().zip(&source.parts);
        let parts = parts.map(|(id, part)| Self::new(*id, None, part, model, machine));
        let parts = parts.collect::<Result<Vec<Self>, Error>>()?;
        let (named, outputs) = ((spec.name, spec.equation), spec.outputs.to_vec());
        let mut function = Self::empty(named, Sizes::from(model), outputs, machine);
        let is_given =
            |param: &&Param| parts.iter().flat_map(Self::inputs).any(|input| input.name == param.name);
        let given = [INERTIA, GRAVITY];
        let params = spec.params.iter().chain(given.iter().filter(is_given));
        function.inputs = params.map(|param| input(param, Sizes::from(model))).collect();
        let second_order = SecondOrder::new(id, model, parts)
            .ok_or(Error::NotThereYet { function: spec.name, why: TOO_LARGE })?;
        function.work = second_order.work();
        function.has_lanes = function.states() > 1 && second_order.has_lanes();
        function.second_order = Some(Box::new(second_order));
        Ok(function)
    }

    /// A function that computes nothing yet.
    fn empty(
        (name, equation): (&'static str, &'static str),
        sizes: Sizes,
        made: Vec<Output>,
        machine: &Machine,
    ) -> Self {
        let output = |output: &Output| Argument {
            name: output.name,
            length: length(output.shape.extent(sizes)),
            doc: output.doc,
        };
        Self {
            name,
            equation,
            frame: None,
            fused: Vec::new(),
            inputs: Vec::new(),
            outputs: made.iter().map(output).collect(),
            made,
            sizes,
            stages: Stages::new(Vec::new(), Vec::new(), Vec::new()),
            leaving_zeros: OnceLock::new(),
            work: 0,
            second_order: None,
            single: Vec::new(),
            versions: Vec::new(),
            machine: machine.clone(),
            has_lanes: false,
            batch: OnceLock::new(),
            order: None,
            structure: OnceLock::new(),
        }
    }

    /// The function with the code of these kernels, which takes these parameters, and what is given at run
    /// time if a kernel reads it. Some of its results are `read`, and there before.
    fn with_kernels(mut self, source: &Source, params: &[Param], read: &[Output]) -> Result<Self, Error> {
        let sizes = self.sizes;
        if let Err(what) = source.verify_with(read, &self.made, sizes) {
            unreachable!("{}: {what}", self.name);
        }
        // Limbs side by side pay where a register has room for them.
        let limbs =
            source.limbs.as_ref().filter(|_| T::IS_DOUBLE && self.machine.engine() != Engine::Interpreter);
        let (single, scalar) = (limbs.unwrap_or(&source.scalar), &source.scalar);
        let is_too_large = |wired: &Arc<Wired>| wired.kernel.calls().any(|call| !has_room_for(call));
        if single.iter().chain(scalar).any(is_too_large) {
            return Err(Error::NotThereYet { function: self.name, why: TOO_LARGE });
        }
        let wires = || scalar.iter().flat_map(|wired| &wired.wires);
        let is_given = |param: &&Param| wires().any(|wire| *wire == Wire::Param(**param));
        let given = [INERTIA, GRAVITY];
        let params: Vec<Param> = params.iter().chain(given.iter().filter(is_given)).copied().collect();
        self.inputs = params.iter().map(|param| input(param, sizes)).collect();
        assert!(self.inputs.len() < MOST_INPUTS);
        self.versions = scalar.clone();
        if let Some(loops) = &self.second_order {
            self.work = loops.work();
        } else {
            self.single = single.clone();
            self.stages = self.code(single, 1)?;
            self.work = self.stages.work();
        }
        // Loops fill registers with one state.
        let calls_loops = self.versions.iter().any(|version| version.kernel.calls().next().is_some());
        self.has_lanes = self.states() > 1 && self.is_native() && !calls_loops;
        Ok(self)
    }

    /// The code of these kernels for so many states side by side.
    fn code(&self, versions: &[Arc<Wired>], states: usize) -> Result<Stages<T>, Error> {
        let input = |param: &Param| self.inputs.iter().position(|input| input.name == param.name);
        let output = |output: &Output| self.outputs.iter().position(|other| other.name == output.name);
        let stage = |version: &Arc<Wired>| {
            let location = |k: usize| match &version.wires[k] {
                Wire::Param(param) => Location::Input(input(param).unwrap_or(self.inputs.len())),
                Wire::Output(of) => Location::Output(output(of).expect("a plan's outputs are the row's")),
                Wire::Own => unreachable!("arrays of a kernel's own are scratch"),
            };
            Code::new(&version.kernel, &self.machine, states, location)
        };
        let codes = versions.iter().map(stage).collect::<Result<Vec<Code<T>>, Error>>()?;
        let lengths = |arrays: &[Argument]| arrays.iter().map(|array| array.length * states).collect();
        Ok(Stages::new(codes, lengths(&self.inputs), lengths(&self.outputs)))
    }

    /// Name in the table of functions, or that of a fused function.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Equation of the function; empty for a fused function.
    pub fn equation(&self) -> &'static str {
        self.equation
    }

    /// Index of the function's frame in [`rbd_runtime::Model::frames`], and the axes of the motion. `None` if
    /// the function is of no frame.
    pub fn frame(&self) -> Option<(usize, ReferenceFrame)> {
        self.frame.map(|frame| (frame.index, frame.reference))
    }

    pub(crate) fn frame_at(&self) -> Option<FrameAt> {
        self.frame
    }

    /// The results as the table of functions has them, with shapes and units.
    pub fn results(&self) -> &[Output] {
        &self.made
    }

    /// Entries of the matrix `output` that can differ from zero. `None` if the function has no such matrix.
    pub fn structure(&self, output: &str) -> Option<Structure<'_>> {
        let k = self.made.iter().position(|other| other.name == output)?;
        let Dims::Matrix(..) = self.made[k].shape else { return None };
        let extent = self.made[k].shape.extent(self.sizes);
        let all = self.structure.get_or_init(|| {
            let kernels = self.versions.iter().map(|version| (&version.kernel, &version.wires[..]));
            measure::structures(kernels, &self.made, self.sizes)
        });
        Some(Structure::new(self.name, self.made[k].name, extent, &all[k]))
    }

    /// Functions whose results a fused function gives; empty for others.
    pub(crate) fn fused_components(&self) -> &[Component] {
        &self.fused
    }

    /// Arguments, in order.
    pub fn inputs(&self) -> &[Argument] {
        &self.inputs
    }

    /// Results, in order.
    pub fn outputs(&self) -> &[Argument] {
        &self.outputs
    }

    /// Number of bytes of machine code, with that of the functions of whose results the function is made.
    pub fn bytes(&self) -> usize {
        let parts = self.parts().iter().map(Self::bytes).sum::<usize>();
        parts + self.stages.bytes()
    }

    /// True if all kernels of the function are machine code.
    pub fn is_native(&self) -> bool {
        self.machine.engine() != Engine::Interpreter
            && self.stages.is_native()
            && self.parts().iter().all(Self::is_native)
    }

    /// Functions of whose results the function is made.
    fn parts(&self) -> &[Self] {
        self.second_order.as_ref().map_or(&[], |of| of.dependencies())
    }

    /// Computes the results for one state. Allocates nothing.
    ///
    /// # Errors
    /// If there are more or fewer arguments or results than [`Self::inputs`] and [`Self::outputs`] say, one
    /// has another length, or the workspace is another robot's.
    pub fn call(
        &self,
        workspace: &mut Workspace<T>,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
    ) -> Result<(), Error> {
        let leaves_zeros = workspace.leaves_zeros();
        let work = workspace.memory();
        if let Some(second_order) = &self.second_order {
            self.check_call(inputs, outputs, work)?;
            self.join(second_order, inputs, outputs, work, leaves_zeros);
            return Ok(());
        }
        if cfg!(debug_assertions) && leaves_zeros {
            self.check_call(inputs, outputs, work)?;
            self.check_zeros(outputs)?;
        }
        let stages = self.stages(leaves_zeros);
        // What is wrong is only looked for where something is.
        if stages.run_if_equal(inputs, outputs, work) {
            return Ok(());
        }
        self.check_call(inputs, outputs, work)?;
        Err(Error::Workspace(self.name()))
    }

    /// Checks the arrays and the workspace of a call.
    #[cold]
    #[inline(never)]
    fn check_call<'s>(&'s self, inputs: &[&[T]], outputs: &[&mut [T]], work: &[T]) -> Result<(), Error> {
        let known = |arrays: &'s [Argument]| arrays.iter().map(|a| (a.name, a.length));
        self.check("arguments", known(&self.inputs), inputs.iter().map(|input| input.len()))?;
        self.check("results", known(&self.outputs), outputs.iter().map(|output| output.len()))?;
        if work.len() < self.work { Err(Error::Workspace(self.name())) } else { Ok(()) }
    }

    /// The code of calls, or that for matrices that are zero at first.
    #[inline(always)]
    fn stages(&self, leaves_zeros: bool) -> &Stages<T> {
        if leaves_zeros && let Some(others) = self.leaving_zeros.get_or_init(|| self.code_leaving_zeros()) {
            return others;
        }
        &self.stages
    }

    /// True if calls may leave zeros of a result alone. A result of a frame may be another frame's next.
    pub(crate) fn may_leave_zeros(&self, k: usize) -> bool {
        self.frame.is_none() && self.made[k].shape.leaves_zeros()
    }

    /// Code for matrices that are zero at first; none where it would be no other, or needs more memory than
    /// workspaces have.
    fn code_leaving_zeros(&self) -> Option<Stages<T>> {
        let may_leave = |output: &Output| {
            let place = self.made.iter().position(|made| made == output);
            place.is_some_and(|k| self.may_leave_zeros(k))
        };
        let without = |version| zeros::without(version, &self.single, may_leave);
        let versions: Vec<Arc<Wired>> = self.single.iter().map(without).collect();
        let is_other = |(a, b): (&Arc<Wired>, &Arc<Wired>)| a.kernel.body.len() != b.kernel.body.len();
        let other = versions.iter().zip(&self.single).any(is_other).then(|| self.code(&versions, 1).ok());
        other.flatten().filter(|stages| stages.work() <= self.work)
    }

    /// Refuses matrices with other numbers where calls leave zeros alone.
    fn check_zeros(&self, outputs: &[&mut [T]]) -> Result<(), Error> {
        self.check_zeros_of(1, outputs)
    }

    /// Refuses matrices with other numbers where batches leave zeros alone.
    pub(crate) fn check_zeros_of(&self, states: usize, outputs: &[&mut [T]]) -> Result<(), Error> {
        for (k, given) in outputs.iter().enumerate().filter(|(k, _)| self.may_leave_zeros(*k)) {
            let Some(structure) = self.structure(self.made[k].name) else { continue };
            let (rows, length) = (structure.rows().max(1), given.len() / states.max(1));
            let is_zero = |entry: usize| structure.is_zero(entry % rows, entry / rows);
            for matrix in given.chunks_exact(length.max(1)) {
                let is_wrong = |entry: &usize| is_zero(*entry) && matrix[*entry] != T::zero();
                if let Some(entry) = (0..length).find(is_wrong) {
                    return Err(Error::NotZero { function: self.name(), name: self.made[k].name, entry });
                }
            }
        }
        Ok(())
    }

    /// Computes one state like [`Self::call`], on arrays that fit.
    #[inline(always)]
    pub(crate) fn run_one(&self, inputs: &[&[T]], outputs: &mut [&mut [T]], work: &mut [T]) {
        self.run_on_zeros(false, inputs, outputs, work);
    }

    /// Computes one state like [`Self::run_one`]. Zeros of results are left alone if they are there.
    #[inline(always)]
    pub(crate) fn run_on_zeros(
        &self,
        are_zeros_there: bool,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
        work: &mut [T],
    ) {
        match &self.second_order {
            Some(second_order) => self.join(second_order, inputs, outputs, work, are_zeros_there),
            None => self.stages(are_zeros_there).run(inputs, outputs, work),
        }
    }

    /// Joins other functions' results.
    fn join(
        &self,
        second_order: &SecondOrder<T>,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
        work: &mut [T],
        are_zeros_there: bool,
    ) {
        let names = self.inputs.iter().map(|input| input.name);
        second_order.run(names.zip(inputs.iter().copied()), outputs, work, are_zeros_there);
    }

    /// Computes states side by side.
    pub(crate) fn run_batched(
        &self,
        batched: &Batched<T>,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
        work: &mut [T],
    ) {
        match &self.second_order {
            Some(second_order) if self.versions.is_empty() => {
                let names = self.inputs.iter().map(|input| input.name);
                let results = outputs.iter_mut().zip(&self.outputs);
                let results = results.map(|(numbers, a)| &mut numbers[..a.length * self.states()]);
                second_order.run_beside(self.states(), names.zip(inputs.iter().copied()), results, work);
            }
            _ => batched.stages.run(inputs, outputs, work),
        }
    }

    /// Refuses arrays of other names and lengths than these.
    fn check(
        &self,
        what: &'static str,
        known: impl ExactSizeIterator<Item = (&'static str, usize)>,
        given: impl ExactSizeIterator<Item = usize>,
    ) -> Result<(), Error> {
        let function = self.name();
        if given.len() != known.len() {
            return Err(Error::Count { function, what, expected: known.len(), given: given.len() });
        }
        match known.zip(given).find(|((_, expected), given)| expected != given) {
            None => Ok(()),
            Some(((name, expected), given)) => Err(Error::Length { function, name, expected, given }),
        }
    }

    /// Number of states in these arrays of a batch.
    pub(crate) fn check_batch(
        &self,
        inputs: &[&[T]],
        outputs: &[&mut [T]],
        order: Option<&Order>,
    ) -> Result<usize, Error> {
        let function = self.name();
        let arguments = || self.inputs.iter().map(|a| (a.name, a.length));
        let results = || self.outputs.iter().enumerate().map(|(k, a)| (a.name, self.given_length(order, k)));
        // A robot may have no coordinates: then results say how many states there are.
        let all = inputs.iter().map(|i| i.len()).chain(outputs.iter().map(|o| o.len()));
        let first = arguments().chain(results()).zip(all).find(|((_, each), _)| *each > 0);
        let states = match first {
            Some(((name, each), given)) if given % each != 0 => {
                return Err(Error::States { function, name, each, given });
            }
            Some(((_, each), given)) => given / each,
            None => 0,
        };
        let times = |(name, each): (&'static str, usize)| (name, each * states);
        self.check("arguments", arguments().map(times), inputs.iter().map(|input| input.len()))?;
        self.check("results", results().map(times), outputs.iter().map(|output| output.len()))?;
        Ok(states)
    }

    /// Length that a batch writes of each state's result `k`, in this order.
    pub(crate) fn given_length(&self, order: Option<&Order>, k: usize) -> usize {
        order.map_or_else(|| self.outputs[k].length, |order| order.length(k))
    }

    /// Lets batches that ask for it by [`Batch::in_order`](crate::Batch::in_order) write each result as these
    /// numbers: `places[k][n]` is the number at `n` of the result at `k` of [`Self::outputs`].
    ///
    /// # Errors
    /// If there are more or fewer results than the function has, or one has no such entry.
    pub fn set_order(&mut self, places: &[Vec<Place>]) -> Result<(), Error> {
        if places.len() != self.outputs.len() {
            let (expected, given) = (self.outputs.len(), places.len());
            return Err(Error::Count { function: self.name(), what: "results", expected, given });
        }
        let lengths: Vec<usize> = self.outputs.iter().map(|a| a.length).collect();
        let order = Order::new(&lengths, places).map_err(|(k, entry)| Error::Entry {
            function: self.name(),
            name: self.outputs[k].name,
            entry,
            length: lengths[k],
        })?;
        self.order = Some(order);
        Ok(())
    }

    pub(crate) fn order(&self) -> Option<&Order> {
        self.order.as_ref()
    }

    /// Workspace size that calls need, in numbers.
    pub(crate) fn work(&self) -> usize {
        self.work
    }

    /// Number of states that batches compute side by side.
    pub(crate) fn states(&self) -> usize {
        T::states(self.machine.engine())
    }

    /// True if batches compute several states side by side. Loops over tables and second derivatives by them
    /// are computed state by state.
    pub fn has_lanes(&self) -> bool {
        self.has_lanes
    }

    /// Code for several states side by side, made when it is first asked for; none where states go one by
    /// one.
    pub(crate) fn batched(&self) -> Option<&Batched<T>> {
        self.batch.get_or_init(|| if self.has_lanes { self.make_batched() } else { None }).as_ref()
    }

    fn make_batched(&self) -> Option<Batched<T>> {
        let states = self.states();
        let without = |version| zeros::without(version, &self.versions, |_| true);
        let versions: Vec<Arc<Wired>> = self.versions.iter().map(without).collect();
        let stages = self.code(&versions, states).ok()?;
        let work = match &self.second_order {
            Some(second_order) if self.versions.is_empty() => second_order.work_beside(states)?,
            _ => stages.work(),
        };
        let mut nonzero = zeros::nonzero(&self.versions, &self.made);
        for (entries, output) in nonzero.iter_mut().zip(&self.outputs) {
            entries.resize(output.length, true);
        }
        let lengths: Vec<usize> = self.inputs.iter().map(|a| a.length).collect();
        Some(Batched::new((stages, work), states, &lengths, nonzero))
    }
}

/// Statements of a straight line for each degree of freedom beyond which calls of an arm's second derivatives
/// take less time by loops. With AVX-512 the iiwa14's 6044 took 850 ns in 61 KB of code, and loops 740; the
/// UR5's took 190 ns in 21 KB, and loops 650.
const MOST_STATEMENTS_PER_JOINT: usize = 700;

/// Why a function is not there whose loops have no room for the robot.
const TOO_LARGE: &str = "the robot has more degrees of freedom than loops over tables have room for";

fn input(param: &Param, sizes: Sizes) -> Argument {
    Argument { name: param.name, length: length(param.kind.shape().extent(sizes)), doc: param.doc }
}

fn length((rows, columns): (usize, usize)) -> usize {
    rows * columns
}
