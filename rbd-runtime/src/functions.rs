//! Results and traits of generated functions.
// Written from the generator's table of functions (`rbd-build/src/functions.rs`). Do not edit:
// `RBD_BLESS=1 cargo test -p rbd-build --test runtime_functions` writes it again.

use crate::__private::{tensor_zeros, zero, zeros};
use crate::{Configuration, Mechanism, Scalar};
use nalgebra::{SMatrix, SVector};
/// What `rnea_derivatives` gives.
///
/// `tau = M(q) a + C(q, v) v + g(q), dtau_dq = d tau/d q, dtau_dv = d tau/d v, dtau_da = M(q)`
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// [`Self::crba`] without a copy. Writes every entry of `out`, which needs no particular value before.
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
    /// [`Self::minv`] without a copy. Writes every entry of `out`, which needs no particular value before.
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
    /// [`Self::rnea_derivatives`] without a copy. Writes every entry of `out`, which needs no particular value before.
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
    /// [`Self::aba_derivatives`] without a copy. Writes every entry of `out`, which needs no particular value before.
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
    /// The same under external forces. Each is constant in its own body's joint frame: it turns with the body. A force fixed in the world needs a term of its own in `dtau_dq`.
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
    /// [`Self::rnea_derivatives_fext`] without a copy. Writes every entry of `out`, which needs no particular value before.
    fn rnea_derivatives_fext_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        fext: &Self::Forces<T>,
        out: &mut RneaDerivatives<T, NV>,
    );
    /// The same under external forces. Each is constant in its own body's joint frame: it turns with the body. A force fixed in the world needs a term of its own in `ddq_dq`.
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
    /// [`Self::aba_derivatives_fext`] without a copy. Writes every entry of `out`, which needs no particular value before.
    fn aba_derivatives_fext_into<T: Scalar>(
        q: &impl Configuration<T, NQ>,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        fext: &Self::Forces<T>,
        out: &mut AbaDerivatives<T, NV>,
    );
}
/// Robots with every family of functions: all that are generated without the option `functions`.
///
/// A solver for any robot is written `fn solve<R: Robot<NQ, NV>, const NQ: usize, const NV: usize>(..)`; one that
/// needs less says so by a family, such as [`InverseDynamics`]. Every function is also an associated function of
/// the generated type itself, where it is documented with its cost.
#[diagnostic::on_unimplemented(
    note = "a robot made with `functions: [..]` implements the families that it has all functions of",
    note = "NQ and NV are the type's own: `Robot<{{R::NQ}}, {{R::NV}}>`"
)]
pub trait Robot<
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
/// Calls the macro with the names of all functions, and what else it is given.
#[doc(hidden)]
#[macro_export]
macro_rules! all_functions {
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
pub use {all_functions, function_row};
