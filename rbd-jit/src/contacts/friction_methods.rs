//! Steps with friction as methods of a loaded robot, with and without parameters.

use super::ContactsWithParameters;
use super::friction::{FrictionGiven, FrictionJoints, FrictionMore, FrictionOut, step};
use super::friction_results::{
    FrictionStep, FrictionStepDerivatives, JointContacts, JointFrictionStep, JointFrictionStepDerivatives,
};
use crate::{Error, Loaded, Number, StepDerivatives, Workspace};
use rbd_build::signature::Sizes;
use rbd_runtime::friction::{ContactMode, ContactSurface, FrictionReport, FrictionSettings};

/// Gives a vector this length.
fn resize<T: Number>(of: &mut Vec<T>, length: usize) {
    of.resize(length, T::zero());
}

impl<T: Number> FrictionStep<T> {
    /// Resizes the vectors for a robot of these sizes.
    fn fit(&mut self, sizes: Sizes) {
        resize(&mut self.q, sizes.nq);
        resize(&mut self.v, sizes.nv);
        resize(&mut self.impulses, sizes.nr);
        self.modes.resize(sizes.nc, ContactMode::Open);
    }

    /// Borrows the vectors as results of a step.
    fn out<'a>(&'a mut self, more: FrictionMore<'a, T>) -> FrictionOut<'a, T> {
        let Self { q, v, impulses, modes, .. } = self;
        FrictionOut { q, v, impulses, modes, more }
    }
}

