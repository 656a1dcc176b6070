//! Results and traits of generated functions.
// Written from the generator's table of functions (`rbd-build/src/table/functions.rs`). Do not edit:
// `cargo xtask bless` writes it again.

use crate::__private::{tensor_zeros, zero, zeros};
use crate::{Configuration, Mechanism, Scalar};
use nalgebra::{SMatrix, SVector};
/// What `rnea_derivatives` gives.
///
/// `tau = M(q) a + C(q, v) v + g(q), dtau_dq = d tau/d q, dtau_dv = d tau/d v, dtau_da = M(q)`
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct RneaDerivatives<T, const NV: usize> {
    /// Joint torques (NV): N m.
    pub tau: SVector<T, NV>,
    /// Derivative of the torques in the tangent space of q (NV x NV): N m/rad.
    pub dtau_dq: SMatrix<T, NV, NV>,
    /// Derivative of the torques by the velocity (NV x NV): N m s/rad.
    pub dtau_dv: SMatrix<T, NV, NV>,
    /// Derivative of the torques by the acceleration, M(q) (NV x NV): kg m^2.
    pub dtau_da: SMatrix<T, NV, NV>,
}
impl<T: Scalar, const NV: usize> RneaDerivatives<T, NV> {
    /// All zero: something for the `_into` functions to write to.
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            tau: zeros(),
            dtau_dq: zeros(),
            dtau_dv: zeros(),
            dtau_da: zeros(),
        }
    }
}
impl<T: Scalar, const NV: usize> Default for RneaDerivatives<T, NV> {
    fn default() -> Self {
        Self::zeros()
    }
}
crate::batch::lanewise!(RneaDerivatives NV : tau dtau_dq dtau_dv dtau_da);
/// What `aba_derivatives` gives.
///
/// `ddq = M(q)^-1 (tau - C(q, v) v - g(q)), ddq_dq = -M^-1 d tau/d q, ddq_dv = -M^-1 d tau/d v, ddq_dtau = M^-1`
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct AbaDerivatives<T, const NV: usize> {
    /// Joint accelerations (NV): rad/s^2.
    pub ddq: SVector<T, NV>,
    /// Derivative of the accelerations in the tangent space of q (NV x NV): 1/s^2.
    pub ddq_dq: SMatrix<T, NV, NV>,
    /// Derivative of the accelerations by the velocity (NV x NV): 1/s.
    pub ddq_dv: SMatrix<T, NV, NV>,
    /// Derivative of the accelerations by the torques, M(q)^-1 (NV x NV): 1/(kg m^2).
    pub ddq_dtau: SMatrix<T, NV, NV>,
}
impl<T: Scalar, const NV: usize> AbaDerivatives<T, NV> {
    /// All zero: something for the `_into` functions to write to.
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            ddq: zeros(),
            ddq_dq: zeros(),
            ddq_dv: zeros(),
            ddq_dtau: zeros(),
        }
    }
}
impl<T: Scalar, const NV: usize> Default for AbaDerivatives<T, NV> {
    fn default() -> Self {
        Self::zeros()
    }
}
crate::batch::lanewise!(AbaDerivatives NV : ddq ddq_dq ddq_dv ddq_dtau);
/// What `frame_velocity_derivatives` gives.
///
/// `velocity = J(q) v, dv_dq = d velocity/d q, dv_dv = J(q)`
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct FrameVelocityDerivatives<T, const NV: usize> {
    /// [linear; angular] velocity of the frame (6): m/s, rad/s.
    pub velocity: SVector<T, 6>,
    /// Derivative of the velocity in the tangent space of q (6 x NV): m/(s rad), 1/s.
    pub dv_dq: SMatrix<T, 6, NV>,
    /// Derivative of the velocity by v, the Jacobian (6 x NV): m/rad, 1.
    pub dv_dv: SMatrix<T, 6, NV>,
}
impl<T: Scalar, const NV: usize> FrameVelocityDerivatives<T, NV> {
    /// All zero: something for the `_into` functions to write to.
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            velocity: zeros(),
            dv_dq: zeros(),
            dv_dv: zeros(),
        }
    }
}
impl<T: Scalar, const NV: usize> Default for FrameVelocityDerivatives<T, NV> {
    fn default() -> Self {
        Self::zeros()
    }
}
crate::batch::lanewise!(FrameVelocityDerivatives NV : velocity dv_dq dv_dv);
/// What `frame_acceleration_derivatives` gives.
///
/// `acceleration = frame_acceleration, da_dq = d acceleration/d q, da_dv = d acceleration/d v, da_da = J(q)`
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct FrameAccelerationDerivatives<T, const NV: usize> {
    /// [linear; angular] acceleration of the frame (6): m/s^2, rad/s^2.
    pub acceleration: SVector<T, 6>,
    /// Derivative of the acceleration in the tangent space of q (6 x NV): m/(s^2 rad), 1/s^2.
    pub da_dq: SMatrix<T, 6, NV>,
    /// Derivative of the acceleration by v (6 x NV): m/(s rad), 1/s.
    pub da_dv: SMatrix<T, 6, NV>,
    /// Derivative of the acceleration by a, the Jacobian (6 x NV): m/rad, 1.
    pub da_da: SMatrix<T, 6, NV>,
}
impl<T: Scalar, const NV: usize> FrameAccelerationDerivatives<T, NV> {
    /// All zero: something for the `_into` functions to write to.
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            acceleration: zeros(),
            da_dq: zeros(),
            da_dv: zeros(),
            da_da: zeros(),
        }
    }
}
impl<T: Scalar, const NV: usize> Default for FrameAccelerationDerivatives<T, NV> {
    fn default() -> Self {
        Self::zeros()
    }
}
crate::batch::lanewise!(
    FrameAccelerationDerivatives NV : acceleration da_dq da_dv da_da
);
/// What `centroidal_derivatives` gives.
///
/// `momentum = A_g(q) v, rate = A_g(q) a + dA_g/dt v, dmomentum_dq = d momentum/d q, drate_dq = d rate/d q, drate_dv = d rate/d v, drate_da = A_g(q)`
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct CentroidalDerivatives<T, const NV: usize> {
    /// [linear; angular] momentum about the centre of mass, in the world's axes (6): kg m/s, kg m^2/s.
    pub momentum: SVector<T, 6>,
    /// Rate of the centroidal momentum (6): N, N m.
    pub rate: SVector<T, 6>,
    /// Derivative of the momentum in the tangent space of q (6 x NV): kg m/(s rad), kg m^2/(s rad).
    pub dmomentum_dq: SMatrix<T, 6, NV>,
    /// Derivative of the rate in the tangent space of q (6 x NV): N/rad, N m/rad.
    pub drate_dq: SMatrix<T, 6, NV>,
    /// Derivative of the rate by v (6 x NV): N s/rad, N m s/rad.
    pub drate_dv: SMatrix<T, 6, NV>,
    /// Derivative of the rate by a, the centroidal momentum matrix (6 x NV): kg m/rad, kg m^2/rad.
    pub drate_da: SMatrix<T, 6, NV>,
}
impl<T: Scalar, const NV: usize> CentroidalDerivatives<T, NV> {
    /// All zero: something for the `_into` functions to write to.
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            momentum: zeros(),
            rate: zeros(),
            dmomentum_dq: zeros(),
            drate_dq: zeros(),
            drate_dv: zeros(),
            drate_da: zeros(),
        }
    }
}
impl<T: Scalar, const NV: usize> Default for CentroidalDerivatives<T, NV> {
    fn default() -> Self {
        Self::zeros()
    }
}
crate::batch::lanewise!(
    CentroidalDerivatives NV : momentum rate dmomentum_dq drate_dq drate_dv drate_da
);
/// What `kinetic_energy_derivatives` gives.
///
/// `energy = v^T M(q) v / 2, denergy_dq = d energy/d q, denergy_dv = M(q) v`
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct KineticEnergyDerivatives<T, const NV: usize> {
    /// Kinetic energy, v^T M(q) v / 2 (a number): J.
    pub energy: T,
    /// Derivative of the kinetic energy in the tangent space of q (NV): J/rad.
    pub denergy_dq: SVector<T, NV>,
    /// Derivative of the kinetic energy by v, M(q) v (NV): J s/rad.
    pub denergy_dv: SVector<T, NV>,
}
impl<T: Scalar, const NV: usize> KineticEnergyDerivatives<T, NV> {
    /// All zero: something for the `_into` functions to write to.
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            energy: zero(),
            denergy_dq: zeros(),
            denergy_dv: zeros(),
        }
    }
}
impl<T: Scalar, const NV: usize> Default for KineticEnergyDerivatives<T, NV> {
    fn default() -> Self {
        Self::zeros()
    }
}
crate::batch::lanewise!(KineticEnergyDerivatives NV : energy denergy_dq denergy_dv);
/// What `rnea_parameter_derivatives` gives.
///
/// `tau = M(q) a + C(q, v) v + g(q), dtau_dinertia = d tau/d inertia, dtau_dgravity = d tau/d gravity`
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct RneaParameterDerivatives<T, const NV: usize, const NP: usize> {
    /// Joint torques (NV): N m.
    pub tau: SVector<T, NV>,
    /// Derivative of the torques by the ten parameters of each inertia that is given at run time (NP of NV x 10): N m per unit of the parameter.
    pub dtau_dinertia: [SMatrix<T, NV, 10>; NP],
    /// Derivative of the torques by the gravitational acceleration in the world (NV x 3): kg m.
    pub dtau_dgravity: SMatrix<T, NV, 3>,
}
impl<T: Scalar, const NV: usize, const NP: usize> RneaParameterDerivatives<T, NV, NP> {
    /// All zero: something for the `_into` functions to write to.
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            tau: zeros(),
            dtau_dinertia: tensor_zeros(),
            dtau_dgravity: zeros(),
        }
    }
}
impl<T: Scalar, const NV: usize, const NP: usize> Default
for RneaParameterDerivatives<T, NV, NP> {
    fn default() -> Self {
        Self::zeros()
    }
}
crate::batch::lanewise!(
    RneaParameterDerivatives NV NP : tau dtau_dinertia dtau_dgravity
);
/// What `aba_parameter_derivatives` gives.
///
/// `ddq = M(q)^-1 (tau - C(q, v) v - g(q)), ddq_dinertia = -M^-1 d tau/d inertia, ddq_dgravity = -M^-1 d tau/d gravity`
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct AbaParameterDerivatives<T, const NV: usize, const NP: usize> {
    /// Joint accelerations (NV): rad/s^2.
    pub ddq: SVector<T, NV>,
    /// Derivative of the accelerations by the ten parameters of each inertia that is given at run time (NP of NV x 10): rad/s^2 per unit of the parameter.
    pub ddq_dinertia: [SMatrix<T, NV, 10>; NP],
    /// Derivative of the accelerations by the gravitational acceleration in the world (NV x 3): rad/m.
    pub ddq_dgravity: SMatrix<T, NV, 3>,
}
impl<T: Scalar, const NV: usize, const NP: usize> AbaParameterDerivatives<T, NV, NP> {
    /// All zero: something for the `_into` functions to write to.
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            ddq: zeros(),
            ddq_dinertia: tensor_zeros(),
            ddq_dgravity: zeros(),
        }
    }
}
impl<T: Scalar, const NV: usize, const NP: usize> Default
for AbaParameterDerivatives<T, NV, NP> {
    fn default() -> Self {
        Self::zeros()
    }
}
crate::batch::lanewise!(AbaParameterDerivatives NV NP : ddq ddq_dinertia ddq_dgravity);
/// What `rnea_hessian` gives.
///
/// `value = mu . tau, dq = d value/d q, dv = d value/d v, da = M mu, dqdq = d dq/d q, dqdv = d dq/d v, dvdv = d dv/d v, dqda = d dq/d a`
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct RneaHessian<T, const NV: usize> {
    /// The sum `mu . tau` (a number): of the weights.
    pub value: T,
    /// Derivative by q (NV): of the sum.
    pub dq: SVector<T, NV>,
    /// Derivative by v (NV): of the sum.
    pub dv: SVector<T, NV>,
    /// Derivative by a: M mu (NV): of the sum.
    pub da: SVector<T, NV>,
    /// Entry (i, j) is the derivative along q_j of the derivative along q_i: not symmetric among the coordinates of one joint of several, elsewhere symmetric (NV x NV): of the sum.
    pub dqdq: SMatrix<T, NV, NV>,
    /// Entry (i, j) is the derivative by v_j of the derivative by q_i (NV x NV): of the sum.
    pub dqdv: SMatrix<T, NV, NV>,
    /// By v twice (NV x NV): of the sum.
    pub dvdv: SMatrix<T, NV, NV>,
    /// Entry (i, j) is the derivative by a_j of the derivative by q_i (NV x NV): of the sum.
    pub dqda: SMatrix<T, NV, NV>,
}
impl<T: Scalar, const NV: usize> RneaHessian<T, NV> {
    /// All zero: something for the `_into` functions to write to.
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            value: zero(),
            dq: zeros(),
            dv: zeros(),
            da: zeros(),
            dqdq: zeros(),
            dqdv: zeros(),
            dvdv: zeros(),
            dqda: zeros(),
        }
    }
}
impl<T: Scalar, const NV: usize> Default for RneaHessian<T, NV> {
    fn default() -> Self {
        Self::zeros()
    }
}
crate::batch::lanewise!(RneaHessian NV : value dq dv da dqdq dqdv dvdv dqda);
/// What `aba_hessian` gives.
///
/// `value = lambda . ddq, dq = d value/d q, dv = d value/d v, dtau = M^-1 lambda, dqdq = d dq/d q, dqdv = d dq/d v, dvdv = d dv/d v, dqdtau = d dq/d tau`
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct AbaHessian<T, const NV: usize> {
    /// The sum `lambda . ddq` (a number): of the weights.
    pub value: T,
    /// Derivative by q (NV): of the sum.
    pub dq: SVector<T, NV>,
    /// Derivative by v (NV): of the sum.
    pub dv: SVector<T, NV>,
    /// Derivative by tau: M^-1 lambda (NV): of the sum.
    pub dtau: SVector<T, NV>,
    /// Entry (i, j) is the derivative along q_j of the derivative along q_i: not symmetric among the coordinates of one joint of several, elsewhere symmetric (NV x NV): of the sum.
    pub dqdq: SMatrix<T, NV, NV>,
    /// Entry (i, j) is the derivative by v_j of the derivative by q_i (NV x NV): of the sum.
    pub dqdv: SMatrix<T, NV, NV>,
    /// By v twice (NV x NV): of the sum.
    pub dvdv: SMatrix<T, NV, NV>,
    /// Entry (i, j) is the derivative by tau_j of the derivative by q_i (NV x NV): of the sum.
    pub dqdtau: SMatrix<T, NV, NV>,
}
impl<T: Scalar, const NV: usize> AbaHessian<T, NV> {
    /// All zero: something for the `_into` functions to write to.
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            value: zero(),
            dq: zeros(),
            dv: zeros(),
            dtau: zeros(),
            dqdq: zeros(),
            dqdv: zeros(),
            dvdv: zeros(),
            dqdtau: zeros(),
        }
    }
}
impl<T: Scalar, const NV: usize> Default for AbaHessian<T, NV> {
    fn default() -> Self {
        Self::zeros()
    }
}
crate::batch::lanewise!(AbaHessian NV : value dq dv dtau dqdq dqdv dvdv dqdtau);
/// What `rnea_second_derivatives` gives.
///
/// `d2tau_dqdq = d2 tau/d q d q, d2tau_dqdv = d2 tau/d q d v, d2tau_dvdv = d2 tau/d v d v, d2tau_dqda = d M/d q`
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct RneaSecondDerivatives<T, const NV: usize> {
    /// Element `[k][(i, j)]` is the derivative along q_k of the derivative of tau_i along q_j (NV of NV x NV): N m/rad^2.
    pub d2tau_dqdq: [SMatrix<T, NV, NV>; NV],
    /// Element `[k][(i, j)]` is the derivative of tau_i by q_j and v_k (NV of NV x NV): N m s/rad^2.
    pub d2tau_dqdv: [SMatrix<T, NV, NV>; NV],
    /// Element `[k][(i, j)]` is the derivative of tau_i by v_j and v_k (NV of NV x NV): N m s^2/rad^2.
    pub d2tau_dvdv: [SMatrix<T, NV, NV>; NV],
    /// Element `[k][(i, j)]` is the derivative of M_ik by q_j (NV of NV x NV): kg m^2/rad.
    pub d2tau_dqda: [SMatrix<T, NV, NV>; NV],
}
impl<T: Scalar, const NV: usize> RneaSecondDerivatives<T, NV> {
    /// All zero: something for the `_into` functions to write to.
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            d2tau_dqdq: tensor_zeros(),
            d2tau_dqdv: tensor_zeros(),
            d2tau_dvdv: tensor_zeros(),
            d2tau_dqda: tensor_zeros(),
        }
    }
}
impl<T: Scalar, const NV: usize> Default for RneaSecondDerivatives<T, NV> {
    fn default() -> Self {
        Self::zeros()
    }
}
crate::batch::lanewise!(
    RneaSecondDerivatives NV : d2tau_dqdq d2tau_dqdv d2tau_dvdv d2tau_dqda
);
/// What `aba_second_derivatives` gives.
///
/// `d2ddq_dqdq = d2 ddq/d q d q, d2ddq_dqdv = d2 ddq/d q d v, d2ddq_dvdv = d2 ddq/d v d v, d2ddq_dqdtau = d M^-1/d q`
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct AbaSecondDerivatives<T, const NV: usize> {
    /// Element `[k][(i, j)]` is the derivative along q_k of the derivative of ddq_i along q_j (NV of NV x NV): 1/(rad s^2).
    pub d2ddq_dqdq: [SMatrix<T, NV, NV>; NV],
    /// Element `[k][(i, j)]` is the derivative of ddq_i by q_j and v_k (NV of NV x NV): 1/(rad s).
    pub d2ddq_dqdv: [SMatrix<T, NV, NV>; NV],
    /// Element `[k][(i, j)]` is the derivative of ddq_i by v_j and v_k (NV of NV x NV): 1/rad.
    pub d2ddq_dvdv: [SMatrix<T, NV, NV>; NV],
    /// Element `[k][(i, j)]` is the derivative of entry (i, k) of M^-1 by q_j (NV of NV x NV): 1/(kg m^2 rad).
    pub d2ddq_dqdtau: [SMatrix<T, NV, NV>; NV],
}
impl<T: Scalar, const NV: usize> AbaSecondDerivatives<T, NV> {
    /// All zero: something for the `_into` functions to write to.
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            d2ddq_dqdq: tensor_zeros(),
            d2ddq_dqdv: tensor_zeros(),
            d2ddq_dvdv: tensor_zeros(),
            d2ddq_dqdtau: tensor_zeros(),
        }
    }
}
impl<T: Scalar, const NV: usize> Default for AbaSecondDerivatives<T, NV> {
    fn default() -> Self {
        Self::zeros()
    }
}
crate::batch::lanewise!(
    AbaSecondDerivatives NV : d2ddq_dqdq d2ddq_dqdv d2ddq_dvdv d2ddq_dqdtau
);
/// Robots with inverse dynamics: the torques of a motion.
#[diagnostic::on_unimplemented(
    note = "a robot made with `functions: [..]` implements `InverseDynamics` if it has `rnea`, `bias`, `gravity`; `inverse_dynamics` in the list names these",
    note = "NQ and NV are the type's own: `<{{R::NQ}}, {{R::NV}}>`"
)]
pub trait InverseDynamics<const NQ: usize, const NV: usize>: Mechanism<NQ, NV> {
    /// Inverse dynamics: the torques (N m, N) that give the accelerations `a` at `q`, `v`.
    ///
    /// `tau = M(q) a + C(q, v) v + g(q)`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `a` (NV): acceleration; rad/s^2, m/s^2
    /// - returns `tau` (NV): joint torques; N m
    #[doc(alias = "inverseDynamics")]
    #[must_use]
    fn rnea<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
    ) -> SVector<T, NV>;
    /// Torques at zero acceleration: Coriolis, centrifugal and gravity terms, C(q, v) v + g(q).
    ///
    /// `tau = C(q, v) v + g(q)`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - returns `tau` (NV): joint torques; N m
    #[doc(alias = "nonLinearEffects")]
    #[doc(alias = "nle")]
    #[must_use]
    fn bias<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
    ) -> SVector<T, NV>;
    /// Torques that hold the robot at rest, g(q).
    ///
    /// `tau = g(q)`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - returns `tau` (NV): joint torques; N m
    #[doc(alias = "computeGeneralizedGravity")]
    #[must_use]
    fn gravity<T: Scalar>(q: &impl Configuration<T, NQ>) -> SVector<T, NV>;
}
/// Robots with forward dynamics: the accelerations under torques.
#[diagnostic::on_unimplemented(
    note = "a robot made with `functions: [..]` implements `ForwardDynamics` if it has `aba`; `forward_dynamics` in the list names these",
    note = "NQ and NV are the type's own: `<{{R::NQ}}, {{R::NV}}>`"
)]
pub trait ForwardDynamics<const NQ: usize, const NV: usize>: Mechanism<NQ, NV> {
    /// Forward dynamics: the accelerations under the torques `tau` at `q`, `v`.
    ///
    /// `ddq = M(q)^-1 (tau - C(q, v) v - g(q))`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `tau` (NV): joint torques and forces; N m, N
    /// - returns `ddq` (NV): joint accelerations; rad/s^2
    #[doc(alias = "forwardDynamics")]
    #[must_use]
    fn aba<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
    ) -> SVector<T, NV>;
}
/// Robots with a mass matrix.
#[diagnostic::on_unimplemented(
    note = "a robot made with `functions: [..]` implements `MassMatrix` if it has `crba`; `mass_matrix` in the list names these",
    note = "NQ and NV are the type's own: `<{{R::NQ}}, {{R::NV}}>`"
)]
pub trait MassMatrix<const NQ: usize, const NV: usize>: Mechanism<NQ, NV> {
    /// The joint-space mass matrix M(q), full and symmetric.
    ///
    /// `m = M(q)`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - returns `m` (NV x NV): mass matrix; kg m^2
    #[must_use]
    fn crba<T: Scalar>(q: &impl Configuration<T, NQ>) -> SMatrix<T, NV, NV>;
    /// [`Self::crba`] without a copy. Writes what can differ from zero: `out` is what `zeros` made, or this function for the same robot.
    fn crba_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        out: &mut SMatrix<T, NV, NV>,
    );
}
/// Robots with the inverse of the mass matrix.
#[diagnostic::on_unimplemented(
    note = "a robot made with `functions: [..]` implements `InverseMassMatrix` if it has `minv`; `inverse_mass_matrix` in the list names these",
    note = "NQ and NV are the type's own: `<{{R::NQ}}, {{R::NV}}>`"
)]
pub trait InverseMassMatrix<const NQ: usize, const NV: usize>: Mechanism<NQ, NV> {
    /// The inverse of the mass matrix, full and symmetric.
    ///
    /// `minv = M(q)^-1`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - returns `minv` (NV x NV): inverse of the mass matrix; 1/(kg m^2)
    #[doc(alias = "computeMinverse")]
    #[doc(alias = "Minv")]
    #[must_use]
    fn minv<T: Scalar>(q: &impl Configuration<T, NQ>) -> SMatrix<T, NV, NV>;
    /// [`Self::minv`] without a copy. Writes what can differ from zero: `out` is what `zeros` made, or this function for the same robot.
    fn minv_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        out: &mut SMatrix<T, NV, NV>,
    );
}
/// Robots with first derivatives of inverse dynamics.
#[diagnostic::on_unimplemented(
    note = "a robot made with `functions: [..]` implements `InverseDynamicsDerivatives` if it has `rnea_derivatives`; `inverse_dynamics_derivatives` in the list names these",
    note = "NQ and NV are the type's own: `<{{R::NQ}}, {{R::NV}}>`"
)]
pub trait InverseDynamicsDerivatives<
    const NQ: usize,
    const NV: usize,
