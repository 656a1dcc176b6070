//! A method for each function of the table, and a struct for each set of results.
// Written from the generator's table of functions. Do not edit: `cargo xtask bless` writes it again.

use crate::results::{Results, fit, states};
use crate::{Batch, Error, Id, Loaded, Number, ReferenceFrame, Workspace};

/// Results of `rnea_derivatives` and `rnea_derivatives_fext`.
///
/// `tau = M(q) a + C(q, v) v + g(q), dtau_dq = d tau/d q, dtau_dv = d tau/d v, dtau_da = M(q)`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RneaDerivatives<T = f64> {
    /// Joint torques (nv); N m.
    pub tau: Vec<T>,
    /// Derivative of the torques in the tangent space of q (nv x nv, by columns); N m/rad.
    pub dtau_dq: Vec<T>,
    /// Derivative of the torques by the velocity (nv x nv, by columns); N m s/rad.
    pub dtau_dv: Vec<T>,
    /// Derivative of the torques by the acceleration, M(q) (nv x nv, by columns); kg m^2.
    pub dtau_da: Vec<T>,
}

impl<T> Results<T, 4> for RneaDerivatives<T> {
    fn all(&mut self) -> [&mut Vec<T>; 4] {
        [&mut self.tau, &mut self.dtau_dq, &mut self.dtau_dv, &mut self.dtau_da]
    }
}

/// Results of `aba_derivatives` and `aba_derivatives_fext`.
///
/// `ddq = M(q)^-1 (tau - C(q, v) v - g(q)), ddq_dq = -M^-1 d tau/d q, ddq_dv = -M^-1 d tau/d v, ddq_dtau
/// = M^-1`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AbaDerivatives<T = f64> {
    /// Joint accelerations (nv); rad/s^2.
    pub ddq: Vec<T>,
    /// Derivative of the accelerations in the tangent space of q (nv x nv, by columns); 1/s^2.
    pub ddq_dq: Vec<T>,
    /// Derivative of the accelerations by the velocity (nv x nv, by columns); 1/s.
    pub ddq_dv: Vec<T>,
    /// Derivative of the accelerations by the torques, M(q)^-1 (nv x nv, by columns); 1/(kg m^2).
    pub ddq_dtau: Vec<T>,
}

impl<T> Results<T, 4> for AbaDerivatives<T> {
    fn all(&mut self) -> [&mut Vec<T>; 4] {
        [&mut self.ddq, &mut self.ddq_dq, &mut self.ddq_dv, &mut self.ddq_dtau]
    }
}

/// Results of `frame_velocity_derivatives`.
///
/// `velocity = J(q) v, dv_dq = d velocity/d q, dv_dv = J(q)`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameVelocityDerivatives<T = f64> {
    /// [linear; angular] velocity of the frame (6); m/s, rad/s.
    pub velocity: Vec<T>,
    /// Derivative of the velocity in the tangent space of q (6 x nv, by columns); m/(s rad), 1/s.
    pub dv_dq: Vec<T>,
    /// Derivative of the velocity by v, the Jacobian (6 x nv, by columns); m/rad, 1.
    pub dv_dv: Vec<T>,
}

impl<T> Results<T, 3> for FrameVelocityDerivatives<T> {
    fn all(&mut self) -> [&mut Vec<T>; 3] {
        [&mut self.velocity, &mut self.dv_dq, &mut self.dv_dv]
    }
}

/// Results of `frame_acceleration_derivatives`.
///
/// `acceleration = frame_acceleration, da_dq = d acceleration/d q, da_dv = d acceleration/d v, da_da =
/// J(q)`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameAccelerationDerivatives<T = f64> {
    /// [linear; angular] acceleration of the frame (6); m/s^2, rad/s^2.
    pub acceleration: Vec<T>,
    /// Derivative of the acceleration in the tangent space of q (6 x nv, by columns); m/(s^2 rad),
    /// 1/s^2.
    pub da_dq: Vec<T>,
    /// Derivative of the acceleration by v (6 x nv, by columns); m/(s rad), 1/s.
    pub da_dv: Vec<T>,
    /// Derivative of the acceleration by a, the Jacobian (6 x nv, by columns); m/rad, 1.
    pub da_da: Vec<T>,
}

impl<T> Results<T, 4> for FrameAccelerationDerivatives<T> {
    fn all(&mut self) -> [&mut Vec<T>; 4] {
        [&mut self.acceleration, &mut self.da_dq, &mut self.da_dv, &mut self.da_da]
    }
}

/// Results of `centroidal_derivatives`.
///
/// `momentum = A_g(q) v, rate = A_g(q) a + dA_g/dt v, dmomentum_dq = d momentum/d q, drate_dq = d rate/d
/// q, drate_dv = d rate/d v, drate_da = A_g(q)`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CentroidalDerivatives<T = f64> {
    /// [linear; angular] momentum about the centre of mass, in the world's axes (6); kg m/s, kg m^2/s.
    pub momentum: Vec<T>,
    /// Rate of the centroidal momentum (6); N, N m.
    pub rate: Vec<T>,
    /// Derivative of the momentum in the tangent space of q (6 x nv, by columns); kg m/(s rad), kg
    /// m^2/(s rad).
    pub dmomentum_dq: Vec<T>,
    /// Derivative of the rate in the tangent space of q (6 x nv, by columns); N/rad, N m/rad.
    pub drate_dq: Vec<T>,
    /// Derivative of the rate by v (6 x nv, by columns); N s/rad, N m s/rad.
    pub drate_dv: Vec<T>,
    /// Derivative of the rate by a, the centroidal momentum matrix (6 x nv, by columns); kg m/rad, kg
    /// m^2/rad.
    pub drate_da: Vec<T>,
}

impl<T> Results<T, 6> for CentroidalDerivatives<T> {
    fn all(&mut self) -> [&mut Vec<T>; 6] {
        [&mut self.momentum, &mut self.rate, &mut self.dmomentum_dq, &mut self.drate_dq, &mut self.drate_dv, &mut self.drate_da]
    }
}

/// Results of `kinetic_energy_derivatives`.
///
/// `energy = v^T M(q) v / 2, denergy_dq = d energy/d q, denergy_dv = M(q) v`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KineticEnergyDerivatives<T = f64> {
    /// Kinetic energy, v^T M(q) v / 2 (1); J.
    pub energy: Vec<T>,
    /// Derivative of the kinetic energy in the tangent space of q (nv); J/rad.
    pub denergy_dq: Vec<T>,
    /// Derivative of the kinetic energy by v, M(q) v (nv); J s/rad.
    pub denergy_dv: Vec<T>,
}

impl<T> Results<T, 3> for KineticEnergyDerivatives<T> {
    fn all(&mut self) -> [&mut Vec<T>; 3] {
        [&mut self.energy, &mut self.denergy_dq, &mut self.denergy_dv]
    }
}

/// Results of `rnea_parameter_derivatives`.
///
/// `tau = M(q) a + C(q, v) v + g(q), dtau_dinertia = d tau/d inertia, dtau_dgravity = d tau/d gravity`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RneaParameterDerivatives<T = f64> {
    /// Joint torques (nv); N m.
    pub tau: Vec<T>,
    /// Derivative of the torques by the ten parameters of each inertia that is given at run time (nv x
    /// 10 x parameters, matrices by columns); N m per unit of the parameter.
    pub dtau_dinertia: Vec<T>,
    /// Derivative of the torques by the gravitational acceleration in the world (nv x 3, by columns); kg
    /// m.
    pub dtau_dgravity: Vec<T>,
}

impl<T> Results<T, 3> for RneaParameterDerivatives<T> {
    fn all(&mut self) -> [&mut Vec<T>; 3] {
        [&mut self.tau, &mut self.dtau_dinertia, &mut self.dtau_dgravity]
    }
}

/// Results of `aba_parameter_derivatives`.
///
/// `ddq = M(q)^-1 (tau - C(q, v) v - g(q)), ddq_dinertia = -M^-1 d tau/d inertia, ddq_dgravity = -M^-1 d
/// tau/d gravity`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AbaParameterDerivatives<T = f64> {
    /// Joint accelerations (nv); rad/s^2.
    pub ddq: Vec<T>,
    /// Derivative of the accelerations by the ten parameters of each inertia that is given at run time
    /// (nv x 10 x parameters, matrices by columns); rad/s^2 per unit of the parameter.
    pub ddq_dinertia: Vec<T>,
    /// Derivative of the accelerations by the gravitational acceleration in the world (nv x 3, by
    /// columns); rad/m.
    pub ddq_dgravity: Vec<T>,
}

