//! The functions of contacts as methods of a loaded robot, with and without parameters.

use super::call::{Given, Of};
use super::{ContactSettings, ContactsWithParameters};
use crate::{Error, Loaded, Number, Workspace};
use rbd_runtime::ContactAxes;

macro_rules! functions_of_contacts {
    ($robot:ty) => {
        #[allow(clippy::too_many_arguments, reason = "as many as the function has")]
        impl<T: Number> $robot {
            /// Forward dynamics under contacts: accelerations, and forces at the active contacts.
            ///
            /// `M(q) ddq + C(q, v) v + g(q) = tau + J^T forces, J ddq + dJ/dt v + kd J v + kp e = 0`
            ///
            /// `active` says for each of [`Loaded::contacts`] whether it holds.
            ///
            /// # Errors
            /// If the robot was loaded without contacts, or a length does not fit.
            pub fn contact_dynamics(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                tau: &[T],
                active: &[bool],
                settings: &ContactSettings<'_, T>,
                ddq: &mut [T],
                forces: &mut [T],
                residual: &mut [T],
            ) -> Result<(), Error> {
                let given = Given { q, state: [v, tau], active, settings: *settings, ..Given::default() };
                self.contact(workspace, Of::Dynamics, given, &mut [ddq, forces, residual])
            }

            /// [`Self::contact_dynamics`] with derivatives by q (in its tangent space), v and tau.
            ///
            /// `ddq_by` and `forces_by` are derivatives by q, v and tau.
            ///
            /// # Errors
            /// Those of [`Self::contact_dynamics`].
            pub fn contact_dynamics_derivatives(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                tau: &[T],
                active: &[bool],
                settings: &ContactSettings<'_, T>,
                [ddq, forces, residual]: [&mut [T]; 3],
                ddq_by: [&mut [T]; 3],
                forces_by: [&mut [T]; 3],
            ) -> Result<(), Error> {
                let given = Given { q, state: [v, tau], active, settings: *settings, ..Given::default() };
                let ([a, b, c], [d, e, f]) = (ddq_by, forces_by);
                let outputs = &mut [ddq, forces, residual, a, b, c, d, e, f];
                self.contact(workspace, Of::DynamicsDerivatives, given, outputs)
            }

            /// Velocities after an impact at the active contacts, and impulses.
            ///
            /// `M(q) (v_plus - v) = J^T impulses, J v_plus = -restitution J v`
            ///
            /// Of the settings, `mu`, `iterations` and `axes` are used.
            ///
            /// # Errors
            /// Those of [`Self::contact_dynamics`].
            pub fn contact_impulse(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                active: &[bool],
                restitution: T,
                settings: &ContactSettings<'_, T>,
                v_plus: &mut [T],
                impulses: &mut [T],
                residual: &mut [T],
            ) -> Result<(), Error> {
                let given = Given {
                    q,
                    state: [v, &[]],
                    active,
                    restitution,
                    settings: *settings,
                    ..Given::default()
                };
                self.contact(workspace, Of::Impulse, given, &mut [v_plus, impulses, residual])
            }

            /// [`Self::contact_impulse`] with derivatives by q (in its tangent space), v and the restitution.
            ///
            /// `v_plus_by` and `impulses_by` are derivatives by q, v and the restitution.
            ///
            /// # Errors
            /// Those of [`Self::contact_dynamics`].
            pub fn contact_impulse_derivatives(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                active: &[bool],
                restitution: T,
                settings: &ContactSettings<'_, T>,
                [v_plus, impulses, residual]: [&mut [T]; 3],
                v_plus_by: [&mut [T]; 3],
                impulses_by: [&mut [T]; 3],
            ) -> Result<(), Error> {
                let given = Given {
                    q,
                    state: [v, &[]],
                    active,
                    restitution,
                    settings: *settings,
                    ..Given::default()
                };
                let ([a, b, c], [d, e, f]) = (v_plus_by, impulses_by);
                let outputs = &mut [v_plus, impulses, residual, a, b, c, d, e, f];
                self.contact(workspace, Of::ImpulseDerivatives, given, outputs)
            }

            /// Inverse dynamics under contact forces, with rows in these axes.
            ///
            /// `tau = M(q) a + C(q, v) v + g(q) - J^T forces`
            ///
            /// # Errors
            /// Those of [`Self::contact_dynamics`].
            pub fn contact_inverse_dynamics(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                a: &[T],
                forces: &[T],
                axes: ContactAxes,
                tau: &mut [T],
            ) -> Result<(), Error> {
                let settings = ContactSettings { axes, ..ContactSettings::default() };
                let given = Given { q, state: [v, a], forces, settings, ..Given::default() };
                self.contact(workspace, Of::InverseDynamics, given, &mut [tau])
            }

            /// Jacobian J of the active contacts, with rows in these axes. Rows of the others are zero.
            ///
            /// # Errors
            /// Those of [`Self::contact_dynamics`].
            pub fn contact_jacobian(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                active: &[bool],
                axes: ContactAxes,
                jacobian: &mut [T],
            ) -> Result<(), Error> {
                let settings = ContactSettings { axes, ..ContactSettings::default() };
                let given = Given { q, active, settings, ..Given::default() };
                self.contact(workspace, Of::Jacobian, given, &mut [jacobian])
            }

            /// Delassus matrix `J M(q)^-1 J^T` of the active contacts, with rows in these axes. Rows and
            /// columns of the others are zero.
            ///
            /// # Errors
            /// Those of [`Self::contact_dynamics`].
            pub fn delassus(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                active: &[bool],
                axes: ContactAxes,
                delassus: &mut [T],
            ) -> Result<(), Error> {
                let settings = ContactSettings { axes, ..ContactSettings::default() };
                let given = Given { q, active, settings, ..Given::default() };
                self.contact(workspace, Of::Delassus, given, &mut [delassus])
            }

            /// Distances of the active contacts from where they are to be, row by row.
            ///
            /// Closed loops are to be closed, contacts with the world at their anchors.
            ///
            /// # Errors
            /// Those of [`Self::contact_dynamics`].
            pub fn contact_errors(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                active: &[bool],
                settings: &ContactSettings<'_, T>,
                errors: &mut [T],
            ) -> Result<(), Error> {
                let given = Given { q, active, settings: *settings, ..Given::default() };
                self.contact(workspace, Of::Errors, given, &mut [errors])
            }

            /// Poses of the contacts' frames in the world, for each a rotation by columns, then a
            /// translation.
            ///
            /// Those of closed loops are of their first frames.
            ///
            /// # Errors
            /// Those of [`Self::contact_dynamics`].
            pub fn contact_placements(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                placements: &mut [T],
            ) -> Result<(), Error> {
                let given = Given { q, ..Given::default() };
                self.contact(workspace, Of::Placements, given, &mut [placements])
            }
        }
    };
}

functions_of_contacts!(Loaded<T>);
functions_of_contacts!(ContactsWithParameters<'_, T>);
