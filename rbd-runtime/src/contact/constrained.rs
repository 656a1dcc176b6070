//! Dynamics under contacts by constrained articulated bodies: contacts with limbs of their own.

use super::rows::{add_pulls, is_pulled};
use super::{ContactDynamics, ContactSettings, Mechanics};
use crate::__private::zeros;
use crate::Scalar;
use nalgebra::SVector;

/// Accelerations, forces in the contacts' own axes and residual.
///
/// False if the robot has no code for it, for several iterations, and if rows of a contact nearly depend on
/// one another as long as only its limb moves: a leg that is stretched. Then what was written is meaningless.
pub(super) fn dynamics_by_limbs<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    (v, tau): (&SVector<T, NV>, &SVector<T, NV>),
    active: &[bool; NC],
    settings: &ContactSettings<T, NC>,
    found: &mut ContactDynamics<T, NV, NR>,
) -> bool
where
    T: Scalar,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    if !robot.has_limbs() || settings.iterations > 1 {
        return false;
    }
    let mut activity = active.map(|active| if active { T::one() } else { T::zero() });
    let mut pulls: SVector<T, NR> = zeros();
    if is_pulled(robot.contacts(), active, settings) {
        add_pulls(robot, active, settings, pulls.as_mut_slice());
    }
    let mut dependence = [T::zero()];
    let is_there = robot.constrained_accelerations(
        v,
        tau,
        &mut activity,
        pulls.as_mut_slice(),
        &mut [settings.kd, settings.mu],
        found.ddq.as_mut_slice(),
        found.forces.as_mut_slice(),
        found.residual.as_mut_slice(),
        &mut dependence,
    );
    is_there && is_small(dependence[0])
}

/// True if the limbs' factors lose no more than four digits, in numbers of seven digits two.
///
/// Rows that depend on others make it infinite or huge, and NaN is not small. Several states in lanes are
/// judged together.
fn is_small<T: Scalar>(dependence: T) -> bool {
    let (zero, one) = (T::zero(), T::one());
    let digits = (one + T::from_f64(1e-10)) - one;
    let most = digits.select_lt(1e-11, T::from_f64(1e4), T::from_f64(1e8));
    (dependence - most).select_lt(0.0, zero, one) == zero
}
