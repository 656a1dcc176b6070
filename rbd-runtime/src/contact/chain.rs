//! Second derivatives of the rows of one contact, contracted with multipliers, in the contact's own frame.
//!
//! The frame moves along a chain of joints: from the root, or of a closed loop from its second frame. A
//! column of its Jacobian turns with all joints between the column's own joint and the frame, so that each
//! derivative of a column along another is their cross product
//! (docs/math.md#second-derivatives-under-contacts).

use super::PathJoint;
use super::pairs::Pairs;
use super::rows::{Error, part};
use crate::__private::zeros;
use crate::Scalar;
use crate::functions::RneaHessian;
use crate::spatial::{dot, force_cross};
use nalgebra::{SMatrix, SVector};

type Vector6<T> = SVector<T, 6>;

/// A coordinate of the chain.
#[derive(Clone, Copy)]
pub(super) struct Column<T> {
    /// The coordinate of v.
    pub at: usize,
    /// Position of its joint in the chain.
    order: usize,
    /// True if the joint is passed from its child to its parent.
    reversed: bool,
    /// The column of the Jacobian.
    pub j: Vector6<T>,
    /// The derivative of the rows by q, as a spatial acceleration.
    pub a: Vector6<T>,
    /// The derivative of the frame's velocity by q.
    pub c: Vector6<T>,
    /// The derivative by q of the motion `J m`.
    pub m: Vector6<T>,
    /// The derivative of the rows by v, as a spatial acceleration.
    pub d: Vector6<T>,
}

/// The joints between two frames, by the columns of their Jacobian.
pub(super) struct Chain<T, const NV: usize> {
    at: [usize; NV],
    order: [usize; NV],
    reversed: [bool; NV],
    jacobian: [[T; 6]; NV],
    count: usize,
    outer: SMatrix<T, 30, NV>,
    /// Velocity, acceleration and the motion `J m` at its end.
    motions: SMatrix<T, 6, 3>,
}

/// Vectors in the joint space: velocities, accelerations, and multipliers of the torques.
pub(super) type Given<'a, T, const NV: usize> = [&'a SVector<T, NV>; 3];

/// Weights with which a chain's rows are contracted.
pub(super) struct Weights<'a, T> {
    /// Multipliers of the rows; of a point, its last three are zero.
    pub rows: Vector6<T>,
    /// Forces, whose power on `J m` is subtracted.
    pub forces: Vector6<T>,
    /// True if the rows are a point's classical acceleration.
    pub is_point: bool,
    /// Baumgarte's damping.
    pub kd: T,
    /// Position error, with Baumgarte's stiffness.
    pub error: Option<(&'a Error<T>, T)>,
}

