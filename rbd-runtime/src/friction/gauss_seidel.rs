//! Projected Gauss-Seidel: contact after contact takes a fixed-point step.

use super::cone::{corrected, project};
use super::joints;
use super::problem::{Scaled, threes_mut};
use super::real::{Real, abs, max};

/// One sweep over all contacts. Returns the largest change of an impulse.
///
/// The step is `1/w` with w = 3/2: half the trace of a scaled block, and at least half of its largest
/// eigenvalue.
pub(super) fn sweep<T: Real>(problem: &Scaled<'_, T>, f: &mut [T]) -> T {
    let (step, mut change) = (T::from_f64(1.0 / 1.5), T::zero());
    for (k, mu) in problem.friction.iter().enumerate() {
        let c = corrected(problem.velocities_of(k, f), *mu);
        let Some(own) = threes_mut(f).get_mut(k) else { continue };
        let to = project(core::array::from_fn(|r| own[r] - c[r] * step), *mu);
        for (own, to) in own.iter_mut().zip(to) {
            change = max(change, abs(*own - to));
            *own = to;
        }
    }
    let first = problem.first_joint();
    for (k, law) in problem.joints.iter().enumerate() {
        let c = problem.velocity_of(first + k, f);
        let Some(own) = f.get_mut(first + k) else { continue };
        // The entry of the diagonal is 1.
        let to = joints::project(*law, *own - c, T::one());
        change = max(change, abs(*own - to));
        *own = to;
    }
    change
}
