//! The workspace of the algorithms.

use super::common_frame::CommonFrame;
use super::coriolis::HalfB;
use super::{AbaDerivatives, KinematicsDerivatives, RneaDerivatives};
use crate::model::{Body, plane_basis};
use crate::spatial::{Inertia, Placement, Vector6, join};
use crate::{JointKind, Model, Scalar};
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;
use nalgebra::{DMatrix, DVector, Matrix6, Vector3};

/// Workspace: all quantities that the algorithms compute, allocated once for a model.
///
/// Indices are those of `model.bodies`; 6-vectors are in the body's joint frame. The last call
/// determines which fields are up to date.
#[derive(Clone, Debug)]
pub struct Data<T: Scalar> {
    /// Each body's pose in its parent's joint frame (in the world, for a body on the world).
    pub parent_from_body: Vec<Placement<T>>,
    /// Each body's pose in the world.
    pub world_from_body: Vec<Placement<T>>,
    /// Spatial velocity of each body.
    pub v: Vec<Vector6<T>>,
    /// Spatial acceleration of each body, less gravity: the world's is `-g`.
    pub a: Vec<Vector6<T>>,
    /// Force that each joint transmits to its body.
    pub f: Vec<Vector6<T>>,
    /// Joint torques.
    pub tau: DVector<T>,
    /// Joint accelerations.
    pub ddq: DVector<T>,
    /// Mass matrix.
    pub m: DMatrix<T>,
    /// Inverse of the mass matrix.
    pub minv: DMatrix<T>,
    /// Inverse dynamics' derivatives.
    pub rnea_derivatives: RneaDerivatives<T>,
    /// Forward dynamics' derivatives.
    pub aba_derivatives: AbaDerivatives<T>,
    /// LOCAL Jacobian of one frame, 6 x nv.
    pub jacobian: DMatrix<T>,
    /// Derivatives of one body's motion.
    pub kinematics_derivatives: KinematicsDerivatives<T>,
    /// Centroidal momentum matrix, 6 x nv.
    pub centroidal: DMatrix<T>,
    /// Coriolis matrix.
    pub coriolis: DMatrix<T>,
    /// Torque regressor, nv x 10 nb.
    pub regressor: DMatrix<T>,

    /// Columns of the motion subspaces, mimic multipliers included, body after body.
    pub(super) s: Vec<Vector6<T>>,
    /// First column of each body in `s`, and their number.
    pub(super) first: Vec<usize>,
    /// `nb x nv`, row by row: whether a velocity coordinate moves a joint on the path from the
    /// world to the body.
    on_path: Vec<bool>,
    /// `nb x nv`, row by row: on the path, or in the body's subtree.
    pub(super) related: Vec<bool>,
    pub(super) has_mimic: bool,
    pub(super) nv: usize,

    /// Composite inertias.
    pub(super) composite: Vec<Inertia<T>>,
    /// Articulated inertias, U and D^-1 (the leading block, column after column).
    pub(super) articulated: Vec<Matrix6<T>>,
    pub(super) u: Vec<Matrix6<T>>,
    pub(super) d_inv: Vec<[T; 36]>,
    /// Velocity product accelerations `v x S v_J`.
    pub(super) c: Vec<Vector6<T>>,
    /// World-frame quantities, and the Coriolis operators of the subtrees there.
    pub(super) common: CommonFrame<T>,
    pub(super) half_b: Vec<HalfB<T>>,
    /// Three sets of one 6-vector a body and velocity coordinate.
    pub(super) sets: [Vec<Vector6<T>>; 3],
    /// A square matrix and a vector for factorisations.
    pub(super) work: DMatrix<T>,
    pub(super) rhs: DVector<T>,
}

