//! Robots of any size behind one object-safe trait: compiled ones, and those that are loaded at run time.

use crate::__private::{vector, zeros};
use crate::{AbaDerivatives, Dynamics, Joint, RneaDerivatives, Scalar};
use core::fmt;
use core::marker::PhantomData;
use nalgebra::{SMatrix, SVector};

/// A robot whose sizes are known at run time: for tools that take compiled and loaded robots alike.
///
/// Arguments and results are slices; matrices are stored by columns. Units, frames and conventions are the
/// crate's. [`Compiled`] makes one of a generated type, and `rbd_jit::Runner` one of a loaded robot. Numbers
/// are `f64`, or `f32` of an `AnyRobot<f32>`. A tool takes `&mut dyn AnyRobot`:
///
/// ```
/// use rbd_runtime::{AnyRobot, Refused};
///
/// /// One step of a simulation, by semi-implicit Euler.
/// fn step(
///     robot: &mut dyn AnyRobot,
///     q: &mut [f64],
///     v: &mut [f64],
///     tau: &[f64],
///     dt: f64,
/// ) -> Result<(), Refused> {
///     // A tool keeps these; here they are short.
///     let (mut ddq, mut dv, mut next) = ([0.0; 64], [0.0; 64], [0.0; 64]);
///     let (nq, nv) = (robot.nq(), robot.nv());
///     robot.aba(q, v, tau, &mut ddq[..nv])?;
///     for k in 0..nv {
///         v[k] += dt * ddq[k];
///         dv[k] = dt * v[k];
///     }
///     robot.integrate(q, &dv[..nv], &mut next[..nq])?;
///     q.copy_from_slice(&next[..nq]);
///     Ok(())
/// }
/// ```
pub trait AnyRobot<T = f64> {
    /// The robot's name in the URDF.
    fn name(&self) -> &str;
    /// Number of configuration coordinates.
    fn nq(&self) -> usize;
    /// Number of degrees of freedom.
    fn nv(&self) -> usize;
    /// Number of moving joints.
    fn joint_count(&self) -> usize;
    /// Name of a moving joint, depth first from the root.
    fn joint_name(&self, joint: usize) -> Option<&str>;
    /// The configuration in which every joint is at zero (nq).
    fn neutral(&mut self, q: &mut [T]) -> Result<(), Refused>;
    /// The configuration reached from `q` by the tangent vector `dv` (nq).
    fn integrate(&mut self, q: &[T], dv: &[T], out: &mut [T]) -> Result<(), Refused>;
    /// The tangent vector that leads from `q0` to `q1` (nv).
    fn difference(&mut self, q0: &[T], q1: &[T], out: &mut [T]) -> Result<(), Refused>;
    /// Inverse dynamics (nv).
    fn rnea(&mut self, q: &[T], v: &[T], a: &[T], tau: &mut [T]) -> Result<(), Refused>;
    /// Torques at zero acceleration (nv).
    fn bias(&mut self, q: &[T], v: &[T], tau: &mut [T]) -> Result<(), Refused>;
    /// Torques at rest (nv).
    fn gravity(&mut self, q: &[T], tau: &mut [T]) -> Result<(), Refused>;
    /// Forward dynamics (nv).
    fn aba(&mut self, q: &[T], v: &[T], tau: &[T], ddq: &mut [T]) -> Result<(), Refused>;
    /// Mass matrix (nv x nv).
    fn crba(&mut self, q: &[T], m: &mut [T]) -> Result<(), Refused>;
    /// Inverse of the mass matrix (nv x nv).
    fn minv(&mut self, q: &[T], minv: &mut [T]) -> Result<(), Refused>;
    /// Inverse dynamics (nv) and its derivatives by q, v and a (nv x nv).
    fn rnea_derivatives(
        &mut self,
        q: &[T],
        v: &[T],
        a: &[T],
        tau: &mut [T],
        by: [&mut [T]; 3],
    ) -> Result<(), Refused>;
    /// Forward dynamics (nv) and its derivatives by q, v and tau (nv x nv).
    fn aba_derivatives(
        &mut self,
        q: &[T],
        v: &[T],
        tau: &[T],
        ddq: &mut [T],
        by: [&mut [T]; 3],
    ) -> Result<(), Refused>;
}

