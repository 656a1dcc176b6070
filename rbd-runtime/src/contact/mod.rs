//! Dynamics under rigid contacts: accelerations and contact forces, impacts, derivatives
//! (docs/math.md#contacts).
//!
//! A generated robot with the option `contacts` has these functions as methods; the active contacts
//! are an argument. The code here is shared by all robots. It takes a robot's matrices and the
//! motion of its contacts from [`Mechanics`].
//!
//! A contact is a frame of the robot. Its rows are in the frame's own axes, or with [`ContactAxes`]
//! in the world's:
//!
//! - [`Point`](ContactKind::Point): acceleration of the frame's origin (3 rows).
//! - [`Plane`](ContactKind::Plane): spatial acceleration (6 rows, `[linear; angular]`).
//!
//! Forces act from the world on the robot, in the rows of the contact: N, and N m for the last
//! three rows of a plane. All contacts have rows, one after the other. Rows of inactive contacts
//! are zero.
//!
//! # Closed loops
//! A closed loop, as in a four-bar linkage, is a contact between two frames of the robot: two
//! points, or two whole frames, coincide. Its rows are the motion of the first frame relative to
//! the second, in the first frame's axes. Its forces act from the second body on the first, and
//! reversed on the second. Baumgarte's `kp` pulls the first frame to the second; there is no
//! anchor.
//!
//! # Redundant contacts
//! With four planes under one rigid body, or two points of a straight leg, the accelerations are
//! unique and the forces are not.
//!
//! - With `mu = 0`, a row that depends on rows before it carries no force. A row counts as
//!   dependent if its pivot of the Delassus matrix is below 1e-12 of the diagonal entry (1e-5 in
//!   `f32`).
//! - With `mu > 0`, the forces approach the least ones with each iteration (in the sum of squares
//!   of forces and moments).
//!
//! Neither divides by zero. If rows contradict one another, as when two contacts of one body move
//! apart, no acceleration satisfies all of them. The `residual` of every result is the error of
//! each row. It is NaN if an input is NaN.

mod axes;
mod chain;
mod closed_loop;
mod closed_points;
mod constrained;
mod derivatives;
mod dynamics;
mod factored;
mod friction;
mod friction_by_factors;
mod friction_derivatives;
mod friction_joints;
mod friction_problem;
#[rustfmt::skip]
mod functions;
mod hessian;
mod impulse_derivatives;
mod pairs;
mod rows;
mod solve;

pub use axes::ContactAxes;
pub use derivatives::{derivatives, derivatives_into};
pub use dynamics::{
    delassus, delassus_in, dynamics, errors, impulse, inverse_dynamics, inverse_dynamics_in, jacobian,
    jacobian_in, jacobian_into, placements, posture,
};
pub use friction::{FrictionVelocities, friction_step};
pub use friction_derivatives::{FrictionDerivativesOut, friction_step_derivatives};
pub use friction_joints::{friction_step_with_joints, friction_step_with_joints_derivatives};
pub use functions::{
    ContactDynamics, ContactDynamicsDerivatives, ContactImpulse, ContactImpulseDerivatives, Contacts,
    ContactsWithParameters,
};
pub use hessian::{
    ContactDynamicsHessian, ContactHessians, PathJoint, SecondOrderMechanics, hessian_with_first_into,
};
pub use impulse_derivatives::{impulse_derivatives, impulse_derivatives_into};

use crate::Scalar;
use crate::functions::{FrameAccelerationDerivatives, FrameVelocityDerivatives, RneaDerivatives};
use crate::linalg::ColumnGroup;
use crate::spatial::Placement;
use crate::tables::PlacementTable;
use nalgebra::{SMatrix, SVector};

/// Type of a contact: the motion that it prevents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContactKind {
    /// The frame's origin: three rows of forces.
    Point,
    /// The whole frame: three rows of forces, three of moments.
    Plane,
}

