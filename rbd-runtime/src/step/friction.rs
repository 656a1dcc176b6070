//! Robots with a step with friction.

use super::StepDerivatives;
use crate::__private::zeros;
use crate::Mechanism;
use crate::contact::{Contacts, FrictionDerivativesOut, FrictionVelocities};
use crate::friction::{
    ContactMode, ContactSurface, FrictionIterations, FrictionReport, FrictionResiduals, FrictionSettings,
    JointContacts, Real,
};
use nalgebra::{SMatrix, SVector};

/// Result of `friction_step`: the next state, impulses, and residuals of the laws of contact.
///
/// `M (v+ - v) = dt (tau - b) + J^T impulses`, `q+ = integrate(q, dt v+)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionStep<T, const NQ: usize, const NV: usize, const NC: usize, const NR: usize> {
    /// Configuration after the step (NQ).
    pub q: SVector<T, NQ>,
    /// Joint velocities after the step (NV).
    pub v: SVector<T, NV>,
    /// Impulses of the world on the robot, row by row, in the world's axes (NR): N s.
    ///
    /// Divided by the time of the step they are mean forces. Rows of closed loops are in the axes of the
    /// loop's first frame.
    pub impulses: SVector<T, NR>,
    /// Mode of each contact (NC). Closed loops stick.
    pub modes: [ContactMode; NC],
    /// Residuals of the laws of contact.
    pub residuals: FrictionResiduals<T>,
    /// Iterations of each method.
    pub iterations: FrictionIterations,
    /// True if all residuals are at most the tolerance. If not, impulses are in their cones, and the others
    /// are the best that were found.
    pub converged: bool,
}

impl<T: Real, const NQ: usize, const NV: usize, const NC: usize, const NR: usize>
    FrictionStep<T, NQ, NV, NC, NR>
{
    /// A place for a result.
    fn zeros() -> Self {
        Self {
            q: zeros(),
            v: zeros(),
            impulses: zeros(),
            modes: [ContactMode::Open; NC],
            residuals: FrictionResiduals::zero(),
            iterations: FrictionIterations::default(),
            converged: false,
        }
    }

    /// A step to a configuration, from the velocities after it.
    #[doc(hidden)]
    #[must_use]
    pub fn to(q: SVector<T, NQ>, found: FrictionVelocities<T, NV, NC, NR>) -> Self {
        let FrictionVelocities { v, impulses, modes, report, .. } = found;
        let FrictionReport { residuals, iterations, converged } = report;
        Self { q, v, impulses, modes, residuals, iterations, converged }
    }
}

/// Result of `friction_step_derivatives`: a step, its derivatives, and whether there are any.
///
/// Each contact keeps its mode: open contacts carry nothing, sticking ones do not move, and the impulses of
/// sliding ones stay on their cones (docs/math.md#contacts-with-friction).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionStepDerivatives<T, const NQ: usize, const NV: usize, const NC: usize, const NR: usize> {
    /// The next state and its derivatives in the tangent spaces of the old and the new state.
    pub step: StepDerivatives<T, NQ, NV>,
    /// Derivative of the impulses by the configuration, in its tangent space (NR x NV).
    pub impulses_dq: SMatrix<T, NR, NV>,
    /// Derivative of the impulses by the velocity (NR x NV).
    pub impulses_dv: SMatrix<T, NR, NV>,
    /// Derivative of the impulses by the torques (NR x NV), s.
    pub impulses_dtau: SMatrix<T, NR, NV>,
    /// Result of `friction_step`: impulses, modes, and whether they converged.
    pub contacts: FrictionStep<T, NQ, NV, NC, NR>,
    /// Distance of the nearest contact from another mode, without a unit: at zero, there is no derivative.
    ///
    /// It is that of [`impulse_derivatives`](crate::friction::impulse_derivatives).
    pub margin: T,
}