impl<T: Scalar, const NV: usize> Chain<T, NV> {
    /// A chain of no joints.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn new() -> Self {
        Self {
            at: [0; NV],
            order: [0; NV],
            reversed: [false; NV],
            jacobian: [[T::zero(); 6]; NV],
            count: 0,
            outer: zeros(),
            motions: zeros(),
        }
    }

    /// Sets the chain to that from the root to a frame with this Jacobian.
    pub fn reach(&mut self, path: &[PathJoint], jacobian: &SMatrix<T, 6, NV>) {
        self.count = 0;
        for (order, joint) in path.iter().enumerate() {
            self.push(joint, (order, false), |at| jacobian.data.0.get(at).copied());
        }
    }

    /// Sets the chain to that from a second frame to the first, with the Jacobian of their relative motion.
    ///
    /// Joints that carry both frames move neither against the other.
    pub fn between(&mut self, [first, second]: [&[PathJoint]; 2], jacobian: &SMatrix<T, 6, NV>) {
        self.count = 0;
        let common = first.iter().zip(second).take_while(|(a, b)| a == b).count();
        let up = second.iter().skip(common).rev().map(|joint| (joint, true));
        let down = first.iter().skip(common).map(|joint| (joint, false));
        for (order, (joint, reversed)) in up.chain(down).enumerate() {
            self.push(joint, (order, reversed), |at| jacobian.data.0.get(at).copied());
        }
    }

    fn push(
        &mut self,
        joint: &PathJoint,
        (order, reversed): (usize, bool),
        column: impl Fn(usize) -> Option<[T; 6]>,
    ) {
        for coordinate in joint.first..joint.end {
            let mut places =
                self.at.iter_mut().zip(&mut self.order).zip(&mut self.reversed).zip(&mut self.jacobian);
            let place = places.nth(self.count);
            if let (Some((((at, of_order), is_reversed), to)), Some(j)) = (place, column(coordinate)) {
                (*at, *of_order, *is_reversed, *to) = (coordinate, order, reversed, j);
                self.count += 1;
            }
        }
    }

    /// Coordinates of the chain. Derivatives of motions are there after [`Self::add`].
    pub fn columns(&self) -> impl Iterator<Item = Column<T>> + Clone {
        let places =
            self.at.iter().zip(&self.order).zip(&self.reversed).zip(&self.jacobian).zip(&self.outer.data.0);
        places.take(self.count).map(|((((at, order), reversed), j), outer)| {
            let [a, c, m, d] = [0, 6, 12, 18]
                .map(|from| Vector6::from_fn(|r, _| outer.get(from + r).copied().unwrap_or(T::zero())));
            Column { at: *at, order: *order, reversed: *reversed, j: (*j).into(), a, c, m: -m, d }
        })
    }

    /// Velocity, acceleration and the motion `J m` at its end, after [`Self::add`].
    pub fn motions(&self) -> [Vector6<T>; 3] {
        self.motions.data.0.map(Vector6::from)
    }

    /// Adds the second derivatives of `rows . (rows at v, a) - forces . J m` to the blocks of `to`.
    pub fn add(&mut self, given: Given<'_, T, NV>, weights: &Weights<'_, T>, to: &mut RneaHessian<T, NV>) {
        let RneaHessian { dqdq, dqdv, dvdv, dqda, .. } = &mut *to;
        T::dispatch(Pairs {
            at: &self.at,
            order: &self.order,
            reversed: &self.reversed,
            count: self.count,
            columns: &self.jacobian,
            given,
            weights: &[weights.rows, weights.forces].map(|x| x.data.0[0]),
            kd: &SVector::from([weights.kd]),
            is_point: weights.is_point,
            outer: &mut self.outer,
            motions: &mut self.motions,
            to: [dqdq, dqdv, dvdv, dqda],
        });
        if let Some((error, kp)) = weights.error {
            self.add_error(weights, error, kp, to);
        }
    }

    /// Adds second derivatives of the position error.
    fn add_error(&self, weights: &Weights<'_, T>, error: &Error<T>, kp: T, to: &mut RneaHessian<T, NV>) {
        let (linear, angular) = (part(&weights.rows, 0) * kp, part(&weights.rows, 3) * kp);
        let of_motion = error.weights(&linear, &angular);
        for k in self.columns() {
            let moved = error.weights_moved(&linear, &angular, &k.j);
            let carried = force_cross(&k.j, &of_motion);
            for j in self.columns() {
                let mut sum = dot(&moved, &part(&j.j, 3));
                if j.turns_with(&k) {
                    sum += dot(&j.j, &carried);
                }
                add_to(&mut to.dqdq, (j.at, k.at), sum);
            }
        }
    }
}

impl<T> Column<T> {
    /// True if its joint comes before another one's.
    fn is_before(&self, other: &Self) -> bool {
        self.order < other.order
    }

    /// True if the column changes along another one's coordinate.
    pub fn turns_with(&self, other: &Self) -> bool {
        self.is_before(other) || self.order == other.order && self.reversed
    }
}

/// Adds to an entry.
#[inline]
pub(super) fn add_to<T: Scalar, const R: usize, const C: usize>(
    to: &mut SMatrix<T, R, C>,
    (row, column): (usize, usize),
    x: T,
) {
    if let Some(to) = to.data.0.get_mut(column).and_then(|column| column.get_mut(row)) {
        *to += x;
    }
}
