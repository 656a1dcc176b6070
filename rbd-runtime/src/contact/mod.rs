//! Dynamics of a robot whose contacts with the world hold: accelerations and contact forces, impacts, derivatives
//! (docs/math.md#contacts).
//!
//! A generated robot with the option `contacts` has these as methods; which contacts are active is an argument. What is
//! here is the same for every robot: it needs a robot's matrices and the motion of its contacts, [`Mechanics`].
//!
//! A contact is a frame of the robot. Its rows are in the frame's own axes, or by [`ContactAxes`] in the world's: of a [`Point`](ContactKind::Point) the
//! acceleration of the frame's origin (3 rows), of a [`Plane`](ContactKind::Plane) the spatial acceleration (6 rows,
//! `[linear; angular]`). Forces are what the world does to the robot, in the same rows: N, and N m for the last three of a plane.
//! All contacts have rows, one after the other; those of inactive ones are zero.
//!
//! # Closed loops
//! A closed loop, as of a four-bar linkage, is a contact of two frames of the robot with one another: two points, or two whole
//! frames, that coincide. Its rows are the motion of the first relative to the second, in the first frame's axes, and its
//! forces what the second body does to the first; the opposite acts on the second. Baumgarte's `kp` pulls the first to the
//! second, with no anchor.
//!
//! # Redundant contacts
//! Four planes under one rigid body, two points of a straight leg: the accelerations are unique, the forces are not. With
//! `mu = 0` a row that follows from rows before it carries no force: where a pivot of the Delassus matrix is below 1e-12 of
//! its diagonal entry (1e-5 in `f32`). With `mu > 0` the forces tend with each iteration to the least ones (in the sum of
//! squares of forces and moments). Neither divides by zero. If rows contradict one another, as where two contacts of one body
//! move apart, no acceleration obeys all: the `residual` of every result says by how much each row is missed, and is not a
//! number where an input is not.

mod axes;
mod closed_loop;
mod contacts;
mod derivatives;
mod dynamics;
mod impulse_derivatives;
mod rows;
mod solve;

pub use axes::ContactAxes;
pub use contacts::Contacts;
pub use derivatives::{derivatives, derivatives_into};
pub use dynamics::{
    delassus, delassus_in, dynamics, errors, impulse, inverse_dynamics, inverse_dynamics_in, jacobian,
    jacobian_in, placements, posture,
};
pub use impulse_derivatives::{impulse_derivatives, impulse_derivatives_into};

use crate::functions::{FrameAccelerationDerivatives, FrameVelocityDerivatives, RneaDerivatives};
use crate::linalg::ColumnGroup;
use crate::spatial::Placement;
use crate::tables::PlacementTable;
use crate::{__private::zeros, Scalar};
use nalgebra::{SMatrix, SVector};

/// What a contact holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContactKind {
    /// The frame's origin: three rows of forces.
    Point,
    /// The whole frame: three rows of forces, three of moments.
    Plane,
}

impl ContactKind {
    /// How many rows it has.
    #[must_use]
    pub const fn rows(self) -> usize {
        match self {
            Self::Point => 3,
            Self::Plane => 6,
        }
    }
}

/// A frame, and what carries it.
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
    /// What it holds.
    pub kind: ContactKind,
    /// Its first row.
    pub row: usize,
    /// Its frame.
    pub frame: Carried,
    /// The frame that it is to coincide with, of a closed loop.
    pub second: Option<Carried>,
    /// The coordinates of v that its rows can move with, from the first to before the last of each run: those of the joints
    /// on the way from the root. No entry of the Jacobian beside them is looked at.
    pub support: &'static [(usize, usize)],
}