impl ContactKind {
    /// Number of rows.
    #[must_use]
    pub const fn rows(self) -> usize {
        match self {
            Self::Point => 3,
            Self::Plane => 6,
        }
    }
}

/// A frame and the body that carries it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carried {
    /// The moving body, by its number; `None` is the world.
    pub body: Option<usize>,
    /// The frame in that body's joint frame.
    pub placement: PlacementTable,
}

/// A contact of a robot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactTable {
    /// Kind of the contact.
    pub kind: ContactKind,
    /// First row of the contact.
    pub row: usize,
    /// Frame of the contact; of a closed loop, the first.
    pub frame: Carried,
    /// Second frame of a closed loop, which the first is to coincide with.
    pub second: Option<Carried>,
    /// Coordinates of v that can move the contact's rows, as runs from the first to before the
    /// last: the joints on the path from the root.
    ///
    /// Other entries of the Jacobian are not read.
    pub support: &'static [(usize, usize)],
}

/// Settings of the constraint solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings<T, const NC: usize> {
    /// Regularisation, added to the diagonal of the Delassus matrix, 1/kg (rotations: 1/(kg m^2)).
    /// By default 0.
    pub mu: T,
    /// Number of solutions, each for the residual of the last one. By default 1.
    ///
    /// With `mu = 0`, one solution is exact. With `mu > 0`, one solution gives compliant contacts,
    /// whose acceleration is `-mu` times their force. Each further one leaves the share
    /// `mu / (mu + x)` of that, for each eigenvalue x of the Delassus matrix.
    pub iterations: usize,
    /// Baumgarte's stiffness, 1/s^2: the share of a contact's distance from its anchor that is
    /// asked for as an acceleration back. By default 0.
    pub kp: T,
    /// Baumgarte's damping, 1/s: the gain of a contact's velocity error. By default 0.
    pub kd: T,
    /// Anchors: poses in the world to which `kp` pulls the contacts back. By default none.
    ///
    /// A contact without an anchor is not pulled. Closed loops have no anchor and are always
    /// pulled.
    pub anchors: [Option<Placement<T>>; NC],
    /// The axes of forces, impulses, residuals, errors and their derivatives. By default the contacts' own.
    pub axes: ContactAxes,
}

impl<T: Scalar, const NC: usize> Default for ContactSettings<T, NC> {
    fn default() -> Self {
        Self {
            mu: T::zero(),
            iterations: 1,
            kp: T::zero(),
            kd: T::zero(),
            anchors: [None; NC],
            axes: ContactAxes::Local,
        }
    }
}

impl<T: Scalar, const NC: usize> ContactSettings<T, NC> {
    /// Settings with `mu` and a number of iterations, for redundant contacts whose forces should be
    /// shared.
    ///
    /// In `f64`, `mu = 1e-6` and 5 iterations suffice for robots of some kilograms; in `f32`,
    /// `mu = 1e-3`.
    #[must_use]
    pub fn proximal(self, mu: T, iterations: usize) -> Self {
        Self { mu, iterations, ..self }
    }

    /// Settings with rows in the given axes, such as world-aligned forces for a friction cone on
    /// flat ground.
    #[must_use]
    pub fn in_axes(self, axes: ContactAxes) -> Self {
        Self { axes, ..self }
    }

    /// Settings with Baumgarte's terms, which pull contacts back to their anchors and damp them.
    ///
    /// `kp = kd^2 / 4` is critically damped.
    #[must_use]
    pub fn baumgarte(self, kp: T, kd: T, anchors: [Option<Placement<T>>; NC]) -> Self {
        Self { kp, kd, anchors, ..self }
    }
}

