//! What a generated robot can do.

use crate::{Joint, Scalar};
use nalgebra::{SMatrix, SVector};

/// Inverse dynamics and its first derivatives. Rows are torques; columns are the tangent of q, v and a.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RneaDerivatives<T, const NV: usize> {
    /// Joint torques, N m or N.
    pub tau: SVector<T, NV>,
    /// Derivative of the torques by the configuration (tangent space).
    pub dtau_dq: SMatrix<T, NV, NV>,
    /// Derivative of the torques by the velocity.
    pub dtau_dv: SMatrix<T, NV, NV>,
    /// Derivative of the torques by the acceleration: the mass matrix M, full and symmetric.
    pub dtau_da: SMatrix<T, NV, NV>,
}

/// Forward dynamics and its first derivatives. Rows are accelerations; columns are the tangent of q, v and tau.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AbaDerivatives<T, const NV: usize> {
    /// Joint accelerations.
    pub ddq: SVector<T, NV>,
    /// Derivative of the accelerations by the configuration (tangent space).
    pub ddq_dq: SMatrix<T, NV, NV>,
    /// Derivative of the accelerations by the velocity.
    pub ddq_dv: SMatrix<T, NV, NV>,
    /// Derivative of the accelerations by the torques: M^-1, full and symmetric.
    pub ddq_dtau: SMatrix<T, NV, NV>,
}

macro_rules! zeros {
    ($name:ident: $($field:ident)*) => {
        impl<T: Scalar, const NV: usize> $name<T, NV> {
            /// All zero: something for the `_into` functions to write to.
            #[must_use]
            pub fn zeros() -> Self {
                Self { $($field: SMatrix::from_data(nalgebra::ArrayStorage([[T::zero(); _]; _]))),* }
            }
        }
        impl<T: Scalar, const NV: usize> Default for $name<T, NV> {
            fn default() -> Self {
                Self::zeros()
            }
        }
    };
}
zeros!(RneaDerivatives: tau dtau_dq dtau_dv dtau_da);
zeros!(AbaDerivatives: ddq ddq_dq ddq_dv ddq_dtau);

/// A robot whose dynamics were generated, so that a solver can be written for any of them:
/// `fn solve<R: Robot<NQ, NV>, const NQ: usize, const NV: usize>(..)`.
///
/// Every function here is also an associated function of the generated type itself, where it is
/// documented with its cost. Units, frames and conventions are those of the crate.
#[diagnostic::on_unimplemented(
    note = "a robot made with `functions: [..]` has only those functions and does not implement `Robot`",
    note = "NQ and NV are the type's own: `Robot<{{R::NQ}}, {{R::NV}}>`"
)]
pub trait Robot<const NQ: usize, const NV: usize> {
    /// Number of moving bodies: one a moving joint, mimic joints and a floating base included.
    const NB: usize;
    /// The robot's name in the URDF.
    const NAME: &'static str;
    /// External forces: `[SVector<T, 6>; NB]`, the force on each moving body in its joint frame.
    type Forces<T: Scalar>: AsRef<[SVector<T, 6>]> + AsMut<[SVector<T, 6>]> + Clone;

    /// The moving joints, depth first from the root.
    fn joints() -> &'static [Joint];
    /// The configuration in which every joint is at zero (quaternions at the identity).
    fn neutral<T: Scalar>() -> SVector<T, NQ>;
    /// The configuration reached from `q` by the tangent vector `dv`.
    fn integrate<T: Scalar>(q: &SVector<T, NQ>, dv: &SVector<T, NV>) -> SVector<T, NQ>;
    /// The tangent vector that leads from `q0` to `q1`.
    fn difference<T: Scalar>(q0: &SVector<T, NQ>, q1: &SVector<T, NQ>) -> SVector<T, NV>;

    /// Inverse dynamics: the torques that give the accelerations `a`.
    fn rnea<T: Scalar>(q: &SVector<T, NQ>, v: &SVector<T, NV>, a: &SVector<T, NV>) -> SVector<T, NV>;
    /// Inverse dynamics under external forces.
    fn rnea_fext<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        fext: &Self::Forces<T>,
    ) -> SVector<T, NV>;
    /// Torques at zero acceleration, C(q, v) v + g(q).
    fn bias<T: Scalar>(q: &SVector<T, NQ>, v: &SVector<T, NV>) -> SVector<T, NV>;
    /// Torques at rest, g(q).
    fn gravity<T: Scalar>(q: &SVector<T, NQ>) -> SVector<T, NV>;
    /// Forward dynamics: the accelerations under the torques `tau`.
    fn aba<T: Scalar>(q: &SVector<T, NQ>, v: &SVector<T, NV>, tau: &SVector<T, NV>) -> SVector<T, NV>;
    /// Forward dynamics under external forces.
    fn aba_fext<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        fext: &Self::Forces<T>,
    ) -> SVector<T, NV>;
    /// The mass matrix M(q), full and symmetric.
    fn crba<T: Scalar>(q: &SVector<T, NQ>) -> SMatrix<T, NV, NV>;
    /// [`Self::crba`] without a copy.
    fn crba_into<T: Scalar>(q: &SVector<T, NQ>, out: &mut SMatrix<T, NV, NV>);
    /// The inverse of the mass matrix, full and symmetric.
    fn minv<T: Scalar>(q: &SVector<T, NQ>) -> SMatrix<T, NV, NV>;
    /// [`Self::minv`] without a copy.
    fn minv_into<T: Scalar>(q: &SVector<T, NQ>, out: &mut SMatrix<T, NV, NV>);
    /// Inverse dynamics and its derivatives.
    fn rnea_derivatives<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
    ) -> RneaDerivatives<T, NV>;
    /// [`Self::rnea_derivatives`] without a copy.
    fn rnea_derivatives_into<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        out: &mut RneaDerivatives<T, NV>,
    );
    /// Inverse dynamics and its derivatives under external forces that are constant in their body's frame.
    fn rnea_derivatives_fext<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        fext: &Self::Forces<T>,
    ) -> RneaDerivatives<T, NV>;
    /// [`Self::rnea_derivatives_fext`] without a copy.
    fn rnea_derivatives_fext_into<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        fext: &Self::Forces<T>,
        out: &mut RneaDerivatives<T, NV>,
    );
    /// Forward dynamics and its derivatives.
    fn aba_derivatives<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
    ) -> AbaDerivatives<T, NV>;
    /// [`Self::aba_derivatives`] without a copy.
    fn aba_derivatives_into<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        out: &mut AbaDerivatives<T, NV>,
    );
    /// Forward dynamics and its derivatives under external forces that are constant in their body's frame.
    fn aba_derivatives_fext<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        fext: &Self::Forces<T>,
    ) -> AbaDerivatives<T, NV>;
    /// [`Self::aba_derivatives_fext`] without a copy.
    fn aba_derivatives_fext_into<T: Scalar>(
        q: &SVector<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        fext: &Self::Forces<T>,
        out: &mut AbaDerivatives<T, NV>,
    );
}
