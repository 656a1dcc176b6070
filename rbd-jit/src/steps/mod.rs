//! The discrete step: the next state, its derivatives and its weighted Hessian, joined from functions of
//! forward dynamics by the runtime's steps, as compiled robots join them.

mod call;
mod controls;
mod methods;
mod parameters;
mod results;
mod rollouts;

use crate::{Error, Function, Id, Loaded, Number, Parameters, Workspace};
pub(crate) use call::Weights;
pub use controls::Controls;
pub(crate) use controls::columns;
pub use parameters::StepsWithParameters;
use rbd_build::step_zeros;
use rbd_runtime::model::Body;
use rbd_runtime::step::{Accelerations, MOST_SCRATCH, MovingJoint, Scratch, StepRobot, Weighted};
use rbd_runtime::{Integrator, Model, Structure};
pub use results::{ActuatedStepDerivatives, ActuatedStepHessian, StepDerivatives, StepHessian};
pub(crate) use results::{check, fit};
use std::ops::Range;
use std::sync::OnceLock;

/// A robot's steps.
#[derive(Debug)]
pub struct Steps {
    integrator: Integrator,
    joints: Vec<MovingJoint>,
    damping: Vec<f64>,
    /// Places among the robot's functions.
    aba: usize,
    aba_derivatives: usize,
    /// Index of the inverse mass matrix, which only implicit damping calls.
    minv: Option<usize>,
    aba_hessian: Result<usize, &'static str>,
    /// Velocity coordinates of the controls of the option `actuated`.
    actuated: Vec<usize>,
    nq: usize,
    nv: usize,
    /// Structure of the derivatives' blocks.
    blocks: OnceLock<[Vec<u64>; 6]>,
}

/// Reason why a robot has no Hessians of steps.
const NO_HESSIAN: &str = "second derivatives of a robot of more than 128 degrees of freedom";

/// Joints of a robot, as steps see them.
pub(crate) fn moving_joints(model: &Model<f64>) -> impl Iterator<Item = MovingJoint> + Clone {
    let joint = |body: &Body<f64>| MovingJoint {
        kind: body.kind,
        idx_q: body.idx_q,
        idx_v: body.idx_v,
        nv: body.nv(),
    };
    model.bodies.iter().map(joint)
}

impl Steps {
    /// Steps by these functions, or what is missing.
    pub fn new<T: Number>(
        (integrator, actuated): (Integrator, Vec<usize>),
        model: &Model<f64>,
        functions: &[Function<T>],
    ) -> Result<Self, &'static str> {
        let place = |id: Id| functions.iter().position(|function| function.name() == id.name());
        let missing = "forward dynamics, which steps are made of";
        Ok(Self {
            integrator,
            joints: moving_joints(model).collect(),
            damping: model.damping(),
            aba: place(Id::Aba).ok_or(missing)?,
            aba_derivatives: place(Id::AbaDerivatives).ok_or(missing)?,
            minv: place(Id::Minv),
            aba_hessian: place(Id::AbaHessian).ok_or(NO_HESSIAN),
            actuated,
            nq: model.nq,
            nv: model.nv,
            blocks: OnceLock::new(),
        })
    }

    /// Entries of a block of [`StepDerivatives`] that can differ from zero.
    pub fn structure<T: Number>(&self, robot: &Loaded<T>, block: &str) -> Option<Structure<'_>> {
        let at = step_zeros::BLOCKS.iter().position(|name| *name == block)?;
        let first = &robot.functions()[self.aba_derivatives];
        let blocks = self.blocks.get_or_init(|| {
            let of = |name| first.structure(name).map_or_else(Vec::new, |of| of.words().to_vec());
            let first = ["ddq_dq", "ddq_dv", "ddq_dtau"].map(of);
            step_zeros::blocks(self.integrator, robot.model(), first.each_ref().map(|bits| &bits[..]))
        });
        Some(Structure::new("step_derivatives", step_zeros::BLOCKS[at], (self.nv, self.nv), &blocks[at]))
    }

    /// The integrator.
    pub fn integrator(&self) -> Integrator {
        self.integrator
    }

    /// The joints.
    pub fn joints(&self) -> std::iter::Copied<std::slice::Iter<'_, MovingJoint>> {
        self.joints.iter().copied()
    }

    /// Damping of a velocity coordinate, N m s/rad or N s/m.
    pub fn damping(&self, coordinate: usize) -> f64 {
        self.damping.get(coordinate).copied().unwrap_or_default()
    }

    /// Numbers of results of functions, of a linearised step, and of scratch.
    pub fn work(&self) -> usize {
        self.first() + self.second() + self.linearised() + self.scratch()
    }

    /// Numbers of scratch.
    pub fn scratch(&self) -> usize {
        let [matrices, vectors, configurations] = MOST_SCRATCH;
        let n = self.nv;
        matrices * n * n + vectors * n + configurations * self.nq
    }

    /// Numbers of derivatives of a step, and of torques, of their change and of what is by torques.
    fn linearised(&self) -> usize {
        self.nq + 5 * self.nv + 6 * self.nv * self.nv
    }

    /// Splits memory into scratch and what is left.
    pub fn split<'a, T>(&self, mut memory: &'a mut [T]) -> (Scratch<'a, T>, &'a mut [T]) {
        let [matrices, vectors, configurations] = MOST_SCRATCH;
        let vectors = next(&mut memory, vectors * self.nv);
        let configurations = next(&mut memory, configurations * self.nq);
        let matrices = next(&mut memory, matrices * self.nv * self.nv);
        (Scratch { matrices, vectors, configurations }, memory)
    }

    /// Numbers of first derivatives.
    fn first(&self) -> usize {
        self.nv + 3 * self.nv * self.nv
    }

    /// Numbers of the Hessian.
    fn second(&self) -> usize {
        1 + 3 * self.nv + 4 * self.nv * self.nv
    }
}

