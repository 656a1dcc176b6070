//! What second-order functions give: Hessians contracted with a multiplier, and tensors.

use crate::Scalar;
use nalgebra::{ArrayStorage, SMatrix, SVector};

/// `mu . tau`, its gradient, and its Hessian by q, v and a. Derivatives by q are in the tangent space. The second
/// derivatives by v and a, and by a and a, are zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RneaHessian<T, const NV: usize> {
    /// `mu . tau`.
    pub value: T,
    /// Derivative by q.
    pub dq: SVector<T, NV>,
    /// Derivative by v.
    pub dv: SVector<T, NV>,
    /// Derivative by a: `M mu`.
    pub da: SVector<T, NV>,
    /// `[(i, j)]` is the derivative along q_j of the derivative along q_i: not symmetric among the coordinates of one
    /// joint of several, elsewhere symmetric to the last bit.
    pub dqdq: SMatrix<T, NV, NV>,
    /// `[(i, j)]` is the derivative by v_j of the derivative by q_i.
    pub dqdv: SMatrix<T, NV, NV>,
    /// By v twice, symmetric to the last bit.
    pub dvdv: SMatrix<T, NV, NV>,
    /// `[(i, j)]` is the derivative by a_j of the derivative by q_i.
    pub dqda: SMatrix<T, NV, NV>,
}

/// `lambda . ddq`, its gradient, and its Hessian by q, v and tau. Derivatives by q are in the tangent space. The second
/// derivatives by v and tau, and by tau and tau, are zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AbaHessian<T, const NV: usize> {
    /// `lambda . ddq`.
    pub value: T,
    /// Derivative by q.
    pub dq: SVector<T, NV>,
    /// Derivative by v.
    pub dv: SVector<T, NV>,
    /// Derivative by tau: `M^-1 lambda`.
    pub dtau: SVector<T, NV>,
    /// `[(i, j)]` is the derivative along q_j of the derivative along q_i: not symmetric among the coordinates of one
    /// joint of several, elsewhere symmetric to the last bit.
    pub dqdq: SMatrix<T, NV, NV>,
    /// `[(i, j)]` is the derivative by v_j of the derivative by q_i.
    pub dqdv: SMatrix<T, NV, NV>,
    /// By v twice, symmetric to the last bit.
    pub dvdv: SMatrix<T, NV, NV>,
    /// `[(i, j)]` is the derivative by tau_j of the derivative by q_i.
    pub dqdtau: SMatrix<T, NV, NV>,
}

/// Second derivatives of inverse dynamics. Element `[k][(i, j)]` is the derivative of tau_i by the first variable's
/// j-th, then the second variable's k-th component.
///
/// Large: `4 NV^3` numbers, 1.7 MB for 38 degrees of freedom. Keep one in a `static` or a `Box` and use it again: functions
/// write only what can differ from zero, which [`Self::zeros`] has cleared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RneaSecondDerivatives<T, const NV: usize> {
    /// By q and q. The derivative along q_k of the derivative along q_j: not symmetric among the coordinates of one
    /// joint of several.
    pub d2tau_dqdq: [SMatrix<T, NV, NV>; NV],
    /// By q and v.
    pub d2tau_dqdv: [SMatrix<T, NV, NV>; NV],
    /// By v and v.
    pub d2tau_dvdv: [SMatrix<T, NV, NV>; NV],
    /// By q and a: `[k][(i, j)]` is the derivative of M_ik by q_j.
    pub d2tau_dqda: [SMatrix<T, NV, NV>; NV],
}

/// Second derivatives of forward dynamics, in the same layout. They are dense.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AbaSecondDerivatives<T, const NV: usize> {
    /// By q and q. The derivative along q_k of the derivative along q_j: not symmetric among the coordinates of one
    /// joint of several.
    pub d2ddq_dqdq: [SMatrix<T, NV, NV>; NV],
    /// By q and v.
    pub d2ddq_dqdv: [SMatrix<T, NV, NV>; NV],
    /// By v and v.
    pub d2ddq_dvdv: [SMatrix<T, NV, NV>; NV],
    /// By q and tau: `[k][(i, j)]` is the derivative of (M^-1)_ik by q_j.
    pub d2ddq_dqdtau: [SMatrix<T, NV, NV>; NV],
}

/// A matrix of zeros.
fn matrix<T: Scalar, const R: usize, const C: usize>() -> SMatrix<T, R, C> {
    SMatrix::from_data(ArrayStorage([[T::zero(); R]; C]))
}

macro_rules! contracted {
    ($name:ident: $third:ident $block:ident) => {
        impl<T: Scalar, const NV: usize> $name<T, NV> {
            /// All zero: something for the `_into` function to write to.
            #[must_use]
            pub fn zeros() -> Self {
                Self {
                    value: T::zero(),
                    dq: matrix(),
                    dv: matrix(),
                    $third: matrix(),
                    dqdq: matrix(),
                    dqdv: matrix(),
                    dvdv: matrix(),
                    $block: matrix(),
                }
            }
        }
        impl<T: Scalar, const NV: usize> Default for $name<T, NV> {
            fn default() -> Self {
                Self::zeros()
            }
        }
    };
}
contracted!(RneaHessian: da dqda);
contracted!(AbaHessian: dtau dqdtau);

macro_rules! tensors {
    ($name:ident: $($field:ident)*) => {
        impl<T: Scalar, const NV: usize> $name<T, NV> {
            /// All zero: something for the `_into` function to write to.
            #[must_use]
            pub fn zeros() -> Self {
                Self { $($field: [matrix(); NV]),* }
            }
        }
        impl<T: Scalar, const NV: usize> Default for $name<T, NV> {
            fn default() -> Self {
                Self::zeros()
            }
        }
    };
}
tensors!(RneaSecondDerivatives: d2tau_dqdq d2tau_dqdv d2tau_dvdv d2tau_dqda);
tensors!(AbaSecondDerivatives: d2ddq_dqdq d2ddq_dqdv d2ddq_dvdv d2ddq_dqdtau);