macro_rules! steps_with_friction {
    ($robot:ty) => {
        #[allow(clippy::too_many_arguments, reason = "as many as the function has")]
        impl<T: Number> $robot {
            /// The state after a time `dt` (s) under torques and contacts with friction.
            ///
            /// `M (v+ - v) = dt (tau - b) + J^T impulses`, `q+ = integrate(q, dt v+)`
            ///
            /// - `surfaces`: what each of [`Loaded::contacts`] meets, or `None` if nothing is near. Closed
            ///   loops ignore theirs.
            /// - `last`: result of the last step, from which the solver begins.
            ///
            /// With `dt = 0`, it is an impact: velocities change, and positions do not.
            ///
            /// # Errors
            /// If the robot was loaded without contacts, one of them is a plane, or a length does not fit.
            pub fn friction_step(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                tau: &[T],
                dt: T,
                surfaces: &[Option<ContactSurface<T>>],
                settings: &FrictionSettings<T>,
                last: Option<&FrictionStep<T>>,
                out: &mut FrictionStep<T>,
            ) -> Result<(), Error> {
                out.fit(self.with_parameters().0.contacts_for("friction_step")?.sizes);
                let start = last.map(|last| &last.impulses[..]);
                let given = FrictionGiven { q, v, tau, dt, surfaces, settings, start };
                let report = self.friction_step_in(workspace, given, out.out(FrictionMore::Nothing))?;
                out.report(report);
                Ok(())
            }

            /// [`Self::friction_step`] with derivatives by q, v and tau, in the tangent spaces of the old and
            /// the new state.
            ///
            /// They are derivatives of the solution, by the implicit function theorem: each contact keeps its
            /// mode. Surfaces are planes that do not move. Distances change with q along the normals.
            ///
            /// # Errors
            /// Those of [`Self::friction_step`].
            pub fn friction_step_derivatives(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                tau: &[T],
                dt: T,
                surfaces: &[Option<ContactSurface<T>>],
                settings: &FrictionSettings<T>,
                last: Option<&FrictionStep<T>>,
                out: &mut FrictionStepDerivatives<T>,
            ) -> Result<(), Error> {
                let sizes = self.with_parameters().0.contacts_for("friction_step_derivatives")?.sizes;
                let FrictionStepDerivatives {
                    step: StepDerivatives { q: next_q, v: next_v, dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau },
                    impulses_dq,
                    impulses_dv,
                    impulses_dtau,
                    contacts,
                    margin,
                } = out;
                contacts.fit(sizes);
                let square = sizes.nv * sizes.nv;
                for block in [&mut *dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau] {
                    resize(block, square);
                }
                for block in [&mut *impulses_dq, impulses_dv, impulses_dtau] {
                    resize(block, sizes.nr * sizes.nv);
                }
                let blocks = [
                    &mut dq_dq[..],
                    dq_dv,
                    dq_dtau,
                    dv_dq,
                    dv_dv,
                    dv_dtau,
                    impulses_dq,
                    impulses_dv,
                    impulses_dtau,
                ];
                let start = last.map(|last| &last.impulses[..]);
                let given = FrictionGiven { q, v, tau, dt, surfaces, settings, start };
                let more = FrictionMore::Derivatives { blocks, margin };
                let report = self.friction_step_in(workspace, given, contacts.out(more))?;
                contacts.report(report);
                next_q.clone_from(&contacts.q);
                next_v.clone_from(&contacts.v);
                Ok(())
            }

            /// [`Self::friction_step`] with dry friction and limits of joints.
            ///
            /// - `joints`: friction, and distances from limits at q. [`Loaded::joint_contacts`] writes the
            ///   URDF's.
            /// - `last`: result of the last step of this kind.
            ///
            /// # Errors
            /// Those of [`Self::friction_step`].
            pub fn friction_step_with_joints(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                tau: &[T],
                dt: T,
                surfaces: &[Option<ContactSurface<T>>],
                joints: &JointContacts<T>,
                settings: &FrictionSettings<T>,
                last: Option<&JointFrictionStep<T>>,
                out: &mut JointFrictionStep<T>,
            ) -> Result<(), Error> {
                let sizes = self.with_parameters().0.contacts_for("friction_step_with_joints")?.sizes;
                let JointFrictionStep { step, joints: impulses } = out;
                step.fit(sizes);
                resize(impulses, sizes.nv);
                let start = last.map(|last| &last.step.impulses[..]);
                let given = FrictionGiven { q, v, tau, dt, surfaces, settings, start };
                let more = FrictionMore::Joints(FrictionJoints {
                    given: [&joints.friction, &joints.to_lower, &joints.to_upper],
                    start: last.map(|last| &last.joints[..]),
                    impulses,
                });
                let report = self.friction_step_in(workspace, given, step.out(more))?;
                step.report(report);
                Ok(())
            }

            /// [`Self::friction_step_with_joints`] with derivatives by q, v and tau, in the tangent spaces of
            /// the old and the new state.
            ///
            /// They are those of [`Self::friction_step_derivatives`], with joints that keep their modes. The
            /// distance from a limit changes with its own coordinate.
            ///
            /// # Errors
            /// Those of [`Self::friction_step`].
            pub fn friction_step_with_joints_derivatives(
                &self,
                workspace: &mut Workspace<T>,
                q: &[T],
                v: &[T],
                tau: &[T],
                dt: T,
                surfaces: &[Option<ContactSurface<T>>],
                joints: &JointContacts<T>,
                settings: &FrictionSettings<T>,
                last: Option<&JointFrictionStep<T>>,
                out: &mut JointFrictionStepDerivatives<T>,
            ) -> Result<(), Error> {
                let function = "friction_step_with_joints_derivatives";
                let sizes = self.with_parameters().0.contacts_for(function)?.sizes;
                let JointFrictionStepDerivatives {
                    step: StepDerivatives { q: next_q, v: next_v, dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau },
                    impulses_dq,
                    impulses_dv,
                    impulses_dtau,
                    joints_dq,
                    joints_dv,
                    joints_dtau,
                    contacts: JointFrictionStep { step, joints: impulses },
                    margin,
                } = out;
                step.fit(sizes);
                resize(impulses, sizes.nv);
                let mut blocks = [
                    dq_dq,
                    dq_dv,
                    dq_dtau,
                    dv_dq,
                    dv_dv,
                    dv_dtau,
                    impulses_dq,
                    impulses_dv,
                    impulses_dtau,
                    joints_dq,
                    joints_dv,
                    joints_dtau,
                ];
                for (k, block) in blocks.iter_mut().enumerate() {
                    let rows = if (6..9).contains(&k) { sizes.nr } else { sizes.nv };
                    resize(block, rows * sizes.nv);
                }
                let start = last.map(|last| &last.step.impulses[..]);
                let given = FrictionGiven { q, v, tau, dt, surfaces, settings, start };
                let joints = FrictionJoints {
                    given: [&joints.friction, &joints.to_lower, &joints.to_upper],
                    start: last.map(|last| &last.joints[..]),
                    impulses,
                };
                let blocks = blocks.map(|block| &mut block[..]);
                let more = FrictionMore::JointDerivatives { joints, blocks, margin };
                let report = self.friction_step_in(workspace, given, step.out(more))?;
                step.report(report);
                next_q.clone_from(&step.q);
                next_v.clone_from(&step.v);
                Ok(())
            }

            /// Implements [`Self::friction_step`] and its variants, on slices.
            ///
            /// # Errors
            /// Those of [`Self::friction_step`].
            #[doc(hidden)]
            pub fn friction_step_in(
                &self,
                workspace: &mut Workspace<T>,
                given: FrictionGiven<'_, T>,
                out: FrictionOut<'_, T>,
            ) -> Result<FrictionReport<T>, Error> {
                step(self.with_parameters(), workspace, given, out)
            }
        }
    };
}

steps_with_friction!(Loaded<T>);
steps_with_friction!(ContactsWithParameters<'_, T>);
