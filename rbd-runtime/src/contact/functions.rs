//! Results and traits of functions of contacts.
// Written from the generator's table of functions (`rbd-build/src/table/functions.rs`). Do not edit:
// `cargo xtask bless` writes it again.

use super::{ContactAxes, ContactSettings, ContactTable};
use crate::__private::zeros;
use crate::spatial::Placement;
use crate::{Configuration, Frames, HasParameters, Scalar};
use nalgebra::{SMatrix, SVector};
/// Result of `contact_dynamics`.
///
/// `M(q) ddq + C(q, v) v + g(q) = tau + J^T forces, J ddq + dJ/dt v + kd J v + kp e = 0`
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct ContactDynamics<T, const NV: usize, const NR: usize> {
    /// Joint accelerations (NV): rad/s^2.
    pub ddq: SVector<T, NV>,
    /// Forces of the world on the robot, row by row (NR): N, N m.
    pub forces: SVector<T, NR>,
    /// How far each row is from holding (NR): m/s^2, rad/s^2.
    pub residual: SVector<T, NR>,
}
impl<T: Scalar, const NV: usize, const NR: usize> ContactDynamics<T, NV, NR> {
    /// All zero: something for the `_into` functions to write to.
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            ddq: zeros(),
            forces: zeros(),
            residual: zeros(),
        }
    }
}
impl<T: Scalar, const NV: usize, const NR: usize> Default
for ContactDynamics<T, NV, NR> {
    fn default() -> Self {
        Self::zeros()
    }
}
/// Result of `contact_dynamics_derivatives`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct ContactDynamicsDerivatives<T, const NV: usize, const NR: usize> {
    /// Joint accelerations (NV): rad/s^2.
    pub ddq: SVector<T, NV>,
    /// Forces of the world on the robot, row by row (NR): N, N m.
    pub forces: SVector<T, NR>,
    /// How far each row is from holding (NR): m/s^2, rad/s^2.
    pub residual: SVector<T, NR>,
    /// Derivative of the accelerations in the tangent space of q (NV x NV): 1/s^2.
    pub ddq_dq: SMatrix<T, NV, NV>,
    /// Derivative of the accelerations by the velocity (NV x NV): 1/s.
    pub ddq_dv: SMatrix<T, NV, NV>,
    /// Derivative of the accelerations by the torques (NV x NV): 1/(kg m^2).
    pub ddq_dtau: SMatrix<T, NV, NV>,
    /// Derivative of the forces in the tangent space of q (NR x NV): N/rad.
    pub forces_dq: SMatrix<T, NR, NV>,
    /// Derivative of the forces by the velocity (NR x NV): N s/rad.
    pub forces_dv: SMatrix<T, NR, NV>,
    /// Derivative of the forces by the torques (NR x NV): 1/m.
    pub forces_dtau: SMatrix<T, NR, NV>,
}
impl<T: Scalar, const NV: usize, const NR: usize> ContactDynamicsDerivatives<T, NV, NR> {
    /// All zero: something for the `_into` functions to write to.
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
impl<T: Scalar, const NV: usize, const NR: usize> Default
for ContactDynamicsDerivatives<T, NV, NR> {
    fn default() -> Self {
        Self::zeros()
    }
}
/// Result of `contact_impulse`.
///
/// `M(q) (v_plus - v) = J^T impulses, J v_plus = -restitution J v`
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct ContactImpulse<T, const NV: usize, const NR: usize> {
    /// Joint velocities after the impact (NV): rad/s.
    pub v_plus: SVector<T, NV>,
    /// Impulses of the world on the robot, row by row (NR): N s, N m s.
    pub impulses: SVector<T, NR>,
    /// How far each row is from holding (NR): m/s, rad/s.
    pub residual: SVector<T, NR>,
}
impl<T: Scalar, const NV: usize, const NR: usize> ContactImpulse<T, NV, NR> {
    /// All zero: something for the `_into` functions to write to.
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            v_plus: zeros(),
            impulses: zeros(),
            residual: zeros(),
        }
    }
}
impl<T: Scalar, const NV: usize, const NR: usize> Default for ContactImpulse<T, NV, NR> {
    fn default() -> Self {
        Self::zeros()
    }
}
/// Result of `contact_impulse_derivatives`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct ContactImpulseDerivatives<T, const NV: usize, const NR: usize> {
    /// Joint velocities after the impact (NV): rad/s.
    pub v_plus: SVector<T, NV>,
    /// Impulses of the world on the robot, row by row (NR): N s, N m s.
    pub impulses: SVector<T, NR>,
    /// How far each row is from holding (NR): m/s, rad/s.
    pub residual: SVector<T, NR>,
    /// Derivative of the velocities after the impact in the tangent space of q (NV x NV): 1/s.
    pub v_plus_dq: SMatrix<T, NV, NV>,
    /// Derivative of the velocities after the impact by those before (NV x NV): 1.
    pub v_plus_dv: SMatrix<T, NV, NV>,
    /// Derivative of the velocities after the impact by the restitution (NV): rad/s.
    pub v_plus_drestitution: SVector<T, NV>,
    /// Derivative of the impulses in the tangent space of q (NR x NV): N s/rad.
    pub impulses_dq: SMatrix<T, NR, NV>,
    /// Derivative of the impulses by the velocities before (NR x NV): kg/rad, kg m/rad.
    pub impulses_dv: SMatrix<T, NR, NV>,
    /// Derivative of the impulses by the restitution (NR): N s, N m s.
    pub impulses_drestitution: SVector<T, NR>,
}
impl<T: Scalar, const NV: usize, const NR: usize> ContactImpulseDerivatives<T, NV, NR> {
    /// All zero: something for the `_into` functions to write to.
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
impl<T: Scalar, const NV: usize, const NR: usize> Default
for ContactImpulseDerivatives<T, NV, NR> {
    fn default() -> Self {
        Self::zeros()
    }
}
/// Robots with dynamics under contacts: `NC` contacts and closed loops with `NR` rows together.
///
/// A robot made with the option `contacts` or `closed_loops` implements it. The sizes are the
/// type's own: `Contacts<{R::NQ}, {R::NV}, {R::NC}, {R::CONTACT_ROWS}>`. A solver for any such robot:
///
/// ```
/// use nalgebra::SVector;
/// use rbd_runtime::{ContactSettings, Contacts};
///
/// /// Accelerations with all contacts held.
/// fn held<R, const NQ: usize, const NV: usize, const NC: usize, const NR: usize>(
///     q: &SVector<f64, NQ>,
///     v: &SVector<f64, NV>,
///     tau: &SVector<f64, NV>,
/// ) -> SVector<f64, NV>
/// where
///     R: Contacts<NQ, NV, NC, NR>,
/// {
///     R::contact_dynamics(q, v, tau, &[true; NC], &ContactSettings::default()).ddq
/// }
/// ```
///
/// `active` says for each contact whether it holds. Forces, residuals and Jacobians have the rows of
/// all contacts, one after the other, in the contacts' own axes or by [`ContactAxes`] in the world's.
/// Rows of contacts that are not active are zero. Rows of [`Self::CONTACTS`]`[k]` begin at its `row`.
#[diagnostic::on_unimplemented(
    note = "a robot implements `Contacts` if it is made with `contacts: [..]` or `closed_loops: {{ .. }}`",
    note = "the sizes are the type's own: `Contacts<{{R::NQ}}, {{R::NV}}, {{R::NC}}, {{R::CONTACT_ROWS}}>`"
)]
pub trait Contacts<
    const NQ: usize,
    const NV: usize,
    const NC: usize,
    const NR: usize,
