//! A function of a loaded robot.

use crate::arrays::Location;
use crate::code::Code;
use crate::{Engine, Error, Workspace, zeros};
use rbd_build::frames::FrameAt;
use rbd_build::functions::Spec;
use rbd_build::plan::{Plan, Stage, Version, Wire};
use rbd_build::routines::has_room_for;
use rbd_build::signature::{FEXT, GRAVITY, INERTIA, Output, Param, Sizes};
use rbd_runtime::ReferenceFrame;
use std::sync::OnceLock;

/// The most arguments that a function has, zeros that it was not given included.
pub(crate) const MOST_INPUTS: usize = 8;

/// A function of a loaded robot.
#[derive(Debug)]
pub struct Function {
    spec: &'static Spec,
    frame: Option<FrameAt>,
    inputs: Vec<Argument>,
    outputs: Vec<Argument>,
    /// What a kernel reads in place of forces that there are not.
    zeros: Vec<f64>,
    stages: Vec<Code>,
    work: usize,
    /// The plan's kernels for every scalar, and their code for states side by side once that is asked for.
    versions: Vec<Version>,
    engine: Engine,
    batch: OnceLock<Option<Batched>>,
}

/// An argument or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: &'static str,
    /// How many numbers it has; a matrix is stored by columns.
    pub length: usize,
    /// What it is, with its unit.
    pub doc: &'static str,
}

/// Code for states side by side.
#[derive(Debug)]
pub(crate) struct Batched {
    pub stages: Vec<Code>,
    pub work: usize,
    /// The entries of each result that are not zero in every state.
    pub nonzero: Vec<Vec<u32>>,
}

impl Function {
    /// The code of a plan, or what is missing.
    pub(crate) fn new(plan: &Plan, sizes: Sizes, engine: Engine) -> Result<Self, Error> {
        let spec = plan.spec();
        let not_yet = |why| Error::NotThereYet { function: spec.name, why };
        if plan.stages.is_empty() {
            return Err(not_yet("the runtime computes it by loops over tables"));
        }
        let mut calls =
            plan.stages.iter().flat_map(Stage::versions).flat_map(|version| version.kernel.calls());
        if calls.any(|call| !has_room_for(call)) {
            return Err(not_yet("the robot is too large for loops over tables"));
        }
        if let Err(what) = plan.verify() {
            unreachable!("{}: {what}", spec.name);
        }
        let versions: Vec<Version> = plan.stages.iter().map(|stage| stage.scalar.clone()).collect();
        let wires = || versions.iter().flat_map(|version| &version.wires);
        let is_given = |param: &&Param| wires().any(|wire| *wire == Wire::Param(**param));
        let params: Vec<Param> =
            spec.params.iter().chain([INERTIA, GRAVITY].iter().filter(is_given)).copied().collect();
        let input = |param: &Param| Argument {
            name: param.name,
            length: length(param.kind.shape().extent(sizes)),
            doc: param.doc,
        };
        let output = |output: &Output| Argument {
            name: output.name,
            length: length(output.shape.extent(sizes)),
            doc: output.doc,
        };
        let takes_forces = spec.params.contains(&FEXT);
        let zeros = if takes_forces { 0 } else { length(FEXT.kind.shape().extent(sizes)) };
        let mut function = Self {
            spec,
            frame: plan.frame,
            inputs: params.iter().map(input).collect(),
            outputs: spec.outputs.iter().map(output).collect(),
            zeros: vec![0.0; zeros * engine.states()],
            stages: Vec::new(),
            work: 0,
            versions,
            engine,
            batch: OnceLock::new(),
        };
        assert!(function.inputs.len() < MOST_INPUTS);
        // Limbs side by side pay where a register has room for them.
        let fastest = |stage: &Stage| match &stage.simd {
            Some(simd) if engine != Engine::Interpreter => simd.clone(),
            _ => stage.scalar.clone(),
        };
        let Batched { stages, work, .. } = function.code(plan.stages.iter().map(fastest), 1)?;
        (function.stages, function.work) = (stages, work);
        Ok(function)
    }

    fn code(&self, versions: impl Iterator<Item = Version>, states: usize) -> Result<Batched, Error> {
        let input = |param: &Param| self.inputs.iter().position(|input| input.name == param.name);
        let output = |output: &Output| self.outputs.iter().position(|other| other.name == output.name);
        let stage = |version: Version| {
            let location = |k: usize| match &version.wires[k] {
                Wire::Param(param) => Location::Input(input(param).unwrap_or(self.inputs.len())),
                Wire::Output(of) => Location::Output(output(of).expect("a plan's outputs are the row's")),
                Wire::Own => unreachable!("arrays of a kernel's own are scratch"),
            };
            Code::new(&version.kernel, self.engine, states, location)
        };
        let stages = versions.map(stage).collect::<Result<Vec<Code>, Error>>()?;
        let work = stages.iter().map(Code::work).max().unwrap_or(0);
        let nonzero = zeros::nonzero(&self.versions, self.spec.outputs);
        Ok(Batched { stages, work, nonzero })
    }