>: Mechanism<NQ, NV> {
    /// Inverse dynamics and its derivatives: `dtau_dq` in the tangent space of q, `dtau_dv`, and `dtau_da`, which is M(q).
    ///
    /// `tau = M(q) a + C(q, v) v + g(q), dtau_dq = d tau/d q, dtau_dv = d tau/d v, dtau_da = M(q)`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `a` (NV): acceleration; rad/s^2, m/s^2
    #[doc(alias = "computeRNEADerivatives")]
    #[must_use]
    fn rnea_derivatives<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
    ) -> RneaDerivatives<T, NV>;
    /// [`Self::rnea_derivatives`] without a copy. Writes what can differ from zero: `out` is what `zeros` made, or this function for the same robot.
    fn rnea_derivatives_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        out: &mut RneaDerivatives<T, NV>,
    );
}
/// Robots with first derivatives of forward dynamics.
#[diagnostic::on_unimplemented(
    note = "a robot made with `functions: [..]` implements `ForwardDynamicsDerivatives` if it has `aba_derivatives`; `forward_dynamics_derivatives` in the list names these",
    note = "NQ and NV are the type's own: `<{{R::NQ}}, {{R::NV}}>`"
)]
pub trait ForwardDynamicsDerivatives<
    const NQ: usize,
    const NV: usize,
