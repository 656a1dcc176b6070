//! Calls of functions of steps: arguments are checked, and the runtime's step is computed in the workspace.

use super::controls::{block, columns};
use super::{At, Controls, Steps, StepsWithParameters, check, next};
use crate::{Error, Number, Workspace};
use rbd_runtime::step::{self, Blocks, DerivativesOut, Scratch, State, StepRobot, WeightedStep};

/// A robot with its memory, scratch, and what is left of the memory.
pub(super) type Ready<'a, T> = (At<'a, T>, Scratch<'a, T>, &'a mut [T]);

impl<'a, T: Number> StepsWithParameters<'a, T> {
    /// The robot's steps, for this function of these controls.
    pub(crate) fn steps(
        &self,
        function: &'static str,
        controls: &Controls<'_, T>,
    ) -> Result<&'a Steps, Error> {
        let steps = self.robot.steps_for(function)?;
        if let Controls::Actuated(_) = controls {
            steps.actuated_for(function)?;
        }
        Ok(steps)
    }

    /// Checks lengths, and takes the workspace apart.
    pub(super) fn ready<const N: usize>(
        self,
        function: &'static str,
        workspace: &'a mut Workspace<T>,
        lengths: [(&'static str, usize, usize); N],
    ) -> Result<Ready<'a, T>, Error> {
        let steps = self.robot.steps_for(function)?;
        check(function, lengths)?;
        let parameters = self.robot.own().unless(function, self.parameters)?;
        At::new((self.robot, steps), parameters, function, workspace)
    }

    /// Writes the next state.
    pub(super) fn step_of(
        self,
        workspace: &mut Workspace<T>,
        [q, v]: [&[T]; 2],
        controls: Controls<'_, T>,
        dt: T,
        [next_q, next_v]: [&mut [T]; 2],
    ) -> Result<(), Error> {
        let function = controls.name("step", "actuated_step");
        let steps = self.steps(function, &controls)?;
        let lengths = [
            ("q", steps.nq, q.len()),
            ("v", steps.nv, v.len()),
            controls.length(steps),
            ("q_next", steps.nq, next_q.len()),
            ("v_next", steps.nv, next_v.len()),
        ];
        let (mut at, scratch, mut memory) = self.ready(function, workspace, lengths)?;
        let tau = controls.torques(steps, &mut memory);
        step::step(&mut at, steps.integrator, &State { q, v, tau, dt }, scratch, [next_q, next_v]);
        Ok(())
    }

    /// Writes the next state and its derivatives, in the order of the fields of the results.
    pub(super) fn derivatives_of(
        self,
        workspace: &mut Workspace<T>,
        [q, v]: [&[T]; 2],
        controls: Controls<'_, T>,
        dt: T,
        [next_q, next_v, dq_dq, dq_dv, dq_du, dv_dq, dv_dv, dv_du]: [&mut [T]; 8],
    ) -> Result<(), Error> {
        let function = controls.name("step_derivatives", "actuated_step_derivatives");
        let steps = self.steps(function, &controls)?;
        let lengths = [("q", steps.nq, q.len()), ("v", steps.nv, v.len()), controls.length(steps)];
        let (mut at, scratch, mut memory) = self.ready(function, workspace, lengths)?;
        let tau = controls.torques(steps, &mut memory);
        let (state, n) = (State { q, v, tau, dt }, steps.nv);
        let write = |[dq_dtau, dv_dtau]: [&mut [T]; 2]| {
            let blocks = [dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau];
            let mut out = DerivativesOut { q: next_q, v: next_v, blocks };
            step::step_derivatives(&mut at, steps.integrator, &state, scratch, &mut out);
        };
        match controls {
            Controls::All(_) => write([dq_du, dv_du]),
            Controls::Actuated(_) => {
                let by_torques = [(); 2].map(|()| next(&mut memory, n * n));
                let [of_q, of_v] = by_torques;
                write([&mut *of_q, &mut *of_v]);
                columns(&steps.actuated, of_q, n, dq_du);
                columns(&steps.actuated, of_v, n, dv_du);
            }
        }
        Ok(())
    }

    /// Writes value, gradient and Hessian of a weighted step, in the order of the fields of the results.
    pub(super) fn hessian_of(
        self,
        workspace: &mut Workspace<T>,
        [q, v]: [&[T]; 2],
        controls: Controls<'_, T>,
        dt: T,
        [lambda_q, lambda_v]: [&[T]; 2],
        [value, dq, dv, du, dqdq, dqdv, dvdv, dqdu, dvdu, dudu]: [&mut [T]; 10],
    ) -> Result<(), Error> {
        let function = controls.name("step_hessian", "actuated_step_hessian");
        let steps = self.steps(function, &controls)?;
        if let Err(why) = steps.aba_hessian {
            return Err(Error::NotThereYet { function, why });
        }
        let (nq, n) = (steps.nq, steps.nv);
        let lengths = [
            ("q", nq, q.len()),
            ("v", n, v.len()),
            controls.length(steps),
            ("lambda_q", n, lambda_q.len()),
            ("lambda_v", n, lambda_v.len()),
            ("value", 1, value.len()),
        ];
        let (mut at, scratch, mut memory) = self.ready(function, workspace, lengths)?;
        let weighted = Weights { dt, lambda: [lambda_q, lambda_v] };
        let out = [value, dq, dv, du, dqdq, dqdv, dvdv, dqdu, dvdu, dudu];
        weighted.write(&mut at, steps, [q, v], controls, scratch, &mut memory, out);
        Ok(())
    }
}