/// Reason why a call of [`AnyRobot`] computed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused {
    /// A slice has another length than the argument or result.
    Length {
        /// Name of the argument or result.
        name: &'static str,
        /// Length of the argument or result.
        expected: usize,
        /// Length of the given slice.
        given: usize,
    },
    /// The robot was loaded without this function.
    Missing {
        /// The function.
        function: &'static str,
    },
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { name, expected, given } => {
                write!(f, "`{name}` has {expected} numbers, and was given {given}")
            }
            Self::Missing { function } => write!(f, "the robot was loaded without `{function}`"),
        }
    }
}

impl core::error::Error for Refused {}

/// A generated robot as [`AnyRobot`]: `Compiled::<Iiwa14, { Iiwa14::NQ }, { Iiwa14::NV }>::new()`.
///
/// The robot needs the functions of [`Dynamics`], such as by the option `functions: [dynamics]`.
///
/// The last parameter is the type of numbers. In single precision, write `new_f32`.
pub struct Compiled<R, const NQ: usize, const NV: usize, T = f64>(PhantomData<fn(T) -> R>);

impl<R, const NQ: usize, const NV: usize> Compiled<R, NQ, NV> {
    /// The robot. It has no memory of its own.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<R, const NQ: usize, const NV: usize> Compiled<R, NQ, NV, f32> {
    /// The robot in single precision: `AnyRobot<f32>`.
    #[must_use]
    pub const fn new_f32() -> Self {
        Self(PhantomData)
    }
}

impl<R, const NQ: usize, const NV: usize, T> Default for Compiled<R, NQ, NV, T> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<R, const NQ: usize, const NV: usize, T> Clone for Compiled<R, NQ, NV, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R, const NQ: usize, const NV: usize, T> Copy for Compiled<R, NQ, NV, T> {}

impl<R, const NQ: usize, const NV: usize, T> fmt::Debug for Compiled<R, NQ, NV, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Compiled")
    }
}

/// A vector of the given numbers.
fn taken<T: Scalar, const N: usize>(name: &'static str, numbers: &[T]) -> Result<SVector<T, N>, Refused> {
    let refused = Refused::Length { name, expected: N, given: numbers.len() };
    <[T; N]>::try_from(numbers).map(vector).map_err(|_| refused)
}

/// Writes a matrix into a slice.
fn give<T: Scalar, const R: usize, const C: usize>(
    name: &'static str,
    matrix: &SMatrix<T, R, C>,
    out: &mut [T],
) -> Result<(), Refused> {
    room::<T, R, C>(name, out)?;
    for (to, column) in out.chunks_exact_mut(R.max(1)).zip(&matrix.data.0) {
        to.copy_from_slice(column);
    }
    Ok(())
}

/// Checks that a matrix fits into a slice.
fn room<T, const R: usize, const C: usize>(name: &'static str, out: &[T]) -> Result<(), Refused> {
    match out.len() == R * C {
        true => Ok(()),
        false => Err(Refused::Length { name, expected: R * C, given: out.len() }),
    }
}

