//! Every generated function of a robot, called once, behind a symbol that the linker keeps.

use nalgebra::{SMatrix, SVector};
use rbd_runtime::{
    AbaDerivatives, AbaHessian, AbaSecondDerivatives, CentroidalDerivatives, Dynamics,
    KineticEnergyDerivatives, RneaDerivatives, RneaHessian, RneaSecondDerivatives, Robot, Scalar,
};

/// What [`everything`] writes.
#[derive(Debug)]
pub struct Results<T, const NQ: usize, const NV: usize> {
    /// Neutral and integrated configuration.
    pub configurations: [SVector<T, NQ>; 2],
    /// Torques and accelerations, in the order of the functions.
    pub vectors: [SVector<T, NV>; 7],
    /// Mass matrix and its inverse, returned and written.
    pub matrices: [SMatrix<T, NV, NV>; 4],
    /// Derivatives of inverse dynamics, returned and written.
    pub rnea: [RneaDerivatives<T, NV>; 4],
    /// Derivatives of forward dynamics, returned and written.
    pub aba: [AbaDerivatives<T, NV>; 4],
}

/// Calls every function of a robot.
#[inline(always)]
pub fn everything<R: Dynamics<NQ, NV>, T: Scalar, const NQ: usize, const NV: usize>(
    q: &SVector<T, NQ>,
    v: &SVector<T, NV>,
    a: &SVector<T, NV>,
    f: &R::Forces<T>,
    out: &mut Results<T, NQ, NV>,
) -> usize {
    out.configurations = [R::neutral(), R::integrate(q, v)];
    out.vectors = [
        R::rnea(q, v, a),
        R::rnea_fext(q, v, a, f),
        R::bias(q, v),
        R::gravity(q),
        R::aba(q, v, a),
        R::aba_fext(q, v, a, f),
        R::difference(q, q),
    ];
    let [m, minv, m_into, minv_into] = &mut out.matrices;
    (*m, *minv) = (R::crba(q), R::minv(q));
    R::crba_into(q, m_into);
    R::minv_into(q, minv_into);
    let [d, d_f, d_into, d_f_into] = &mut out.rnea;
    (*d, *d_f) = (R::rnea_derivatives(q, v, a), R::rnea_derivatives_fext(q, v, a, f));
    R::rnea_derivatives_into(q, v, a, d_into);
    R::rnea_derivatives_fext_into(q, v, a, f, d_f_into);
    let [d, d_f, d_into, d_f_into] = &mut out.aba;
    (*d, *d_f) = (R::aba_derivatives(q, v, a), R::aba_derivatives_fext(q, v, a, f));
    R::aba_derivatives_into(q, v, a, d_into);
    R::aba_derivatives_fext_into(q, v, a, f, d_f_into);
    R::JOINTS.len() + R::NAME.len() + R::NB
}

/// Results of [`kinematics`] and [`second_derivatives`].
#[derive(Debug)]
pub struct More<T, const NV: usize> {
    /// Energies.
    pub scalars: [T; 2],
    /// Centre of mass and its velocity.
    pub points: [SVector<T, 3>; 2],
    /// Its Jacobian.
    pub jacobian: SMatrix<T, 3, NV>,
    /// Momentum and its rate.
    pub momenta: [SVector<T, 6>; 2],
    /// The momentum's matrix.
    pub momentum_matrix: SMatrix<T, 6, NV>,
    /// Derivatives of the momentum and of its rate.
    pub centroidal: CentroidalDerivatives<T, NV>,
    /// Derivatives of the energy.
    pub energy: KineticEnergyDerivatives<T, NV>,
    /// The Coriolis matrix.
    pub coriolis: SMatrix<T, NV, NV>,
    /// Hessians of inverse dynamics, without and with forces.
    pub rnea: [RneaHessian<T, NV>; 2],
    /// Hessians of forward dynamics, without and with forces.
    pub aba: [AbaHessian<T, NV>; 2],
    /// Tensors of inverse dynamics.
    pub rnea_tensors: [RneaSecondDerivatives<T, NV>; 2],
    /// Tensors of forward dynamics.
    pub aba_tensors: [AbaSecondDerivatives<T, NV>; 2],
}

/// Calls every function of the whole body.
#[inline(always)]
pub fn kinematics<R: Robot<NQ, NV>, T: Scalar, const NQ: usize, const NV: usize>(
    q: &SVector<T, NQ>,
    v: &SVector<T, NV>,
    a: &SVector<T, NV>,
    out: &mut More<T, NV>,
) {
    out.scalars = [R::kinetic_energy(q, v), R::potential_energy(q)];
    out.points = [R::center_of_mass(q), R::center_of_mass_velocity(q, v)];
    out.jacobian = R::center_of_mass_jacobian(q);
    out.momenta = [R::centroidal_momentum(q, v), R::centroidal_momentum_rate(q, v, a)];
    out.momentum_matrix = R::centroidal_momentum_matrix(q);
    R::centroidal_derivatives_into(q, v, a, &mut out.centroidal);
    out.energy = R::kinetic_energy_derivatives(q, v);
    out.coriolis = R::coriolis_matrix(q, v);
}

/// Calls every function of second order.
#[inline(always)]
pub fn second_derivatives<R: Robot<NQ, NV>, T: Scalar, const NQ: usize, const NV: usize>(
    q: &SVector<T, NQ>,
    v: &SVector<T, NV>,
    a: &SVector<T, NV>,
    f: &R::Forces<T>,
    out: &mut More<T, NV>,
) {
    let [free, forced] = &mut out.rnea;
    R::rnea_hessian_into(q, v, a, v, free);
    R::rnea_hessian_fext_into(q, v, a, f, v, forced);
    let [free, forced] = &mut out.aba;
    R::aba_hessian_into(q, v, a, v, free);
    R::aba_hessian_fext_into(q, v, a, f, v, forced);
    let [free, forced] = &mut out.rnea_tensors;
    R::rnea_second_derivatives_into(q, v, a, free);
    R::rnea_second_derivatives_fext_into(q, v, a, f, forced);
    let [free, forced] = &mut out.aba_tensors;
    R::aba_second_derivatives_into(q, v, a, free);
    R::aba_second_derivatives_fext_into(q, v, a, f, forced);
}

/// `name: Robot, scalar, NQ, NV;` makes a function `name` that calls [`everything`].
macro_rules! entries {
    ($($name:ident: $robot:ident, $scalar:ty, $nq:tt, $nv:tt;)*) => { $(
        /// Every function of this robot with this scalar.
        #[unsafe(no_mangle)]
        pub fn $name(
            q: &nalgebra::SVector<$scalar, $nq>,
            v: &nalgebra::SVector<$scalar, $nv>,
            a: &nalgebra::SVector<$scalar, $nv>,
            f: &<$robot as rbd_runtime::Mechanism<$nq, $nv>>::Forces<$scalar>,
            out: &mut Results<$scalar, $nq, $nv>,
        ) -> usize {
            everything::<$robot, $scalar, $nq, $nv>(q, v, a, f, out)
        }
    )* };
}
pub(crate) use entries;