/// How constraints are held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings<T, const NC: usize> {
    /// What is added on the diagonal of the Delassus matrix, 1/kg (rotations: 1/(kg m^2)). By default 0.
    pub mu: T,
    /// How often the system is solved, each time for what the last time left. With `mu = 0`, once is exact (the default). With
    /// `mu > 0`, once gives compliant contacts, whose acceleration is `-mu` times their force; each time more takes the share
    /// `mu / (mu + x)` of that, for each eigenvalue x of the Delassus matrix.
    pub iterations: usize,
    /// Baumgarte's stiffness, 1/s^2: the share of a contact's distance from its anchor that is asked for as an acceleration
    /// back. By default 0.
    pub kp: T,
    /// Baumgarte's damping, 1/s: the same of a contact's velocity. By default 0.
    pub kd: T,
    /// Where the contacts were made, frames in the world; only those with an anchor are pulled back by `kp`, and closed loops,
    /// which have none. By default none.
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
    /// Solved so many times with this `mu`: what redundant contacts need for forces that are shared among them. In `f64`,
    /// `mu = 1e-6` and 5 iterations do for robots of some kilograms; in `f32`, `mu = 1e-3`.
    #[must_use]
    pub fn proximal(self, mu: T, iterations: usize) -> Self {
        Self { mu, iterations, ..self }
    }

    /// With rows in these axes: forces in the world's for a friction cone on flat ground, say.
    #[must_use]
    pub fn in_axes(self, axes: ContactAxes) -> Self {
        Self { axes, ..self }
    }

    /// With Baumgarte's terms: contacts are pulled back to where they were made and slowed down. `kp = kd^2 / 4` is
    /// critically damped.
    #[must_use]
    pub fn baumgarte(self, kp: T, kd: T, anchors: [Option<Placement<T>>; NC]) -> Self {
        Self { kp, kd, anchors, ..self }
    }
}

/// Accelerations and contact forces. `NR` is the number of rows of all contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactDynamics<T, const NV: usize, const NR: usize> {
    /// Joint accelerations: rad/s^2, m/s^2.
    pub ddq: SVector<T, NV>,
    /// What the world does to the robot, row by row: N, N m.
    pub forces: SVector<T, NR>,
    /// How far each row is from holding, m/s^2, rad/s^2: rounding, unless `mu` is left or rows contradict one another.
    pub residual: SVector<T, NR>,
}

/// Velocities after an impact, and impulses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactImpulse<T, const NV: usize, const NR: usize> {
    /// Joint velocities after it: rad/s, m/s.
    pub v_plus: SVector<T, NV>,
    /// What the world does to the robot, row by row: N s, N m s.
    pub impulses: SVector<T, NR>,
    /// How far each row is from holding, m/s, rad/s.
    pub residual: SVector<T, NR>,
}

/// Velocities after an impact and impulses with their derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactImpulseDerivatives<T, const NV: usize, const NR: usize> {
    /// Joint velocities after it: rad/s, m/s.
    pub v_plus: SVector<T, NV>,
    /// Impulses of the world on the robot, row by row: N s, N m s.
    pub impulses: SVector<T, NR>,
    /// How far each row is from holding, m/s, rad/s.
    pub residual: SVector<T, NR>,
    /// Derivative of the velocities after it in the tangent space of q: 1/s.
    pub v_plus_dq: SMatrix<T, NV, NV>,
    /// Derivative of the velocities after it by those before: 1.
    pub v_plus_dv: SMatrix<T, NV, NV>,
    /// Derivative of the velocities after it by the restitution: rad/s, m/s.
    pub v_plus_drestitution: SVector<T, NV>,
    /// Derivative of the impulses in the tangent space of q: N s/rad.
    pub impulses_dq: SMatrix<T, NR, NV>,
    /// Derivative of the impulses by the velocities before: kg/rad, kg m/rad.
    pub impulses_dv: SMatrix<T, NR, NV>,
    /// Derivative of the impulses by the restitution: N s, N m s.
    pub impulses_drestitution: SVector<T, NR>,
}

impl<T: Scalar, const NV: usize, const NR: usize> ContactImpulseDerivatives<T, NV, NR> {
    /// All zero.
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            v_plus: zeros(),
            impulses: zeros(),
            residual: zeros(),
            v_plus_dq: zeros(),
            v_plus_dv: zeros(),
            v_plus_drestitution: zeros(),
            impulses_dq: zeros(),
            impulses_dv: zeros(),
            impulses_drestitution: zeros(),
        }
    }
}