impl<R, const NQ: usize, const NV: usize, T> AnyRobot<T> for Compiled<R, NQ, NV, T>
where
    R: Dynamics<NQ, NV>,
    T: Scalar,
{
    fn name(&self) -> &str {
        R::NAME
    }

    fn nq(&self) -> usize {
        NQ
    }

    fn nv(&self) -> usize {
        NV
    }

    fn joint_count(&self) -> usize {
        R::JOINTS.len()
    }

    fn joint_name(&self, joint: usize) -> Option<&str> {
        R::JOINTS.get(joint).map(|Joint { name, .. }| *name)
    }

    fn neutral(&mut self, q: &mut [T]) -> Result<(), Refused> {
        give("q", &R::neutral::<T>(), q)
    }

    fn integrate(&mut self, q: &[T], dv: &[T], out: &mut [T]) -> Result<(), Refused> {
        give("out", &R::integrate(&taken("q", q)?, &taken("dv", dv)?), out)
    }

    fn difference(&mut self, q0: &[T], q1: &[T], out: &mut [T]) -> Result<(), Refused> {
        give("out", &R::difference(&taken("q0", q0)?, &taken("q1", q1)?), out)
    }

    fn rnea(&mut self, q: &[T], v: &[T], a: &[T], tau: &mut [T]) -> Result<(), Refused> {
        let q: SVector<T, NQ> = taken("q", q)?;
        give("tau", &R::rnea(&q, &taken("v", v)?, &taken("a", a)?), tau)
    }

    fn bias(&mut self, q: &[T], v: &[T], tau: &mut [T]) -> Result<(), Refused> {
        let q: SVector<T, NQ> = taken("q", q)?;
        give("tau", &R::bias(&q, &taken("v", v)?), tau)
    }

    fn gravity(&mut self, q: &[T], tau: &mut [T]) -> Result<(), Refused> {
        let q: SVector<T, NQ> = taken("q", q)?;
        give("tau", &R::gravity(&q), tau)
    }

    fn aba(&mut self, q: &[T], v: &[T], tau: &[T], ddq: &mut [T]) -> Result<(), Refused> {
        let q: SVector<T, NQ> = taken("q", q)?;
        give("ddq", &R::aba(&q, &taken("v", v)?, &taken("tau", tau)?), ddq)
    }

    fn crba(&mut self, q: &[T], m: &mut [T]) -> Result<(), Refused> {
        let (q, mut out): (SVector<T, NQ>, _) = (taken("q", q)?, zeros());
        R::crba_into(&q, &mut out);
        give("m", &out, m)
    }

    fn minv(&mut self, q: &[T], minv: &mut [T]) -> Result<(), Refused> {
        let (q, mut out): (SVector<T, NQ>, _) = (taken("q", q)?, zeros());
        R::minv_into(&q, &mut out);
        give("minv", &out, minv)
    }

    fn rnea_derivatives(
        &mut self,
        q: &[T],
        v: &[T],
        a: &[T],
        tau: &mut [T],
        [dq, dv, da]: [&mut [T]; 3],
    ) -> Result<(), Refused> {
        let (q, mut out): (SVector<T, NQ>, _) = (taken("q", q)?, RneaDerivatives::zeros());
        R::rnea_derivatives_into(&q, &taken("v", v)?, &taken("a", a)?, &mut out);
        for (name, matrix, to) in
            [("dtau_dq", &out.dtau_dq, dq), ("dtau_dv", &out.dtau_dv, dv), ("dtau_da", &out.dtau_da, da)]
        {
            give(name, matrix, to)?;
        }
        give("tau", &out.tau, tau)
    }

    fn aba_derivatives(
        &mut self,
        q: &[T],
        v: &[T],
        tau: &[T],
        ddq: &mut [T],
        [dq, dv, dtau]: [&mut [T]; 3],
    ) -> Result<(), Refused> {
        let (q, mut out): (SVector<T, NQ>, _) = (taken("q", q)?, AbaDerivatives::zeros());
        R::aba_derivatives_into(&q, &taken("v", v)?, &taken("tau", tau)?, &mut out);
        for (name, matrix, to) in
            [("ddq_dq", &out.ddq_dq, dq), ("ddq_dv", &out.ddq_dv, dv), ("ddq_dtau", &out.ddq_dtau, dtau)]
        {
            give(name, matrix, to)?;
        }
        give("ddq", &out.ddq, ddq)
    }
}
