//! The discrete step: the next state, its derivatives and its weighted Hessian, joined from functions of
//! forward dynamics by the runtime's steps, as compiled robots join them.

use crate::results::Results;
use crate::{Error, Function, Id, Loaded, Number, Workspace};
use rbd_runtime::model::Body;
use rbd_runtime::step::{
    self, Accelerations, Blocks, DerivativesOut, MOST_SCRATCH, MovingJoint, Scratch, State, StepRobot,
    Weighted, WeightedStep,
};
use rbd_runtime::{Integrator, Model};
use std::ops::Range;

/// Results of `step_derivatives`: the next state, and its derivatives in the tangent spaces of the old and
/// the new state. Matrices are nv x nv, by columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepDerivatives<T = f64> {
    /// Next configuration (nq).
    pub q: Vec<T>,
    /// Next velocity (nv).
    pub v: Vec<T>,
    /// Derivative of the next configuration by the configuration.
    pub dq_dq: Vec<T>,
    /// Derivative of the next configuration by the velocity, s.
    pub dq_dv: Vec<T>,
    /// Derivative of the next configuration by the torques.
    pub dq_dtau: Vec<T>,
    /// Derivative of the next velocity by the configuration, 1/s.
    pub dv_dq: Vec<T>,
    /// Derivative of the next velocity by the velocity.
    pub dv_dv: Vec<T>,
    /// Derivative of the next velocity by the torques.
    pub dv_dtau: Vec<T>,
}

/// Results of `step_hessian`: the next state, weighted: value, gradient and Hessian. Matrices are nv x nv,
/// by columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepHessian<T = f64> {
    /// `lambda_q . q+ + lambda_v . v+` (1). Of `q+` only joints of one coordinate count.
    pub value: Vec<T>,
    /// Gradient by the configuration (nv).
    pub dq: Vec<T>,
    /// Gradient by the velocity (nv).
    pub dv: Vec<T>,
    /// Gradient by the torques (nv).
    pub dtau: Vec<T>,
    /// Derivative of `dq` by the configuration. It is not symmetric where joints have several coordinates.
    pub dqdq: Vec<T>,
    /// Derivative of `dq` by the velocity.
    pub dqdv: Vec<T>,
    /// Derivative of `dv` by the velocity.
    pub dvdv: Vec<T>,
    /// Derivative of `dq` by the torques.
    pub dqdtau: Vec<T>,
    /// Derivative of `dv` by the torques.
    pub dvdtau: Vec<T>,
    /// Derivative of `dtau` by the torques.
    pub dtaudtau: Vec<T>,
}

impl<T> Results<T, 8> for StepDerivatives<T> {
    fn all(&mut self) -> [&mut Vec<T>; 8] {
        let Self { q, v, dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau } = self;
        [q, v, dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau]
    }
}

impl<T> Results<T, 10> for StepHessian<T> {
    fn all(&mut self) -> [&mut Vec<T>; 10] {
        let Self { value, dq, dv, dtau, dqdq, dqdv, dvdv, dqdtau, dvdtau, dtaudtau } = self;
        [value, dq, dv, dtau, dqdq, dqdv, dvdv, dqdtau, dvdtau, dtaudtau]
    }
}

/// Gives each vector its length.
pub(crate) fn fit<T: Number, const N: usize>(out: &mut impl Results<T, N>, lengths: [usize; N]) {
    for (result, length) in out.all().into_iter().zip(lengths) {
        if result.len() != length {
            result.clear();
            result.resize(length, T::zero());
        }
    }
}

