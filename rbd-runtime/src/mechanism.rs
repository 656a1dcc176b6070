//! Joints and configuration manifold, which every generated robot has.

use crate::__private::zeros;
use crate::batch::{Batch, Cost};
use crate::manifold::normalize;
use crate::tables::joint_index;
use crate::{CoordinateOrder, Joint, Scalar, Structure};
use nalgebra::{SMatrix, SVector};

/// Derivatives of [`Mechanism::integrate`], in the tangent space at its result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntegrateJacobians<T, const NV: usize> {
    /// Derivative in the tangent space of `q` (NV x NV).
    pub dq: SMatrix<T, NV, NV>,
    /// Derivative by the tangent vector `dv` (NV x NV).
    pub dv: SMatrix<T, NV, NV>,
}

/// Derivatives of [`Mechanism::difference`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DifferenceJacobians<T, const NV: usize> {
    /// Derivative in the tangent space of `q0` (NV x NV).
    pub dq0: SMatrix<T, NV, NV>,
    /// Derivative in the tangent space of `q1` (NV x NV).
    pub dq1: SMatrix<T, NV, NV>,
}

impl<T: Scalar, const NV: usize> IntegrateJacobians<T, NV> {
    /// All zero.
    #[must_use]
    pub fn zeros() -> Self {
        Self { dq: zeros(), dv: zeros() }
    }
}

impl<T: Scalar, const NV: usize> DifferenceJacobians<T, NV> {
    /// All zero.
    #[must_use]
    pub fn zeros() -> Self {
        Self { dq0: zeros(), dq1: zeros() }
    }
}

crate::batch::lanewise!(IntegrateJacobians NV: dq dv);
crate::batch::lanewise!(DifferenceJacobians NV: dq0 dq1);

