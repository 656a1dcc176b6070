//! Results of steps of compiled robots.

use super::compiled::Joints;
use super::slices::move_on;
use crate::__private::zeros;
use crate::{Joint, Scalar};
use nalgebra::{SMatrix, SVector};

/// A state: result of [`crate::DiscreteDynamics::step`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step<T, const NQ: usize, const NV: usize> {
    /// Configuration (NQ); rad, m, unit quaternions x, y, z, w.
    pub q: SVector<T, NQ>,
    /// Velocity (NV); rad/s, m/s.
    pub v: SVector<T, NV>,
}

/// Result of [`crate::DiscreteDynamics::step_derivatives`]: the next state and its derivatives.
///
/// Rows and columns of configurations are in tangent spaces, rows at the next state and columns at
/// the old one. With `x = [q; v]`, `A = [dq_dq dq_dv; dv_dq dv_dv]` and `B = [dq_dtau; dv_dtau]`.
///
/// The next velocity and its derivatives lie as accelerations do in
/// [`AbaDerivatives`](crate::AbaDerivatives).
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct StepDerivatives<T, const NQ: usize, const NV: usize> {
    /// Next configuration (NQ).
    pub q: SVector<T, NQ>,
    /// Derivative of the next configuration by the configuration (NV x NV).
    pub dq_dq: SMatrix<T, NV, NV>,
    /// Derivative of the next configuration by the velocity (NV x NV), s. With explicit Euler only the
    /// blocks of joints on the diagonal differ from zero.
    pub dq_dv: SMatrix<T, NV, NV>,
    /// Derivative of the next configuration by the torques (NV x NV). Zero with explicit Euler.
    pub dq_dtau: SMatrix<T, NV, NV>,
    /// Next velocity (NV).
    pub v: SVector<T, NV>,
    /// Derivative of the next velocity by the configuration (NV x NV), 1/s.
    pub dv_dq: SMatrix<T, NV, NV>,
    /// Derivative of the next velocity by the velocity (NV x NV).
    pub dv_dv: SMatrix<T, NV, NV>,
    /// Derivative of the next velocity by the torques (NV x NV).
    pub dv_dtau: SMatrix<T, NV, NV>,
}

/// Result of [`crate::DiscreteDynamics::step_hessian`]: a weighted sum of the next state, its gradient and
/// its Hessian, without any tensor.
///
/// Block `dqdv[(i, j)]` is the derivative of `dq[i]` by the velocity's number j. Blocks that are not there
/// are the transposed ones. `dqdq[(i, j)]` moves the configuration first along j, then along i: with
/// joints that turn it is not symmetric, and its symmetric part is what a quadratic model needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepHessian<T, const NV: usize> {
    /// `lambda_q . q+ + lambda_v . v+`. Of `q+` only joints of one coordinate count.
    pub value: T,
    /// Gradient by the configuration (NV): `dq_dq^T lambda_q + dv_dq^T lambda_v`.
    pub dq: SVector<T, NV>,
    /// Gradient by the velocity (NV).
    pub dv: SVector<T, NV>,
    /// Gradient by the torques (NV).
    pub dtau: SVector<T, NV>,
    /// Derivative of `dq` by the configuration (NV x NV).
    pub dqdq: SMatrix<T, NV, NV>,
    /// Derivative of `dq` by the velocity (NV x NV).
    pub dqdv: SMatrix<T, NV, NV>,
    /// Derivative of `dv` by the velocity (NV x NV), symmetric.
    pub dvdv: SMatrix<T, NV, NV>,
    /// Derivative of `dq` by the torques (NV x NV).
    pub dqdtau: SMatrix<T, NV, NV>,
    /// Derivative of `dv` by the torques (NV x NV). With Euler's steps it is zero unless a joint turns.
    pub dvdtau: SMatrix<T, NV, NV>,
    /// Derivative of `dtau` by the torques (NV x NV), symmetric. Zero where `dvdtau` is.
    pub dtaudtau: SMatrix<T, NV, NV>,
}

impl<T: Scalar, const NQ: usize, const NV: usize> Step<T, NQ, NV> {
    /// All zero: a place for a result, and no state of a robot with quaternions.
    #[must_use]
    pub fn zeros() -> Self {
        Self { q: zeros(), v: zeros() }
    }
}

impl<T: Scalar, const NQ: usize, const NV: usize> StepDerivatives<T, NQ, NV> {
    /// All zero: a place for a result.
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            q: zeros(),
            v: zeros(),
            dq_dq: zeros(),
            dq_dv: zeros(),
            dq_dtau: zeros(),
            dv_dq: zeros(),
            dv_dv: zeros(),
            dv_dtau: zeros(),
        }
    }

    /// Writes the next configuration's derivatives, from those of the next velocity `v`: the configuration
    /// moves by `motion = dt v`.
    pub(crate) fn move_on(&mut self, joints: &'static [Joint], motion: &SVector<T, NV>, dt: T) {
        let Self { dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau, .. } = self;
        let dv = [dv_dq, dv_dv, dv_dtau].map(|block| block.data.0.as_flattened());
        let dq = [dq_dq, dq_dv, dq_dtau].map(|block| block.data.0.as_flattened_mut());
        move_on(Joints::of(joints), (&motion.data.0[0], dt), dv, dq);
    }
}

impl<T: Scalar, const NV: usize> StepHessian<T, NV> {
    /// All zero: a place for a result.
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            value: T::zero(),
            dq: zeros(),
            dv: zeros(),
            dtau: zeros(),
            dqdq: zeros(),
            dqdv: zeros(),
            dvdv: zeros(),
            dqdtau: zeros(),
            dvdtau: zeros(),
            dtaudtau: zeros(),
        }
    }
}

crate::batch::lanewise!(Step NQ NV: q v);
crate::batch::lanewise!(StepDerivatives NQ NV: q v dq_dq dq_dv dq_dtau dv_dq dv_dv dv_dtau);
crate::batch::lanewise!(StepHessian NV: value dq dv dtau dqdq dqdv dvdv dqdtau dvdtau dtaudtau);