/// Checks lengths: the name of each array, how many numbers it is to have, and how many it has.
pub(crate) fn check<const N: usize>(
    function: &'static str,
    lengths: [(&'static str, usize, usize); N],
) -> Result<(), Error> {
    for (name, expected, given) in lengths {
        if expected != given {
            return Err(Error::Length { function, name, expected, given });
        }
    }
    Ok(())
}

/// A robot's steps.
#[derive(Debug)]
pub struct Steps {
    integrator: Integrator,
    joints: Vec<MovingJoint>,
    damping: Vec<f64>,
    /// Places among the robot's functions.
    aba: usize,
    aba_derivatives: usize,
    /// Only implicit damping calls it.
    minv: Option<usize>,
    aba_hessian: Result<usize, &'static str>,
    nq: usize,
    nv: usize,
}

/// What keeps Hessians of steps from a robot.
const NO_HESSIAN: &str = "second derivatives of a robot of more than 128 degrees of freedom";

impl Steps {
    /// Steps by these functions, or what is missing.
    pub fn new<T: Number>(
        integrator: Integrator,
        model: &Model<f64>,
        functions: &[Function<T>],
    ) -> Result<Self, &'static str> {
        let place = |id: Id| functions.iter().position(|function| function.name() == id.name());
        let joint = |body: &Body<f64>| MovingJoint {
            kind: body.kind,
            idx_q: body.idx_q,
            idx_v: body.idx_v,
            nv: body.nv(),
        };
        let missing = "forward dynamics, which steps are made of";
        if !model.run_time.is_none() {
            return Err("a step with inertia or gravity given at run time");
        }
        Ok(Self {
            integrator,
            joints: model.bodies.iter().map(joint).collect(),
            damping: model.damping(),
            aba: place(Id::Aba).ok_or(missing)?,
            aba_derivatives: place(Id::AbaDerivatives).ok_or(missing)?,
            minv: place(Id::Minv),
            aba_hessian: place(Id::AbaHessian).ok_or(NO_HESSIAN),
            nq: model.nq,
            nv: model.nv,
        })
    }

    /// The integrator.
    pub fn integrator(&self) -> Integrator {
        self.integrator
    }

    /// The joints.
    pub fn joints(&self) -> std::iter::Copied<std::slice::Iter<'_, MovingJoint>> {
        self.joints.iter().copied()
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

    /// Numbers of derivatives of a step, and of two changes of a state.
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

impl<T: Number> At<'_, T> {
    /// Calls a function by arrays that fit.
    fn call(&mut self, function: usize, inputs: &[&[T]], outputs: &mut [&mut [T]]) {
        self.robot.functions()[function].run_one(inputs, outputs, self.work);
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
        function.run_one(&[q, v, tau], outputs, self.work);
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
        self.steps.damping.get(coordinate).copied().unwrap_or_default()
    }

    fn aba(&mut self, q: &[T], v: &[T], tau: &[T], ddq: &mut [T]) {
        self.call(self.steps.aba, &[q, v, tau], &mut [ddq]);
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
        functions[self.steps.aba].run_one(&[q, v, tau], &mut [&mut *ddq], self.work);
        functions[minv].run_one(&[q], &mut [&mut *by_tau], self.work);
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
            self.robot.functions()[function].run_one(&[q, v, tau, lambda], outputs, self.work);
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

#[allow(clippy::too_many_arguments, reason = "arguments and results are slices, one each")]
impl<T: Number> Loaded<T> {
    /// The integrator of the option `step`, if the robot was loaded with it.
    pub fn integrator(&self) -> Option<Integrator> {
        self.steps().map(|steps| steps.integrator)
    }

    /// Checks lengths, and calls with the robot, the scratch, and memory for a linearised step.
    pub(crate) fn with_steps<const N: usize>(
        &self,
        function: &'static str,
        workspace: &mut Workspace<T>,
        lengths: [(&'static str, usize, usize); N],
        run: impl FnOnce(&mut At<'_, T>, Integrator, Scratch<'_, T>, &mut [T]),
    ) -> Result<(), Error> {
        let steps = self.steps_for(function)?;
        check(function, lengths)?;
        let mut memory = workspace.memory();
        let of_functions = self.work_of_functions();
        if memory.len() < of_functions + steps.work() {
            return Err(Error::Workspace(function));
        }
        let work = next(&mut memory, of_functions);
        let (first, second) = (next(&mut memory, steps.first()), next(&mut memory, steps.second()));
        let (scratch, rest) = steps.split(memory);
        let mut at = At { robot: self, steps, first, second, work };
        run(&mut at, steps.integrator, scratch, rest);
        Ok(())
    }

    /// Writes the state after a time `dt` (s) under the torques `tau`, which are constant meanwhile.
    ///
    /// # Errors
    /// If the robot was loaded without the option `step`, or a length does not fit.
    pub fn step(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        tau: &[T],
        dt: T,
        q_next: &mut [T],
        v_next: &mut [T],
    ) -> Result<(), Error> {
        let (nq, nv) = (self.nq(), self.nv());
        let lengths = [
            ("q", nq, q.len()),
            ("v", nv, v.len()),
            ("tau", nv, tau.len()),
            ("q_next", nq, q_next.len()),
            ("v_next", nv, v_next.len()),
        ];
        self.with_steps("step", workspace, lengths, |at, integrator, scratch, _| {
            step::step(at, integrator, &State { q, v, tau, dt }, scratch, [q_next, v_next]);
        })
    }

    /// Writes the state after a time `dt`, and its exact derivatives by the state and the torques.
    ///
    /// `A = [dq_dq dq_dv; dv_dq dv_dv]`, `B = [dq_dtau; dv_dtau]`
    ///
    /// # Errors
    /// Those of [`Self::step`].
    pub fn step_derivatives(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        tau: &[T],
        dt: T,
        out: &mut StepDerivatives<T>,
    ) -> Result<(), Error> {
        let (nq, nv, square) = (self.nq(), self.nv(), self.nv() * self.nv());
        fit(out, [nq, nv, square, square, square, square, square, square]);
        self.step_derivatives_in(workspace, [q, v, tau], dt, out.slices())
    }

    /// As [`Self::step_derivatives`], with results in the order of the fields.
    ///
    /// # Errors
    /// Those of [`Self::step`].
    #[doc(hidden)]
    pub fn step_derivatives_in(
        &self,
        workspace: &mut Workspace<T>,
        [q, v, tau]: [&[T]; 3],
        dt: T,
        [next_q, next_v, dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau]: [&mut [T]; 8],
    ) -> Result<(), Error> {
        let lengths = [("q", self.nq(), q.len()), ("v", self.nv(), v.len()), ("tau", self.nv(), tau.len())];
        self.with_steps("step_derivatives", workspace, lengths, |at, integrator, scratch, _| {
            let blocks = [dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau];
            let mut out = DerivativesOut { q: next_q, v: next_v, blocks };
            step::step_derivatives(at, integrator, &State { q, v, tau, dt }, scratch, &mut out);
        })
    }

    /// Writes value, gradient and Hessian of the next state, weighted with `lambda_q`, in the tangent space
    /// at the next configuration, and `lambda_v`.
    ///
    /// `lambda_q . difference(at, q+) + lambda_v . v+`, `at` being the next configuration itself
    ///
    /// # Errors
    /// Those of [`Self::step`], and [`Error::NotThereYet`] for a robot without `aba_hessian`.
    pub fn step_hessian(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        tau: &[T],
        dt: T,
        lambda_q: &[T],
        lambda_v: &[T],
        out: &mut StepHessian<T>,
    ) -> Result<(), Error> {
        let (nv, square) = (self.nv(), self.nv() * self.nv());
        fit(out, [1, nv, nv, nv, square, square, square, square, square, square]);
        self.step_hessian_in(workspace, [q, v, tau, lambda_q, lambda_v], dt, out.slices())
    }

    /// As [`Self::step_hessian`], with results in the order of the fields.
    ///
    /// # Errors
    /// Those of [`Self::step_hessian`].
    #[doc(hidden)]
    pub fn step_hessian_in(
        &self,
        workspace: &mut Workspace<T>,
        [q, v, tau, lambda_q, lambda_v]: [&[T]; 5],
        dt: T,
        [value, dq, dv, dtau, dqdq, dqdv, dvdv, dqdtau, dvdtau, dtaudtau]: [&mut [T]; 10],
    ) -> Result<(), Error> {
        let function = "step_hessian";
        if let Err(why) = self.steps_for(function)?.aba_hessian {
            return Err(Error::NotThereYet { function, why });
        }
        let (nq, nv) = (self.nq(), self.nv());
        let lengths = [
            ("q", nq, q.len()),
            ("v", nv, v.len()),
            ("tau", nv, tau.len()),
            ("lambda_q", nv, lambda_q.len()),
            ("lambda_v", nv, lambda_v.len()),
            ("value", 1, value.len()),
        ];
        self.with_steps(function, workspace, lengths, |at, integrator, scratch, _| {
            let gradients = [dq, dv, dtau];
            let blocks = [dqdq, dqdv, dqdtau, dvdv, dvdtau, dtaudtau];
            let mut out = Blocks { value: &mut value[0], gradients, blocks };
            let of = WeightedStep { q, v, tau, dt, lambda_q, lambda_v };
            step::step_hessian(at, integrator, &of, scratch, &mut out);
        })
    }
}