/// A generated robot with any functions: joints, limits, and motion in configuration space.
///
/// Functions are in the traits that extend this one, such as
/// [`InverseDynamics`](crate::InverseDynamics). [`Robot`](crate::Robot) is all of them together.
/// Units, frames and conventions are the crate's. Only generated code implements this trait.
#[diagnostic::on_unimplemented(note = "NQ and NV are the type's own: `Mechanism<{{R::NQ}}, {{R::NV}}>`")]
pub trait Mechanism<const NQ: usize, const NV: usize>: crate::__private::Sealed {
    /// Number of moving bodies: one a moving joint, mimic joints and a floating base included.
    const NB: usize;
    /// The robot's name in the URDF.
    const NAME: &'static str;
    /// The moving joints, depth first from the root, siblings in the URDF's order.
    const JOINTS: &'static [Joint];
    /// Structures of the matrices of functions, without those of frames.
    #[doc(hidden)]
    const STRUCTURES: &'static [Structure<'static>];
    /// Costs of the functions, which batches choose their way by.
    #[doc(hidden)]
    const COSTS: &'static [Cost];
    /// External forces: `[SVector<T, 6>; NB]`, the force on each moving body in its joint frame.
    type Forces<T: Scalar>: AsRef<[SVector<T, 6>]> + AsMut<[SVector<T, 6>]> + Clone;

    /// The configuration in which every joint is at zero (quaternions at the identity).
    fn neutral<T: Scalar>() -> SVector<T, NQ>;
    /// The configuration reached from `q` by the tangent vector `dv`.
    fn integrate<T: Scalar>(q: &SVector<T, NQ>, dv: &SVector<T, NV>) -> SVector<T, NQ>;
    /// The tangent vector that leads from `q0` to `q1`.
    fn difference<T: Scalar>(q0: &SVector<T, NQ>, q1: &SVector<T, NQ>) -> SVector<T, NV>;
    /// Derivatives of [`Self::integrate`] by `q` and by `dv`, between tangent spaces.
    ///
    /// Column j of `dq` is the derivative along `integrate(q, e * unit(j))`, expressed in the
    /// tangent space at the result.
    fn integrate_jacobians<T: Scalar>(q: &SVector<T, NQ>, dv: &SVector<T, NV>) -> IntegrateJacobians<T, NV>;
    /// The derivatives of [`Self::difference`] by `q0` and by `q1`, both in tangent spaces.
    fn difference_jacobians<T: Scalar>(
        q0: &SVector<T, NQ>,
        q1: &SVector<T, NQ>,
    ) -> DifferenceJacobians<T, NV>;
    /// Pinocchio's order of this robot's coordinates (docs/conventions.md#pinocchios-order).
    fn pinocchio_order() -> CoordinateOrder<NQ, NV>;
    /// Entries of the result `output` of `function` that can differ from zero, for sparse solvers:
    /// `R::structure("rnea_derivatives", "dtau_dq")`. `None` if the robot has no such matrix.
    fn structure(function: &str, output: &str) -> Option<Structure<'static>>;
    /// The robot as data, for the generic reference algorithms.
    #[cfg(feature = "alloc")]
    fn model<T: Scalar>() -> crate::Model<T>;

    /// Functions of this robot for many states.
    #[must_use]
    fn batch() -> Batch<Self, NQ, NV>
    where
        Self: Sized,
    {
        Batch::new()
    }

    /// The place in [`Self::JOINTS`] of the joint with this name.
    #[must_use]
    fn joint(name: &str) -> Option<usize> {
        joint_index(Self::JOINTS, name)
    }

    /// The configuration at `t` on the way from `q0` (`t = 0`) to `q1` (`t = 1`):
    /// `integrate(q0, t difference(q0, q1))`.
    #[must_use]
    fn interpolate<T: Scalar>(q0: &SVector<T, NQ>, q1: &SVector<T, NQ>, t: T) -> SVector<T, NQ> {
        Self::integrate(q0, &Self::difference(q0, q1).map(|x| x * t))
    }

    /// `q` with its quaternions scaled to length one. One of length zero becomes NaN.
    #[must_use]
    fn normalize<T: Scalar>(q: &SVector<T, NQ>) -> SVector<T, NQ> {
        let mut out = *q;
        for joint in Self::JOINTS {
            if let Some(q) = out.data.0[0].get_mut(joint.idx_q..) {
                normalize(joint.kind, q);
            }
        }
        out
    }

    /// True if each component of the difference from `q0` to `q1` is at most `tolerance`, rad or m.
    /// False if one is NaN.
    fn is_near(q0: &SVector<f64, NQ>, q1: &SVector<f64, NQ>, tolerance: f64) -> bool {
        Self::difference(q0, q1).iter().all(|x| x.abs() <= tolerance)
    }

    /// A random configuration within the limits.
    ///
    /// `uniform` is called NV times and returns numbers from 0 to 1, such as a random generator's.
    /// Coordinates are uniform between their limits; without limits they are uniform over a whole
    /// turn or from -1 to 1 m. Quaternions are uniform over all rotations.
    ///
    /// Source: Shoemake, Uniform random rotations, Graphics Gems III, 1992.
    #[must_use]
    fn random_configuration(mut uniform: impl FnMut() -> f64) -> SVector<f64, NQ> {
        let mut numbers = zeros::<f64, NV, 1>();
        numbers.iter_mut().for_each(|x| *x = uniform());
        crate::__private::random_configuration::<Self, f64, NQ, NV>(&numbers)
    }

    /// Product of a field of [`IntegrateJacobians`] or [`DifferenceJacobians`] with `matrix`, by
    /// the blocks of single joints.
    ///
    /// The rows of `matrix` are tangent vectors at the argument; the rows of the result are tangent
    /// vectors at the result. Pinocchio's `dIntegrateTransport`.
    #[must_use]
    fn transport<T: Scalar, const C: usize>(
        jacobian: &SMatrix<T, NV, NV>,
        matrix: &SMatrix<T, NV, C>,
    ) -> SMatrix<T, NV, C> {
        let mut out = zeros::<T, NV, C>();
        for (to, from) in out.data.0.iter_mut().zip(&matrix.data.0) {
            for joint in Self::JOINTS {
                let rows = joint.idx_v..joint.idx_v + joint.nv;
                let (Some(to), Some(from)) = (to.get_mut(rows.clone()), from.get(rows.clone())) else {
                    continue;
                };
                for (x, column) in from.iter().zip(jacobian.data.0.iter().skip(joint.idx_v)) {
                    for (to, by) in to.iter_mut().zip(column.iter().skip(joint.idx_v)) {
                        *to = x.mul_add(*by, *to);
                    }
                }
            }
        }
        out
    }

    /// Lower position limits; minus infinity if there is none, as for quaternions.
    #[must_use]
    fn lower_limits<T: Scalar>() -> SVector<T, NQ> {
        limits(Self::JOINTS, f64::NEG_INFINITY, |joint| (joint.idx_q, joint.nq, joint.lower))
    }

    /// Upper position limits; infinity if there is none.
    #[must_use]
    fn upper_limits<T: Scalar>() -> SVector<T, NQ> {
        limits(Self::JOINTS, f64::INFINITY, |joint| (joint.idx_q, joint.nq, joint.upper))
    }

    /// Velocity limits of the joints, rad/s or m/s; infinity if the URDF has none.
    #[must_use]
    fn velocity_limits<T: Scalar>() -> SVector<T, NV> {
        limits(Self::JOINTS, f64::INFINITY, |joint| (joint.idx_v, joint.nv, joint.velocity))
    }

    /// Effort limits of the joints, N m or N; infinity if the URDF has none.
    #[must_use]
    fn effort_limits<T: Scalar>() -> SVector<T, NV> {
        limits(Self::JOINTS, f64::INFINITY, |joint| (joint.idx_v, joint.nv, joint.effort))
    }
}

/// A limit of each coordinate: a joint's, if it has one coordinate, else none.
fn limits<T: Scalar, const N: usize>(
    joints: &[Joint],
    none: f64,
    of: impl Fn(&Joint) -> (usize, usize, f64),
) -> SVector<T, N> {
    let mut all = SVector::from_data(nalgebra::ArrayStorage([[T::from_f64(none); N]]));
    for joint in joints {
        // A joint that follows another has no coordinate, and then another number than 1.
        if let (first, 1, limit) = of(joint)
            && let Some(x) = all.data.0[0].get_mut(first)
        {
            *x = T::from_f64(limit);
        }
    }
    all
}
