//! Joint friction in second derivatives, added after the loops over tables (docs/math.md#joint-friction).
//!
//! Friction depends on one joint's velocity, so it has one second derivative for each joint.

use crate::{RneaHessian, Scalar};
use nalgebra::{SMatrix, SVector};

/// Coulomb friction of a joint's coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointFriction {
    /// Index of the coordinate in v.
    pub coordinate: usize,
    /// Joint velocity over the coordinate's velocity: 1, or the ratio of a mimic joint.
    pub ratio: f64,
    /// Friction, N m or N.
    pub friction: f64,
}

/// Friction of all joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction<'a> {
    /// Joints with friction.
    pub joints: &'a [JointFriction],
    /// Velocity that smooths the friction, rad/s or m/s.
    pub smoothing: f64,
}

impl Friction<'_> {
    /// Calls `visit` for each joint with its torque.
    ///
    /// The torque's first and second derivative by the coordinate's velocity follow.
    pub fn for_each<T: Scalar>(&self, v: &[T], mut visit: impl FnMut(&JointFriction, [T; 3])) {
        let square = T::from_f64(self.smoothing * self.smoothing);
        for joint in self.joints {
            let Some(of_coordinate) = v.get(joint.coordinate) else { continue };
            let (ratio, friction) = (T::from_f64(joint.ratio), T::from_f64(joint.friction));
            let v = ratio * *of_coordinate;
            let length = v * v + square;
            let root = length.sqrt();
            let torque = ratio * friction * v / root;
            let slope = ratio * ratio * friction * square / (length * root);
            let curvature = -T::from_f64(3.0) * slope * ratio * v / length;
            visit(joint, [torque, slope, curvature]);
        }
    }

    /// Adds friction to value, gradient and Hessian of `mu . tau`.
    pub fn add_to_hessian<T: Scalar, const NV: usize>(
        &self,
        v: &SVector<T, NV>,
        mu: &SVector<T, NV>,
        out: &mut RneaHessian<T, NV>,
    ) {
        let mu = &mu.data.0[0];
        let (dv, dvdv) = (&mut out.dv.data.0[0], &mut out.dvdv.data.0);
        self.for_each(v.as_slice(), |joint, [torque, slope, curvature]| {
            let c = joint.coordinate;
            let Some(mu) = mu.get(c) else { return };
            out.value += *mu * torque;
            if let (Some(dv), Some(dvdv)) = (dv.get_mut(c), dvdv.get_mut(c).and_then(|x| x.get_mut(c))) {
                *dv += *mu * slope;
                *dvdv += *mu * curvature;
            }
        });
    }

    /// Adds friction to second derivatives of torques by v and v.
    pub fn add_to_torques<T: Scalar, const NV: usize>(
        &self,
        v: &SVector<T, NV>,
        out: &mut [SMatrix<T, NV, NV>; NV],
    ) {
        self.for_each(v.as_slice(), |joint, [.., curvature]| {
            let c = joint.coordinate;
            let to =
                out.get_mut(c).and_then(|page| page.data.0.get_mut(c)).and_then(|column| column.get_mut(c));
            if let Some(to) = to {
                *to += curvature;
            }
        });
    }

    /// Adds friction to second derivatives of accelerations by v and v, through `M^-1`.
    ///
    /// Their other terms contain friction already, by the first derivatives.
    pub fn add_to_accelerations<T: Scalar, const NV: usize>(
        &self,
        v: &SVector<T, NV>,
        minv: &SMatrix<T, NV, NV>,
        out: &mut [SMatrix<T, NV, NV>; NV],
    ) {
        self.for_each(v.as_slice(), |joint, [.., curvature]| {
            let c = joint.coordinate;
            let column = out.get_mut(c).and_then(|page| page.data.0.get_mut(c));
            if let (Some(column), Some(minv)) = (column, minv.data.0.get(c)) {
                for (to, by) in column.iter_mut().zip(minv) {
                    *to -= *by * curvature;
                }
            }
        });
    }
}