>: Mechanism<NQ, NV> {
    /// Forward dynamics and its derivatives: `ddq_dq` in the tangent space of q, `ddq_dv`, and `ddq_dtau`, which is the inverse of M(q).
    ///
    /// `ddq = M(q)^-1 (tau - C(q, v) v - g(q)), ddq_dq = -M^-1 d tau/d q, ddq_dv = -M^-1 d tau/d v, ddq_dtau = M^-1`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `tau` (NV): joint torques and forces; N m, N
    #[doc(alias = "computeABADerivatives")]
    #[must_use]
    fn aba_derivatives<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
    ) -> AbaDerivatives<T, NV>;
    /// [`Self::aba_derivatives`] without a copy. Writes what can differ from zero: `out` is what `zeros` made, or this function for the same robot.
    fn aba_derivatives_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        out: &mut AbaDerivatives<T, NV>,
    );
}
/// Robots with dynamics under external forces.
#[diagnostic::on_unimplemented(
    note = "a robot made with `functions: [..]` implements `ExternalForces` if it has `rnea_fext`, `aba_fext`, `rnea_derivatives_fext`, `aba_derivatives_fext`; `external_forces` in the list names these",
    note = "NQ and NV are the type's own: `<{{R::NQ}}, {{R::NV}}>`"
)]
pub trait ExternalForces<const NQ: usize, const NV: usize>: Mechanism<NQ, NV> {
    /// Inverse dynamics under external forces: `fext[i]` is the force `[force; moment]` on moving body i, in its joint frame.
    ///
    /// `tau = M(q) a + C(q, v) v + g(q) - sum_i J_i(q)^T fext_i`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `a` (NV): acceleration; rad/s^2, m/s^2
    /// - `fext` (6 x NB): the force on each moving body, `[force; moment]` in its joint frame; N, N m
    /// - returns `tau` (NV): joint torques; N m
    #[must_use]
    fn rnea_fext<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        fext: &Self::Forces<T>,
    ) -> SVector<T, NV>;
    /// Forward dynamics under external forces: `fext[i]` is the force `[force; moment]` on moving body i, in its joint frame.
    ///
    /// `ddq = M(q)^-1 (tau - C(q, v) v - g(q) + sum_i J_i(q)^T fext_i)`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `tau` (NV): joint torques and forces; N m, N
    /// - `fext` (6 x NB): the force on each moving body, `[force; moment]` in its joint frame; N, N m
    /// - returns `ddq` (NV): joint accelerations; rad/s^2
    #[must_use]
    fn aba_fext<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        fext: &Self::Forces<T>,
    ) -> SVector<T, NV>;
    /// Inverse dynamics and its first derivatives under external forces. Each force is constant in its own body's joint frame: it turns with the body. A force fixed in the world needs a term of its own in `dtau_dq`.
    ///
    /// `tau = M(q) a + C(q, v) v + g(q) - sum_i J_i(q)^T fext_i, dtau_dq = d tau/d q, dtau_dv = d tau/d v, dtau_da = M(q)`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `a` (NV): acceleration; rad/s^2, m/s^2
    /// - `fext` (6 x NB): the force on each moving body, `[force; moment]` in its joint frame; N, N m
    #[must_use]
    fn rnea_derivatives_fext<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        fext: &Self::Forces<T>,
    ) -> RneaDerivatives<T, NV>;
    /// [`Self::rnea_derivatives_fext`] without a copy. Writes what can differ from zero: `out` is what `zeros` made, or this function for the same robot.
    fn rnea_derivatives_fext_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        fext: &Self::Forces<T>,
        out: &mut RneaDerivatives<T, NV>,
    );
    /// Forward dynamics and its first derivatives under external forces. Each force is constant in its own body's joint frame: it turns with the body. A force fixed in the world needs a term of its own in `ddq_dq`.
    ///
    /// `ddq = M(q)^-1 (tau - C(q, v) v - g(q) + sum_i J_i(q)^T fext_i), ddq_dq = -M^-1 d tau/d q, ddq_dv = -M^-1 d tau/d v, ddq_dtau = M^-1`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `tau` (NV): joint torques and forces; N m, N
    /// - `fext` (6 x NB): the force on each moving body, `[force; moment]` in its joint frame; N, N m
    #[must_use]
    fn aba_derivatives_fext<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        fext: &Self::Forces<T>,
    ) -> AbaDerivatives<T, NV>;
    /// [`Self::aba_derivatives_fext`] without a copy. Writes what can differ from zero: `out` is what `zeros` made, or this function for the same robot.
    fn aba_derivatives_fext_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        fext: &Self::Forces<T>,
        out: &mut AbaDerivatives<T, NV>,
    );
}
/// Robots with a centre of mass and the momentum about it.
#[diagnostic::on_unimplemented(
    note = "a robot made with `functions: [..]` implements `Centroidal` if it has `center_of_mass`, `center_of_mass_velocity`, `center_of_mass_jacobian`, `centroidal_momentum`, `centroidal_momentum_matrix`, `centroidal_momentum_rate`; `centroidal` in the list names these",
    note = "NQ and NV are the type's own: `<{{R::NQ}}, {{R::NV}}>`"
)]
pub trait Centroidal<const NQ: usize, const NV: usize>: Mechanism<NQ, NV> {
    /// The centre of mass of all moving bodies, in the world.
    ///
    /// `com = sum_i m_i c_i / sum_i m_i`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - returns `com` (3): centre of mass in the world; m
    #[doc(alias = "centerOfMass")]
    #[must_use]
    fn center_of_mass<T: Scalar>(
        q: &impl Configuration<T, NQ>,
    ) -> SVector<T, 3>;
    /// The velocity of the centre of mass, in the world.
    ///
    /// `com_velocity = d com/dt`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - returns `com_velocity` (3): velocity of the centre of mass in the world; m/s
    #[doc(alias = "vcom")]
    #[must_use]
    fn center_of_mass_velocity<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
    ) -> SVector<T, 3>;
    /// The Jacobian of the centre of mass: its velocity by v.
    ///
    /// `com_jacobian = d com/d q`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - returns `com_jacobian` (3 x NV): derivative of the centre of mass in the tangent space of q; m/rad
    #[doc(alias = "jacobianCenterOfMass")]
    #[must_use]
    fn center_of_mass_jacobian<T: Scalar>(
        q: &impl Configuration<T, NQ>,
    ) -> SMatrix<T, 3, NV>;
    /// [`Self::center_of_mass_jacobian`] without a copy. Writes what can differ from zero: `out` is what `zeros` made, or this function for the same robot.
    fn center_of_mass_jacobian_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        out: &mut SMatrix<T, 3, NV>,
    );
    /// The momentum about the centre of mass, in the world's axes.
    ///
    /// `momentum = A_g(q) v`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - returns `momentum` (6): [linear; angular] momentum about the centre of mass, in the world's axes; kg m/s, kg m^2/s
    #[doc(alias = "computeCentroidalMomentum")]
    #[doc(alias = "hg")]
    #[must_use]
    fn centroidal_momentum<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
    ) -> SVector<T, 6>;
    /// The centroidal momentum matrix: the centroidal momentum by v.
    ///
    /// `momentum_matrix = A_g(q)`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - returns `momentum_matrix` (6 x NV): the centroidal momentum by v; kg m/rad, kg m^2/rad
    #[doc(alias = "computeCentroidalMap")]
    #[doc(alias = "ccrba")]
    #[doc(alias = "Ag")]
    #[must_use]
    fn centroidal_momentum_matrix<T: Scalar>(
        q: &impl Configuration<T, NQ>,
    ) -> SMatrix<T, 6, NV>;
    /// [`Self::centroidal_momentum_matrix`] without a copy. Writes what can differ from zero: `out` is what `zeros` made, or this function for the same robot.
    fn centroidal_momentum_matrix_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        out: &mut SMatrix<T, 6, NV>,
    );
    /// The rate of the centroidal momentum: what forces from the world, gravity among them, must add up to.
    ///
    /// `rate = A_g(q) a + dA_g/dt v`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `a` (NV): acceleration; rad/s^2, m/s^2
    /// - returns `rate` (6): rate of the centroidal momentum; N, N m
    #[doc(alias = "computeCentroidalMomentumTimeVariation")]
    #[doc(alias = "dhg")]
    #[must_use]
    fn centroidal_momentum_rate<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
    ) -> SVector<T, 6>;
}
/// Robots with first derivatives of centroidal dynamics.
#[diagnostic::on_unimplemented(
    note = "a robot made with `functions: [..]` implements `CentroidalDynamicsDerivatives` if it has `centroidal_derivatives`; `centroidal_dynamics_derivatives` in the list names these",
    note = "NQ and NV are the type's own: `<{{R::NQ}}, {{R::NV}}>`"
)]
pub trait CentroidalDynamicsDerivatives<
    const NQ: usize,
    const NV: usize,