impl<T> Results<T, 3> for AbaParameterDerivatives<T> {
    fn all(&mut self) -> [&mut Vec<T>; 3] {
        [&mut self.ddq, &mut self.ddq_dinertia, &mut self.ddq_dgravity]
    }
}

/// Results of `rnea_hessian` and `rnea_hessian_fext`.
///
/// `value = mu . tau, dq = d value/d q, dv = d value/d v, da = M mu, dqdq = d dq/d q, dqdv = d dq/d v,
/// dvdv = d dv/d v, dqda = d dq/d a`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RneaHessian<T = f64> {
    /// The sum `mu . tau` (1); of the weights.
    pub value: Vec<T>,
    /// Derivative by q (nv); of the sum.
    pub dq: Vec<T>,
    /// Derivative by v (nv); of the sum.
    pub dv: Vec<T>,
    /// Derivative by a: M mu (nv); of the sum.
    pub da: Vec<T>,
    /// Entry (i, j) is the derivative along q_j of the derivative along q_i: not symmetric among the
    /// coordinates of one joint of several, elsewhere symmetric (nv x nv, by columns); of the sum.
    pub dqdq: Vec<T>,
    /// Entry (i, j) is the derivative by v_j of the derivative by q_i (nv x nv, by columns); of the sum.
    pub dqdv: Vec<T>,
    /// By v twice (nv x nv, by columns); of the sum.
    pub dvdv: Vec<T>,
    /// Entry (i, j) is the derivative by a_j of the derivative by q_i (nv x nv, by columns); of the sum.
    pub dqda: Vec<T>,
}

impl<T> Results<T, 8> for RneaHessian<T> {
    fn all(&mut self) -> [&mut Vec<T>; 8] {
        [&mut self.value, &mut self.dq, &mut self.dv, &mut self.da, &mut self.dqdq, &mut self.dqdv, &mut self.dvdv, &mut self.dqda]
    }
}

/// Results of `aba_hessian` and `aba_hessian_fext`.
///
/// `value = lambda . ddq, dq = d value/d q, dv = d value/d v, dtau = M^-1 lambda, dqdq = d dq/d q, dqdv
/// = d dq/d v, dvdv = d dv/d v, dqdtau = d dq/d tau`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AbaHessian<T = f64> {
    /// The sum `lambda . ddq` (1); of the weights.
    pub value: Vec<T>,
    /// Derivative by q (nv); of the sum.
    pub dq: Vec<T>,
    /// Derivative by v (nv); of the sum.
    pub dv: Vec<T>,
    /// Derivative by tau: M^-1 lambda (nv); of the sum.
    pub dtau: Vec<T>,
    /// Entry (i, j) is the derivative along q_j of the derivative along q_i: not symmetric among the
    /// coordinates of one joint of several, elsewhere symmetric (nv x nv, by columns); of the sum.
    pub dqdq: Vec<T>,
    /// Entry (i, j) is the derivative by v_j of the derivative by q_i (nv x nv, by columns); of the sum.
    pub dqdv: Vec<T>,
    /// By v twice (nv x nv, by columns); of the sum.
    pub dvdv: Vec<T>,
    /// Entry (i, j) is the derivative by tau_j of the derivative by q_i (nv x nv, by columns); of the
    /// sum.
    pub dqdtau: Vec<T>,
}

impl<T> Results<T, 8> for AbaHessian<T> {
    fn all(&mut self) -> [&mut Vec<T>; 8] {
        [&mut self.value, &mut self.dq, &mut self.dv, &mut self.dtau, &mut self.dqdq, &mut self.dqdv, &mut self.dvdv, &mut self.dqdtau]
    }
}

/// Results of `rnea_second_derivatives` and `rnea_second_derivatives_fext`.
///
/// `d2tau_dqdq = d2 tau/d q d q, d2tau_dqdv = d2 tau/d q d v, d2tau_dvdv = d2 tau/d v d v, d2tau_dqda =
/// d M/d q`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RneaSecondDerivatives<T = f64> {
    /// Element `[k][(i, j)]` is the derivative along q_k of the derivative of tau_i along q_j (nv x nv x
    /// nv, matrices by columns); N m/rad^2.
    pub d2tau_dqdq: Vec<T>,
    /// Element `[k][(i, j)]` is the derivative of tau_i by q_j and v_k (nv x nv x nv, matrices by
    /// columns); N m s/rad^2.
    pub d2tau_dqdv: Vec<T>,
    /// Element `[k][(i, j)]` is the derivative of tau_i by v_j and v_k (nv x nv x nv, matrices by
    /// columns); N m s^2/rad^2.
    pub d2tau_dvdv: Vec<T>,
    /// Element `[k][(i, j)]` is the derivative of M_ik by q_j (nv x nv x nv, matrices by columns); kg
    /// m^2/rad.
    pub d2tau_dqda: Vec<T>,
}

impl<T> Results<T, 4> for RneaSecondDerivatives<T> {
    fn all(&mut self) -> [&mut Vec<T>; 4] {
        [&mut self.d2tau_dqdq, &mut self.d2tau_dqdv, &mut self.d2tau_dvdv, &mut self.d2tau_dqda]
    }
}

/// Results of `aba_second_derivatives` and `aba_second_derivatives_fext`.
///
/// `d2ddq_dqdq = d2 ddq/d q d q, d2ddq_dqdv = d2 ddq/d q d v, d2ddq_dvdv = d2 ddq/d v d v, d2ddq_dqdtau
/// = d M^-1/d q`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AbaSecondDerivatives<T = f64> {
    /// Element `[k][(i, j)]` is the derivative along q_k of the derivative of ddq_i along q_j (nv x nv x
    /// nv, matrices by columns); 1/(rad s^2).
    pub d2ddq_dqdq: Vec<T>,
    /// Element `[k][(i, j)]` is the derivative of ddq_i by q_j and v_k (nv x nv x nv, matrices by
    /// columns); 1/(rad s).
    pub d2ddq_dqdv: Vec<T>,
    /// Element `[k][(i, j)]` is the derivative of ddq_i by v_j and v_k (nv x nv x nv, matrices by
    /// columns); 1/rad.
    pub d2ddq_dvdv: Vec<T>,
    /// Element `[k][(i, j)]` is the derivative of entry (i, k) of M^-1 by q_j (nv x nv x nv, matrices by
    /// columns); 1/(kg m^2 rad).
    pub d2ddq_dqdtau: Vec<T>,
}

impl<T> Results<T, 4> for AbaSecondDerivatives<T> {
    fn all(&mut self) -> [&mut Vec<T>; 4] {
        [&mut self.d2ddq_dqdq, &mut self.d2ddq_dqdv, &mut self.d2ddq_dvdv, &mut self.d2ddq_dqdtau]
    }
}

