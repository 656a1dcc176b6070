//! The functions of steps under contacts as methods of a loaded robot, with and without parameters.

use super::ContactSettings;
use super::step_results::{ActuatedContactStepDerivatives, ContactStep, ContactStepDerivatives};
use super::steps::Held;
use crate::results::Results;
use crate::steps::{ActuatedStepHessian, Controls, StepHessian, fit};
use crate::{Error, Loaded, Number, StepsWithParameters, Workspace};

macro_rules! steps_under_contacts {
    ($robot:ty) => {
        #[allow(clippy::too_many_arguments, reason = "as many as the function has")]
        impl<T: Number> $robot {
            /// Writes the state after a time `dt` (s) under the torques `tau`, with the active contacts held.
            ///
            /// `active` says for each of [`Loaded::contacts`] whether it holds. Accelerations and forces are
            /// those at the beginning of the step. With implicit damping, they are those under the torques
            /// `tau - D (v+ - v)`, which act during the step.
            ///
            /// # Errors
            /// If the robot was loaded without the option `step` or without contacts, or a length does not
            /// fit.
            pub fn contact_step(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                tau: &[T],
                dt: T,
                active: &[bool],
                settings: &ContactSettings<'_, T>,
                out: &mut ContactStep<T>,
            ) -> Result<(), Error> {
                let contacts = self.given().robot.contacts_for("contact_step")?;
                let ([nv, forces, residual, ..], nq) = (contacts.lengths(), contacts.sizes.nq);
                fit(out, [nq, nv, nv, forces, residual]);
                self.contact_step_in(
                    workspace,
                    [q, v],
                    Controls::All(tau),
                    dt,
                    (active, settings),
                    out.slices(),
                )
            }

            /// Implements [`Self::contact_step`] and [`Self::actuated_contact_step`], with results in the
            /// order of the fields.
            ///
            /// # Errors
            /// Those of [`Self::contact_step`].
            #[doc(hidden)]
            pub fn contact_step_in(
                &self,
                workspace: &mut Workspace<T>,
                state: [&[T]; 2],
                controls: Controls<'_, T>,
                dt: T,
                held: (&[bool], &ContactSettings<'_, T>),
                out: [&mut [T]; 5],
            ) -> Result<(), Error> {
                self.given().contact_step_of(workspace, state, controls, dt, held, out)
            }

            /// [`Self::contact_step`] with exact derivatives of the next state and of the contact forces.
            ///
            /// `A = [dq_dq dq_dv; dv_dq dv_dv]`, `B = [dq_dtau; dv_dtau]`
            ///
            /// # Errors
            /// Those of [`Self::contact_step`].
            pub fn contact_step_derivatives(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                tau: &[T],
                dt: T,
                active: &[bool],
                settings: &ContactSettings<'_, T>,
                out: &mut ContactStepDerivatives<T>,
            ) -> Result<(), Error> {
                let contacts = self.given().robot.contacts_for("contact_step_derivatives")?;
                let ([n, nr, _, s, .., w], nq) = (contacts.lengths(), contacts.sizes.nq);
                fit(out, [nq, n, s, s, s, s, s, s, n, nr, nr, s, s, s, w, w, w]);
                let (controls, held): (_, Held<'_, T>) = (Controls::All(tau), (active, settings));
                self.contact_step_derivatives_in(workspace, [q, v], controls, dt, held, out.slices())
            }

            /// Implements [`Self::contact_step_derivatives`], with results in the order of the fields: those
            /// of `step_derivatives`, then those of `contact_dynamics_derivatives`.
            ///
            /// # Errors
            /// Those of [`Self::contact_step`].
            #[doc(hidden)]
            pub fn contact_step_derivatives_in(
                &self,
                workspace: &mut Workspace<T>,
                state: [&[T]; 2],
                controls: Controls<'_, T>,
                dt: T,
                held: (&[bool], &ContactSettings<'_, T>),
                out: [&mut [T]; 17],
            ) -> Result<(), Error> {
                self.given().contact_derivatives_of(workspace, state, controls, dt, held, out)
            }

            /// [`Self::contact_step`] under the controls `u` (nu) of the actuated joints.
            ///
            /// # Errors
            /// Those of [`Self::contact_step`], and [`Error::NotActuated`] for a robot without the option
            /// `actuated`.
            pub fn actuated_contact_step(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                u: &[T],
                dt: T,
                active: &[bool],
                settings: &ContactSettings<'_, T>,
                out: &mut ContactStep<T>,
            ) -> Result<(), Error> {
                let contacts = self.given().robot.contacts_for("actuated_contact_step")?;
                let ([nv, forces, residual, ..], nq) = (contacts.lengths(), contacts.sizes.nq);
                fit(out, [nq, nv, nv, forces, residual]);
                let (controls, held): (_, Held<'_, T>) = (Controls::Actuated(u), (active, settings));
                self.contact_step_in(workspace, [q, v], controls, dt, held, out.slices())
            }

            /// [`Self::actuated_contact_step`] with exact derivatives of the next state and of the contact
            /// forces.
            ///
            /// `A = [dq_dq dq_dv; dv_dq dv_dv]`, `B = [dq_du; dv_du]`
            ///
            /// # Errors
            /// Those of [`Self::actuated_contact_step`].
            pub fn actuated_contact_step_derivatives(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                u: &[T],
                dt: T,
                active: &[bool],
                settings: &ContactSettings<'_, T>,
                out: &mut ActuatedContactStepDerivatives<T>,
            ) -> Result<(), Error> {
                let robot = self.given().robot;
                let contacts = robot.contacts_for("actuated_contact_step_derivatives")?;
                let ([n, nr, _, s, .., w], nq) = (contacts.lengths(), contacts.sizes.nq);
                let [by_u, forces_by_u] = [n, nr].map(|rows| rows * robot.nu());
                fit(out, [nq, n, s, s, by_u, s, s, by_u, n, nr, nr, s, s, by_u, w, w, forces_by_u]);
                let (controls, held): (_, Held<'_, T>) = (Controls::Actuated(u), (active, settings));
                self.contact_step_derivatives_in(workspace, [q, v], controls, dt, held, out.slices())
            }

            /// Writes value, gradient and Hessian of the next state of [`Self::contact_step`], weighted with
            /// `lambda_q` and `lambda_v`.
            ///
            /// The weighted sum is that of [`Loaded::step_hessian`].
            ///
            /// # Errors
            /// Those of [`Self::contact_step`] and of [`Loaded::contact_hessian_is_there`].
            pub fn contact_step_hessian(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                tau: &[T],
                dt: T,
                active: &[bool],
                settings: &ContactSettings<'_, T>,
                lambda_q: &[T],
                lambda_v: &[T],
                out: &mut StepHessian<T>,
            ) -> Result<(), Error> {
                let (n, square) = (self.given().robot.nv(), self.given().robot.nv().pow(2));
                fit(out, [1, n, n, n, square, square, square, square, square, square]);
                let (held, weights): (Held<'_, T>, _) = ((active, settings), [lambda_q, lambda_v]);
                let controls = Controls::All(tau);
                self.contact_step_hessian_in(workspace, [q, v], controls, dt, held, weights, out.slices())
            }

            /// Implements [`Self::contact_step_hessian`] and [`Self::actuated_contact_step_hessian`], with
            /// results in the order of the fields.
            ///
            /// # Errors
            /// Those of [`Self::contact_step_hessian`].
            #[doc(hidden)]
            pub fn contact_step_hessian_in(
                &self,
                workspace: &mut Workspace<T>,
                state: [&[T]; 2],
                controls: Controls<'_, T>,
                dt: T,
                held: (&[bool], &ContactSettings<'_, T>),
                weights: [&[T]; 2],
                out: [&mut [T]; 10],
            ) -> Result<(), Error> {
                self.given().contact_hessian_of(workspace, state, controls, dt, held, weights, out)
            }

            /// [`Self::contact_step_hessian`] under the controls `u` (nu) of the actuated joints.
            ///
            /// # Errors
            /// Those of [`Self::contact_step_hessian`], and [`Error::NotActuated`] for a robot without the
            /// option `actuated`.
            pub fn actuated_contact_step_hessian(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                u: &[T],
                dt: T,
                active: &[bool],
                settings: &ContactSettings<'_, T>,
                lambda_q: &[T],
                lambda_v: &[T],
                out: &mut ActuatedStepHessian<T>,
            ) -> Result<(), Error> {
                let (n, nu) = (self.given().robot.nv(), self.given().robot.nu());
                let square = n * n;
                fit(out, [1, n, n, nu, square, square, square, n * nu, n * nu, nu * nu]);
                let (held, weights): (Held<'_, T>, _) = ((active, settings), [lambda_q, lambda_v]);
                let controls = Controls::Actuated(u);
                self.contact_step_hessian_in(workspace, [q, v], controls, dt, held, weights, out.slices())
            }
        }
    };
}

steps_under_contacts!(Loaded<T>);
steps_under_contacts!(StepsWithParameters<'_, T>);
