//! A step with friction by factors of the mass matrix, without its inverse.

use super::Mechanics;
use super::factored::{Factored, pays};
use super::friction::{FrictionVelocities, Touching, dot, rows_mut, seen};
use crate::__private::zeros;
use crate::friction::{ContactSurface, FrictionSettings, Real};
use nalgebra::{SMatrix, SVector, Vector3};

/// The step, unless closed loops are to be held, or the robot has no code for factors, or few of its
/// contacts touch.
///
/// `touching` has no contacts before. `then` is called with the factors after the step.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn step_by_factors<T, R, const NV: usize, const NB: usize, const NC: usize, const NR: usize>(
    robot: &R,
    (v, tau, dt): (&SVector<T, NV>, &SVector<T, NV>, T),
    surfaces: &[Option<ContactSurface<T>>; NC],
    settings: &FrictionSettings<T>,
    start: Option<&SVector<T, NR>>,
    touching: &mut Touching<T, NC, NR>,
    then: impl FnOnce(&mut Factored<T, R::Factors, NV, NR>),
) -> Option<FrictionVelocities<T, NV, NC, NR>>
where
    T: Real,
    R: Mechanics<T, NV, NB, NC> + ?Sized,
{
    let contacts = robot.contacts();
    if !R::HAS_FACTORS || contacts.iter().any(|contact| contact.second.is_some()) {
        return None;
    }
    let touch = touching.find(contacts, surfaces, dt);
    if touch.contains(&true) && !pays::<T, R, NV, NB, NC>(robot, &touch) {
        return None;
    }
    let mut factored = Factored::<T, _, NV, NR>::zeros::<R, NB, NC>();
    if !factored.make(robot, v, tau) {
        return None;
    }
    let mut after = zeros();
    factored.velocities_after(dt, &mut after);
    let mut before = factored.velocities;
    for (k, (contact, axes)) in contacts.iter().zip(&touching.axes).enumerate() {
        let Some(axes) = axes else { continue };
        let by = seen(axes, &robot.placement(k).rotation.data.0);
        let turn = |rows: &mut [T; 3]| {
            let own = Vector3::from(*rows);
            *rows = by.map(|by| dot(&by, &own));
        };
        for of_rows in [&mut before, &mut after] {
            if let Some(rows) = rows_mut(of_rows.as_mut_slice(), contact) {
                turn(rows);
            }
        }
        for &(from, to) in contact.support {
            for column in factored.paths.data.0.iter_mut().take(to).skip(from) {
                if let Some(rows) = rows_mut(column, contact) {
                    turn(rows);
                }
            }
        }
    }
    let mut delassus: SMatrix<T, NR, NR> = zeros();
    factored.matrix(robot, &touch, &mut delassus);
    touching.add(contacts, [&before, &after], (surfaces, dt), (&delassus, settings), start);
    let report = touching.compact.solve(settings);
    let (own, impulses, modes) = touching.solution(contacts);
    // Momentum by torques and impulses, in place of torques alone.
    factored.reduced *= dt;
    let mut change = zeros();
    factored.respond(robot, &own, &mut change);
    let v = change + v;
    then(&mut factored);
    Some(FrictionVelocities { v, motion: v.map(|x| x * dt), impulses, modes, report })
}