>: Mechanism<NQ, NV> {
    /// The centroidal momentum, its rate, and their derivatives. The derivative of the momentum by v is `drate_da` too.
    ///
    /// `momentum = A_g(q) v, rate = A_g(q) a + dA_g/dt v, dmomentum_dq = d momentum/d q, drate_dq = d rate/d q, drate_dv = d rate/d v, drate_da = A_g(q)`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `a` (NV): acceleration; rad/s^2, m/s^2
    #[doc(alias = "computeCentroidalDynamicsDerivatives")]
    #[must_use]
    fn centroidal_derivatives<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
    ) -> CentroidalDerivatives<T, NV>;
    /// [`Self::centroidal_derivatives`] without a copy. Writes what can differ from zero: `out` is what `zeros` made, or this function for the same robot.
    fn centroidal_derivatives_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        out: &mut CentroidalDerivatives<T, NV>,
    );
}
/// Robots with kinetic and potential energy.
#[diagnostic::on_unimplemented(
    note = "a robot made with `functions: [..]` implements `Energy` if it has `kinetic_energy`, `kinetic_energy_derivatives`, `potential_energy`; `energy` in the list names these",
    note = "NQ and NV are the type's own: `<{{R::NQ}}, {{R::NV}}>`"
)]
pub trait Energy<const NQ: usize, const NV: usize>: Mechanism<NQ, NV> {
    /// The kinetic energy of all moving bodies and rotors.
    ///
    /// `energy = v^T M(q) v / 2`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - returns `energy` (a number): kinetic energy, v^T M(q) v / 2; J
    #[doc(alias = "computeKineticEnergy")]
    #[must_use]
    fn kinetic_energy<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
    ) -> T;
    /// The kinetic energy and its gradients.
    ///
    /// `energy = v^T M(q) v / 2, denergy_dq = d energy/d q, denergy_dv = M(q) v`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    #[must_use]
    fn kinetic_energy_derivatives<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
    ) -> KineticEnergyDerivatives<T, NV>;
    /// [`Self::kinetic_energy_derivatives`] without a copy. Writes every entry of `out`, which needs no particular value before.
    fn kinetic_energy_derivatives_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        out: &mut KineticEnergyDerivatives<T, NV>,
    );
    /// The potential energy in the field of gravity, zero for a point at the world's origin. Its gradient is `gravity`.
    ///
    /// `energy = -sum_i m_i g . c_i`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - returns `energy` (a number): potential energy in the field of gravity; J
    #[doc(alias = "computePotentialEnergy")]
    #[must_use]
    fn potential_energy<T: Scalar>(q: &impl Configuration<T, NQ>) -> T;
}
/// Robots with a Coriolis matrix.
#[diagnostic::on_unimplemented(
    note = "a robot made with `functions: [..]` implements `Coriolis` if it has `coriolis_matrix`; `coriolis` in the list names these",
    note = "NQ and NV are the type's own: `<{{R::NQ}}, {{R::NV}}>`"
)]
pub trait Coriolis<const NQ: usize, const NV: usize>: Mechanism<NQ, NV> {
    /// The Coriolis matrix. Damping has no part in it.
    ///
    /// `coriolis = C(q, v), with C v + g(q) = bias and dM/dt = C + C^T`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - returns `coriolis` (NV x NV): C(q, v) with C v the Coriolis and centrifugal torques and dM/dt = C + C^T; kg m^2/s
    #[doc(alias = "computeCoriolisMatrix")]
    #[must_use]
    fn coriolis_matrix<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
    ) -> SMatrix<T, NV, NV>;
    /// [`Self::coriolis_matrix`] without a copy. Writes what can differ from zero: `out` is what `zeros` made, or this function for the same robot.
    fn coriolis_matrix_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        out: &mut SMatrix<T, NV, NV>,
    );
}
/// Robots with second derivatives of inverse and forward dynamics, as Hessians of weighted sums and as tensors.
#[diagnostic::on_unimplemented(
    note = "a robot made with `functions: [..]` implements `SecondDerivatives` if it has `rnea_hessian`, `rnea_hessian_fext`, `aba_hessian`, `aba_hessian_fext`, `rnea_second_derivatives`, `rnea_second_derivatives_fext`, `aba_second_derivatives`, `aba_second_derivatives_fext`; `second_derivatives` in the list names these",
    note = "NQ and NV are the type's own: `<{{R::NQ}}, {{R::NV}}>`"
)]
pub trait SecondDerivatives<const NQ: usize, const NV: usize>: Mechanism<NQ, NV> {
    /// The sum of torques `mu . tau`, its gradient and its Hessian, without any tensor: what an exact Hessian of inverse dynamics adds to a Lagrangian.
    ///
    /// `value = mu . tau, dq = d value/d q, dv = d value/d v, da = M mu, dqdq = d dq/d q, dqdv = d dq/d v, dvdv = d dv/d v, dqda = d dq/d a`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `a` (NV): acceleration; rad/s^2, m/s^2
    /// - `mu` (NV): weight of each torque
    #[must_use]
    fn rnea_hessian<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        mu: &SVector<T, NV>,
    ) -> RneaHessian<T, NV>;
    /// [`Self::rnea_hessian`] without a copy. Writes what can differ from zero: `out` is what `zeros` made, or this function for the same robot.
    fn rnea_hessian_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        mu: &SVector<T, NV>,
        out: &mut RneaHessian<T, NV>,
    );
    /// Torques weighted with mu, their gradient and their Hessian, under external forces, each constant in its own body's joint frame.
    ///
    /// `value = mu . tau, dq = d value/d q, dv = d value/d v, da = M mu, dqdq = d dq/d q, dqdv = d dq/d v, dvdv = d dv/d v, dqda = d dq/d a`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `a` (NV): acceleration; rad/s^2, m/s^2
    /// - `fext` (6 x NB): the force on each moving body, `[force; moment]` in its joint frame; N, N m
    /// - `mu` (NV): weight of each torque
    #[must_use]
    fn rnea_hessian_fext<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        fext: &Self::Forces<T>,
        mu: &SVector<T, NV>,
    ) -> RneaHessian<T, NV>;
    /// [`Self::rnea_hessian_fext`] without a copy. Writes what can differ from zero: `out` is what `zeros` made, or this function for the same robot.
    fn rnea_hessian_fext_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        fext: &Self::Forces<T>,
        mu: &SVector<T, NV>,
        out: &mut RneaHessian<T, NV>,
    );
    /// The sum of accelerations `lambda . ddq` under the torques `tau`, its gradient and its Hessian, without any tensor: what DDP needs.
    ///
    /// `value = lambda . ddq, dq = d value/d q, dv = d value/d v, dtau = M^-1 lambda, dqdq = d dq/d q, dqdv = d dq/d v, dvdv = d dv/d v, dqdtau = d dq/d tau`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `tau` (NV): joint torques and forces; N m, N
    /// - `lambda` (NV): weight of each acceleration
    #[must_use]
    fn aba_hessian<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        lambda: &SVector<T, NV>,
    ) -> AbaHessian<T, NV>;
    /// [`Self::aba_hessian`] without a copy. Writes what can differ from zero: `out` is what `zeros` made, or this function for the same robot.
    fn aba_hessian_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        lambda: &SVector<T, NV>,
        out: &mut AbaHessian<T, NV>,
    );
    /// Accelerations weighted with lambda, their gradient and their Hessian, under external forces, each constant in its own body's joint frame.
    ///
    /// `value = lambda . ddq, dq = d value/d q, dv = d value/d v, dtau = M^-1 lambda, dqdq = d dq/d q, dqdv = d dq/d v, dvdv = d dv/d v, dqdtau = d dq/d tau`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `tau` (NV): joint torques and forces; N m, N
    /// - `fext` (6 x NB): the force on each moving body, `[force; moment]` in its joint frame; N, N m
    /// - `lambda` (NV): weight of each acceleration
    #[must_use]
    fn aba_hessian_fext<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        fext: &Self::Forces<T>,
        lambda: &SVector<T, NV>,
    ) -> AbaHessian<T, NV>;
    /// [`Self::aba_hessian_fext`] without a copy. Writes what can differ from zero: `out` is what `zeros` made, or this function for the same robot.
    fn aba_hessian_fext_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        fext: &Self::Forces<T>,
        lambda: &SVector<T, NV>,
        out: &mut AbaHessian<T, NV>,
    );
    /// Second derivatives of inverse dynamics. The form that writes leaves alone what is zero for this robot: give it what `zeros` made, and use that again. Large: keep it in a `static` or a `Box`.
    ///
    /// `d2tau_dqdq = d2 tau/d q d q, d2tau_dqdv = d2 tau/d q d v, d2tau_dvdv = d2 tau/d v d v, d2tau_dqda = d M/d q`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `a` (NV): acceleration; rad/s^2, m/s^2
    #[doc(alias = "ComputeRNEASecondOrderDerivatives")]
    #[must_use]
    fn rnea_second_derivatives<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
    ) -> RneaSecondDerivatives<T, NV>;
    /// [`Self::rnea_second_derivatives`] without a copy. Writes what can differ from zero: `out` is what `zeros` made, or this function for the same robot.
    fn rnea_second_derivatives_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        out: &mut RneaSecondDerivatives<T, NV>,
    );
    /// All second derivatives of inverse dynamics, under external forces, each constant in its own body's joint frame.
    ///
    /// `d2tau_dqdq = d2 tau/d q d q, d2tau_dqdv = d2 tau/d q d v, d2tau_dvdv = d2 tau/d v d v, d2tau_dqda = d M/d q`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `a` (NV): acceleration; rad/s^2, m/s^2
    /// - `fext` (6 x NB): the force on each moving body, `[force; moment]` in its joint frame; N, N m
    #[must_use]
    fn rnea_second_derivatives_fext<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        fext: &Self::Forces<T>,
    ) -> RneaSecondDerivatives<T, NV>;
    /// [`Self::rnea_second_derivatives_fext`] without a copy. Writes what can differ from zero: `out` is what `zeros` made, or this function for the same robot.
    fn rnea_second_derivatives_fext_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        fext: &Self::Forces<T>,
        out: &mut RneaSecondDerivatives<T, NV>,
    );
    /// Second derivatives of forward dynamics. The form that writes wants what `zeros` made, or it itself. Large: keep it in a `static` or a `Box`.
    ///
    /// `d2ddq_dqdq = d2 ddq/d q d q, d2ddq_dqdv = d2 ddq/d q d v, d2ddq_dvdv = d2 ddq/d v d v, d2ddq_dqdtau = d M^-1/d q`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `tau` (NV): joint torques and forces; N m, N
    #[must_use]
    fn aba_second_derivatives<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
    ) -> AbaSecondDerivatives<T, NV>;
    /// [`Self::aba_second_derivatives`] without a copy. Writes what can differ from zero: `out` is what `zeros` made, or this function for the same robot.
    fn aba_second_derivatives_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        out: &mut AbaSecondDerivatives<T, NV>,
    );
    /// All second derivatives of forward dynamics, under external forces, each constant in its own body's joint frame.
    ///
    /// `d2ddq_dqdq = d2 ddq/d q d q, d2ddq_dqdv = d2 ddq/d q d v, d2ddq_dvdv = d2 ddq/d v d v, d2ddq_dqdtau = d M^-1/d q`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `tau` (NV): joint torques and forces; N m, N
    /// - `fext` (6 x NB): the force on each moving body, `[force; moment]` in its joint frame; N, N m
    #[must_use]
    fn aba_second_derivatives_fext<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        fext: &Self::Forces<T>,
    ) -> AbaSecondDerivatives<T, NV>;
    /// [`Self::aba_second_derivatives_fext`] without a copy. Writes what can differ from zero: `out` is what `zeros` made, or this function for the same robot.
    fn aba_second_derivatives_fext_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        fext: &Self::Forces<T>,
        out: &mut AbaSecondDerivatives<T, NV>,
    );
}
/// Robots with dynamics and their first derivatives: what the name `dynamics` in the option `functions` stands for.
#[diagnostic::on_unimplemented(
    note = "a robot made with `functions: [..]` implements the families that it has all functions of",
    note = "NQ and NV are the type's own: `Dynamics<{{R::NQ}}, {{R::NV}}>`"
)]
pub trait Dynamics<
    const NQ: usize,
    const NV: usize,