/// Time and weights of a weighted step.
pub(crate) struct Weights<'a, T> {
    /// Time, s.
    pub dt: T,
    /// Weights of the next configuration and velocity.
    pub lambda: [&'a [T]; 2],
}

impl<T: Number> Weights<'_, T> {
    /// Writes value, gradient and Hessian of a robot's weighted step, in the order of the fields of the
    /// results.
    #[allow(clippy::too_many_arguments, reason = "a robot, its state, memory and results")]
    pub(crate) fn write<'m, R: StepRobot<T>>(
        &self,
        robot: &mut R,
        steps: &Steps,
        [q, v]: [&[T]; 2],
        controls: Controls<'m, T>,
        scratch: Scratch<'_, T>,
        memory: &mut &'m mut [T],
        [value, dq, dv, du, dqdq, dqdv, dvdv, dqdu, dvdu, dudu]: [&mut [T]; 10],
    ) where
        T: 'm,
    {
        let (tau, n, [lambda_q, lambda_v]) = (controls.torques(steps, memory), steps.nv, self.lambda);
        let of = WeightedStep { q, v, tau, dt: self.dt, lambda_q, lambda_v };
        let write = |[dtau, dqdtau, dvdtau, dtaudtau]: [&mut [T]; 4]| {
            let blocks = [dqdq, dqdv, dqdtau, dvdv, dvdtau, dtaudtau];
            let mut out = Blocks { value: &mut value[0], gradients: [dq, dv, dtau], blocks };
            step::step_hessian(robot, steps.integrator, &of, scratch, &mut out);
        };
        match controls {
            Controls::All(_) => write([du, dqdu, dvdu, dudu]),
            Controls::Actuated(_) => {
                let lengths = [n, n * n, n * n, n * n];
                let [dtau, dqdtau, dvdtau, dtaudtau] = lengths.map(|length| next(memory, length));
                write([&mut *dtau, &mut *dqdtau, &mut *dvdtau, &mut *dtaudtau]);
                columns(&steps.actuated, dtau, 1, du);
                columns(&steps.actuated, dqdtau, n, dqdu);
                columns(&steps.actuated, dvdtau, n, dvdu);
                block(&steps.actuated, dtaudtau, n, dudu);
            }
        }
    }
}