/// A robot in one configuration, as contacts need it: `NB` bodies and `NC` contacts. Implemented by
/// generated code.
///
/// Motions of contacts are those of their frames in [`Local`](crate::ReferenceFrame::Local): in the
/// frame's own axes. Contact number `k` is the first frame of contact k; `k + NC` is the second
/// frame of a closed loop.
pub trait Mechanics<T: Scalar, const NV: usize, const NB: usize, const NC: usize> {
    /// Numbers that [`Self::row_factors`] writes for [`Self::accelerations`]; none without these functions.
    type Factors: AsMut<[T]>;
    /// Factors, all zero.
    fn factors() -> Self::Factors;
    /// True if the robot has code for [`Self::row_factors`].
    const HAS_FACTORS: bool = false;
    /// The contacts.
    fn contacts(&self) -> &[ContactTable; NC];
    /// Number of contacts. Entries beyond it only fill the table, and are never active.
    fn contact_count(&self) -> usize {
        NC
    }
    /// The pose of a contact's frame in the world.
    fn placement(&self, contact: usize) -> Placement<T>;
    /// Writes the Jacobian of a contact's frame.
    fn jacobian(&self, contact: usize, out: &mut SMatrix<T, 6, NV>);
    /// Writes the velocity of a contact's frame.
    fn velocity(&self, contact: usize, v: &SVector<T, NV>, out: &mut SVector<T, 6>);
    /// Writes the spatial acceleration of a contact's frame at zero joint accelerations.
    fn bias_acceleration(&self, contact: usize, v: &SVector<T, NV>, out: &mut SVector<T, 6>);
    /// Writes the velocity of a contact's frame with derivatives.
    fn velocity_derivatives(
        &self,
        contact: usize,
        v: &SVector<T, NV>,
        out: &mut FrameVelocityDerivatives<T, NV>,
    );
    /// Writes the spatial acceleration of a contact's frame with derivatives.
    fn acceleration_derivatives(
        &self,
        contact: usize,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        out: &mut FrameAccelerationDerivatives<T, NV>,
    );
    /// Writes the Jacobian of all contacts' rows, a row a column, where it can differ from zero.
    ///
    /// False, as of the next two functions, without code for all contacts at once. Nothing is written then.
    fn rows(&self, jt: &mut [T]) -> bool {
        let _ = jt;
        false
    }
    /// Writes the Jacobian of all contacts' rows, a row a row, where it can differ from zero.
    fn row_jacobian(&self, jacobian: &mut [T]) -> bool {
        let _ = jacobian;
        false
    }
    /// Writes velocities of all contacts' rows, and their accelerations at zero joint accelerations, where
    /// they can differ from zero.
    fn row_motion(&self, v: &SVector<T, NV>, velocities: &mut [T], accelerations: &mut [T]) -> bool {
        let _ = (v, velocities, accelerations);
        false
    }
    /// Writes derivatives of the accelerations of all contacts' rows by q and v at the accelerations `a`, and
    /// of their velocities by q, where they can differ from zero.
    fn row_derivatives(
        &self,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        by_q: &mut [T],
        by_v: &mut [T],
        velocities_by_q: &mut [T],
    ) -> bool {
        let _ = (v, a, by_q, by_v, velocities_by_q);
        false
    }
    /// Writes factors of the mass matrix, and all contacts' rows with them (docs/math.md#contacts).
    ///
    /// With `M = L^T D L`: numbers that stand for L, the diagonal of `D^-1`, the reduced torques
    /// `L^-T (tau - b)`, `J L^-1` with a row a row, and the rows' velocities and accelerations without forces
    /// of contacts. The numbers that stand for L are its entries, or those of articulated bodies. What can
    /// differ from zero is written. False, with nothing written, for robots without such code.
    #[allow(clippy::too_many_arguments, reason = "each array is another result")]
    fn row_factors(
        &self,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        factors: &mut [T],
        pivots: &mut [T],
        reduced: &mut [T],
        paths: &mut [T],
        velocities: &mut [T],
        accelerations: &mut [T],
    ) -> bool {
        let _ = (v, tau, factors, pivots, reduced, paths, velocities, accelerations);
        false
    }
    /// Writes the accelerations `L^-1 D^-1 reduced`, of factors from [`Self::row_factors`].
    fn accelerations(
        &self,
        factors: &mut [T],
        pivots: &mut [T],
        reduced: &mut [T],
        accelerations: &mut [T],
    ) -> bool {
        let _ = (factors, pivots, reduced, accelerations);
        false
    }
    /// True if the robot has code for [`Self::constrained_accelerations`].
    fn has_limbs(&self) -> bool {
        false
    }
    /// Writes accelerations, forces and residual by constrained articulated bodies
    /// (docs/math.md#constrained-bodies).
    ///
    /// `activity` is 1 for each active contact and 0 for the others, `pulls` is `kp e` of each row, `gains`
    /// are `kd` and `mu`. `dependence` is one number: how nearly rows depend on one another if limbs alone
    /// move them. False, with nothing written, for robots without such code.
    #[allow(clippy::too_many_arguments, reason = "each array is another result")]
    fn constrained_accelerations(
        &self,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        activity: &mut [T],
        pulls: &mut [T],
        gains: &mut [T],
        accelerations: &mut [T],
        forces: &mut [T],
        residual: &mut [T],
        dependence: &mut [T],
    ) -> bool {
        let _ = (v, tau, activity, pulls, gains, accelerations, forces, residual, dependence);
        false
    }
    /// Writes the inverse of the mass matrix, of factors from [`Self::row_factors`].
    ///
    /// False, with nothing written, for robots without such code.
    fn inverse(&self, factors: &mut [T], pivots: &mut [T], minv: &mut [T]) -> bool {
        let _ = (factors, pivots, minv);
        false
    }
    /// Writes what [`Self::row_derivatives`] does, and the derivatives of inverse dynamics by q and v under
    /// these forces of the contacts, which are constant in the contacts' axes.
    ///
    /// It writes what can differ from zero. Columns of [`Self::beside_root`] are as said there. False, with
    /// nothing written, for robots without such code.
    #[allow(clippy::too_many_arguments, reason = "each array is another result")]
    fn row_and_torque_derivatives(
        &self,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        forces: &mut [T],
        by_q: &mut [T],
        by_v: &mut [T],
        velocities_by_q: &mut [T],
        torques_by_q: &mut [T],
        torques_by_v: &mut [T],
    ) -> bool {
        let _ = (v, a, forces, by_q, by_v, velocities_by_q, torques_by_q, torques_by_v);
        false
    }
    /// Writes the inverse of the mass matrix.
    fn minv(&self, out: &mut SMatrix<T, NV, NV>);
    /// Torques at zero acceleration.
    fn bias(&self, v: &SVector<T, NV>) -> SVector<T, NV>;
    /// Inverse dynamics under forces on bodies.
    fn rnea_fext(&self, v: &SVector<T, NV>, a: &SVector<T, NV>, fext: &[SVector<T, 6>; NB])
    -> SVector<T, NV>;
    /// Writes inverse dynamics with derivatives, under forces on bodies that are constant in their
    /// joint frames.
    fn rnea_derivatives_fext(
        &self,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        fext: &[SVector<T, 6>; NB],
        out: &mut RneaDerivatives<T, NV>,
    );
    /// Entries of the derivatives of inverse dynamics by q and v that may be nonzero.
    ///
    /// Column runs start at the first column; the row runs of each are its terms. Columns of q on
    /// which no motion of the robot depends, a base's position, are left out.
    fn relatives(&self) -> [&[ColumnGroup<'_>]; 2];
    /// [`Self::relatives`] without terms in columns of a floating root that are known
    /// (docs/math.md#root-columns): turns by q, linear velocities by v.
    ///
    /// [`Self::row_and_torque_derivatives`] then writes to the first three rows of these columns, in place of
    /// torques, what accelerations change by in addition to what the rows ask for.
    fn beside_root(&self) -> Option<[&[ColumnGroup<'_>]; 2]> {
        None
    }
}