    /// Its name in the table of functions.
    pub fn name(&self) -> &'static str {
        self.spec.name
    }

    /// What it computes, as an equation.
    pub fn equation(&self) -> &'static str {
        self.spec.equation
    }

    /// The number of its frame among [`rbd_runtime::Model::frames`], and in which axes its motion is given;
    /// if it is of a frame.
    pub fn frame(&self) -> Option<(usize, ReferenceFrame)> {
        self.frame.map(|frame| (frame.index, frame.reference))
    }

    /// What it takes, in order.
    pub fn inputs(&self) -> &[Argument] {
        &self.inputs
    }

    /// What it gives, in order.
    pub fn outputs(&self) -> &[Argument] {
        &self.outputs
    }

    /// How many bytes of machine code it is.
    pub fn bytes(&self) -> usize {
        self.stages.iter().map(Code::bytes).sum()
    }

    /// Whether all of it is machine code.
    pub fn is_native(&self) -> bool {
        self.stages.iter().all(Code::is_native)
    }

    /// Computes the results for one state. Allocates nothing.
    ///
    /// # Errors
    /// If there are more or fewer arguments or results than [`Self::inputs`] and [`Self::outputs`] say, one
    /// has another length, or the workspace is another robot's.
    pub fn call(
        &self,
        workspace: &mut Workspace,
        inputs: &[&[f64]],
        outputs: &mut [&mut [f64]],
    ) -> Result<(), Error> {
        self.check("arguments", &self.inputs, inputs.iter().map(|input| input.len()))?;
        self.check("results", &self.outputs, outputs.iter().map(|output| output.len()))?;
        let work = workspace.memory();
        if work.len() < self.work {
            return Err(Error::Workspace(self.name()));
        }
        self.run(&self.stages, inputs, outputs, work);
        Ok(())
    }

    pub(crate) fn run(
        &self,
        stages: &[Code],
        inputs: &[&[f64]],
        outputs: &mut [&mut [f64]],
        work: &mut [f64],
    ) {
        let mut all: [&[f64]; MOST_INPUTS] = [&[]; MOST_INPUTS];
        all[..inputs.len()].copy_from_slice(inputs);
        all[inputs.len()] = &self.zeros;
        for code in stages {
            code.run(&all, outputs, work);
        }
    }

    fn check(
        &self,
        what: &'static str,
        known: &[Argument],
        given: impl ExactSizeIterator<Item = usize>,
    ) -> Result<(), Error> {
        if given.len() != known.len() {
            return Err(Error::Count {
                function: self.name(),
                what,
                expected: known.len(),
                given: given.len(),
            });
        }
        match known.iter().zip(given).find(|(argument, given)| argument.length != *given) {
            None => Ok(()),
            Some((argument, given)) => Err(Error::Length {
                function: self.name(),
                name: argument.name,
                expected: argument.length,
                given,
            }),
        }
    }

    /// How many states these arrays of a batch hold.
    pub(crate) fn check_batch(&self, inputs: &[&[f64]], outputs: &[&mut [f64]]) -> Result<usize, Error> {
        let function = self.name();
        // A robot may have no coordinates: then results say how many states there are.
        let all = inputs.iter().map(|i| i.len()).chain(outputs.iter().map(|o| o.len()));
        let known = self.inputs.iter().chain(&self.outputs);
        let first = known.zip(all).find(|(argument, _)| argument.length > 0);
        let states = match first {
            Some((argument, given)) if given % argument.length != 0 => {
                let (name, each) = (argument.name, argument.length);
                return Err(Error::States { function, name, each, given });
            }
            Some((argument, given)) => given / argument.length,
            None => 0,
        };
        let times = |known: &[Argument]| -> Vec<Argument> {
            known.iter().map(|a| Argument { length: a.length * states, ..*a }).collect()
        };
        self.check("arguments", &times(&self.inputs), inputs.iter().map(|input| input.len()))?;
        self.check("results", &times(&self.outputs), outputs.iter().map(|output| output.len()))?;
        Ok(states)
    }

    /// How many numbers calls need.
    pub(crate) fn work(&self) -> usize {
        self.work
    }

    /// How many states its batches have side by side.
    pub(crate) fn states(&self) -> usize {
        self.engine.states()
    }

    /// Code for several states side by side, made when it is first asked for; none where states go one by
    /// one.
    pub(crate) fn batched(&self) -> Option<&Batched> {
        let make = || {
            // Loops fill registers with one state.
            let calls_loops = self.versions.iter().any(|version| version.kernel.calls().next().is_some());
            let is_wide = self.states() > 1 && self.is_native() && !calls_loops;
            is_wide.then(|| self.code(self.versions.iter().cloned(), self.states()).ok()).flatten()
        };
        self.batch.get_or_init(make).as_ref()
    }

    /// The code for one state.
    pub(crate) fn single(&self) -> &[Code] {
        &self.stages
    }
}

fn length((rows, columns): (usize, usize)) -> usize {
    rows * columns
}
