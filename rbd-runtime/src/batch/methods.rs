//! A method of batches for each function of the table that has a trait.
// Written from the generator's table of functions (`rbd-build/src/table/functions.rs`). Do not edit:
// `cargo xtask bless` writes it again.

use super::cost::{Facts, goes_in_lanes};
use super::{Batch, Float, Lanewise};
use crate::functions::*;
use nalgebra::{SMatrix, SVector};
impl<R, const NQ: usize, const NV: usize> Batch<R, NQ, NV> {
    /// Inverse dynamics: the torques (N m, N) that give the accelerations `a` at `q`, `v`.
    ///
    /// `tau = M(q) a + C(q, v) v + g(q)`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `a` (NV): acceleration; rad/s^2, m/s^2
    /// - `tau` (NV): joint torques; N m
    #[track_caller]
    pub fn rnea<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        a: &[SVector<T, NV>],
        tau: &mut [SVector<T, NV>],
    )
    where
        R: InverseDynamics<NQ, NV>,
    {
        let of = const { Facts::new::<R, NQ, NV>("rnea", ["tau"]) };
        if const { goes_in_lanes::<R, T, NQ, NV>("rnea") } {
            self.in_lanes(of, (q, v, a), tau, |(q, v, a), out| *out = R::rnea(q, v, a));
        } else {
            self.alone(of, (q, v, a), tau, |(q, v, a), out| *out = R::rnea(q, v, a));
        }
    }
    /// Torques at zero acceleration: Coriolis, centrifugal and gravity terms, C(q, v) v + g(q).
    ///
    /// `tau = C(q, v) v + g(q)`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `tau` (NV): joint torques; N m
    #[track_caller]
    pub fn bias<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        tau: &mut [SVector<T, NV>],
    )
    where
        R: InverseDynamics<NQ, NV>,
    {
        let of = const { Facts::new::<R, NQ, NV>("bias", ["tau"]) };
        if const { goes_in_lanes::<R, T, NQ, NV>("bias") } {
            self.in_lanes(of, (q, v), tau, |(q, v), out| *out = R::bias(q, v));
        } else {
            self.alone(of, (q, v), tau, |(q, v), out| *out = R::bias(q, v));
        }
    }
    /// Torques that hold the robot at rest, g(q).
    ///
    /// `tau = g(q)`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `tau` (NV): joint torques; N m
    #[track_caller]
    pub fn gravity<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        tau: &mut [SVector<T, NV>],
    )
    where
        R: InverseDynamics<NQ, NV>,
    {
        let of = const { Facts::new::<R, NQ, NV>("gravity", ["tau"]) };
        if const { goes_in_lanes::<R, T, NQ, NV>("gravity") } {
            self.in_lanes(of, (q,), tau, |(q,), out| *out = R::gravity(q));
        } else {
            self.alone(of, (q,), tau, |(q,), out| *out = R::gravity(q));
        }
    }
    /// Forward dynamics: the accelerations under the torques `tau` at `q`, `v`.
    ///
    /// `ddq = M(q)^-1 (tau - C(q, v) v - g(q))`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `tau` (NV): joint torques and forces; N m, N
    /// - `ddq` (NV): joint accelerations; rad/s^2
    #[track_caller]
    pub fn aba<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        tau: &[SVector<T, NV>],
        ddq: &mut [SVector<T, NV>],
    )
    where
        R: ForwardDynamics<NQ, NV>,
    {
        let of = const { Facts::new::<R, NQ, NV>("aba", ["ddq"]) };
        if const { goes_in_lanes::<R, T, NQ, NV>("aba") } {
            self.in_lanes(
                of,
                (q, v, tau),
                ddq,
                |(q, v, tau), out| *out = R::aba(q, v, tau),
            );
        } else {
            self.alone(
                of,
                (q, v, tau),
                ddq,
                |(q, v, tau), out| *out = R::aba(q, v, tau),
            );
        }
    }
    /// The joint-space mass matrix M(q), full and symmetric.
    ///
    /// `m = M(q)`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `m` (NV x NV): mass matrix; kg m^2
    #[track_caller]
    pub fn crba<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        m: &mut [SMatrix<T, NV, NV>],
    )
    where
        R: MassMatrix<NQ, NV>,
    {
        let of = const { Facts::new::<R, NQ, NV>("crba", ["m"]) };
        if const { goes_in_lanes::<R, T, NQ, NV>("crba") } {
            self.in_lanes(of, (q,), m, |(q,), out| R::crba_into(q, out));
        } else {
            self.alone(of, (q,), m, |(q,), out| R::crba_into(q, out));
        }
    }
    /// The inverse of the mass matrix, full and symmetric.
    ///
    /// `minv = M(q)^-1`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `minv` (NV x NV): inverse of the mass matrix; 1/(kg m^2)
    #[track_caller]
    pub fn minv<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        minv: &mut [SMatrix<T, NV, NV>],
    )
    where
        R: InverseMassMatrix<NQ, NV>,
    {
        let of = const { Facts::new::<R, NQ, NV>("minv", ["minv"]) };
        if const { goes_in_lanes::<R, T, NQ, NV>("minv") } {
            self.in_lanes(of, (q,), minv, |(q,), out| R::minv_into(q, out));
        } else {
            self.alone(of, (q,), minv, |(q,), out| R::minv_into(q, out));
        }
    }
    /// Inverse dynamics and its derivatives: `dtau_dq` in the tangent space of q, `dtau_dv`, and `dtau_da`, which is M(q).
    ///
    /// `tau = M(q) a + C(q, v) v + g(q), dtau_dq = d tau/d q, dtau_dv = d tau/d v, dtau_da = M(q)`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `a` (NV): acceleration; rad/s^2, m/s^2
    #[track_caller]
    pub fn rnea_derivatives<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        a: &[SVector<T, NV>],
        out: &mut [RneaDerivatives<T, NV>],
    )
    where
        R: InverseDynamicsDerivatives<NQ, NV>,
    {
        let of = const {
            Facts::new::<
                R,
                NQ,
                NV,
            >("rnea_derivatives", ["tau", "dtau_dq", "dtau_dv", "dtau_da"])
        };
        if const { goes_in_lanes::<R, T, NQ, NV>("rnea_derivatives") } {
            self.in_lanes(
                of,
                (q, v, a),
                out,
                |(q, v, a), out| R::rnea_derivatives_into(q, v, a, out),
            );
        } else {
            self.alone(
                of,
                (q, v, a),
                out,
                |(q, v, a), out| R::rnea_derivatives_into(q, v, a, out),
            );
        }
    }
    /// Forward dynamics and its derivatives: `ddq_dq` in the tangent space of q, `ddq_dv`, and `ddq_dtau`, which is the inverse of M(q).
    ///
    /// `ddq = M(q)^-1 (tau - C(q, v) v - g(q)), ddq_dq = -M^-1 d tau/d q, ddq_dv = -M^-1 d tau/d v, ddq_dtau = M^-1`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `tau` (NV): joint torques and forces; N m, N
    #[track_caller]
    pub fn aba_derivatives<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        tau: &[SVector<T, NV>],
        out: &mut [AbaDerivatives<T, NV>],
    )
    where
        R: ForwardDynamicsDerivatives<NQ, NV>,
    {
        let of = const {
            Facts::new::<
                R,
                NQ,
                NV,
            >("aba_derivatives", ["ddq", "ddq_dq", "ddq_dv", "ddq_dtau"])
        };
        if const { goes_in_lanes::<R, T, NQ, NV>("aba_derivatives") } {
            self.in_lanes(
                of,
                (q, v, tau),
                out,
                |(q, v, tau), out| R::aba_derivatives_into(q, v, tau, out),
            );
        } else {
            self.alone(
                of,
                (q, v, tau),
                out,
                |(q, v, tau), out| R::aba_derivatives_into(q, v, tau, out),
            );
        }
    }
    /// Inverse dynamics under external forces: `fext[i]` is the force `[force; moment]` on moving body i, in its joint frame.
    ///
    /// `tau = M(q) a + C(q, v) v + g(q) - sum_i J_i(q)^T fext_i`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `a` (NV): acceleration; rad/s^2, m/s^2
    /// - `fext` (6 x NB): the force on each moving body, `[force; moment]` in its joint frame; N, N m
    /// - `tau` (NV): joint torques; N m
    #[track_caller]
    pub fn rnea_fext<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        a: &[SVector<T, NV>],
        fext: &[R::Forces<T>],
        tau: &mut [SVector<T, NV>],
    )
    where
        R: ExternalForces<NQ, NV>,
        R::Forces<T>: Lanewise<Float = T, Lanes = R::Forces<<T as Float>::Lanes>>,
    {
        let of = const { Facts::new::<R, NQ, NV>("rnea_fext", ["tau"]) };
        if const { goes_in_lanes::<R, T, NQ, NV>("rnea_fext") } {
            self.in_lanes(
                of,
                (q, v, a, fext),
                tau,
                |(q, v, a, fext), out| *out = R::rnea_fext(q, v, a, fext),
            );
        } else {
            self.alone(
                of,
                (q, v, a, fext),
                tau,
                |(q, v, a, fext), out| *out = R::rnea_fext(q, v, a, fext),
            );
        }
    }
    /// Forward dynamics under external forces: `fext[i]` is the force `[force; moment]` on moving body i, in its joint frame.
    ///
    /// `ddq = M(q)^-1 (tau - C(q, v) v - g(q) + sum_i J_i(q)^T fext_i)`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `tau` (NV): joint torques and forces; N m, N
    /// - `fext` (6 x NB): the force on each moving body, `[force; moment]` in its joint frame; N, N m
    /// - `ddq` (NV): joint accelerations; rad/s^2
    #[track_caller]
    pub fn aba_fext<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        tau: &[SVector<T, NV>],
        fext: &[R::Forces<T>],
        ddq: &mut [SVector<T, NV>],
    )
    where
        R: ExternalForces<NQ, NV>,
        R::Forces<T>: Lanewise<Float = T, Lanes = R::Forces<<T as Float>::Lanes>>,
    {
        let of = const { Facts::new::<R, NQ, NV>("aba_fext", ["ddq"]) };
        if const { goes_in_lanes::<R, T, NQ, NV>("aba_fext") } {
            self.in_lanes(
                of,
                (q, v, tau, fext),
                ddq,
                |(q, v, tau, fext), out| *out = R::aba_fext(q, v, tau, fext),
            );
        } else {
            self.alone(
                of,
                (q, v, tau, fext),
                ddq,
                |(q, v, tau, fext), out| *out = R::aba_fext(q, v, tau, fext),
            );
        }
    }
    /// Inverse dynamics and its first derivatives under external forces. Each force is constant in its own body's joint frame: it turns with the body. A force fixed in the world needs a term of its own in `dtau_dq`.
    ///
    /// `tau = M(q) a + C(q, v) v + g(q) - sum_i J_i(q)^T fext_i, dtau_dq = d tau/d q, dtau_dv = d tau/d v, dtau_da = M(q)`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `a` (NV): acceleration; rad/s^2, m/s^2
    /// - `fext` (6 x NB): the force on each moving body, `[force; moment]` in its joint frame; N, N m
    #[track_caller]
    pub fn rnea_derivatives_fext<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        a: &[SVector<T, NV>],
        fext: &[R::Forces<T>],
        out: &mut [RneaDerivatives<T, NV>],
    )
    where
        R: ExternalForces<NQ, NV>,
        R::Forces<T>: Lanewise<Float = T, Lanes = R::Forces<<T as Float>::Lanes>>,
    {
        let of = const {
            Facts::new::<
                R,
                NQ,
                NV,
            >("rnea_derivatives_fext", ["tau", "dtau_dq", "dtau_dv", "dtau_da"])
        };
        if const { goes_in_lanes::<R, T, NQ, NV>("rnea_derivatives_fext") } {
            self.in_lanes(
                of,
                (q, v, a, fext),
                out,
                |(q, v, a, fext), out| R::rnea_derivatives_fext_into(q, v, a, fext, out),
            );
        } else {
            self.alone(
                of,
                (q, v, a, fext),
                out,
                |(q, v, a, fext), out| R::rnea_derivatives_fext_into(q, v, a, fext, out),
            );
        }
    }
    /// Forward dynamics and its first derivatives under external forces. Each force is constant in its own body's joint frame: it turns with the body. A force fixed in the world needs a term of its own in `ddq_dq`.
    ///
    /// `ddq = M(q)^-1 (tau - C(q, v) v - g(q) + sum_i J_i(q)^T fext_i), ddq_dq = -M^-1 d tau/d q, ddq_dv = -M^-1 d tau/d v, ddq_dtau = M^-1`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `tau` (NV): joint torques and forces; N m, N
    /// - `fext` (6 x NB): the force on each moving body, `[force; moment]` in its joint frame; N, N m
    #[track_caller]
    pub fn aba_derivatives_fext<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        tau: &[SVector<T, NV>],
        fext: &[R::Forces<T>],
        out: &mut [AbaDerivatives<T, NV>],
    )
    where
        R: ExternalForces<NQ, NV>,
        R::Forces<T>: Lanewise<Float = T, Lanes = R::Forces<<T as Float>::Lanes>>,
    {
        let of = const {
            Facts::new::<
                R,
                NQ,
                NV,
            >("aba_derivatives_fext", ["ddq", "ddq_dq", "ddq_dv", "ddq_dtau"])
        };
        if const { goes_in_lanes::<R, T, NQ, NV>("aba_derivatives_fext") } {
            self.in_lanes(
                of,
                (q, v, tau, fext),
                out,
                |(q, v, tau, fext), out| R::aba_derivatives_fext_into(
                    q,
                    v,
                    tau,
                    fext,
                    out,
                ),
            );
        } else {
            self.alone(
                of,
                (q, v, tau, fext),
                out,
                |(q, v, tau, fext), out| R::aba_derivatives_fext_into(
                    q,
                    v,
                    tau,
                    fext,
                    out,
                ),
            );
        }
    }
    /// The centre of mass of all moving bodies, in the world.
    ///
    /// `com = sum_i m_i c_i / sum_i m_i`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `com` (3): centre of mass in the world; m
    #[track_caller]
    pub fn center_of_mass<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        com: &mut [SVector<T, 3>],
    )
    where
        R: Centroidal<NQ, NV>,
    {
        let of = const { Facts::new::<R, NQ, NV>("center_of_mass", ["com"]) };
        if const { goes_in_lanes::<R, T, NQ, NV>("center_of_mass") } {
            self.in_lanes(of, (q,), com, |(q,), out| *out = R::center_of_mass(q));
        } else {
            self.alone(of, (q,), com, |(q,), out| *out = R::center_of_mass(q));
        }
    }
    /// The velocity of the centre of mass, in the world.
    ///
    /// `com_velocity = d com/dt`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `com_velocity` (3): velocity of the centre of mass in the world; m/s
    #[track_caller]
    pub fn center_of_mass_velocity<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        com_velocity: &mut [SVector<T, 3>],
    )
    where
        R: Centroidal<NQ, NV>,
    {
        let of = const {
            Facts::new::<R, NQ, NV>("center_of_mass_velocity", ["com_velocity"])
        };
        if const { goes_in_lanes::<R, T, NQ, NV>("center_of_mass_velocity") } {
            self.in_lanes(
                of,
                (q, v),
                com_velocity,
                |(q, v), out| *out = R::center_of_mass_velocity(q, v),
            );
        } else {
            self.alone(
                of,
                (q, v),
                com_velocity,
                |(q, v), out| *out = R::center_of_mass_velocity(q, v),
            );
        }
    }
    /// The Jacobian of the centre of mass: its velocity by v.
    ///
    /// `com_jacobian = d com/d q`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `com_jacobian` (3 x NV): derivative of the centre of mass in the tangent space of q; m/rad
    #[track_caller]
    pub fn center_of_mass_jacobian<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        com_jacobian: &mut [SMatrix<T, 3, NV>],
    )
    where
        R: Centroidal<NQ, NV>,
    {
        let of = const {
            Facts::new::<R, NQ, NV>("center_of_mass_jacobian", ["com_jacobian"])
        };
        if const { goes_in_lanes::<R, T, NQ, NV>("center_of_mass_jacobian") } {
            self.in_lanes(
                of,
                (q,),
                com_jacobian,
                |(q,), out| R::center_of_mass_jacobian_into(q, out),
            );
        } else {
            self.alone(
                of,
                (q,),
                com_jacobian,
                |(q,), out| R::center_of_mass_jacobian_into(q, out),
            );
        }
    }
    /// The momentum about the centre of mass, in the world's axes.
    ///
    /// `momentum = A_g(q) v`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `momentum` (6): [linear; angular] momentum about the centre of mass, in the world's axes; kg m/s, kg m^2/s
    #[track_caller]
    pub fn centroidal_momentum<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        momentum: &mut [SVector<T, 6>],
    )
    where
        R: Centroidal<NQ, NV>,
    {
        let of = const { Facts::new::<R, NQ, NV>("centroidal_momentum", ["momentum"]) };
        if const { goes_in_lanes::<R, T, NQ, NV>("centroidal_momentum") } {
            self.in_lanes(
                of,
                (q, v),
                momentum,
                |(q, v), out| *out = R::centroidal_momentum(q, v),
            );
        } else {
            self.alone(
                of,
                (q, v),
                momentum,
                |(q, v), out| *out = R::centroidal_momentum(q, v),
            );
        }
    }
    /// The centroidal momentum matrix: the centroidal momentum by v.
    ///
    /// `momentum_matrix = A_g(q)`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `momentum_matrix` (6 x NV): the centroidal momentum by v; kg m/rad, kg m^2/rad
    #[track_caller]
    pub fn centroidal_momentum_matrix<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        momentum_matrix: &mut [SMatrix<T, 6, NV>],
    )
    where
        R: Centroidal<NQ, NV>,
    {
        let of = const {
            Facts::new::<R, NQ, NV>("centroidal_momentum_matrix", ["momentum_matrix"])
        };
        if const { goes_in_lanes::<R, T, NQ, NV>("centroidal_momentum_matrix") } {
            self.in_lanes(
                of,
                (q,),
                momentum_matrix,
                |(q,), out| R::centroidal_momentum_matrix_into(q, out),
            );
        } else {
            self.alone(
                of,
                (q,),
                momentum_matrix,
                |(q,), out| R::centroidal_momentum_matrix_into(q, out),
            );
        }
    }
    /// The rate of the centroidal momentum: what forces from the world, gravity among them, must add up to.
    ///
    /// `rate = A_g(q) a + dA_g/dt v`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `a` (NV): acceleration; rad/s^2, m/s^2
    /// - `rate` (6): rate of the centroidal momentum; N, N m
    #[track_caller]
    pub fn centroidal_momentum_rate<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        a: &[SVector<T, NV>],
        rate: &mut [SVector<T, 6>],
    )
    where
        R: Centroidal<NQ, NV>,
    {
        let of = const { Facts::new::<R, NQ, NV>("centroidal_momentum_rate", ["rate"]) };
        if const { goes_in_lanes::<R, T, NQ, NV>("centroidal_momentum_rate") } {
            self.in_lanes(
                of,
                (q, v, a),
                rate,
                |(q, v, a), out| *out = R::centroidal_momentum_rate(q, v, a),
            );
        } else {
            self.alone(
                of,
                (q, v, a),
                rate,
                |(q, v, a), out| *out = R::centroidal_momentum_rate(q, v, a),
            );
        }
    }
    /// The centroidal momentum, its rate, and their derivatives. The derivative of the momentum by v is `drate_da` too.
    ///
    /// `momentum = A_g(q) v, rate = A_g(q) a + dA_g/dt v, dmomentum_dq = d momentum/d q, drate_dq = d rate/d q, drate_dv = d rate/d v, drate_da = A_g(q)`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `a` (NV): acceleration; rad/s^2, m/s^2
    #[track_caller]
    pub fn centroidal_derivatives<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        a: &[SVector<T, NV>],
        out: &mut [CentroidalDerivatives<T, NV>],
    )
    where
        R: CentroidalDynamicsDerivatives<NQ, NV>,
    {
        let of = const {
            Facts::new::<
                R,
                NQ,
                NV,
            >(
                "centroidal_derivatives",
                ["momentum", "rate", "dmomentum_dq", "drate_dq", "drate_dv", "drate_da"],
            )
        };
        if const { goes_in_lanes::<R, T, NQ, NV>("centroidal_derivatives") } {
            self.in_lanes(
                of,
                (q, v, a),
                out,
                |(q, v, a), out| R::centroidal_derivatives_into(q, v, a, out),
            );
        } else {
            self.alone(
                of,
                (q, v, a),
                out,
                |(q, v, a), out| R::centroidal_derivatives_into(q, v, a, out),
            );
        }
    }
    /// The kinetic energy of all moving bodies and rotors.
    ///
    /// `energy = v^T M(q) v / 2`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `energy` (a number): kinetic energy, v^T M(q) v / 2; J
    #[track_caller]
    pub fn kinetic_energy<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        energy: &mut [T],
    )
    where
        R: Energy<NQ, NV>,
    {
        let of = const { Facts::new::<R, NQ, NV>("kinetic_energy", ["energy"]) };
        if const { goes_in_lanes::<R, T, NQ, NV>("kinetic_energy") } {
            self.in_lanes(
                of,
                (q, v),
                energy,
                |(q, v), out| *out = R::kinetic_energy(q, v),
            );
        } else {
            self.alone(of, (q, v), energy, |(q, v), out| *out = R::kinetic_energy(q, v));
        }
    }
    /// The kinetic energy and its gradients.
    ///
    /// `energy = v^T M(q) v / 2, denergy_dq = d energy/d q, denergy_dv = M(q) v`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    #[track_caller]
    pub fn kinetic_energy_derivatives<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        out: &mut [KineticEnergyDerivatives<T, NV>],
    )
    where
        R: Energy<NQ, NV>,
    {
        let of = const {
            Facts::new::<
                R,
                NQ,
                NV,
            >("kinetic_energy_derivatives", ["energy", "denergy_dq", "denergy_dv"])
        };
        if const { goes_in_lanes::<R, T, NQ, NV>("kinetic_energy_derivatives") } {
            self.in_lanes(
                of,
                (q, v),
                out,
                |(q, v), out| R::kinetic_energy_derivatives_into(q, v, out),
            );
        } else {
            self.alone(
                of,
                (q, v),
                out,
                |(q, v), out| R::kinetic_energy_derivatives_into(q, v, out),
            );
        }
    }
    /// The potential energy in the field of gravity, zero for a point at the world's origin. Its gradient is `gravity`.
    ///
    /// `energy = -sum_i m_i g . c_i`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `energy` (a number): potential energy in the field of gravity; J
    #[track_caller]
    pub fn potential_energy<T: Float>(self, q: &[SVector<T, NQ>], energy: &mut [T])
    where
        R: Energy<NQ, NV>,
    {
        let of = const { Facts::new::<R, NQ, NV>("potential_energy", ["energy"]) };
        if const { goes_in_lanes::<R, T, NQ, NV>("potential_energy") } {
            self.in_lanes(of, (q,), energy, |(q,), out| *out = R::potential_energy(q));
        } else {
            self.alone(of, (q,), energy, |(q,), out| *out = R::potential_energy(q));
        }
    }
    /// The Coriolis matrix. Damping has no part in it.
    ///
    /// `coriolis = C(q, v), with C v + g(q) = bias and dM/dt = C + C^T`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `coriolis` (NV x NV): C(q, v) with C v the Coriolis and centrifugal torques and dM/dt = C + C^T; kg m^2/s
    #[track_caller]
    pub fn coriolis_matrix<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        coriolis: &mut [SMatrix<T, NV, NV>],
    )
    where
        R: Coriolis<NQ, NV>,
    {
        let of = const { Facts::new::<R, NQ, NV>("coriolis_matrix", ["coriolis"]) };
        if const { goes_in_lanes::<R, T, NQ, NV>("coriolis_matrix") } {
            self.in_lanes(
                of,
                (q, v),
                coriolis,
                |(q, v), out| R::coriolis_matrix_into(q, v, out),
            );
        } else {
            self.alone(
                of,
                (q, v),
                coriolis,
                |(q, v), out| R::coriolis_matrix_into(q, v, out),
            );
        }
    }
    /// The sum of torques `mu . tau`, its gradient and its Hessian, without any tensor: what an exact Hessian of inverse dynamics adds to a Lagrangian.
    ///
    /// `value = mu . tau, dq = d value/d q, dv = d value/d v, da = M mu, dqdq = d dq/d q, dqdv = d dq/d v, dvdv = d dv/d v, dqda = d dq/d a`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `a` (NV): acceleration; rad/s^2, m/s^2
    /// - `mu` (NV): weight of each torque
    #[track_caller]
    pub fn rnea_hessian<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        a: &[SVector<T, NV>],
        mu: &[SVector<T, NV>],
        out: &mut [RneaHessian<T, NV>],
    )
    where
        R: SecondDerivatives<NQ, NV>,
    {
        let of = const {
            Facts::new::<
                R,
                NQ,
                NV,
            >(
                "rnea_hessian",
                ["value", "dq", "dv", "da", "dqdq", "dqdv", "dvdv", "dqda"],
            )
        };
        if const { goes_in_lanes::<R, T, NQ, NV>("rnea_hessian") } {
            self.in_lanes(
                of,
                (q, v, a, mu),
                out,
                |(q, v, a, mu), out| R::rnea_hessian_into(q, v, a, mu, out),
            );
        } else {
            self.alone(
                of,
                (q, v, a, mu),
                out,
                |(q, v, a, mu), out| R::rnea_hessian_into(q, v, a, mu, out),
            );
        }
    }
    /// Torques weighted with mu, their gradient and their Hessian, under external forces, each constant in its own body's joint frame.
    ///
    /// `value = mu . tau, dq = d value/d q, dv = d value/d v, da = M mu, dqdq = d dq/d q, dqdv = d dq/d v, dvdv = d dv/d v, dqda = d dq/d a`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `a` (NV): acceleration; rad/s^2, m/s^2
    /// - `fext` (6 x NB): the force on each moving body, `[force; moment]` in its joint frame; N, N m
    /// - `mu` (NV): weight of each torque
    #[track_caller]
    pub fn rnea_hessian_fext<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        a: &[SVector<T, NV>],
        fext: &[R::Forces<T>],
        mu: &[SVector<T, NV>],
        out: &mut [RneaHessian<T, NV>],
    )
    where
        R: SecondDerivatives<NQ, NV>,
        R::Forces<T>: Lanewise<Float = T, Lanes = R::Forces<<T as Float>::Lanes>>,
    {
        let of = const {
            Facts::new::<
                R,
                NQ,
                NV,
            >(
                "rnea_hessian_fext",
                ["value", "dq", "dv", "da", "dqdq", "dqdv", "dvdv", "dqda"],
            )
        };
        if const { goes_in_lanes::<R, T, NQ, NV>("rnea_hessian_fext") } {
            self.in_lanes(
                of,
                (q, v, a, fext, mu),
                out,
                |(q, v, a, fext, mu), out| R::rnea_hessian_fext_into(
                    q,
                    v,
                    a,
                    fext,
                    mu,
                    out,
                ),
            );
        } else {
            self.alone(
                of,
                (q, v, a, fext, mu),
                out,
                |(q, v, a, fext, mu), out| R::rnea_hessian_fext_into(
                    q,
                    v,
                    a,
                    fext,
                    mu,
                    out,
                ),
            );
        }
    }
    /// The sum of accelerations `lambda . ddq` under the torques `tau`, its gradient and its Hessian, without any tensor: what DDP needs.
    ///
    /// `value = lambda . ddq, dq = d value/d q, dv = d value/d v, dtau = M^-1 lambda, dqdq = d dq/d q, dqdv = d dq/d v, dvdv = d dv/d v, dqdtau = d dq/d tau`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `tau` (NV): joint torques and forces; N m, N
    /// - `lambda` (NV): weight of each acceleration
    #[track_caller]
    pub fn aba_hessian<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        tau: &[SVector<T, NV>],
        lambda: &[SVector<T, NV>],
        out: &mut [AbaHessian<T, NV>],
    )
    where
        R: SecondDerivatives<NQ, NV>,
    {
        let of = const {
            Facts::new::<
                R,
                NQ,
                NV,
            >(
                "aba_hessian",
                ["value", "dq", "dv", "dtau", "dqdq", "dqdv", "dvdv", "dqdtau"],
            )
        };
        if const { goes_in_lanes::<R, T, NQ, NV>("aba_hessian") } {
            self.in_lanes(
                of,
                (q, v, tau, lambda),
                out,
                |(q, v, tau, lambda), out| R::aba_hessian_into(q, v, tau, lambda, out),
            );
        } else {
            self.alone(
                of,
                (q, v, tau, lambda),
                out,
                |(q, v, tau, lambda), out| R::aba_hessian_into(q, v, tau, lambda, out),
            );
        }
    }
    /// Accelerations weighted with lambda, their gradient and their Hessian, under external forces, each constant in its own body's joint frame.
    ///
    /// `value = lambda . ddq, dq = d value/d q, dv = d value/d v, dtau = M^-1 lambda, dqdq = d dq/d q, dqdv = d dq/d v, dvdv = d dv/d v, dqdtau = d dq/d tau`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `tau` (NV): joint torques and forces; N m, N
    /// - `fext` (6 x NB): the force on each moving body, `[force; moment]` in its joint frame; N, N m
    /// - `lambda` (NV): weight of each acceleration
    #[track_caller]
    pub fn aba_hessian_fext<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        tau: &[SVector<T, NV>],
        fext: &[R::Forces<T>],
        lambda: &[SVector<T, NV>],
        out: &mut [AbaHessian<T, NV>],
    )
    where
        R: SecondDerivatives<NQ, NV>,
        R::Forces<T>: Lanewise<Float = T, Lanes = R::Forces<<T as Float>::Lanes>>,
    {
        let of = const {
            Facts::new::<
                R,
                NQ,
                NV,
            >(
                "aba_hessian_fext",
                ["value", "dq", "dv", "dtau", "dqdq", "dqdv", "dvdv", "dqdtau"],
            )
        };
        if const { goes_in_lanes::<R, T, NQ, NV>("aba_hessian_fext") } {
            self.in_lanes(
                of,
                (q, v, tau, fext, lambda),
                out,
                |(q, v, tau, fext, lambda), out| R::aba_hessian_fext_into(
                    q,
                    v,
                    tau,
                    fext,
                    lambda,
                    out,
                ),
            );
        } else {
            self.alone(
                of,
                (q, v, tau, fext, lambda),
                out,
                |(q, v, tau, fext, lambda), out| R::aba_hessian_fext_into(
                    q,
                    v,
                    tau,
                    fext,
                    lambda,
                    out,
                ),
            );
        }
    }
    /// Second derivatives of inverse dynamics. The form that writes leaves alone what is zero for this robot: give it what `zeros` made, and use that again. Large: keep it in a `static` or a `Box`.
    ///
    /// `d2tau_dqdq = d2 tau/d q d q, d2tau_dqdv = d2 tau/d q d v, d2tau_dvdv = d2 tau/d v d v, d2tau_dqda = d M/d q`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `a` (NV): acceleration; rad/s^2, m/s^2
    #[track_caller]
    pub fn rnea_second_derivatives<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        a: &[SVector<T, NV>],
        out: &mut [RneaSecondDerivatives<T, NV>],
    )
    where
        R: SecondDerivatives<NQ, NV>,
    {
        let of = const {
            Facts::new::<
                R,
                NQ,
                NV,
            >(
                "rnea_second_derivatives",
                ["d2tau_dqdq", "d2tau_dqdv", "d2tau_dvdv", "d2tau_dqda"],
            )
        };
        if const { goes_in_lanes::<R, T, NQ, NV>("rnea_second_derivatives") } {
            self.in_lanes(
                of,
                (q, v, a),
                out,
                |(q, v, a), out| R::rnea_second_derivatives_into(q, v, a, out),
            );
        } else {
            self.alone(
                of,
                (q, v, a),
                out,
                |(q, v, a), out| R::rnea_second_derivatives_into(q, v, a, out),
            );
        }
    }
    /// All second derivatives of inverse dynamics, under external forces, each constant in its own body's joint frame.
    ///
    /// `d2tau_dqdq = d2 tau/d q d q, d2tau_dqdv = d2 tau/d q d v, d2tau_dvdv = d2 tau/d v d v, d2tau_dqda = d M/d q`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `a` (NV): acceleration; rad/s^2, m/s^2
    /// - `fext` (6 x NB): the force on each moving body, `[force; moment]` in its joint frame; N, N m
    #[track_caller]
    pub fn rnea_second_derivatives_fext<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        a: &[SVector<T, NV>],
        fext: &[R::Forces<T>],
        out: &mut [RneaSecondDerivatives<T, NV>],
    )
    where
        R: SecondDerivatives<NQ, NV>,
        R::Forces<T>: Lanewise<Float = T, Lanes = R::Forces<<T as Float>::Lanes>>,
    {
        let of = const {
            Facts::new::<
                R,
                NQ,
                NV,
            >(
                "rnea_second_derivatives_fext",
                ["d2tau_dqdq", "d2tau_dqdv", "d2tau_dvdv", "d2tau_dqda"],
            )
        };
        if const { goes_in_lanes::<R, T, NQ, NV>("rnea_second_derivatives_fext") } {
            self.in_lanes(
                of,
                (q, v, a, fext),
                out,
                |(q, v, a, fext), out| R::rnea_second_derivatives_fext_into(
                    q,
                    v,
                    a,
                    fext,
                    out,
                ),
            );
        } else {
            self.alone(
                of,
                (q, v, a, fext),
                out,
                |(q, v, a, fext), out| R::rnea_second_derivatives_fext_into(
                    q,
                    v,
                    a,
                    fext,
                    out,
                ),
            );
        }
    }
    /// Second derivatives of forward dynamics. The form that writes wants what `zeros` made, or it itself. Large: keep it in a `static` or a `Box`.
    ///
    /// `d2ddq_dqdq = d2 ddq/d q d q, d2ddq_dqdv = d2 ddq/d q d v, d2ddq_dvdv = d2 ddq/d v d v, d2ddq_dqdtau = d M^-1/d q`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `tau` (NV): joint torques and forces; N m, N
    #[track_caller]
    pub fn aba_second_derivatives<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        tau: &[SVector<T, NV>],
        out: &mut [AbaSecondDerivatives<T, NV>],
    )
    where
        R: SecondDerivatives<NQ, NV>,
    {
        let of = const {
            Facts::new::<
                R,
                NQ,
                NV,
            >(
                "aba_second_derivatives",
                ["d2ddq_dqdq", "d2ddq_dqdv", "d2ddq_dvdv", "d2ddq_dqdtau"],
            )
        };
        if const { goes_in_lanes::<R, T, NQ, NV>("aba_second_derivatives") } {
            self.in_lanes(
                of,
                (q, v, tau),
                out,
                |(q, v, tau), out| R::aba_second_derivatives_into(q, v, tau, out),
            );
        } else {
            self.alone(
                of,
                (q, v, tau),
                out,
                |(q, v, tau), out| R::aba_second_derivatives_into(q, v, tau, out),
            );
        }
    }
    /// All second derivatives of forward dynamics, under external forces, each constant in its own body's joint frame.
    ///
    /// `d2ddq_dqdq = d2 ddq/d q d q, d2ddq_dqdv = d2 ddq/d q d v, d2ddq_dvdv = d2 ddq/d v d v, d2ddq_dqdtau = d M^-1/d q`
    ///
    /// - `q` (NQ): configuration; rad, m, unit quaternions x, y, z, w
    /// - `v` (NV): velocity; rad/s, m/s
    /// - `tau` (NV): joint torques and forces; N m, N
    /// - `fext` (6 x NB): the force on each moving body, `[force; moment]` in its joint frame; N, N m
    #[track_caller]
    pub fn aba_second_derivatives_fext<T: Float>(
        self,
        q: &[SVector<T, NQ>],
        v: &[SVector<T, NV>],
        tau: &[SVector<T, NV>],
        fext: &[R::Forces<T>],
        out: &mut [AbaSecondDerivatives<T, NV>],
    )
    where
        R: SecondDerivatives<NQ, NV>,
        R::Forces<T>: Lanewise<Float = T, Lanes = R::Forces<<T as Float>::Lanes>>,
    {
        let of = const {
            Facts::new::<
                R,
                NQ,
                NV,
            >(
                "aba_second_derivatives_fext",
                ["d2ddq_dqdq", "d2ddq_dqdv", "d2ddq_dvdv", "d2ddq_dqdtau"],
            )
        };
        if const { goes_in_lanes::<R, T, NQ, NV>("aba_second_derivatives_fext") } {
            self.in_lanes(
                of,
                (q, v, tau, fext),
                out,
                |(q, v, tau, fext), out| R::aba_second_derivatives_fext_into(
                    q,
                    v,
                    tau,
                    fext,
                    out,
                ),
            );
        } else {
            self.alone(
                of,
                (q, v, tau, fext),
                out,
                |(q, v, tau, fext), out| R::aba_second_derivatives_fext_into(
                    q,
                    v,
                    tau,
                    fext,
                    out,
                ),
            );
        }
    }
}
