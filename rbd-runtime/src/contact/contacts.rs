//! Robots with contacts, as a trait, so that a solver can be generic over them.

use super::{
    ContactAxes, ContactDynamics, ContactDynamicsDerivatives, ContactImpulse, ContactImpulseDerivatives,
    ContactSettings, ContactTable,
};
use crate::spatial::Placement;
use crate::{Configuration, Frames, Scalar};
use nalgebra::{SMatrix, SVector};

/// A robot with `NC` contacts and closed loops, which have `NR` rows together.
///
/// Implemented by robots made with the option `contacts` or `closed_loops`. The sizes are constants
/// of the type: `Contacts<{R::NQ}, {R::NV}, {R::NC}, {R::CONTACT_ROWS}>`. A solver for any such
/// robot:
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
/// `active` has an entry for each contact. Forces, residuals and Jacobians have the rows of all
/// contacts, one after the other. Rows are in the contacts' own axes, or with [`ContactAxes`] in
/// the world's. Rows of inactive contacts are zero. The rows of [`Self::CONTACTS`]`[k]` begin at
/// its `row`.
#[diagnostic::on_unimplemented(
    note = "a robot implements `Contacts` if it is made with `contacts: [..]` or `closed_loops: {{ .. }}`",
    note = "the sizes are the type's own: `Contacts<{{R::NQ}}, {{R::NV}}, {{R::NC}}, {{R::CONTACT_ROWS}}>`"
)]
pub trait Contacts<const NQ: usize, const NV: usize, const NC: usize, const NR: usize>:
    Frames<NQ, NV>
{
    /// The contacts, then the closed loops, in the order of their rows.
    const CONTACTS: [ContactTable; NC];
    /// The name of each in the URDF, or as a closed loop.
    const CONTACT_NAMES: [&'static str; NC];
    /// The frame of each, of a closed loop the first one.
    const CONTACT_FRAMES: [Self::Frame; NC];

    /// Accelerations and contact forces: `M(q) ddq + C(q, v) v + g(q) = tau + J^T forces`, and
    /// `J ddq + dJ/dt v + kd J v + kp e = 0`.
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
    /// Velocities after an impact: `M(q) (v_plus - v) = J^T impulses`, `J v_plus = -restitution J v`.
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
    /// Torques under contact forces: `tau = M(q) a + C(q, v) v + g(q) - J^T forces`.
    #[must_use]
    fn contact_inverse_dynamics<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        forces: &SVector<T, NR>,
    ) -> SVector<T, NV>;
    /// The Jacobian J of the active contacts.
    #[must_use]
    fn contact_jacobian<T: Scalar>(q: &impl Configuration<T, NQ>, active: &[bool; NC]) -> SMatrix<T, NR, NV>;
    /// The Delassus matrix `J M(q)^-1 J^T` of the active contacts.
    #[must_use]
    fn delassus<T: Scalar>(q: &impl Configuration<T, NQ>, active: &[bool; NC]) -> SMatrix<T, NR, NR>;
    /// [`Self::contact_inverse_dynamics`] under forces in the given axes.
    #[must_use]
    fn contact_inverse_dynamics_in<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        forces: &SVector<T, NR>,
        axes: ContactAxes,
    ) -> SVector<T, NV>;
    /// [`Self::contact_jacobian`] with rows in the given axes.
    #[must_use]
    fn contact_jacobian_in<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        active: &[bool; NC],
        axes: ContactAxes,
    ) -> SMatrix<T, NR, NV>;
    /// [`Self::delassus`] with rows in the given axes.
    #[must_use]
    fn delassus_in<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        active: &[bool; NC],
        axes: ContactAxes,
    ) -> SMatrix<T, NR, NR>;
    /// Position errors of the active contacts: distances from their anchors or, for closed loops,
    /// from being closed.
    #[must_use]
    fn contact_errors<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        active: &[bool; NC],
        settings: &ContactSettings<T, NC>,
    ) -> SVector<T, NR>;
    /// Poses of the contacts' frames in the world, of closed loops the first ones: anchors, where
    /// contacts are made.
    #[must_use]
    fn contact_placements<T: Scalar>(q: &impl Configuration<T, NQ>) -> [Placement<T>; NC];
}
