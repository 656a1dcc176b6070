//! The functions of steps as methods of a loaded robot, with and without parameters.

use super::{
    ActuatedStepDerivatives, ActuatedStepHessian, Controls, StepDerivatives, StepHessian,
    StepsWithParameters, fit,
};
use crate::results::Results;
use crate::{Error, Loaded, Number, Workspace};
use rbd_runtime::Integrator;

impl<T: Number> Loaded<T> {
    /// The integrator of the option `step`, if the robot was loaded with it.
    pub fn integrator(&self) -> Option<Integrator> {
        self.steps().map(|steps| steps.integrator)
    }
}

macro_rules! functions_of_steps {
    ($robot:ty) => {
        #[allow(clippy::too_many_arguments, reason = "arguments and results are slices, one each")]
        impl<T: Number> $robot {
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
                self.step_in(workspace, [q, v], Controls::All(tau), dt, [q_next, v_next])
            }

            /// Implements [`Self::step`] and [`Self::actuated_step`].
            ///
            /// # Errors
            /// Those of [`Self::actuated_step`].
            #[doc(hidden)]
            pub fn step_in(
                &self,
                workspace: &mut Workspace<T>,
                state: [&[T]; 2],
                controls: Controls<'_, T>,
                dt: T,
                out: [&mut [T]; 2],
            ) -> Result<(), Error> {
                self.given().step_of(workspace, state, controls, dt, out)
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
                let robot = self.given().robot;
                let (nq, nv, square) = (robot.nq(), robot.nv(), robot.nv() * robot.nv());
                fit(out, [nq, nv, square, square, square, square, square, square]);
                self.step_derivatives_in(workspace, [q, v], Controls::All(tau), dt, out.slices())
            }

            /// Implements [`Self::step_derivatives`] and [`Self::actuated_step_derivatives`], with results in
            /// the order of the fields.
            ///
            /// # Errors
            /// Those of [`Self::step`].
            #[doc(hidden)]
            pub fn step_derivatives_in(
                &self,
                workspace: &mut Workspace<T>,
                state: [&[T]; 2],
                controls: Controls<'_, T>,
                dt: T,
                out: [&mut [T]; 8],
            ) -> Result<(), Error> {
                self.given().derivatives_of(workspace, state, controls, dt, out)
            }

            /// Writes value, gradient and Hessian of the next state, weighted with `lambda_q`, in the tangent
            /// space at the next configuration, and `lambda_v`.
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
                let (nv, square) = (self.given().robot.nv(), self.given().robot.nv().pow(2));
                fit(out, [1, nv, nv, nv, square, square, square, square, square, square]);
                let (controls, weights) = (Controls::All(tau), [lambda_q, lambda_v]);
                self.step_hessian_in(workspace, [q, v], controls, dt, weights, out.slices())
            }

            /// Implements [`Self::step_hessian`] and [`Self::actuated_step_hessian`], with results in the
            /// order of the fields.
            ///
            /// # Errors
            /// Those of [`Self::step_hessian`].
            #[doc(hidden)]
            pub fn step_hessian_in(
                &self,
                workspace: &mut Workspace<T>,
                state: [&[T]; 2],
                controls: Controls<'_, T>,
                dt: T,
                weights: [&[T]; 2],
                out: [&mut [T]; 10],
            ) -> Result<(), Error> {
                self.given().hessian_of(workspace, state, controls, dt, weights, out)
            }

            /// Writes the state after a time `dt` (s) under the controls `u` (nu), which are constant
            /// meanwhile.
            ///
            /// [`Self::step`] with the [torques](Loaded::torques) `S^T u`: [`Loaded::actuated`] lists the
            /// coordinates of the controls.
            ///
            /// # Errors
            /// Those of [`Self::step`], and [`Error::NotActuated`] for a robot without the option `actuated`.
            pub fn actuated_step(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                u: &[T],
                dt: T,
                q_next: &mut [T],
                v_next: &mut [T],
            ) -> Result<(), Error> {
                self.step_in(workspace, [q, v], Controls::Actuated(u), dt, [q_next, v_next])
            }

            /// [`Self::actuated_step`] with its exact derivatives by the state and the controls.
            ///
            /// `A = [dq_dq dq_dv; dv_dq dv_dv]`, `B = [dq_du; dv_du]`
            ///
            /// # Errors
            /// Those of [`Self::actuated_step`].
            pub fn actuated_step_derivatives(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                u: &[T],
                dt: T,
                out: &mut ActuatedStepDerivatives<T>,
            ) -> Result<(), Error> {
                let robot = self.given().robot;
                let (nq, nv, square, wide) =
                    (robot.nq(), robot.nv(), robot.nv() * robot.nv(), robot.nv() * robot.nu());
                fit(out, [nq, nv, square, square, wide, square, square, wide]);
                self.step_derivatives_in(workspace, [q, v], Controls::Actuated(u), dt, out.slices())
            }

            /// Writes value, gradient and Hessian of the next state, weighted with `lambda_q` and `lambda_v`
            /// (nv each).
            ///
            /// The weighted sum is that of [`Self::step_hessian`], with controls in place of torques.
            ///
            /// # Errors
            /// Those of [`Self::actuated_step`], and [`Error::NotThereYet`] for a robot without
            /// `aba_hessian`.
            pub fn actuated_step_hessian(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                u: &[T],
                dt: T,
                lambda_q: &[T],
                lambda_v: &[T],
                out: &mut ActuatedStepHessian<T>,
            ) -> Result<(), Error> {
                let robot = self.given().robot;
                let (nv, nu, square, wide) =
                    (robot.nv(), robot.nu(), robot.nv() * robot.nv(), robot.nv() * robot.nu());
                fit(out, [1, nv, nv, nu, square, square, square, wide, wide, nu * nu]);
                let (controls, weights) = (Controls::Actuated(u), [lambda_q, lambda_v]);
                self.step_hessian_in(workspace, [q, v], controls, dt, weights, out.slices())
            }
        }
    };
}

functions_of_steps!(Loaded<T>);
functions_of_steps!(StepsWithParameters<'_, T>);