/// A robot, with memory for the results of its functions.
pub(crate) struct At<'a, T: Number> {
    robot: &'a Loaded<T>,
    steps: &'a Steps,
    parameters: Parameters<'a, T>,
    first: &'a mut [T],
    second: &'a mut [T],
    work: &'a mut [T],
}

/// The next numbers of a slice.
pub(crate) fn next<'a, T>(rest: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let (now, later) = std::mem::take(rest).split_at_mut(count);
    *rest = later;
    now
}

/// Calls a function with these arguments, and then the parameters that it takes.
fn call<T: Number>(
    function: &Function<T>,
    arguments: &[&[T]],
    parameters: Parameters<'_, T>,
    outputs: &mut [&mut [T]],
    work: &mut [T],
) {
    let inputs = parameters.after(arguments.iter().copied(), function);
    function.run_one(&inputs[..function.inputs().len()], outputs, work);
}

impl<'a, T: Number> At<'a, T> {
    /// A robot with its memory, and scratch and other memory for the step.
    fn new(
        (robot, steps): (&'a Loaded<T>, &'a Steps),
        parameters: Parameters<'a, T>,
        function: &'static str,
        workspace: &'a mut Workspace<T>,
    ) -> Result<(Self, Scratch<'a, T>, &'a mut [T]), Error> {
        let mut memory = workspace.memory();
        let of_functions = robot.work_of_functions();
        if memory.len() < of_functions + steps.work() {
            return Err(Error::Workspace(function));
        }
        let work = next(&mut memory, of_functions);
        let (first, second) = (next(&mut memory, steps.first()), next(&mut memory, steps.second()));
        let (scratch, rest) = steps.split(memory);
        Ok((Self { robot, steps, parameters, first, second, work }, scratch, rest))
    }

    /// First derivatives, where they were written.
    fn accelerations(&self) -> Accelerations<'_, T> {
        let n = self.steps.nv;
        let square = |k: usize| -> Range<usize> { n + k * n * n..n + (k + 1) * n * n };
        Accelerations { ddq: &self.first[..n], by: [0, 1, 2].map(|k| &self.first[square(k)]) }
    }

    fn write_first(&mut self, q: &[T], v: &[T], tau: &[T]) {
        let (n, mut rest) = (self.steps.nv, &mut *self.first);
        let outputs = &mut [n, n * n, n * n, n * n].map(|length| next(&mut rest, length));
        let function = &self.robot.functions()[self.steps.aba_derivatives];
        call(function, &[q, v, tau], self.parameters, outputs, self.work);
    }
}

impl<'r, T: Number> StepRobot<T> for At<'r, T> {
    type Joints = std::iter::Copied<std::slice::Iter<'r, MovingJoint>>;

    fn joints(&self) -> Self::Joints {
        self.steps.joints()
    }

    fn integrate(&self, q: &[T], u: &[T], out: &mut [T]) {
        self.robot.rounded().integrate_into(q, u, out);
    }

    fn damping(&self, coordinate: usize) -> f64 {
        self.steps.damping(coordinate)
    }

    fn aba(&mut self, q: &[T], v: &[T], tau: &[T], ddq: &mut [T]) {
        let function = &self.robot.functions()[self.steps.aba];
        call(function, &[q, v, tau], self.parameters, &mut [ddq], self.work);
    }

    fn aba_by_torques(&mut self, q: &[T], v: &[T], tau: &[T]) -> [&[T]; 2] {
        let n = self.steps.nv;
        let Some(minv) = self.steps.minv else {
            let first = self.aba_derivatives(q, v, tau);
            return [first.ddq, first.by[2]];
        };
        let (ddq, rest) = self.first.split_at_mut(n);
        let by_tau = &mut rest[..n * n];
        let functions = self.robot.functions();
        let parameters = self.parameters;
        call(&functions[self.steps.aba], &[q, v, tau], parameters, &mut [&mut *ddq], self.work);
        call(&functions[minv], &[q], parameters, &mut [&mut *by_tau], self.work);
        [ddq, by_tau]
    }

    fn aba_derivatives(&mut self, q: &[T], v: &[T], tau: &[T]) -> Accelerations<'_, T> {
        self.write_first(q, v, tau);
        self.accelerations()
    }

    fn aba_hessian(
        &mut self,
        q: &[T],
        v: &[T],
        tau: &[T],
        lambda: &[T],
    ) -> (Accelerations<'_, T>, Weighted<'_, T>) {
        self.write_first(q, v, tau);
        let n = self.steps.nv;
        let lengths = [1, n, n, n, n * n, n * n, n * n, n * n];
        if let Ok(function) = self.steps.aba_hessian {
            let mut rest = &mut *self.second;
            let outputs = &mut lengths.map(|length| next(&mut rest, length));
            let function = &self.robot.functions()[function];
            call(function, &[q, v, tau, lambda], self.parameters, outputs, self.work);
        }
        let mut rest = &*self.second;
        let [_, dq, dv, dtau, dqdq, dqdv, dvdv, dqdtau] = lengths.map(|length| {
            let (now, later) = rest.split_at(length);
            rest = later;
            now
        });
        let second = Weighted { gradients: [dq, dv, dtau], dqdq, dqdv, dvdv, dqdtau };
        (self.accelerations(), second)
    }
}
