//! Settings of the solver and of the step.

use super::Real;

/// Settings of the step with friction and of its solver.
///
/// The most operations are those of `22 + rounds + 4 (2^continuations - 1)` rounds of the method of
/// multipliers with twice `newton_steps`. Few problems take more than sweeps and one run of Newton's steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionSettings<T> {
    /// The largest residual of a converged solution. By default 1e-9, and 1e-4 in `f32`.
    ///
    /// `natural` is compared as it is, `feasibility` relative to 1 m/s or a larger free velocity. Products
    /// are compared relative to 1 J or a larger energy that impulses exchange.
    pub tolerance: T,
    /// Sweeps of projected Gauss-Seidel before Newton's steps. By default 5.
    pub sweeps: usize,
    /// The most steps of each run of Newton's method. By default 20.
    pub newton_steps: usize,
    /// Iterations of the method of multipliers in each round. By default 100.
    pub admm_iterations: usize,
    /// Rounds of the method of multipliers, each followed by Newton's steps, if 22 levels of compliance that
    /// falls to none were not enough. By default 4. If it is 0, there are no such levels.
    pub rounds: usize,
    /// Number of times that friction is lowered and grows again in 4, 8, 16 .. levels, if all else failed.
    /// By default 3.
    pub continuations: usize,
    /// Share of a penetration that is asked for as motion back within a step. By default 0.2.
    ///
    /// The same share of the position errors of closed loops is.
    pub correction: T,
    /// Approach velocity below which nothing rebounds, m/s. By default 0.
    pub least_impact: T,
}

impl<T: Real> Default for FrictionSettings<T> {
    fn default() -> Self {
        Self {
            tolerance: T::from_f64(T::TOLERANCE),
            sweeps: 5,
            newton_steps: 20,
            admm_iterations: 100,
            rounds: 4,
            continuations: 3,
            correction: T::from_f64(0.2),
            least_impact: T::zero(),
        }
    }
}