>: Frames<NQ, NV> {
    /// The contacts, then the closed loops, in the order of their rows.
    const CONTACTS: [ContactTable; NC];
    /// The name of each in the URDF, or as a closed loop.
    const CONTACT_NAMES: [&'static str; NC];
    /// The frame of each, of a closed loop the first one.
    const CONTACT_FRAMES: [Self::Frame; NC];
    /// Forward dynamics under contacts: accelerations, and forces at the active contacts.
    ///
    /// `M(q) ddq + C(q, v) v + g(q) = tau + J^T forces, J ddq + dJ/dt v + kd J v + kp e = 0`
    ///
    /// J has the rows of the active contacts, in the axes of the settings, by default the contacts' own.
    #[must_use]
    fn contact_dynamics<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
    ) -> ContactDynamics<T, NV, NR>;
    /// [`Self::contact_dynamics`] with derivatives by q (in its tangent space), v and tau.
    #[must_use]
    fn contact_dynamics_derivatives<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
    ) -> ContactDynamicsDerivatives<T, NV, NR>;
    /// [`Self::contact_dynamics_derivatives`] without a copy. Writes every entry of `out`.
    fn contact_dynamics_derivatives_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
        out: &mut ContactDynamicsDerivatives<T, NV, NR>,
    );
    /// Velocities after an impact at the active contacts, and impulses.
    ///
    /// `M(q) (v_plus - v) = J^T impulses, J v_plus = -restitution J v`
    ///
    /// Of the settings, `mu`, `iterations` and `axes` are used.
    #[must_use]
    fn contact_impulse<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        active: &[bool; NC],
        restitution: T,
        settings: &ContactSettings<T, NC>,
    ) -> ContactImpulse<T, NV, NR>;
    /// [`Self::contact_impulse`] with derivatives by q (in its tangent space), v and the restitution.
    #[must_use]
    fn contact_impulse_derivatives<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        active: &[bool; NC],
        restitution: T,
        settings: &ContactSettings<T, NC>,
    ) -> ContactImpulseDerivatives<T, NV, NR>;
    /// [`Self::contact_impulse_derivatives`] without a copy. Writes every entry of `out`.
    fn contact_impulse_derivatives_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        active: &[bool; NC],
        restitution: T,
        settings: &ContactSettings<T, NC>,
        out: &mut ContactImpulseDerivatives<T, NV, NR>,
    );
    /// Inverse dynamics under contact forces.
    ///
    /// `tau = M(q) a + C(q, v) v + g(q) - J^T forces`
    ///
    /// Rows are in the contacts' own axes.
    #[must_use]
    fn contact_inverse_dynamics<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        forces: &SVector<T, NR>,
    ) -> SVector<T, NV>;
    /// [`Self::contact_inverse_dynamics`] with rows in these axes.
    #[must_use]
    fn contact_inverse_dynamics_in<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        forces: &SVector<T, NR>,
        axes: ContactAxes,
    ) -> SVector<T, NV>;
    /// Jacobian J of the active contacts. Rows of the others are zero.
    ///
    /// Rows are in the contacts' own axes.
    #[must_use]
    fn contact_jacobian<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        active: &[bool; NC],
    ) -> SMatrix<T, NR, NV>;
    /// [`Self::contact_jacobian`] in place.
    ///
    /// Leaves entries alone that are zero in every state: `out` is made by `zeros()`, or by an earlier
    /// call of this function for this robot.
    fn contact_jacobian_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        active: &[bool; NC],
        out: &mut SMatrix<T, NR, NV>,
    );
    /// [`Self::contact_jacobian`] with rows in these axes.
    #[must_use]
    fn contact_jacobian_in<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        active: &[bool; NC],
        axes: ContactAxes,
    ) -> SMatrix<T, NR, NV>;
    /// Delassus matrix of the active contacts. Rows and columns of the others are zero.
    ///
    /// `delassus = J M(q)^-1 J^T`
    ///
    /// Rows are in the contacts' own axes.
    #[must_use]
    fn delassus<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        active: &[bool; NC],
    ) -> SMatrix<T, NR, NR>;
    /// [`Self::delassus`] with rows in these axes.
    #[must_use]
    fn delassus_in<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        active: &[bool; NC],
        axes: ContactAxes,
    ) -> SMatrix<T, NR, NR>;
    /// Distances of the active contacts from where they are to be, row by row.
    ///
    /// Closed loops are to be closed, contacts with the world at their anchors.
    #[must_use]
    fn contact_errors<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
    ) -> SVector<T, NR>;
    /// Poses of the contacts' frames in the world: anchors, where contacts are made.
    ///
    /// Those of closed loops are of their first frames.
    #[must_use]
    fn contact_placements<T: Scalar>(
        q: &impl Configuration<T, NQ>,
    ) -> [Placement<T>; NC];
}
/// Robots with dynamics under contacts that take inertia or gravity at run time.
///
/// Those made with the option `inertia`, or `gravity: runtime`, and with `contacts` or `closed_loops`.
/// Functions that do not depend on what is given ignore it: the Delassus matrix of a robot that takes
/// gravity alone. The Jacobian, errors and placements of contacts never do: they are in [`Contacts`].
#[diagnostic::on_unimplemented(
    note = "a robot implements it if it is made with `inertia: {{ .. }}` or `gravity: runtime`, and with `contacts: [..]` or `closed_loops: {{ .. }}`",
    note = "the sizes are the type's own: `<{{R::NQ}}, {{R::NV}}, {{R::NC}}, {{R::CONTACT_ROWS}}>`"
)]
pub trait ContactsWithParameters<
    const NQ: usize,
    const NV: usize,
    const NC: usize,
    const NR: usize,
