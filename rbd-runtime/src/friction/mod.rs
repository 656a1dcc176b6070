//! Contacts with friction at velocity level: impulses that push, and stay within Coulomb's cones
//! (docs/math.md#contacts-with-friction).
//!
//! ```text
//! FrictionProblem ──> Scaled ──> Search: sweeps, Newton ──> impulses, modes, FrictionReport
//!  (G, g, mu, R)                   │            ^
//!                                  └──> Admm ───┘  only if these did not converge
//! ```
//!
//! - [`solve`] takes a [`FrictionProblem`], which may come from anywhere, on slices of any length.
//! - [`solve_with_joints`] takes dry friction and limits of joints too.
//! - [`impulse_derivatives`] and [`impulse_derivatives_with_joints`] give derivatives of their solutions.
//! - [`contact::friction_step`](crate::contact::friction_step) makes the problem of a robot with the option
//!   `contacts`. Generated robots call it.
//!
//! Nothing here allocates or panics. The settings bound the number of operations. What does not converge is
//! said in the result.

mod admm;
mod cone;
mod dense;
mod derivatives;
mod gauss_seidel;
mod joints;
mod linearised;
mod newton;
mod problem;
mod real;
mod residuals;
mod search;
mod settings;
mod solve;
mod surface;

pub use derivatives::{impulse_derivatives, impulse_derivatives_with_joints};
pub use joints::{JointContacts, JointLaw};
pub(crate) use linearised::Linearised;
pub use problem::FrictionProblem;
pub use real::Real;
pub use residuals::FrictionResiduals;
pub use settings::FrictionSettings;
pub use solve::{FrictionMemory, solve, solve_with_joints};
pub(crate) use solve::{MATRICES, VECTORS_WITH_JOINTS};
pub use surface::ContactSurface;

/// Mode of a contact during a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ContactMode {
    /// No impulse: the contact separates, or stays apart.
    #[default]
    Open,
    /// No motion. The impulse is inside of the friction cone.
    Stick,
    /// Sliding. The impulse is on the friction cone.
    Slide,
}

/// Numbers of iterations of each method in a solution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrictionIterations {
    /// Sweeps of projected Gauss-Seidel.
    pub sweeps: usize,
    /// Newton's steps by modes.
    pub newton: usize,
    /// Iterations of the method of multipliers. Zero, if sweeps and Newton's steps were enough.
    pub admm: usize,
}

/// Report on the solution of a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionReport<T> {
    /// Residuals of the laws of contact.
    pub residuals: FrictionResiduals<T>,
    /// Iterations of each method.
    pub iterations: FrictionIterations,
    /// True if all residuals are at most the tolerance of the settings.
    pub converged: bool,
}