impl<T: Real, const NQ: usize, const NV: usize, const NC: usize, const NR: usize>
    FrictionStepDerivatives<T, NQ, NV, NC, NR>
{
    /// All zero: a place for a result.
    #[must_use]
    pub fn zeros() -> Self {
        let (step, contacts, margin) = (StepDerivatives::zeros(), FrictionStep::zeros(), T::zero());
        let [impulses_dq, impulses_dv, impulses_dtau] = [zeros(); 3];
        Self { step, impulses_dq, impulses_dv, impulses_dtau, contacts, margin }
    }

    /// Destinations of the derivatives of velocities and impulses.
    #[doc(hidden)]
    #[must_use]
    pub fn out(&mut self) -> FrictionDerivativesOut<'_, T, NV, NR> {
        let Self { step, impulses_dq, impulses_dv, impulses_dtau, .. } = self;
        FrictionDerivativesOut {
            v: [&mut step.dv_dq, &mut step.dv_dv, &mut step.dv_dtau],
            impulses: [impulses_dq, impulses_dv, impulses_dtau],
        }
    }

    /// Adds the configuration after the step, from the velocities whose derivatives are there.
    #[doc(hidden)]
    pub fn finish<R: Mechanism<NQ, NV>>(
        &mut self,
        q: &SVector<T, NQ>,
        dt: T,
        (found, margin): (FrictionVelocities<T, NV, NC, NR>, T),
    ) {
        let Self { step, contacts, margin: to, .. } = self;
        *contacts = FrictionStep::to(R::integrate(q, &found.motion), found);
        (step.q, step.v, *to) = (contacts.q, contacts.v, margin);
        step.move_on(R::JOINTS, &found.motion, dt);
    }
}

/// Result of `friction_step_with_joints`: a step, and the impulses of friction and limits in joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointFrictionStep<T, const NQ: usize, const NV: usize, const NC: usize, const NR: usize> {
    /// The step.
    pub step: FrictionStep<T, NQ, NV, NC, NR>,
    /// Impulses of dry friction and limits on the coordinates (NV): N m s, N s.
    ///
    /// Divided by the time of the step they are mean torques.
    pub joints: SVector<T, NV>,
}

/// Result of `friction_step_with_joints_derivatives`: a step, its derivatives, and whether there are any.
///
/// Each contact and each coordinate keeps its mode. A coordinate moves under an impulse that is known, does
/// not move, or moves as its limit allows (docs/math.md#contacts-with-friction).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointFrictionStepDerivatives<T, const NQ: usize, const NV: usize, const NC: usize, const NR: usize>
{
    /// The next state and its derivatives in the tangent spaces of the old and the new state.
    pub step: StepDerivatives<T, NQ, NV>,
    /// Derivative of the contacts' impulses by the configuration, in its tangent space (NR x NV).
    pub impulses_dq: SMatrix<T, NR, NV>,
    /// Derivative of the contacts' impulses by the velocity (NR x NV).
    pub impulses_dv: SMatrix<T, NR, NV>,
    /// Derivative of the contacts' impulses by the torques (NR x NV), s.
    pub impulses_dtau: SMatrix<T, NR, NV>,
    /// Derivative of the impulses on coordinates by the configuration, in its tangent space (NV x NV).
    pub joints_dq: SMatrix<T, NV, NV>,
    /// Derivative of the impulses on coordinates by the velocity (NV x NV).
    pub joints_dv: SMatrix<T, NV, NV>,
    /// Derivative of the impulses on coordinates by the torques (NV x NV), s.
    pub joints_dtau: SMatrix<T, NV, NV>,
    /// Result of `friction_step_with_joints`: impulses, modes, and whether they converged.
    pub contacts: JointFrictionStep<T, NQ, NV, NC, NR>,
    /// Distance of the nearest contact or coordinate from another mode, without a unit.
    ///
    /// At zero, there is no derivative.
    ///
    /// It is that of [`impulse_derivatives_with_joints`](crate::friction::impulse_derivatives_with_joints).
    pub margin: T,
}

