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

/// A robot whose dynamics were generated, so that a solver can be written for any of them.
pub trait Robot<const NQ: usize, const NV: usize> {
    /// Number of moving bodies: one a moving joint, mimic joints and a floating base included.
    const NB: usize;
    /// The robot's name in the URDF.
    const NAME: &'static str;
    /// External forces: `[SVector<T, 6>; NB]`, the force on each moving body in its joint frame.
    type Forces<T: Scalar>: AsRef<[SVector<T, 6>]> + AsMut<[SVector<T, 6>]> + Clone;

    /// The moving joints in order.
    fn joints() -> &'static [Joint];
    /// Inverse dynamics: the torques that give the accelerations `a`.
    fn rnea<T: Scalar>(q: &SVector<T, NQ>, v: &SVector<T, NV>, a: &SVector<T, NV>) -> SVector<T, NV>;
}
