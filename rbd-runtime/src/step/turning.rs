//! Joints that turn: those of several coordinates, whose motions do not commute. Their Jacobians of
//! `integrate` and their brackets are blocks on the diagonal of matrices of the whole robot.

use super::arithmetic::{columns, columns_mut};
use super::robot::MovingJoint;
use crate::manifold::{
    self, Columns, IntegrateHessian, integrate_floating_jacobians, integrate_planar_jacobians,
    integrate_spherical_jacobians,
};
use crate::{JointKind, Scalar};

/// The group of a joint's configurations, with `N` coordinates of motion.
pub(super) trait Group<const N: usize> {
    /// Derivatives of `integrate(q, u)` by q and by u.
    fn jacobians<T: Scalar>(u: [T; N]) -> (Columns<T, N>, Columns<T, N>);
    /// Second derivatives of `integrate(q, u)`, weighted.
    fn hessian<T: Scalar>(u: [T; N], lambda: [T; N]) -> IntegrateHessian<T, N>;
    /// The matrix that maps y to the bracket `[x, y]`.
    fn ad<T: Scalar>(x: [T; N]) -> Columns<T, N>;
    /// The matrix W with `x^T W y = weight . [y, x]`.
    fn weighted_bracket<T: Scalar>(weight: &[T; N]) -> Columns<T, N>;
}

struct Planar;
struct Spherical;
struct Floating;

impl Group<3> for Planar {
    fn jacobians<T: Scalar>(u: [T; 3]) -> (Columns<T, 3>, Columns<T, 3>) {
        integrate_planar_jacobians(u)
    }
    fn hessian<T: Scalar>(u: [T; 3], lambda: [T; 3]) -> IntegrateHessian<T, 3> {
        manifold::integrate_planar_hessian(u, lambda)
    }
    fn ad<T: Scalar>([x, y, w]: [T; 3]) -> Columns<T, 3> {
        let o = T::zero();
        [[o, w, o], [-w, o, o], [y, -x, o]]
    }
    fn weighted_bracket<T: Scalar>(weight: &[T; 3]) -> Columns<T, 3> {
        manifold::weighted_bracket_planar(weight)
    }
}

impl Group<3> for Spherical {
    fn jacobians<T: Scalar>(u: [T; 3]) -> (Columns<T, 3>, Columns<T, 3>) {
        integrate_spherical_jacobians(u)
    }
    fn hessian<T: Scalar>(u: [T; 3], lambda: [T; 3]) -> IntegrateHessian<T, 3> {
        manifold::integrate_spherical_hessian(u, lambda)
    }
    fn ad<T: Scalar>([x, y, z]: [T; 3]) -> Columns<T, 3> {
        let o = T::zero();
        [[o, z, -y], [-z, o, x], [y, -x, o]]
    }
    fn weighted_bracket<T: Scalar>(weight: &[T; 3]) -> Columns<T, 3> {
        manifold::weighted_bracket_spherical(weight)
    }
}

impl Group<6> for Floating {
    fn jacobians<T: Scalar>(u: [T; 6]) -> (Columns<T, 6>, Columns<T, 6>) {
        integrate_floating_jacobians(u)
    }
    fn hessian<T: Scalar>(u: [T; 6], lambda: [T; 6]) -> IntegrateHessian<T, 6> {
        manifold::integrate_floating_hessian(u, lambda)
    }
    fn ad<T: Scalar>([x, y, z, a, b, c]: [T; 6]) -> Columns<T, 6> {
        let o = T::zero();
        [
            [o, c, -b, o, o, o],
            [-c, o, a, o, o, o],
            [b, -a, o, o, o, o],
            [o, z, -y, o, c, -b],
            [-z, o, x, -c, o, a],
            [y, -x, o, b, -a, o],
        ]
    }
    fn weighted_bracket<T: Scalar>(weight: &[T; 6]) -> Columns<T, 6> {
        manifold::weighted_bracket_floating(weight)
    }
}

/// Work on one joint that turns, whose first velocity is number `at`.
pub(super) trait Visitor {
    fn visit<G: Group<N>, const N: usize>(&mut self, at: usize);
}

/// Visits the joints that turn.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn visit(joints: impl Iterator<Item = MovingJoint>, visitor: &mut impl Visitor) {
    for joint in joints {
        let at = joint.idx_v;
        match joint.kind {
            // A mimic joint has no coordinate.
            _ if joint.nv < 2 => {}
            JointKind::Planar => visitor.visit::<Planar, 3>(at),
            JointKind::Spherical => visitor.visit::<Spherical, 3>(at),
            JointKind::Floating => visitor.visit::<Floating, 6>(at),
            JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic => {}
        }
    }
}

/// The numbers of a joint in a vector.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn part<T: Copy, const N: usize>(of: &[T], at: usize) -> Option<[T; N]> {
    of.get(at..)?.first_chunk().copied()
}

/// Writes the numbers of a joint in a vector.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn set_part<T: Copy, const N: usize>(of: &mut [T], at: usize, to: [T; N]) {
    if let Some(of) = of.get_mut(at..).and_then(<[T]>::first_chunk_mut::<N>) {
        *of = to;
    }
}

/// Rows of a joint, column by column.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn rows<T, const N: usize>(of: &[T], at: usize, n: usize) -> impl Iterator<Item = &[T; N]> {
    columns(of, n).filter_map(move |column| column.get(at..)?.first_chunk::<N>())
}

/// Rows of a joint, column by column, to be written.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn rows_mut<T, const N: usize>(
    of: &mut [T],
    at: usize,
    n: usize,
) -> impl Iterator<Item = &mut [T; N]> {
    columns_mut(of, n).filter_map(move |column| column.get_mut(at..)?.first_chunk_mut::<N>())
}

/// Adds a block to the diagonal.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn add_block<T: Scalar, const N: usize>(to: &mut [T], block: &Columns<T, N>, at: usize, n: usize) {
    let Some(own) = to.get_mut(at * n..) else { return };
    for (rows, block) in rows_mut::<T, N>(own, at, n).zip(block) {
        for (x, entry) in rows.iter_mut().zip(block) {
            *x += *entry;
        }
    }
}