impl<T: Real, const NQ: usize, const NV: usize, const NC: usize, const NR: usize>
    JointFrictionStepDerivatives<T, NQ, NV, NC, NR>
{
    /// All zero: a place for a result.
    #[must_use]
    pub fn zeros() -> Self {
        let contacts = JointFrictionStep { step: FrictionStep::zeros(), joints: zeros() };
        let [impulses_dq, impulses_dv, impulses_dtau] = [zeros(); 3];
        let [joints_dq, joints_dv, joints_dtau] = [zeros(); 3];
        Self {
            step: StepDerivatives::zeros(),
            impulses_dq,
            impulses_dv,
            impulses_dtau,
            joints_dq,
            joints_dv,
            joints_dtau,
            contacts,
            margin: T::zero(),
        }
    }

    /// Destinations of the derivatives of velocities and impulses.
    #[doc(hidden)]
    #[must_use]
    pub fn out(&mut self) -> (FrictionDerivativesOut<'_, T, NV, NR>, [&mut SMatrix<T, NV, NV>; 3]) {
        let Self { step, impulses_dq, impulses_dv, impulses_dtau, joints_dq, joints_dv, joints_dtau, .. } =
            self;
        let out = FrictionDerivativesOut {
            v: [&mut step.dv_dq, &mut step.dv_dv, &mut step.dv_dtau],
            impulses: [impulses_dq, impulses_dv, impulses_dtau],
        };
        (out, [joints_dq, joints_dv, joints_dtau])
    }

    /// Adds the configuration after the step, from the velocities whose derivatives are there.
    #[doc(hidden)]
    pub fn finish<R: Mechanism<NQ, NV>>(
        &mut self,
        q: &SVector<T, NQ>,
        dt: T,
        (found, joints, margin): (FrictionVelocities<T, NV, NC, NR>, SVector<T, NV>, T),
    ) {
        let Self { step, contacts, margin: to, .. } = self;
        contacts.joints = joints;
        contacts.step = FrictionStep::to(R::integrate(q, &found.motion), found);
        (step.q, step.v, *to) = (contacts.step.q, contacts.step.v, margin);
        step.move_on(R::JOINTS, &found.motion, dt);
    }
}

/// Impulses of the last step with joints, if there are any.
#[doc(hidden)]
#[must_use]
pub fn all_impulses_of<T, const NQ: usize, const NV: usize, const NC: usize, const NR: usize>(
    last: Option<&JointFrictionStep<T, NQ, NV, NC, NR>>,
) -> Option<(&SVector<T, NR>, &SVector<T, NV>)> {
    last.map(|last| (&last.step.impulses, &last.joints))
}

/// Impulses of the last step, if there are any.
#[doc(hidden)]
#[must_use]
pub fn impulses_of<T, const NQ: usize, const NV: usize, const NC: usize, const NR: usize>(
    last: Option<&FrictionStep<T, NQ, NV, NC, NR>>,
) -> Option<&SVector<T, NR>> {
    last.map(|last| &last.impulses)
}