>: InverseDynamics<
        NQ,
        NV,
    > + ForwardDynamics<
        NQ,
        NV,
    > + MassMatrix<
        NQ,
        NV,
    > + InverseMassMatrix<
        NQ,
        NV,
    > + InverseDynamicsDerivatives<
        NQ,
        NV,
    > + ForwardDynamicsDerivatives<NQ, NV> + ExternalForces<NQ, NV> {}
/// Robots with every family of functions that has a trait: all that are generated without the option `functions`.
///
/// A solver for any robot is written `fn solve<R: Robot<NQ, NV>, const NQ: usize, const NV: usize>(..)`; one that
/// needs less says so by a family, such as [`InverseDynamics`], or by [`Dynamics`]. Every function is also an
/// associated function of the generated type itself, where it is documented with its cost.
#[diagnostic::on_unimplemented(
    note = "a robot made with `functions: [..]` implements the families that it has all functions of",
    note = "NQ and NV are the type's own: `Robot<{{R::NQ}}, {{R::NV}}>`"
)]
pub trait Robot<
    const NQ: usize,
    const NV: usize,
>: Dynamics<
        NQ,
        NV,
    > + Centroidal<
        NQ,
        NV,
    > + CentroidalDynamicsDerivatives<
        NQ,
        NV,
    > + Energy<NQ, NV> + Coriolis<NQ, NV> + SecondDerivatives<NQ, NV> {}