>: Contacts<NQ, NV, NC, NR> + HasParameters {
    /// [`Contacts::contact_dynamics`] with inertia and gravity of `parameters`.
    #[must_use]
    fn contact_dynamics_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
    ) -> ContactDynamics<T, NV, NR>;
    /// [`Contacts::contact_dynamics_derivatives`] with inertia and gravity of `parameters`.
    #[must_use]
    fn contact_dynamics_derivatives_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
    ) -> ContactDynamicsDerivatives<T, NV, NR>;
    /// [`Self::contact_dynamics_derivatives_with`] without a copy. Writes every entry of `out`.
    fn contact_dynamics_derivatives_with_into<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
        out: &mut ContactDynamicsDerivatives<T, NV, NR>,
    );
    /// [`Contacts::contact_impulse`] with inertia and gravity of `parameters`.
    #[must_use]
    fn contact_impulse_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        active: &[bool; NC],
        restitution: T,
        settings: &ContactSettings<T, NC>,
    ) -> ContactImpulse<T, NV, NR>;
    /// [`Contacts::contact_impulse_derivatives`] with inertia and gravity of `parameters`.
    #[must_use]
    fn contact_impulse_derivatives_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        active: &[bool; NC],
        restitution: T,
        settings: &ContactSettings<T, NC>,
    ) -> ContactImpulseDerivatives<T, NV, NR>;
    /// [`Self::contact_impulse_derivatives_with`] without a copy. Writes every entry of `out`.
    fn contact_impulse_derivatives_with_into<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        active: &[bool; NC],
        restitution: T,
        settings: &ContactSettings<T, NC>,
        out: &mut ContactImpulseDerivatives<T, NV, NR>,
    );
    /// [`Contacts::contact_inverse_dynamics`] with inertia and gravity of `parameters`.
    #[must_use]
    fn contact_inverse_dynamics_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        forces: &SVector<T, NR>,
    ) -> SVector<T, NV>;
    /// [`Contacts::contact_inverse_dynamics_in`] with inertia and gravity of `parameters`.
    #[must_use]
    fn contact_inverse_dynamics_in_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        forces: &SVector<T, NR>,
        axes: ContactAxes,
    ) -> SVector<T, NV>;
    /// [`Contacts::delassus`] with inertia and gravity of `parameters`.
    #[must_use]
    fn delassus_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
        active: &[bool; NC],
    ) -> SMatrix<T, NR, NR>;
    /// [`Contacts::delassus_in`] with inertia and gravity of `parameters`.
    #[must_use]
    fn delassus_in_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
        active: &[bool; NC],
        axes: ContactAxes,
    ) -> SMatrix<T, NR, NR>;
}