/// Accelerations and contact forces with their derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactDynamicsDerivatives<T, const NV: usize, const NR: usize> {
    /// Joint accelerations: rad/s^2, m/s^2.
    pub ddq: SVector<T, NV>,
    /// What the world does to the robot, row by row: N, N m.
    pub forces: SVector<T, NR>,
    /// How far each row is from holding, m/s^2, rad/s^2.
    pub residual: SVector<T, NR>,
    /// Derivative of the accelerations in the tangent space of q: 1/s^2.
    pub ddq_dq: SMatrix<T, NV, NV>,
    /// Derivative of the accelerations by the velocity: 1/s.
    pub ddq_dv: SMatrix<T, NV, NV>,
    /// Derivative of the accelerations by the torques: 1/(kg m^2); symmetric.
    pub ddq_dtau: SMatrix<T, NV, NV>,
    /// Derivative of the forces in the tangent space of q: N/rad.
    pub forces_dq: SMatrix<T, NR, NV>,
    /// Derivative of the forces by the velocity: N s/rad.
    pub forces_dv: SMatrix<T, NR, NV>,
    /// Derivative of the forces by the torques: 1/m.
    pub forces_dtau: SMatrix<T, NR, NV>,
}

impl<T: Scalar, const NV: usize, const NR: usize> ContactDynamicsDerivatives<T, NV, NR> {
    /// All zero.
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            ddq: zeros(),
            forces: zeros(),
            residual: zeros(),
            ddq_dq: zeros(),
            ddq_dv: zeros(),
            ddq_dtau: zeros(),
            forces_dq: zeros(),
            forces_dv: zeros(),
            forces_dtau: zeros(),
        }
    }
}

/// A robot in one configuration, as far as contacts need it: `NB` bodies and `NC` contacts. Generated code implements it.
///
/// Motions of contacts are those of their frames in [`Local`](crate::ReferenceFrame::Local): in the frame's own axes. Where
/// a contact is asked for by its number, that number plus `NC` is its second frame, of a closed loop.
pub trait Mechanics<T: Scalar, const NV: usize, const NB: usize, const NC: usize> {
    /// The contacts.
    fn contacts(&self) -> &[ContactTable; NC];
    /// The pose of a contact's frame in the world.
    fn placement(&self, contact: usize) -> Placement<T>;
    /// Writes its Jacobian.
    fn jacobian(&self, contact: usize, out: &mut SMatrix<T, 6, NV>);
    /// Writes its velocity.
    fn velocity(&self, contact: usize, v: &SVector<T, NV>, out: &mut SVector<T, 6>);
    /// Writes its spatial acceleration at zero joint accelerations.
    fn bias_acceleration(&self, contact: usize, v: &SVector<T, NV>, out: &mut SVector<T, 6>);
    /// Writes its velocity with derivatives.
    fn velocity_derivatives(
        &self,
        contact: usize,
        v: &SVector<T, NV>,
        out: &mut FrameVelocityDerivatives<T, NV>,
    );
    /// Writes its spatial acceleration with derivatives.
    fn acceleration_derivatives(
        &self,
        contact: usize,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        out: &mut FrameAccelerationDerivatives<T, NV>,
    );
    /// Writes the inverse of the mass matrix.
    fn minv(&self, out: &mut SMatrix<T, NV, NV>);
    /// Torques at zero acceleration.
    fn bias(&self, v: &SVector<T, NV>) -> SVector<T, NV>;
    /// Inverse dynamics under forces on bodies.
    fn rnea_fext(&self, v: &SVector<T, NV>, a: &SVector<T, NV>, fext: &[SVector<T, 6>; NB])
    -> SVector<T, NV>;
    /// Writes inverse dynamics with derivatives, under forces on bodies that are constant in their joint frames.
    fn rnea_derivatives_fext(
        &self,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        fext: &[SVector<T, 6>; NB],
        out: &mut RneaDerivatives<T, NV>,
    );
    /// Where the derivatives of inverse dynamics by q and v may differ from zero: runs of columns from the first on, and the
    /// runs of rows there, as terms. Of q without those columns that no motion of the robot depends on, a base's position.
    fn relatives(&self) -> [&[ColumnGroup<'_>]; 2];
}