/// Robots that take inertia or gravity at run time.
///
/// Those made with the option `inertia`, or `gravity: runtime`.
#[diagnostic::on_unimplemented(
    note = "a robot implements it if it is made with `inertia: {{ .. }}` or `gravity: runtime`"
)]
pub trait HasParameters {
    /// What is given; by default that of the URDF and the options.
    type Parameters<T: Scalar>: Copy + Default;
}
/// Robots with dynamics and their first derivatives that take inertia or gravity at run time.
///
/// Those made with the option `inertia`, or `gravity: runtime`, and all functions of [`Dynamics`]. Functions
/// that do not depend on what is given ignore it: the mass matrix of a robot that takes gravity alone.
#[diagnostic::on_unimplemented(
    note = "a robot implements it if it is made with `inertia: {{ .. }}` or `gravity: runtime`, and has all of `dynamics`",
    note = "NQ and NV are the type's own: `<{{R::NQ}}, {{R::NV}}>`"
)]
pub trait DynamicsWithParameters<
    const NQ: usize,
    const NV: usize,
>: Dynamics<NQ, NV> + HasParameters {
    /// Inverse dynamics: the torques (N m, N) that give the accelerations `a` at `q`, `v`.
    ///
    /// `tau = M(q) a + C(q, v) v + g(q)`, with inertia and gravity of `parameters`.
    #[must_use]
    fn rnea_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
    ) -> SVector<T, NV>;
    /// Inverse dynamics under external forces: `fext[i]` is the force `[force; moment]` on moving body i, in its joint frame.
    ///
    /// `tau = M(q) a + C(q, v) v + g(q) - sum_i J_i(q)^T fext_i`, with inertia and gravity of `parameters`.
    #[must_use]
    fn rnea_fext_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        fext: &Self::Forces<T>,
    ) -> SVector<T, NV>;
    /// Torques at zero acceleration: Coriolis, centrifugal and gravity terms, C(q, v) v + g(q).
    ///
    /// `tau = C(q, v) v + g(q)`, with inertia and gravity of `parameters`.
    #[must_use]
    fn bias_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
    ) -> SVector<T, NV>;
    /// Torques that hold the robot at rest, g(q).
    ///
    /// `tau = g(q)`, with inertia and gravity of `parameters`.
    #[must_use]
    fn gravity_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
    ) -> SVector<T, NV>;
    /// Forward dynamics: the accelerations under the torques `tau` at `q`, `v`.
    ///
    /// `ddq = M(q)^-1 (tau - C(q, v) v - g(q))`, with inertia and gravity of `parameters`.
    #[must_use]
    fn aba_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
    ) -> SVector<T, NV>;
    /// Forward dynamics under external forces: `fext[i]` is the force `[force; moment]` on moving body i, in its joint frame.
    ///
    /// `ddq = M(q)^-1 (tau - C(q, v) v - g(q) + sum_i J_i(q)^T fext_i)`, with inertia and gravity of `parameters`.
    #[must_use]
    fn aba_fext_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        fext: &Self::Forces<T>,
    ) -> SVector<T, NV>;
    /// The joint-space mass matrix M(q), full and symmetric.
    ///
    /// `m = M(q)`, with inertia and gravity of `parameters`.
    #[must_use]
    fn crba_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
    ) -> SMatrix<T, NV, NV>;
    /// [`Self::crba_with`] without a copy.
    fn crba_with_into<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
        out: &mut SMatrix<T, NV, NV>,
    );
    /// The inverse of the mass matrix, full and symmetric.
    ///
    /// `minv = M(q)^-1`, with inertia and gravity of `parameters`.
    #[must_use]
    fn minv_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
    ) -> SMatrix<T, NV, NV>;
    /// [`Self::minv_with`] without a copy.
    fn minv_with_into<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
        out: &mut SMatrix<T, NV, NV>,
    );
    /// Inverse dynamics and its derivatives: `dtau_dq` in the tangent space of q, `dtau_dv`, and `dtau_da`, which is M(q).
    ///
    /// `tau = M(q) a + C(q, v) v + g(q), dtau_dq = d tau/d q, dtau_dv = d tau/d v, dtau_da = M(q)`, with inertia and gravity of `parameters`.
    #[must_use]
    fn rnea_derivatives_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
    ) -> RneaDerivatives<T, NV>;
    /// [`Self::rnea_derivatives_with`] without a copy.
    fn rnea_derivatives_with_into<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        out: &mut RneaDerivatives<T, NV>,
    );
    /// Inverse dynamics and its first derivatives under external forces. Each force is constant in its own body's joint frame: it turns with the body. A force fixed in the world needs a term of its own in `dtau_dq`.
    ///
    /// `tau = M(q) a + C(q, v) v + g(q) - sum_i J_i(q)^T fext_i, dtau_dq = d tau/d q, dtau_dv = d tau/d v, dtau_da = M(q)`, with inertia and gravity of `parameters`.
    #[must_use]
    fn rnea_derivatives_fext_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        fext: &Self::Forces<T>,
    ) -> RneaDerivatives<T, NV>;
    /// [`Self::rnea_derivatives_fext_with`] without a copy.
    fn rnea_derivatives_fext_with_into<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        fext: &Self::Forces<T>,
        out: &mut RneaDerivatives<T, NV>,
    );
    /// Forward dynamics and its derivatives: `ddq_dq` in the tangent space of q, `ddq_dv`, and `ddq_dtau`, which is the inverse of M(q).
    ///
    /// `ddq = M(q)^-1 (tau - C(q, v) v - g(q)), ddq_dq = -M^-1 d tau/d q, ddq_dv = -M^-1 d tau/d v, ddq_dtau = M^-1`, with inertia and gravity of `parameters`.
    #[must_use]
    fn aba_derivatives_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
    ) -> AbaDerivatives<T, NV>;
    /// [`Self::aba_derivatives_with`] without a copy.
    fn aba_derivatives_with_into<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        out: &mut AbaDerivatives<T, NV>,
    );
    /// Forward dynamics and its first derivatives under external forces. Each force is constant in its own body's joint frame: it turns with the body. A force fixed in the world needs a term of its own in `ddq_dq`.
    ///
    /// `ddq = M(q)^-1 (tau - C(q, v) v - g(q) + sum_i J_i(q)^T fext_i), ddq_dq = -M^-1 d tau/d q, ddq_dv = -M^-1 d tau/d v, ddq_dtau = M^-1`, with inertia and gravity of `parameters`.
    #[must_use]
    fn aba_derivatives_fext_with<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        fext: &Self::Forces<T>,
    ) -> AbaDerivatives<T, NV>;
    /// [`Self::aba_derivatives_fext_with`] without a copy.
    fn aba_derivatives_fext_with_into<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        fext: &Self::Forces<T>,
        out: &mut AbaDerivatives<T, NV>,
    );
}
/// Calls the macro with the names of the functions of dynamics and their first derivatives, and what else it is given.
#[doc(hidden)]
#[macro_export]
macro_rules! dynamics_functions {
    ([$($callback:tt)*] $($rest:tt)*) => {
        $($callback)* ! { $($rest)* rnea rnea_fext bias gravity aba aba_fext crba minv
        rnea_derivatives rnea_derivatives_fext aba_derivatives aba_derivatives_fext }
    };
}
/// Calls the macro with a function's row: its name, that of the form that writes, parameters, kind of result, and
/// outputs. What else it is given goes behind.
#[doc(hidden)]
#[macro_export]
macro_rules! function_row {
    (rnea[$($callback:tt)*] $($rest:tt)*) => {
        $($callback)* ! { [rnea rnea_into(q v a) vector(tau)] $($rest)* }
    };
    (rnea_fext[$($callback:tt)*] $($rest:tt)*) => {
        $($callback)* ! { [rnea_fext rnea_fext_into(q v a fext) vector(tau)] $($rest)* }
    };
    (bias[$($callback:tt)*] $($rest:tt)*) => {
        $($callback)* ! { [bias bias_into(q v) vector(tau)] $($rest)* }
    };
    (gravity[$($callback:tt)*] $($rest:tt)*) => {
        $($callback)* ! { [gravity gravity_into(q) vector(tau)] $($rest)* }
    };
    (aba[$($callback:tt)*] $($rest:tt)*) => {
        $($callback)* ! { [aba aba_into(q v tau) vector(ddq)] $($rest)* }
    };
    (aba_fext[$($callback:tt)*] $($rest:tt)*) => {
        $($callback)* ! { [aba_fext aba_fext_into(q v tau fext) vector(ddq)] $($rest)* }
    };
    (crba[$($callback:tt)*] $($rest:tt)*) => {
        $($callback)* ! { [crba crba_into(q) matrix(m)] $($rest)* }
    };
    (minv[$($callback:tt)*] $($rest:tt)*) => {
        $($callback)* ! { [minv minv_into(q) matrix(minv)] $($rest)* }
    };
    (rnea_derivatives[$($callback:tt)*] $($rest:tt)*) => {
        $($callback)* ! { [rnea_derivatives rnea_derivatives_into(q v a)
        RneaDerivatives(tau dtau_dq dtau_dv dtau_da)] $($rest)* }
    };
    (rnea_derivatives_fext[$($callback:tt)*] $($rest:tt)*) => {
        $($callback)* ! { [rnea_derivatives_fext rnea_derivatives_fext_into(q v a fext)
        RneaDerivatives(tau dtau_dq dtau_dv dtau_da)] $($rest)* }
    };
    (aba_derivatives[$($callback:tt)*] $($rest:tt)*) => {
        $($callback)* ! { [aba_derivatives aba_derivatives_into(q v tau)
        AbaDerivatives(ddq ddq_dq ddq_dv ddq_dtau)] $($rest)* }
    };
    (aba_derivatives_fext[$($callback:tt)*] $($rest:tt)*) => {
        $($callback)* ! { [aba_derivatives_fext aba_derivatives_fext_into(q v tau fext)
        AbaDerivatives(ddq ddq_dq ddq_dv ddq_dtau)] $($rest)* }
    };
}
#[doc(hidden)]
pub use {dynamics_functions, function_row};
