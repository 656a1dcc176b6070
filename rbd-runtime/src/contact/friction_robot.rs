//! Robots with a step with friction.

use super::{Contacts, FrictionVelocities};
use crate::friction::{
    ContactMode, ContactSurface, FrictionIterations, FrictionReport, FrictionResiduals, FrictionSettings,
    Real,
};
use nalgebra::SVector;

/// Result of `friction_step`: the next state, impulses, and how far they are from the laws of contact.
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
    /// How far the contacts are from the laws of contact.
    pub residuals: FrictionResiduals<T>,
    /// What the solution took.
    pub iterations: FrictionIterations,
    /// Whether all residuals are at most the tolerance. If not, impulses are in their cones, and the others
    /// are the best that were found.
    pub converged: bool,
}

impl<T: Real, const NQ: usize, const NV: usize, const NC: usize, const NR: usize>
    FrictionStep<T, NQ, NV, NC, NR>
{
    /// A step to a configuration, from the velocities after it.
    #[doc(hidden)]
    #[must_use]
    pub fn to(q: SVector<T, NQ>, found: FrictionVelocities<T, NV, NC, NR>) -> Self {
        let FrictionVelocities { v, impulses, modes, report, .. } = found;
        let FrictionReport { residuals, iterations, converged } = report;
        Self { q, v, impulses, modes, residuals, iterations, converged }
    }
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
}
