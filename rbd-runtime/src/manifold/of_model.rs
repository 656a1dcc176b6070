//! The manifold of a model's configurations, with results on the heap.

use super::{difference, difference_jacobians, integrate, integrate_jacobians, neutral, random};
use crate::{Model, Scalar};
use nalgebra::{DMatrix, DVector};

/// Derivatives of [`Model::integrate`], in the tangent space at its result.
#[derive(Clone, Debug, PartialEq)]
pub struct IntegrateJacobians<T> {
    /// Derivative in the tangent space of q (nv x nv).
    pub dq: DMatrix<T>,
    /// Derivative by the tangent vector (nv x nv).
    pub dv: DMatrix<T>,
}

/// Derivatives of [`Model::difference`].
#[derive(Clone, Debug, PartialEq)]
pub struct DifferenceJacobians<T> {
    /// Derivative in the tangent space of q0 (nv x nv).
    pub dq0: DMatrix<T>,
    /// Derivative in the tangent space of q1 (nv x nv).
    pub dq1: DMatrix<T>,
}

impl<T: Scalar> Model<T> {
    /// The neutral configuration, `nq` long.
    pub fn neutral(&self) -> DVector<T> {
        let mut q = DVector::zeros(self.nq);
        for b in self.bodies.iter().filter(|b| b.mimic.is_none()) {
            neutral(b.kind, &mut q.as_mut_slice()[b.idx_q..b.idx_q + b.nq()]);
        }
        q
    }

    /// `q` moved by `dv` over unit time, into `out`. Lengths nq, nv, nq.
    ///
    /// # Panics
    /// Where a slice is too short.
    pub fn integrate_into(&self, q: &[T], dv: &[T], out: &mut [T]) {
        for b in self.bodies.iter().filter(|b| b.mimic.is_none()) {
            let (at_q, at_v) = (b.idx_q..b.idx_q + b.nq(), b.idx_v..b.idx_v + b.nv());
            integrate(b.kind, &q[at_q.clone()], &dv[at_v], &mut out[at_q]);
        }
    }

    /// The velocity that leads from `q0` to `q1`, into `out`. Lengths nq, nq, nv.
    ///
    /// # Panics
    /// Where a slice is too short.
    pub fn difference_into(&self, q0: &[T], q1: &[T], out: &mut [T]) {
        for b in self.bodies.iter().filter(|b| b.mimic.is_none()) {
            let (at_q, at_v) = (b.idx_q..b.idx_q + b.nq(), b.idx_v..b.idx_v + b.nv());
            difference(b.kind, &q0[at_q.clone()], &q1[at_q], &mut out[at_v]);
        }
    }

    /// [`integrate_into`](Self::integrate_into) a new vector.
    pub fn integrate(&self, q: &[T], dv: &[T]) -> DVector<T> {
        let mut out = DVector::zeros(self.nq);
        self.integrate_into(q, dv, out.as_mut_slice());
        out
    }

    /// [`difference_into`](Self::difference_into) a new vector.
    pub fn difference(&self, q0: &[T], q1: &[T]) -> DVector<T> {
        let mut out = DVector::zeros(self.nv);
        self.difference_into(q0, q1, out.as_mut_slice());
        out
    }

    /// A random configuration within the limits, into `out`, from numbers from 0 to 1. Lengths nv, nq.
    ///
    /// # Panics
    /// Where a slice is too short.
    pub fn random_configuration_into(&self, uniform: &[T], out: &mut [T]) {
        for b in self.bodies.iter().filter(|b| b.mimic.is_none()) {
            let limits = (b.limits.lower, b.limits.upper);
            random::configuration(b.kind, limits, &uniform[b.idx_v..], &mut out[b.idx_q..]);
        }
    }

    /// Derivatives of [`integrate`](Self::integrate), by q and by dv.
    pub fn integrate_jacobians(&self, dv: &[T]) -> IntegrateJacobians<T> {
        let zeros = || DMatrix::zeros(self.nv, self.nv);
        let mut out = IntegrateJacobians { dq: zeros(), dv: zeros() };
        for b in self.bodies.iter().filter(|b| b.mimic.is_none()) {
            let at = b.idx_v;
            integrate_jacobians(b.kind, &dv[at..at + b.nv()], |i, j, q, v| {
                (out.dq[(at + i, at + j)], out.dv[(at + i, at + j)]) = (q, v);
            });
        }
        out
    }

    /// Derivatives of [`difference`](Self::difference), by q0 and by q1.
    pub fn difference_jacobians(&self, q0: &[T], q1: &[T]) -> DifferenceJacobians<T> {
        let zeros = || DMatrix::zeros(self.nv, self.nv);
        let mut out = DifferenceJacobians { dq0: zeros(), dq1: zeros() };
        for b in self.bodies.iter().filter(|b| b.mimic.is_none()) {
            let (at, at_q) = (b.idx_v, b.idx_q..b.idx_q + b.nq());
            difference_jacobians(b.kind, &q0[at_q.clone()], &q1[at_q], |i, j, x0, x1| {
                (out.dq0[(at + i, at + j)], out.dq1[(at + i, at + j)]) = (x0, x1);
            });
        }
        out
    }
}