#[allow(clippy::too_many_arguments, reason = "as many as the function has")]
impl<T: Number> Loaded<T> {
    /// Inverse dynamics: the torques (N m, N) that give the accelerations `a` at `q`, `v`.
    ///
    /// `tau = M(q) a + C(q, v) v + g(q)`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    /// - `tau`: Joint torques (nv); N m.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn rnea(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        a: &[T],
        tau: &mut [T],
    ) -> Result<(), Error> {
        let function = self.by_id(Id::Rnea)?;
        function.call(workspace, &[q, v, a], &mut [tau])
    }

    /// Inverse dynamics under external forces: `fext[i]` is the force `[force; moment]` on moving body
    /// i, in its joint frame.
    ///
    /// `tau = M(q) a + C(q, v) v + g(q) - sum_i J_i(q)^T fext_i`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    /// - `fext` (6 x bodies, by columns): the force on each moving body, `[force; moment]` in its joint
    ///   frame; N, N m.
    /// - `tau`: Joint torques (nv); N m.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn rnea_fext(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        a: &[T],
        fext: &[T],
        tau: &mut [T],
    ) -> Result<(), Error> {
        let function = self.by_id(Id::RneaFext)?;
        function.call(workspace, &[q, v, a, fext], &mut [tau])
    }

    /// Torques at zero acceleration: Coriolis, centrifugal and gravity terms, C(q, v) v + g(q).
    ///
    /// `tau = C(q, v) v + g(q)`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `tau`: Joint torques (nv); N m.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn bias(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        tau: &mut [T],
    ) -> Result<(), Error> {
        let function = self.by_id(Id::Bias)?;
        function.call(workspace, &[q, v], &mut [tau])
    }

    /// Torques that hold the robot at rest, g(q).
    ///
    /// `tau = g(q)`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `tau`: Joint torques (nv); N m.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn gravity(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        tau: &mut [T],
    ) -> Result<(), Error> {
        let function = self.by_id(Id::Gravity)?;
        function.call(workspace, &[q], &mut [tau])
    }

    /// Forward dynamics: the accelerations under the torques `tau` at `q`, `v`.
    ///
    /// `ddq = M(q)^-1 (tau - C(q, v) v - g(q))`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `tau` (nv): joint torques and forces; N m, N.
    /// - `ddq`: Joint accelerations (nv); rad/s^2.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn aba(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        tau: &[T],
        ddq: &mut [T],
    ) -> Result<(), Error> {
        let function = self.by_id(Id::Aba)?;
        function.call(workspace, &[q, v, tau], &mut [ddq])
    }

    /// Forward dynamics under external forces: `fext[i]` is the force `[force; moment]` on moving body
    /// i, in its joint frame.
    ///
    /// `ddq = M(q)^-1 (tau - C(q, v) v - g(q) + sum_i J_i(q)^T fext_i)`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `tau` (nv): joint torques and forces; N m, N.
    /// - `fext` (6 x bodies, by columns): the force on each moving body, `[force; moment]` in its joint
    ///   frame; N, N m.
    /// - `ddq`: Joint accelerations (nv); rad/s^2.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn aba_fext(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        tau: &[T],
        fext: &[T],
        ddq: &mut [T],
    ) -> Result<(), Error> {
        let function = self.by_id(Id::AbaFext)?;
        function.call(workspace, &[q, v, tau, fext], &mut [ddq])
    }

    /// The joint-space mass matrix M(q), full and symmetric.
    ///
    /// `m = M(q)`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `m`: Mass matrix (nv x nv, by columns); kg m^2.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn crba(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        m: &mut [T],
    ) -> Result<(), Error> {
        let function = self.by_id(Id::Crba)?;
        function.call(workspace, &[q], &mut [m])
    }

    /// The inverse of the mass matrix, full and symmetric.
    ///
    /// `minv = M(q)^-1`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `minv`: Inverse of the mass matrix (nv x nv, by columns); 1/(kg m^2).
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn minv(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        minv: &mut [T],
    ) -> Result<(), Error> {
        let function = self.by_id(Id::Minv)?;
        function.call(workspace, &[q], &mut [minv])
    }

    /// Inverse dynamics and its derivatives: `dtau_dq` in the tangent space of q, `dtau_dv`, and
    /// `dtau_da`, which is M(q).
    ///
    /// `tau = M(q) a + C(q, v) v + g(q), dtau_dq = d tau/d q, dtau_dv = d tau/d v, dtau_da = M(q)`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn rnea_derivatives(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        a: &[T],
        out: &mut RneaDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.by_id(Id::RneaDerivatives)?;
        fit(out, function, 1);
        function.call(workspace, &[q, v, a], &mut out.slices())
    }

    /// Inverse dynamics and its first derivatives under external forces. Each force is constant in its
    /// own body's joint frame: it turns with the body. A force fixed in the world needs a term of its
    /// own in `dtau_dq`.
    ///
    /// `tau = M(q) a + C(q, v) v + g(q) - sum_i J_i(q)^T fext_i, dtau_dq = d tau/d q, dtau_dv = d tau/d
    /// v, dtau_da = M(q)`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    /// - `fext` (6 x bodies, by columns): the force on each moving body, `[force; moment]` in its joint
    ///   frame; N, N m.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn rnea_derivatives_fext(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        a: &[T],
        fext: &[T],
        out: &mut RneaDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.by_id(Id::RneaDerivativesFext)?;
        fit(out, function, 1);
        function.call(workspace, &[q, v, a, fext], &mut out.slices())
    }

    /// Forward dynamics and its derivatives: `ddq_dq` in the tangent space of q, `ddq_dv`, and
    /// `ddq_dtau`, which is the inverse of M(q).
    ///
    /// `ddq = M(q)^-1 (tau - C(q, v) v - g(q)), ddq_dq = -M^-1 d tau/d q, ddq_dv = -M^-1 d tau/d v,
    /// ddq_dtau = M^-1`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `tau` (nv): joint torques and forces; N m, N.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn aba_derivatives(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        tau: &[T],
        out: &mut AbaDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.by_id(Id::AbaDerivatives)?;
        fit(out, function, 1);
        function.call(workspace, &[q, v, tau], &mut out.slices())
    }

    /// Forward dynamics and its first derivatives under external forces. Each force is constant in its
    /// own body's joint frame: it turns with the body. A force fixed in the world needs a term of its
    /// own in `ddq_dq`.
    ///
    /// `ddq = M(q)^-1 (tau - C(q, v) v - g(q) + sum_i J_i(q)^T fext_i), ddq_dq = -M^-1 d tau/d q, ddq_dv
    /// = -M^-1 d tau/d v, ddq_dtau = M^-1`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `tau` (nv): joint torques and forces; N m, N.
    /// - `fext` (6 x bodies, by columns): the force on each moving body, `[force; moment]` in its joint
    ///   frame; N, N m.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn aba_derivatives_fext(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        tau: &[T],
        fext: &[T],
        out: &mut AbaDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.by_id(Id::AbaDerivativesFext)?;
        fit(out, function, 1);
        function.call(workspace, &[q, v, tau, fext], &mut out.slices())
    }

    /// Forward kinematics: the pose in the world of each moving body's joint frame, in the order of
    /// `JOINTS`.
    ///
    /// `placements = [R_i(q), p_i(q)] for each moving body i`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `placements`: Pose of each moving body's joint frame in the world (bodies times a rotation by
    ///   columns and a translation); 1, m.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn forward_kinematics(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        placements: &mut [T],
    ) -> Result<(), Error> {
        let function = self.by_id(Id::ForwardKinematics)?;
        function.call(workspace, &[q], &mut [placements])
    }

    /// The pose of the frame in the world.
    ///
    /// `placement = [R(q), p(q)]`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `placement`: Pose of the frame in the world (a rotation by columns, then a translation); 1, m.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn frame_placement(
        &self,
        workspace: &mut Workspace<T>,
        frame: &str,
        q: &[T],
        placement: &mut [T],
    ) -> Result<(), Error> {
        let function = self.frame_function("frame_placement", frame, ReferenceFrame::Local)?;
        function.call(workspace, &[q], &mut [placement])
    }

    /// The Jacobian of the frame: its velocity, as the reference frame says, by v.
    ///
    /// `jacobian = J(q), with velocity = J v`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `jacobian`: The frame's velocity by v (6 x nv, by columns); m/rad, 1.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn frame_jacobian(
        &self,
        workspace: &mut Workspace<T>,
        frame: &str,
        reference: ReferenceFrame,
        q: &[T],
        jacobian: &mut [T],
    ) -> Result<(), Error> {
        let function = self.frame_function("frame_jacobian", frame, reference)?;
        function.call(workspace, &[q], &mut [jacobian])
    }

    /// The velocity of the frame.
    ///
    /// `velocity = J(q) v`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `velocity`: [linear; angular] velocity of the frame (6); m/s, rad/s.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn frame_velocity(
        &self,
        workspace: &mut Workspace<T>,
        frame: &str,
        reference: ReferenceFrame,
        q: &[T],
        v: &[T],
        velocity: &mut [T],
    ) -> Result<(), Error> {
        let function = self.frame_function("frame_velocity", frame, reference)?;
        function.call(workspace, &[q, v], &mut [velocity])
    }

    /// The spatial acceleration of the frame, without gravity. In its own axes and in the world's it is
    /// the rate of the numbers of `frame_velocity`; in `LocalWorldAligned` it is the former in the
    /// world's axes.
    ///
    /// `acceleration = X (d/dt) (velocity in the world)`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    /// - `acceleration`: [linear; angular] acceleration of the frame (6); m/s^2, rad/s^2.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn frame_acceleration(
        &self,
        workspace: &mut Workspace<T>,
        frame: &str,
        reference: ReferenceFrame,
        q: &[T],
        v: &[T],
        a: &[T],
        acceleration: &mut [T],
    ) -> Result<(), Error> {
        let function = self.frame_function("frame_acceleration", frame, reference)?;
        function.call(workspace, &[q, v, a], &mut [acceleration])
    }

    /// The acceleration of the frame with that of the point at its origin as linear part, as an
    /// accelerometer without gravity has it. In `LocalWorldAligned` it is the rate of the numbers of
    /// `frame_velocity`.
    ///
    /// `acceleration = frame_acceleration + [w x v; 0]`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    /// - `acceleration`: [linear; angular] acceleration of the frame (6); m/s^2, rad/s^2.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn frame_classical_acceleration(
        &self,
        workspace: &mut Workspace<T>,
        frame: &str,
        reference: ReferenceFrame,
        q: &[T],
        v: &[T],
        a: &[T],
        acceleration: &mut [T],
    ) -> Result<(), Error> {
        let function = self.frame_function("frame_classical_acceleration", frame, reference)?;
        function.call(workspace, &[q, v, a], &mut [acceleration])
    }

    /// The rate of the numbers of `frame_velocity` at zero joint accelerations, dJ/dt v: with
    /// `frame_jacobian` J in the same reference frame, their rate is J a + dJ/dt v.
    ///
    /// `acceleration = (dJ/dt) v`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `acceleration`: [linear; angular] acceleration of the frame (6); m/s^2, rad/s^2.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn frame_bias_acceleration(
        &self,
        workspace: &mut Workspace<T>,
        frame: &str,
        reference: ReferenceFrame,
        q: &[T],
        v: &[T],
        acceleration: &mut [T],
    ) -> Result<(), Error> {
        let function = self.frame_function("frame_bias_acceleration", frame, reference)?;
        function.call(workspace, &[q, v], &mut [acceleration])
    }

    /// The velocity of the frame and its derivatives.
    ///
    /// `velocity = J(q) v, dv_dq = d velocity/d q, dv_dv = J(q)`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn frame_velocity_derivatives(
        &self,
        workspace: &mut Workspace<T>,
        frame: &str,
        reference: ReferenceFrame,
        q: &[T],
        v: &[T],
        out: &mut FrameVelocityDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.frame_function("frame_velocity_derivatives", frame, reference)?;
        fit(out, function, 1);
        function.call(workspace, &[q, v], &mut out.slices())
    }

    /// The spatial acceleration of the frame and its derivatives.
    ///
    /// `acceleration = frame_acceleration, da_dq = d acceleration/d q, da_dv = d acceleration/d v, da_da
    /// = J(q)`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn frame_acceleration_derivatives(
        &self,
        workspace: &mut Workspace<T>,
        frame: &str,
        reference: ReferenceFrame,
        q: &[T],
        v: &[T],
        a: &[T],
        out: &mut FrameAccelerationDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.frame_function("frame_acceleration_derivatives", frame, reference)?;
        fit(out, function, 1);
        function.call(workspace, &[q, v, a], &mut out.slices())
    }

    /// The centre of mass of all moving bodies, in the world.
    ///
    /// `com = sum_i m_i c_i / sum_i m_i`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `com`: Centre of mass in the world (3); m.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn center_of_mass(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        com: &mut [T],
    ) -> Result<(), Error> {
        let function = self.by_id(Id::CenterOfMass)?;
        function.call(workspace, &[q], &mut [com])
    }

    /// The velocity of the centre of mass, in the world.
    ///
    /// `com_velocity = d com/dt`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `com_velocity`: Velocity of the centre of mass in the world (3); m/s.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn center_of_mass_velocity(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        com_velocity: &mut [T],
    ) -> Result<(), Error> {
        let function = self.by_id(Id::CenterOfMassVelocity)?;
        function.call(workspace, &[q, v], &mut [com_velocity])
    }

    /// The Jacobian of the centre of mass: its velocity by v.
    ///
    /// `com_jacobian = d com/d q`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `com_jacobian`: Derivative of the centre of mass in the tangent space of q (3 x nv, by
    ///   columns); m/rad.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn center_of_mass_jacobian(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        com_jacobian: &mut [T],
    ) -> Result<(), Error> {
        let function = self.by_id(Id::CenterOfMassJacobian)?;
        function.call(workspace, &[q], &mut [com_jacobian])
    }

    /// The momentum about the centre of mass, in the world's axes.
    ///
    /// `momentum = A_g(q) v`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `momentum`: [linear; angular] momentum about the centre of mass, in the world's axes (6); kg
    ///   m/s, kg m^2/s.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn centroidal_momentum(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        momentum: &mut [T],
    ) -> Result<(), Error> {
        let function = self.by_id(Id::CentroidalMomentum)?;
        function.call(workspace, &[q, v], &mut [momentum])
    }

    /// The centroidal momentum matrix: the centroidal momentum by v.
    ///
    /// `momentum_matrix = A_g(q)`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `momentum_matrix`: The centroidal momentum by v (6 x nv, by columns); kg m/rad, kg m^2/rad.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn centroidal_momentum_matrix(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        momentum_matrix: &mut [T],
    ) -> Result<(), Error> {
        let function = self.by_id(Id::CentroidalMomentumMatrix)?;
        function.call(workspace, &[q], &mut [momentum_matrix])
    }

    /// The rate of the centroidal momentum: what forces from the world, gravity among them, must add up
    /// to.
    ///
    /// `rate = A_g(q) a + dA_g/dt v`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    /// - `rate`: Rate of the centroidal momentum (6); N, N m.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn centroidal_momentum_rate(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        a: &[T],
        rate: &mut [T],
    ) -> Result<(), Error> {
        let function = self.by_id(Id::CentroidalMomentumRate)?;
        function.call(workspace, &[q, v, a], &mut [rate])
    }

    /// The centroidal momentum, its rate, and their derivatives. The derivative of the momentum by v is
    /// `drate_da` too.
    ///
    /// `momentum = A_g(q) v, rate = A_g(q) a + dA_g/dt v, dmomentum_dq = d momentum/d q, drate_dq = d
    /// rate/d q, drate_dv = d rate/d v, drate_da = A_g(q)`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn centroidal_derivatives(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        a: &[T],
        out: &mut CentroidalDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.by_id(Id::CentroidalDerivatives)?;
        fit(out, function, 1);
        function.call(workspace, &[q, v, a], &mut out.slices())
    }

    /// The kinetic energy of all moving bodies and rotors.
    ///
    /// `energy = v^T M(q) v / 2`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `energy`: Kinetic energy, v^T M(q) v / 2 (1); J.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn kinetic_energy(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        energy: &mut [T],
    ) -> Result<(), Error> {
        let function = self.by_id(Id::KineticEnergy)?;
        function.call(workspace, &[q, v], &mut [energy])
    }

    /// The kinetic energy and its gradients.
    ///
    /// `energy = v^T M(q) v / 2, denergy_dq = d energy/d q, denergy_dv = M(q) v`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn kinetic_energy_derivatives(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        out: &mut KineticEnergyDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.by_id(Id::KineticEnergyDerivatives)?;
        fit(out, function, 1);
        function.call(workspace, &[q, v], &mut out.slices())
    }

    /// The potential energy in the field of gravity, zero for a point at the world's origin. Its
    /// gradient is `gravity`.
    ///
    /// `energy = -sum_i m_i g . c_i`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `energy`: Potential energy in the field of gravity (1); J.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn potential_energy(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        energy: &mut [T],
    ) -> Result<(), Error> {
        let function = self.by_id(Id::PotentialEnergy)?;
        function.call(workspace, &[q], &mut [energy])
    }

    /// The Coriolis matrix. Damping has no part in it.
    ///
    /// `coriolis = C(q, v), with C v + g(q) = bias and dM/dt = C + C^T`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `coriolis`: C(q, v) with C v the Coriolis and centrifugal torques and dM/dt = C + C^T (nv x nv,
    ///   by columns); kg m^2/s.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn coriolis_matrix(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        coriolis: &mut [T],
    ) -> Result<(), Error> {
        let function = self.by_id(Id::CoriolisMatrix)?;
        function.call(workspace, &[q, v], &mut [coriolis])
    }

    /// The torque regressor: for each body the torques by its ten parameters, m, hx, hy, hz, Jxx, Jxy,
    /// Jyy, Jxz, Jyz, Jzz about its joint frame's origin. Armature and damping have no part in it.
    ///
    /// `regressor = Y(q, v, a), with tau = sum_i Y_i pi_i`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    /// - `regressor`: Torques by each body's m, hx, hy, hz, Jxx, Jxy, Jyy, Jxz, Jyz, Jzz about its joint
    ///   frame (nv x 10 x bodies, matrices by columns); N m per unit of the parameter.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn regressor(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        a: &[T],
        regressor: &mut [T],
    ) -> Result<(), Error> {
        let function = self.by_id(Id::Regressor)?;
        function.call(workspace, &[q, v, a], &mut [regressor])
    }

    /// For each body the kinetic energy by its ten parameters.
    ///
    /// `kinetic_energy_regressor = d energy/d pi`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `kinetic_energy_regressor`: Kinetic energy by each body's ten parameters (1 x 10 x bodies,
    ///   matrices by columns); J per unit of the parameter.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn kinetic_energy_regressor(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        kinetic_energy_regressor: &mut [T],
    ) -> Result<(), Error> {
        let function = self.by_id(Id::KineticEnergyRegressor)?;
        function.call(workspace, &[q, v], &mut [kinetic_energy_regressor])
    }

    /// For each body the potential energy by its ten parameters.
    ///
    /// `potential_energy_regressor = d energy/d pi`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `potential_energy_regressor`: Potential energy by each body's ten parameters (1 x 10 x bodies,
    ///   matrices by columns); J per unit of the parameter.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn potential_energy_regressor(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        potential_energy_regressor: &mut [T],
    ) -> Result<(), Error> {
        let function = self.by_id(Id::PotentialEnergyRegressor)?;
        function.call(workspace, &[q], &mut [potential_energy_regressor])
    }

    /// Inverse dynamics, and its derivatives by the inertias that are given at run time and by gravity.
    ///
    /// `tau = M(q) a + C(q, v) v + g(q), dtau_dinertia = d tau/d inertia, dtau_dgravity = d tau/d
    /// gravity`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn rnea_parameter_derivatives(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        a: &[T],
        out: &mut RneaParameterDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.by_id(Id::RneaParameterDerivatives)?;
        fit(out, function, 1);
        function.call(workspace, &[q, v, a], &mut out.slices())
    }

    /// Forward dynamics, and its derivatives by the inertias that are given at run time and by gravity.
    ///
    /// `ddq = M(q)^-1 (tau - C(q, v) v - g(q)), ddq_dinertia = -M^-1 d tau/d inertia, ddq_dgravity =
    /// -M^-1 d tau/d gravity`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `tau` (nv): joint torques and forces; N m, N.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn aba_parameter_derivatives(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        tau: &[T],
        out: &mut AbaParameterDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.by_id(Id::AbaParameterDerivatives)?;
        fit(out, function, 1);
        function.call(workspace, &[q, v, tau], &mut out.slices())
    }

    /// The sum of torques `mu . tau`, its gradient and its Hessian, without any tensor: what an exact
    /// Hessian of inverse dynamics adds to a Lagrangian.
    ///
    /// `value = mu . tau, dq = d value/d q, dv = d value/d v, da = M mu, dqdq = d dq/d q, dqdv = d dq/d
    /// v, dvdv = d dv/d v, dqda = d dq/d a`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    /// - `mu` (nv): weight of each torque.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn rnea_hessian(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        a: &[T],
        mu: &[T],
        out: &mut RneaHessian<T>,
    ) -> Result<(), Error> {
        let function = self.by_id(Id::RneaHessian)?;
        fit(out, function, 1);
        function.call(workspace, &[q, v, a, mu], &mut out.slices())
    }

    /// Torques weighted with mu, their gradient and their Hessian, under external forces, each constant
    /// in its own body's joint frame.
    ///
    /// `value = mu . tau, dq = d value/d q, dv = d value/d v, da = M mu, dqdq = d dq/d q, dqdv = d dq/d
    /// v, dvdv = d dv/d v, dqda = d dq/d a`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    /// - `fext` (6 x bodies, by columns): the force on each moving body, `[force; moment]` in its joint
    ///   frame; N, N m.
    /// - `mu` (nv): weight of each torque.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn rnea_hessian_fext(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        a: &[T],
        fext: &[T],
        mu: &[T],
        out: &mut RneaHessian<T>,
    ) -> Result<(), Error> {
        let function = self.by_id(Id::RneaHessianFext)?;
        fit(out, function, 1);
        function.call(workspace, &[q, v, a, fext, mu], &mut out.slices())
    }

    /// The sum of accelerations `lambda . ddq` under the torques `tau`, its gradient and its Hessian,
    /// without any tensor: what DDP needs.
    ///
    /// `value = lambda . ddq, dq = d value/d q, dv = d value/d v, dtau = M^-1 lambda, dqdq = d dq/d q,
    /// dqdv = d dq/d v, dvdv = d dv/d v, dqdtau = d dq/d tau`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `tau` (nv): joint torques and forces; N m, N.
    /// - `lambda` (nv): weight of each acceleration.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn aba_hessian(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        tau: &[T],
        lambda: &[T],
        out: &mut AbaHessian<T>,
    ) -> Result<(), Error> {
        let function = self.by_id(Id::AbaHessian)?;
        fit(out, function, 1);
        function.call(workspace, &[q, v, tau, lambda], &mut out.slices())
    }

    /// Accelerations weighted with lambda, their gradient and their Hessian, under external forces, each
    /// constant in its own body's joint frame.
    ///
    /// `value = lambda . ddq, dq = d value/d q, dv = d value/d v, dtau = M^-1 lambda, dqdq = d dq/d q,
    /// dqdv = d dq/d v, dvdv = d dv/d v, dqdtau = d dq/d tau`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `tau` (nv): joint torques and forces; N m, N.
    /// - `fext` (6 x bodies, by columns): the force on each moving body, `[force; moment]` in its joint
    ///   frame; N, N m.
    /// - `lambda` (nv): weight of each acceleration.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn aba_hessian_fext(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        tau: &[T],
        fext: &[T],
        lambda: &[T],
        out: &mut AbaHessian<T>,
    ) -> Result<(), Error> {
        let function = self.by_id(Id::AbaHessianFext)?;
        fit(out, function, 1);
        function.call(workspace, &[q, v, tau, fext, lambda], &mut out.slices())
    }

    /// Second derivatives of inverse dynamics. The form that writes leaves alone what is zero for this
    /// robot: give it what `zeros` made, and use that again. Large: keep it in a `static` or a `Box`.
    ///
    /// `d2tau_dqdq = d2 tau/d q d q, d2tau_dqdv = d2 tau/d q d v, d2tau_dvdv = d2 tau/d v d v,
    /// d2tau_dqda = d M/d q`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn rnea_second_derivatives(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        a: &[T],
        out: &mut RneaSecondDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.by_id(Id::RneaSecondDerivatives)?;
        fit(out, function, 1);
        function.call(workspace, &[q, v, a], &mut out.slices())
    }

    /// All second derivatives of inverse dynamics, under external forces, each constant in its own
    /// body's joint frame.
    ///
    /// `d2tau_dqdq = d2 tau/d q d q, d2tau_dqdv = d2 tau/d q d v, d2tau_dvdv = d2 tau/d v d v,
    /// d2tau_dqda = d M/d q`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    /// - `fext` (6 x bodies, by columns): the force on each moving body, `[force; moment]` in its joint
    ///   frame; N, N m.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn rnea_second_derivatives_fext(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        a: &[T],
        fext: &[T],
        out: &mut RneaSecondDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.by_id(Id::RneaSecondDerivativesFext)?;
        fit(out, function, 1);
        function.call(workspace, &[q, v, a, fext], &mut out.slices())
    }

    /// Second derivatives of forward dynamics. The form that writes wants what `zeros` made, or it
    /// itself. Large: keep it in a `static` or a `Box`.
    ///
    /// `d2ddq_dqdq = d2 ddq/d q d q, d2ddq_dqdv = d2 ddq/d q d v, d2ddq_dvdv = d2 ddq/d v d v,
    /// d2ddq_dqdtau = d M^-1/d q`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `tau` (nv): joint torques and forces; N m, N.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn aba_second_derivatives(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        tau: &[T],
        out: &mut AbaSecondDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.by_id(Id::AbaSecondDerivatives)?;
        fit(out, function, 1);
        function.call(workspace, &[q, v, tau], &mut out.slices())
    }

    /// All second derivatives of forward dynamics, under external forces, each constant in its own
    /// body's joint frame.
    ///
    /// `d2ddq_dqdq = d2 ddq/d q d q, d2ddq_dqdv = d2 ddq/d q d v, d2ddq_dvdv = d2 ddq/d v d v,
    /// d2ddq_dqdtau = d M^-1/d q`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `tau` (nv): joint torques and forces; N m, N.
    /// - `fext` (6 x bodies, by columns): the force on each moving body, `[force; moment]` in its joint
    ///   frame; N, N m.
    ///
    /// # Errors
    /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
    pub fn aba_second_derivatives_fext(
        &self,
        workspace: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        tau: &[T],
        fext: &[T],
        out: &mut AbaSecondDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.by_id(Id::AbaSecondDerivativesFext)?;
        fit(out, function, 1);
        function.call(workspace, &[q, v, tau, fext], &mut out.slices())
    }
}