impl<T: Scalar> Data<T> {
    /// A workspace for this model only: the motion subspaces are stored here.
    pub fn new(model: &Model<T>) -> Self {
        let (nb, nv) = (model.bodies.len(), model.nv);
        let zero = Vector6::zeros();
        let mut s = Vec::new();
        let mut first = vec![0];
        for b in &model.bodies {
            push_subspace(b, &mut s);
            first.push(s.len());
        }
        let mut on_path = vec![false; nb * nv];
        for (i, b) in model.bodies.iter().enumerate() {
            if let Some(p) = b.parent {
                on_path.copy_within(p * nv..(p + 1) * nv, i * nv);
            }
            on_path[i * nv + b.idx_v..][..b.kind.nv()].fill(true);
        }
        let mut related = on_path.clone();
        for i in (0..nb).rev() {
            if let Some(p) = model.bodies[i].parent {
                for c in 0..nv {
                    related[p * nv + c] |= related[i * nv + c];
                }
            }
        }
        Self {
            parent_from_body: vec![Placement::identity(); nb],
            world_from_body: vec![Placement::identity(); nb],
            v: vec![zero; nb],
            a: vec![zero; nb],
            f: vec![zero; nb],
            tau: DVector::zeros(nv),
            ddq: DVector::zeros(nv),
            m: DMatrix::zeros(nv, nv),
            minv: DMatrix::zeros(nv, nv),
            rnea_derivatives: RneaDerivatives::zeros(nv),
            aba_derivatives: AbaDerivatives::zeros(nv),
            jacobian: DMatrix::zeros(6, nv),
            kinematics_derivatives: KinematicsDerivatives::zeros(nv),
            centroidal: DMatrix::zeros(6, nv),
            coriolis: DMatrix::zeros(nv, nv),
            regressor: DMatrix::zeros(nv, 10 * nb),
            common: CommonFrame::zeros(nb, s.len()),
            half_b: vec![HalfB::zero(); nb],
            s,
            first,
            on_path,
            related,
            has_mimic: model.bodies.iter().any(|b| b.mimic.is_some()),
            nv,
            composite: vec![Inertia::zero(); nb],
            articulated: vec![Matrix6::zeros(); nb],
            u: vec![Matrix6::zeros(); nb],
            d_inv: vec![[T::zero(); 36]; nb],
            c: vec![zero; nb],
            sets: core::array::from_fn(|_| vec![zero; nb * nv]),
            work: DMatrix::zeros(nv, nv),
            rhs: DVector::zeros(nv),
        }
    }

    /// Indices in `s` of the columns of body i's motion subspace.
    #[inline]
    pub(super) fn columns(&self, i: usize) -> Range<usize> {
        self.first[i]..self.first[i + 1]
    }

    /// Body i's motion subspace: its columns, scaled by the mimic multiplier.
    #[inline]
    pub fn motion_subspace(&self, i: usize) -> &[Vector6<T>] {
        &self.s[self.columns(i)]
    }

    /// Returns whether velocity coordinate c moves a joint on the path from the world to body i,
    /// the body's own joint included.
    #[inline]
    pub fn on_path(&self, i: usize, c: usize) -> bool {
        self.on_path[i * self.nv + c]
    }

    /// Returns whether velocity coordinate c moves a joint on the path to body i or in the subtree
    /// of i.
    #[inline]
    pub fn related(&self, i: usize, c: usize) -> bool {
        self.related[i * self.nv + c]
    }

    /// The spatial acceleration that stands for gravity: `[-g; 0]`.
    #[inline]
    pub(super) fn minus_gravity(model: &Model<T>) -> Vector6<T> {
        join(&-model.gravity, &Vector3::zeros())
    }

    /// `sum_k S_k x[idx_v + k]`, or zero if there is no x.
    #[inline]
    pub(super) fn joint_motion(&self, model: &Model<T>, i: usize, x: Option<&[T]>) -> Vector6<T> {
        let Some(x) = x else { return Vector6::zeros() };
        let x = &x[model.bodies[i].idx_v..];
        let mut sum = Vector6::zeros();
        for (s, &x) in self.motion_subspace(i).iter().zip(x) {
            sum = add_scaled(&sum, x, s);
        }
        sum
    }
}

/// `a + x b`.
#[inline]
pub(super) fn add_scaled<T: Scalar>(a: &Vector6<T>, x: T, b: &Vector6<T>) -> Vector6<T> {
    Vector6::from_fn(|k, _| x.mul_add(b[k], a[k]))
}

/// The factor on a joint's own armature and damping in the coordinate that moves it: the
/// multiplier's square for a mimic joint.
pub(super) fn ratio_squared<T: Scalar>(body: &Body<T>) -> T {
    body.mimic.map_or(T::one(), |m| T::from_f64(m.multiplier * m.multiplier))
}

/// The columns of a joint's motion subspace, constant in the child's frame.
fn push_subspace<T: Scalar>(body: &Body<T>, s: &mut Vec<Vector6<T>>) {
    let zero = Vector3::zeros();
    let ratio = body.mimic.map_or(T::one(), |m| T::from_f64(m.multiplier));
    match body.kind {
        JointKind::Revolute | JointKind::Continuous => s.push(join(&zero, &(body.axis * ratio))),
        JointKind::Prismatic => s.push(join(&(body.axis * ratio), &zero)),
        JointKind::Planar => {
            let (x, y) = plane_basis(&body.axis);
            s.extend([join(&x, &zero), join(&y, &zero), join(&zero, &body.axis)]);
        }
        JointKind::Spherical => s.extend((3..6).map(|k| Vector6::ith(k, T::one()))),
        JointKind::Floating => s.extend((0..6).map(|k| Vector6::ith(k, T::one()))),
    }
}
