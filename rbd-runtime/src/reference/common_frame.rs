//! Velocities, accelerations and motion subspaces of all bodies in one frame, the world's
//! (docs/math.md#subspace-rates).

use super::data::{Data, add_scaled};
use super::kinematics::forward_kinematics;
use crate::spatial::{Vector6, motion_cross};
use crate::{Model, Scalar};
use alloc::vec;
use alloc::vec::Vec;

/// World-frame quantities; one entry a body, or one a column of the motion subspaces.
#[derive(Clone, Debug)]
pub(super) struct CommonFrame<T: Scalar> {
    /// Spatial velocities of the bodies.
    pub v: Vec<Vector6<T>>,
    /// Spatial accelerations of the bodies, for the given acceleration of the world.
    pub a: Vec<Vector6<T>>,
    /// Columns s of the motion subspaces.
    pub s: Vec<Vector6<T>>,
    /// `p = v_parent x s`: change of the velocities beyond the joint with a motion along s.
    pub p: Vec<Vector6<T>>,
    /// `r = a_parent x s + v_parent x p`: change of the accelerations beyond the joint with a
    /// motion along s.
    pub r: Vec<Vector6<T>>,
    /// `x = p + v x s`: change of the accelerations beyond the joint with a velocity along s.
    pub x: Vec<Vector6<T>>,
}

impl<T: Scalar> CommonFrame<T> {
    pub fn zeros(bodies: usize, columns: usize) -> Self {
        let zeros = |n| vec![Vector6::zeros(); n];
        let [s, p, r, x] = core::array::from_fn(|_| zeros(columns));
        Self { v: zeros(bodies), a: zeros(bodies), s, p, r, x }
    }
}

/// Fills `data.common`, the accelerations from `a` or zero; the world has the acceleration
/// `a_world`: zero for motion, `[-g; 0]` for dynamics.
pub(super) fn in_common_frame<T: Scalar>(
    model: &Model<T>,
    data: &mut Data<T>,
    q: &[T],
    v: &[T],
    a: Option<&[T]>,
    a_world: Vector6<T>,
) {
    forward_kinematics(model, data, q);
    for (i, b) in model.bodies.iter().enumerate() {
        let zero = Vector6::zeros();
        let at_rest = (zero, a_world);
        let (v_parent, a_parent) = b.parent.map_or(at_rest, |p| (data.common.v[p], data.common.a[p]));
        let (mut v_joint, mut a_joint) = (zero, zero);
        for (k, column) in data.columns(i).enumerate() {
            let s = data.world_from_body[i].act_motion(&data.s[column]);
            let p = motion_cross(&v_parent, &s);
            data.common.s[column] = s;
            data.common.p[column] = p;
            data.common.r[column] = motion_cross(&a_parent, &s) + motion_cross(&v_parent, &p);
            v_joint = add_scaled(&v_joint, v[b.idx_v + k], &s);
            if let Some(a) = a {
                a_joint = add_scaled(&a_joint, a[b.idx_v + k], &s);
            }
        }
        let v_i = v_parent + v_joint;
        for column in data.columns(i) {
            data.common.x[column] = data.common.p[column] + motion_cross(&v_i, &data.common.s[column]);
        }
        data.common.v[i] = v_i;
        data.common.a[i] = a_parent + a_joint + motion_cross(&v_i, &v_joint);
    }
}

/// Fills `data.composite` with the sums of the inertias of each subtree, in the world frame, after the
/// `world_from_body` are known.
pub(super) fn composite_in_world<T: Scalar>(model: &Model<T>, data: &mut Data<T>) {
    for (i, b) in model.bodies.iter().enumerate() {
        data.composite[i] = b.inertia.transformed(&data.world_from_body[i]);
    }
    for (i, b) in model.bodies.iter().enumerate().rev() {
        if let Some(p) = b.parent {
            let own = data.composite[i];
            data.composite[p] += own;
        }
    }
}