#[allow(clippy::too_many_arguments, reason = "as many as the function has")]
impl<T: Number> Batch<'_, T> {
    /// Inverse dynamics: the torques (N m, N) that give the accelerations `a` at `q`, `v`.
    ///
    /// `tau = M(q) a + C(q, v) v + g(q)`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    /// - `tau`: Joint torques (nv); N m.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn rnea(
        &self,
        q: &[T],
        v: &[T],
        a: &[T],
        tau: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::Rnea)?;
        self.call(function, &[q, v, a], &mut [tau])
    }

    /// Inverse dynamics under external forces: `fext[i]` is the force `[force; moment]` on moving body
    /// i, in its joint frame.
    ///
    /// `tau = M(q) a + C(q, v) v + g(q) - sum_i J_i(q)^T fext_i`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    /// - `fext` (6 x bodies, by columns): the force on each moving body, `[force; moment]` in its joint
    ///   frame; N, N m.
    /// - `tau`: Joint torques (nv); N m.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn rnea_fext(
        &self,
        q: &[T],
        v: &[T],
        a: &[T],
        fext: &[T],
        tau: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::RneaFext)?;
        self.call(function, &[q, v, a, fext], &mut [tau])
    }

    /// Torques at zero acceleration: Coriolis, centrifugal and gravity terms, C(q, v) v + g(q).
    ///
    /// `tau = C(q, v) v + g(q)`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `tau`: Joint torques (nv); N m.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn bias(
        &self,
        q: &[T],
        v: &[T],
        tau: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::Bias)?;
        self.call(function, &[q, v], &mut [tau])
    }

    /// Torques that hold the robot at rest, g(q).
    ///
    /// `tau = g(q)`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `tau`: Joint torques (nv); N m.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn gravity(
        &self,
        q: &[T],
        tau: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::Gravity)?;
        self.call(function, &[q], &mut [tau])
    }

    /// Forward dynamics: the accelerations under the torques `tau` at `q`, `v`.
    ///
    /// `ddq = M(q)^-1 (tau - C(q, v) v - g(q))`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `tau` (nv): joint torques and forces; N m, N.
    /// - `ddq`: Joint accelerations (nv); rad/s^2.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn aba(
        &self,
        q: &[T],
        v: &[T],
        tau: &[T],
        ddq: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::Aba)?;
        self.call(function, &[q, v, tau], &mut [ddq])
    }

    /// Forward dynamics under external forces: `fext[i]` is the force `[force; moment]` on moving body
    /// i, in its joint frame.
    ///
    /// `ddq = M(q)^-1 (tau - C(q, v) v - g(q) + sum_i J_i(q)^T fext_i)`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `tau` (nv): joint torques and forces; N m, N.
    /// - `fext` (6 x bodies, by columns): the force on each moving body, `[force; moment]` in its joint
    ///   frame; N, N m.
    /// - `ddq`: Joint accelerations (nv); rad/s^2.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn aba_fext(
        &self,
        q: &[T],
        v: &[T],
        tau: &[T],
        fext: &[T],
        ddq: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::AbaFext)?;
        self.call(function, &[q, v, tau, fext], &mut [ddq])
    }

    /// The joint-space mass matrix M(q), full and symmetric.
    ///
    /// `m = M(q)`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `m`: Mass matrix (nv x nv, by columns); kg m^2.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn crba(
        &self,
        q: &[T],
        m: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::Crba)?;
        self.call(function, &[q], &mut [m])
    }

    /// The inverse of the mass matrix, full and symmetric.
    ///
    /// `minv = M(q)^-1`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `minv`: Inverse of the mass matrix (nv x nv, by columns); 1/(kg m^2).
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn minv(
        &self,
        q: &[T],
        minv: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::Minv)?;
        self.call(function, &[q], &mut [minv])
    }

    /// Inverse dynamics and its derivatives: `dtau_dq` in the tangent space of q, `dtau_dv`, and
    /// `dtau_da`, which is M(q).
    ///
    /// `tau = M(q) a + C(q, v) v + g(q), dtau_dq = d tau/d q, dtau_dv = d tau/d v, dtau_da = M(q)`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn rnea_derivatives(
        &self,
        q: &[T],
        v: &[T],
        a: &[T],
        out: &mut RneaDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::RneaDerivatives)?;
        fit(out, function, states(function, q));
        self.call(function, &[q, v, a], &mut out.slices())
    }

    /// Inverse dynamics and its first derivatives under external forces. Each force is constant in its
    /// own body's joint frame: it turns with the body. A force fixed in the world needs a term of its
    /// own in `dtau_dq`.
    ///
    /// `tau = M(q) a + C(q, v) v + g(q) - sum_i J_i(q)^T fext_i, dtau_dq = d tau/d q, dtau_dv = d tau/d
    /// v, dtau_da = M(q)`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    /// - `fext` (6 x bodies, by columns): the force on each moving body, `[force; moment]` in its joint
    ///   frame; N, N m.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn rnea_derivatives_fext(
        &self,
        q: &[T],
        v: &[T],
        a: &[T],
        fext: &[T],
        out: &mut RneaDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::RneaDerivativesFext)?;
        fit(out, function, states(function, q));
        self.call(function, &[q, v, a, fext], &mut out.slices())
    }

    /// Forward dynamics and its derivatives: `ddq_dq` in the tangent space of q, `ddq_dv`, and
    /// `ddq_dtau`, which is the inverse of M(q).
    ///
    /// `ddq = M(q)^-1 (tau - C(q, v) v - g(q)), ddq_dq = -M^-1 d tau/d q, ddq_dv = -M^-1 d tau/d v,
    /// ddq_dtau = M^-1`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `tau` (nv): joint torques and forces; N m, N.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn aba_derivatives(
        &self,
        q: &[T],
        v: &[T],
        tau: &[T],
        out: &mut AbaDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::AbaDerivatives)?;
        fit(out, function, states(function, q));
        self.call(function, &[q, v, tau], &mut out.slices())
    }

    /// Forward dynamics and its first derivatives under external forces. Each force is constant in its
    /// own body's joint frame: it turns with the body. A force fixed in the world needs a term of its
    /// own in `ddq_dq`.
    ///
    /// `ddq = M(q)^-1 (tau - C(q, v) v - g(q) + sum_i J_i(q)^T fext_i), ddq_dq = -M^-1 d tau/d q, ddq_dv
    /// = -M^-1 d tau/d v, ddq_dtau = M^-1`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `tau` (nv): joint torques and forces; N m, N.
    /// - `fext` (6 x bodies, by columns): the force on each moving body, `[force; moment]` in its joint
    ///   frame; N, N m.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn aba_derivatives_fext(
        &self,
        q: &[T],
        v: &[T],
        tau: &[T],
        fext: &[T],
        out: &mut AbaDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::AbaDerivativesFext)?;
        fit(out, function, states(function, q));
        self.call(function, &[q, v, tau, fext], &mut out.slices())
    }

    /// Forward kinematics: the pose in the world of each moving body's joint frame, in the order of
    /// `JOINTS`.
    ///
    /// `placements = [R_i(q), p_i(q)] for each moving body i`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `placements`: Pose of each moving body's joint frame in the world (bodies times a rotation by
    ///   columns and a translation); 1, m.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn forward_kinematics(
        &self,
        q: &[T],
        placements: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::ForwardKinematics)?;
        self.call(function, &[q], &mut [placements])
    }

    /// The pose of the frame in the world.
    ///
    /// `placement = [R(q), p(q)]`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `placement`: Pose of the frame in the world (a rotation by columns, then a translation); 1, m.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn frame_placement(
        &self,
        frame: &str,
        q: &[T],
        placement: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().frame_function("frame_placement", frame, ReferenceFrame::Local)?;
        self.call(function, &[q], &mut [placement])
    }

    /// The Jacobian of the frame: its velocity, as the reference frame says, by v.
    ///
    /// `jacobian = J(q), with velocity = J v`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `jacobian`: The frame's velocity by v (6 x nv, by columns); m/rad, 1.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn frame_jacobian(
        &self,
        frame: &str,
        reference: ReferenceFrame,
        q: &[T],
        jacobian: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().frame_function("frame_jacobian", frame, reference)?;
        self.call(function, &[q], &mut [jacobian])
    }

    /// The velocity of the frame.
    ///
    /// `velocity = J(q) v`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `velocity`: [linear; angular] velocity of the frame (6); m/s, rad/s.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn frame_velocity(
        &self,
        frame: &str,
        reference: ReferenceFrame,
        q: &[T],
        v: &[T],
        velocity: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().frame_function("frame_velocity", frame, reference)?;
        self.call(function, &[q, v], &mut [velocity])
    }

    /// The spatial acceleration of the frame, without gravity. In its own axes and in the world's it is
    /// the rate of the numbers of `frame_velocity`; in `LocalWorldAligned` it is the former in the
    /// world's axes.
    ///
    /// `acceleration = X (d/dt) (velocity in the world)`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    /// - `acceleration`: [linear; angular] acceleration of the frame (6); m/s^2, rad/s^2.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn frame_acceleration(
        &self,
        frame: &str,
        reference: ReferenceFrame,
        q: &[T],
        v: &[T],
        a: &[T],
        acceleration: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().frame_function("frame_acceleration", frame, reference)?;
        self.call(function, &[q, v, a], &mut [acceleration])
    }

    /// The acceleration of the frame with that of the point at its origin as linear part, as an
    /// accelerometer without gravity has it. In `LocalWorldAligned` it is the rate of the numbers of
    /// `frame_velocity`.
    ///
    /// `acceleration = frame_acceleration + [w x v; 0]`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    /// - `acceleration`: [linear; angular] acceleration of the frame (6); m/s^2, rad/s^2.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn frame_classical_acceleration(
        &self,
        frame: &str,
        reference: ReferenceFrame,
        q: &[T],
        v: &[T],
        a: &[T],
        acceleration: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().frame_function("frame_classical_acceleration", frame, reference)?;
        self.call(function, &[q, v, a], &mut [acceleration])
    }

    /// The rate of the numbers of `frame_velocity` at zero joint accelerations, dJ/dt v: with
    /// `frame_jacobian` J in the same reference frame, their rate is J a + dJ/dt v.
    ///
    /// `acceleration = (dJ/dt) v`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `acceleration`: [linear; angular] acceleration of the frame (6); m/s^2, rad/s^2.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn frame_bias_acceleration(
        &self,
        frame: &str,
        reference: ReferenceFrame,
        q: &[T],
        v: &[T],
        acceleration: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().frame_function("frame_bias_acceleration", frame, reference)?;
        self.call(function, &[q, v], &mut [acceleration])
    }

    /// The velocity of the frame and its derivatives.
    ///
    /// `velocity = J(q) v, dv_dq = d velocity/d q, dv_dv = J(q)`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn frame_velocity_derivatives(
        &self,
        frame: &str,
        reference: ReferenceFrame,
        q: &[T],
        v: &[T],
        out: &mut FrameVelocityDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.robot().frame_function("frame_velocity_derivatives", frame, reference)?;
        fit(out, function, states(function, q));
        self.call(function, &[q, v], &mut out.slices())
    }

    /// The spatial acceleration of the frame and its derivatives.
    ///
    /// `acceleration = frame_acceleration, da_dq = d acceleration/d q, da_dv = d acceleration/d v, da_da
    /// = J(q)`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn frame_acceleration_derivatives(
        &self,
        frame: &str,
        reference: ReferenceFrame,
        q: &[T],
        v: &[T],
        a: &[T],
        out: &mut FrameAccelerationDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.robot().frame_function("frame_acceleration_derivatives", frame, reference)?;
        fit(out, function, states(function, q));
        self.call(function, &[q, v, a], &mut out.slices())
    }

    /// The centre of mass of all moving bodies, in the world.
    ///
    /// `com = sum_i m_i c_i / sum_i m_i`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `com`: Centre of mass in the world (3); m.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn center_of_mass(
        &self,
        q: &[T],
        com: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::CenterOfMass)?;
        self.call(function, &[q], &mut [com])
    }

    /// The velocity of the centre of mass, in the world.
    ///
    /// `com_velocity = d com/dt`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `com_velocity`: Velocity of the centre of mass in the world (3); m/s.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn center_of_mass_velocity(
        &self,
        q: &[T],
        v: &[T],
        com_velocity: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::CenterOfMassVelocity)?;
        self.call(function, &[q, v], &mut [com_velocity])
    }

    /// The Jacobian of the centre of mass: its velocity by v.
    ///
    /// `com_jacobian = d com/d q`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `com_jacobian`: Derivative of the centre of mass in the tangent space of q (3 x nv, by
    ///   columns); m/rad.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn center_of_mass_jacobian(
        &self,
        q: &[T],
        com_jacobian: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::CenterOfMassJacobian)?;
        self.call(function, &[q], &mut [com_jacobian])
    }

    /// The momentum about the centre of mass, in the world's axes.
    ///
    /// `momentum = A_g(q) v`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `momentum`: [linear; angular] momentum about the centre of mass, in the world's axes (6); kg
    ///   m/s, kg m^2/s.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn centroidal_momentum(
        &self,
        q: &[T],
        v: &[T],
        momentum: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::CentroidalMomentum)?;
        self.call(function, &[q, v], &mut [momentum])
    }

    /// The centroidal momentum matrix: the centroidal momentum by v.
    ///
    /// `momentum_matrix = A_g(q)`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `momentum_matrix`: The centroidal momentum by v (6 x nv, by columns); kg m/rad, kg m^2/rad.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn centroidal_momentum_matrix(
        &self,
        q: &[T],
        momentum_matrix: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::CentroidalMomentumMatrix)?;
        self.call(function, &[q], &mut [momentum_matrix])
    }

    /// The rate of the centroidal momentum: what forces from the world, gravity among them, must add up
    /// to.
    ///
    /// `rate = A_g(q) a + dA_g/dt v`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    /// - `rate`: Rate of the centroidal momentum (6); N, N m.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn centroidal_momentum_rate(
        &self,
        q: &[T],
        v: &[T],
        a: &[T],
        rate: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::CentroidalMomentumRate)?;
        self.call(function, &[q, v, a], &mut [rate])
    }

    /// The centroidal momentum, its rate, and their derivatives. The derivative of the momentum by v is
    /// `drate_da` too.
    ///
    /// `momentum = A_g(q) v, rate = A_g(q) a + dA_g/dt v, dmomentum_dq = d momentum/d q, drate_dq = d
    /// rate/d q, drate_dv = d rate/d v, drate_da = A_g(q)`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn centroidal_derivatives(
        &self,
        q: &[T],
        v: &[T],
        a: &[T],
        out: &mut CentroidalDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::CentroidalDerivatives)?;
        fit(out, function, states(function, q));
        self.call(function, &[q, v, a], &mut out.slices())
    }

    /// The kinetic energy of all moving bodies and rotors.
    ///
    /// `energy = v^T M(q) v / 2`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `energy`: Kinetic energy, v^T M(q) v / 2 (1); J.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn kinetic_energy(
        &self,
        q: &[T],
        v: &[T],
        energy: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::KineticEnergy)?;
        self.call(function, &[q, v], &mut [energy])
    }

    /// The kinetic energy and its gradients.
    ///
    /// `energy = v^T M(q) v / 2, denergy_dq = d energy/d q, denergy_dv = M(q) v`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn kinetic_energy_derivatives(
        &self,
        q: &[T],
        v: &[T],
        out: &mut KineticEnergyDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::KineticEnergyDerivatives)?;
        fit(out, function, states(function, q));
        self.call(function, &[q, v], &mut out.slices())
    }

    /// The potential energy in the field of gravity, zero for a point at the world's origin. Its
    /// gradient is `gravity`.
    ///
    /// `energy = -sum_i m_i g . c_i`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `energy`: Potential energy in the field of gravity (1); J.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn potential_energy(
        &self,
        q: &[T],
        energy: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::PotentialEnergy)?;
        self.call(function, &[q], &mut [energy])
    }

    /// The Coriolis matrix. Damping has no part in it.
    ///
    /// `coriolis = C(q, v), with C v + g(q) = bias and dM/dt = C + C^T`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `coriolis`: C(q, v) with C v the Coriolis and centrifugal torques and dM/dt = C + C^T (nv x nv,
    ///   by columns); kg m^2/s.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn coriolis_matrix(
        &self,
        q: &[T],
        v: &[T],
        coriolis: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::CoriolisMatrix)?;
        self.call(function, &[q, v], &mut [coriolis])
    }

    /// The torque regressor: for each body the torques by its ten parameters, m, hx, hy, hz, Jxx, Jxy,
    /// Jyy, Jxz, Jyz, Jzz about its joint frame's origin. Armature and damping have no part in it.
    ///
    /// `regressor = Y(q, v, a), with tau = sum_i Y_i pi_i`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    /// - `regressor`: Torques by each body's m, hx, hy, hz, Jxx, Jxy, Jyy, Jxz, Jyz, Jzz about its joint
    ///   frame (nv x 10 x bodies, matrices by columns); N m per unit of the parameter.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn regressor(
        &self,
        q: &[T],
        v: &[T],
        a: &[T],
        regressor: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::Regressor)?;
        self.call(function, &[q, v, a], &mut [regressor])
    }

    /// For each body the kinetic energy by its ten parameters.
    ///
    /// `kinetic_energy_regressor = d energy/d pi`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `kinetic_energy_regressor`: Kinetic energy by each body's ten parameters (1 x 10 x bodies,
    ///   matrices by columns); J per unit of the parameter.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn kinetic_energy_regressor(
        &self,
        q: &[T],
        v: &[T],
        kinetic_energy_regressor: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::KineticEnergyRegressor)?;
        self.call(function, &[q, v], &mut [kinetic_energy_regressor])
    }

    /// For each body the potential energy by its ten parameters.
    ///
    /// `potential_energy_regressor = d energy/d pi`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `potential_energy_regressor`: Potential energy by each body's ten parameters (1 x 10 x bodies,
    ///   matrices by columns); J per unit of the parameter.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn potential_energy_regressor(
        &self,
        q: &[T],
        potential_energy_regressor: &mut [T],
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::PotentialEnergyRegressor)?;
        self.call(function, &[q], &mut [potential_energy_regressor])
    }

    /// Inverse dynamics, and its derivatives by the inertias that are given at run time and by gravity.
    ///
    /// `tau = M(q) a + C(q, v) v + g(q), dtau_dinertia = d tau/d inertia, dtau_dgravity = d tau/d
    /// gravity`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn rnea_parameter_derivatives(
        &self,
        q: &[T],
        v: &[T],
        a: &[T],
        out: &mut RneaParameterDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::RneaParameterDerivatives)?;
        fit(out, function, states(function, q));
        self.call(function, &[q, v, a], &mut out.slices())
    }

    /// Forward dynamics, and its derivatives by the inertias that are given at run time and by gravity.
    ///
    /// `ddq = M(q)^-1 (tau - C(q, v) v - g(q)), ddq_dinertia = -M^-1 d tau/d inertia, ddq_dgravity =
    /// -M^-1 d tau/d gravity`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `tau` (nv): joint torques and forces; N m, N.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn aba_parameter_derivatives(
        &self,
        q: &[T],
        v: &[T],
        tau: &[T],
        out: &mut AbaParameterDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::AbaParameterDerivatives)?;
        fit(out, function, states(function, q));
        self.call(function, &[q, v, tau], &mut out.slices())
    }

    /// The sum of torques `mu . tau`, its gradient and its Hessian, without any tensor: what an exact
    /// Hessian of inverse dynamics adds to a Lagrangian.
    ///
    /// `value = mu . tau, dq = d value/d q, dv = d value/d v, da = M mu, dqdq = d dq/d q, dqdv = d dq/d
    /// v, dvdv = d dv/d v, dqda = d dq/d a`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    /// - `mu` (nv): weight of each torque.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn rnea_hessian(
        &self,
        q: &[T],
        v: &[T],
        a: &[T],
        mu: &[T],
        out: &mut RneaHessian<T>,
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::RneaHessian)?;
        fit(out, function, states(function, q));
        self.call(function, &[q, v, a, mu], &mut out.slices())
    }

    /// Torques weighted with mu, their gradient and their Hessian, under external forces, each constant
    /// in its own body's joint frame.
    ///
    /// `value = mu . tau, dq = d value/d q, dv = d value/d v, da = M mu, dqdq = d dq/d q, dqdv = d dq/d
    /// v, dvdv = d dv/d v, dqda = d dq/d a`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    /// - `fext` (6 x bodies, by columns): the force on each moving body, `[force; moment]` in its joint
    ///   frame; N, N m.
    /// - `mu` (nv): weight of each torque.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn rnea_hessian_fext(
        &self,
        q: &[T],
        v: &[T],
        a: &[T],
        fext: &[T],
        mu: &[T],
        out: &mut RneaHessian<T>,
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::RneaHessianFext)?;
        fit(out, function, states(function, q));
        self.call(function, &[q, v, a, fext, mu], &mut out.slices())
    }

    /// The sum of accelerations `lambda . ddq` under the torques `tau`, its gradient and its Hessian,
    /// without any tensor: what DDP needs.
    ///
    /// `value = lambda . ddq, dq = d value/d q, dv = d value/d v, dtau = M^-1 lambda, dqdq = d dq/d q,
    /// dqdv = d dq/d v, dvdv = d dv/d v, dqdtau = d dq/d tau`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `tau` (nv): joint torques and forces; N m, N.
    /// - `lambda` (nv): weight of each acceleration.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn aba_hessian(
        &self,
        q: &[T],
        v: &[T],
        tau: &[T],
        lambda: &[T],
        out: &mut AbaHessian<T>,
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::AbaHessian)?;
        fit(out, function, states(function, q));
        self.call(function, &[q, v, tau, lambda], &mut out.slices())
    }

    /// Accelerations weighted with lambda, their gradient and their Hessian, under external forces, each
    /// constant in its own body's joint frame.
    ///
    /// `value = lambda . ddq, dq = d value/d q, dv = d value/d v, dtau = M^-1 lambda, dqdq = d dq/d q,
    /// dqdv = d dq/d v, dvdv = d dv/d v, dqdtau = d dq/d tau`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `tau` (nv): joint torques and forces; N m, N.
    /// - `fext` (6 x bodies, by columns): the force on each moving body, `[force; moment]` in its joint
    ///   frame; N, N m.
    /// - `lambda` (nv): weight of each acceleration.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn aba_hessian_fext(
        &self,
        q: &[T],
        v: &[T],
        tau: &[T],
        fext: &[T],
        lambda: &[T],
        out: &mut AbaHessian<T>,
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::AbaHessianFext)?;
        fit(out, function, states(function, q));
        self.call(function, &[q, v, tau, fext, lambda], &mut out.slices())
    }

    /// Second derivatives of inverse dynamics. The form that writes leaves alone what is zero for this
    /// robot: give it what `zeros` made, and use that again. Large: keep it in a `static` or a `Box`.
    ///
    /// `d2tau_dqdq = d2 tau/d q d q, d2tau_dqdv = d2 tau/d q d v, d2tau_dvdv = d2 tau/d v d v,
    /// d2tau_dqda = d M/d q`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn rnea_second_derivatives(
        &self,
        q: &[T],
        v: &[T],
        a: &[T],
        out: &mut RneaSecondDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::RneaSecondDerivatives)?;
        fit(out, function, states(function, q));
        self.call(function, &[q, v, a], &mut out.slices())
    }

    /// All second derivatives of inverse dynamics, under external forces, each constant in its own
    /// body's joint frame.
    ///
    /// `d2tau_dqdq = d2 tau/d q d q, d2tau_dqdv = d2 tau/d q d v, d2tau_dvdv = d2 tau/d v d v,
    /// d2tau_dqda = d M/d q`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `a` (nv): acceleration; rad/s^2, m/s^2.
    /// - `fext` (6 x bodies, by columns): the force on each moving body, `[force; moment]` in its joint
    ///   frame; N, N m.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn rnea_second_derivatives_fext(
        &self,
        q: &[T],
        v: &[T],
        a: &[T],
        fext: &[T],
        out: &mut RneaSecondDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::RneaSecondDerivativesFext)?;
        fit(out, function, states(function, q));
        self.call(function, &[q, v, a, fext], &mut out.slices())
    }

    /// Second derivatives of forward dynamics. The form that writes wants what `zeros` made, or it
    /// itself. Large: keep it in a `static` or a `Box`.
    ///
    /// `d2ddq_dqdq = d2 ddq/d q d q, d2ddq_dqdv = d2 ddq/d q d v, d2ddq_dvdv = d2 ddq/d v d v,
    /// d2ddq_dqdtau = d M^-1/d q`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `tau` (nv): joint torques and forces; N m, N.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn aba_second_derivatives(
        &self,
        q: &[T],
        v: &[T],
        tau: &[T],
        out: &mut AbaSecondDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::AbaSecondDerivatives)?;
        fit(out, function, states(function, q));
        self.call(function, &[q, v, tau], &mut out.slices())
    }

    /// All second derivatives of forward dynamics, under external forces, each constant in its own
    /// body's joint frame.
    ///
    /// `d2ddq_dqdq = d2 ddq/d q d q, d2ddq_dqdv = d2 ddq/d q d v, d2ddq_dvdv = d2 ddq/d v d v,
    /// d2ddq_dqdtau = d M^-1/d q`
    ///
    /// - `q` (nq): configuration; rad, m, unit quaternions x, y, z, w.
    /// - `v` (nv): velocity; rad/s, m/s.
    /// - `tau` (nv): joint torques and forces; N m, N.
    /// - `fext` (6 x bodies, by columns): the force on each moving body, `[force; moment]` in its joint
    ///   frame; N, N m.
    ///
    /// # Errors
    /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
    pub fn aba_second_derivatives_fext(
        &self,
        q: &[T],
        v: &[T],
        tau: &[T],
        fext: &[T],
        out: &mut AbaSecondDerivatives<T>,
    ) -> Result<(), Error> {
        let function = self.robot().by_id(Id::AbaSecondDerivativesFext)?;
        fit(out, function, states(function, q));
        self.call(function, &[q, v, tau, fext], &mut out.slices())
    }
}