/// Robots with a step with friction: those made with the option `contacts`, if all contacts are points.
///
/// Closed loops may be of either kind: they are held.
#[diagnostic::on_unimplemented(
    note = "a robot implements it if it is made with `contacts: [..]` and none of them is a plane",
    note = "a plane has no cone of three rows: list its corners as points, with the option `frames`",
    note = "the sizes are the type's own: `<{{R::NQ}}, {{R::NV}}, {{R::NC}}, {{R::CONTACT_ROWS}}>`"
)]
pub trait FrictionContacts<const NQ: usize, const NV: usize, const NC: usize, const NR: usize>:
    Contacts<NQ, NV, NC, NR>
{
    /// The state after a time `dt` (s) under torques and contacts with friction.
    ///
    /// - `surfaces`: what each contact meets, or `None` if nothing is near. Closed loops ignore theirs.
    /// - `last`: result of the last step, from which the solver begins.
    ///
    /// With `dt = 0`, it is an impact: velocities change, and positions do not.
    #[must_use]
    fn friction_step<T: Real>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        surfaces: &[Option<ContactSurface<T>>; NC],
        settings: &FrictionSettings<T>,
        last: Option<&FrictionStep<T, NQ, NV, NC, NR>>,
    ) -> FrictionStep<T, NQ, NV, NC, NR>;

    /// [`Self::friction_step`] with derivatives by q, v and tau, in the tangent spaces of the old and the new
    /// state.
    ///
    /// They are derivatives of the solution, by the implicit function theorem. Surfaces are planes that do
    /// not move: distances change with q along the normals.
    #[must_use]
    fn friction_step_derivatives<T: Real>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        surfaces: &[Option<ContactSurface<T>>; NC],
        settings: &FrictionSettings<T>,
        last: Option<&FrictionStep<T, NQ, NV, NC, NR>>,
    ) -> FrictionStepDerivatives<T, NQ, NV, NC, NR> {
        let mut out = FrictionStepDerivatives::zeros();
        Self::friction_step_derivatives_into(q, v, tau, dt, surfaces, settings, last, &mut out);
        out
    }

    /// [`Self::friction_step_derivatives`] without a copy. Writes every entry of `out`.
    #[expect(clippy::too_many_arguments, reason = "those of the step, and where the result goes")]
    fn friction_step_derivatives_into<T: Real>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        surfaces: &[Option<ContactSurface<T>>; NC],
        settings: &FrictionSettings<T>,
        last: Option<&FrictionStep<T, NQ, NV, NC, NR>>,
        out: &mut FrictionStepDerivatives<T, NQ, NV, NC, NR>,
    );

    /// [`Self::friction_step`] with dry friction and limits of joints.
    ///
    /// - `joints`: friction, and distances from limits at q: [`JointContacts::of`] takes the URDF's.
    /// - `last`: result of the last step of this kind.
    #[expect(clippy::too_many_arguments, reason = "those of the step, and the joints")]
    #[must_use]
    fn friction_step_with_joints<T: Real>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        surfaces: &[Option<ContactSurface<T>>; NC],
        joints: &JointContacts<T, NV>,
        settings: &FrictionSettings<T>,
        last: Option<&JointFrictionStep<T, NQ, NV, NC, NR>>,
    ) -> JointFrictionStep<T, NQ, NV, NC, NR>;

    /// [`Self::friction_step_with_joints`] with derivatives by q, v and tau, in the tangent spaces of the old
    /// and the new state.
    ///
    /// They are those of [`Self::friction_step_derivatives`], with joints that keep their modes. The distance
    /// from a limit changes with its own coordinate.
    #[expect(clippy::too_many_arguments, reason = "those of the step, and the joints")]
    #[must_use]
    fn friction_step_with_joints_derivatives<T: Real>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        surfaces: &[Option<ContactSurface<T>>; NC],
        joints: &JointContacts<T, NV>,
        settings: &FrictionSettings<T>,
        last: Option<&JointFrictionStep<T, NQ, NV, NC, NR>>,
    ) -> JointFrictionStepDerivatives<T, NQ, NV, NC, NR> {
        let mut out = JointFrictionStepDerivatives::zeros();
        Self::friction_step_with_joints_derivatives_into(
            q, v, tau, dt, surfaces, joints, settings, last, &mut out,
        );
        out
    }

    /// [`Self::friction_step_with_joints_derivatives`] without a copy. Writes every entry of `out`.
    #[expect(clippy::too_many_arguments, reason = "those of the step, the joints, and where the result goes")]
    fn friction_step_with_joints_derivatives_into<T: Real>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        dt: T,
        surfaces: &[Option<ContactSurface<T>>; NC],
        joints: &JointContacts<T, NV>,
        settings: &FrictionSettings<T>,
        last: Option<&JointFrictionStep<T, NQ, NV, NC, NR>>,
        out: &mut JointFrictionStepDerivatives<T, NQ, NV, NC, NR>,
    );
}
