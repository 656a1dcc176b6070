//! The numbers of the rows.

use super::super::tables::{Joint, WORLD};
use super::Constants;
use crate::model::{Body, plane_basis};
use crate::{JointKind, Model};
use alloc::vec::Vec;
use nalgebra::{Matrix3, Vector3};
use num_traits::Float;

/// Rotates z to the joint's axis, and x and y to a planar joint's x and y.
fn alignment(body: &Body<f64>) -> Matrix3<f64> {
    match body.kind {
        JointKind::Spherical | JointKind::Floating => Matrix3::identity(),
        _ => {
            let (x, y) = plane_basis(&body.axis);
            Matrix3::from_columns(&[x, y, body.axis])
        }
    }
}

/// Origin of each joint in its parent's frame.
///
/// A body that the world carries far away, relative to its size, is moved to the world's origin.
/// Torques and accelerations do not depend on a robot's place, and distant positions would lose
/// digits.
pub(super) fn origins(model: &Model<f64>) -> Vec<Vector3<f64>> {
    let origin = |(body, size): (&Body<f64>, f64)| {
        let at = body.placement.translation;
        if body.parent.is_none() && at.norm() > size { Vector3::zeros() } else { at }
    };
    model.bodies.iter().zip(sizes(model)).map(origin).collect()
}

/// Distance that a joint's origin may have from its parent's.
pub(super) fn step(body: &Body<f64>) -> f64 {
    let travel = if body.kind == JointKind::Prismatic {
        body.limits.upper.abs().max(body.limits.lower.abs()).min(1.0)
    } else {
        0.0
    };
    body.placement.translation.norm() + travel
}

/// Reach of each joint's subtree from its origin.
pub(super) fn sizes(model: &Model<f64>) -> Vec<f64> {
    let own = |b: &Body<f64>| {
        let i = &b.inertia;
        if i.mass > 0.0 { i.h.norm() / i.mass + Float::sqrt(i.j.trace().abs() / i.mass) } else { 0.0 }
    };
    let mut sizes: Vec<f64> = model.bodies.iter().map(own).collect();
    for (i, body) in model.bodies.iter().enumerate().rev() {
        if let Some(p) = body.parent {
            sizes[p] = sizes[p].max(sizes[i] + step(body));
        }
    }
    // A subtree without extent has no moments to lose.
    sizes.iter_mut().filter(|s| **s == 0.0).for_each(|s| *s = f64::INFINITY);
    sizes
}

/// Returns whether a joint's origin may move farther from its place at q = 0 than the size of
/// bodies: a metre.
pub(super) fn goes_far(body: &Body<f64>) -> bool {
    match body.kind {
        JointKind::Revolute | JointKind::Continuous | JointKind::Spherical => false,
        JointKind::Prismatic => body.limits.lower < -1.0 || body.limits.upper > 1.0,
        JointKind::Planar | JointKind::Floating => true,
    }
}

pub(super) fn joints(model: &Model<f64>) -> Vec<Joint> {
    let mut rows = 0;
    let mut joints: Vec<Joint> = Vec::new();
    for body in &model.bodies {
        let last_row = |p: usize| joints[p].first + joints[p].kind.nv() as u16 - 1;
        let parent = body.parent.map_or(WORLD, last_row);
        joints.push(Joint { kind: body.kind, first: rows, parent, position: body.idx_q as u16 });
        rows += body.kind.nv() as u16;
    }
    joints
}

/// Armature and damping on the velocity coordinates. Those of a mimic joint count with the ratio's
/// square.
pub(super) fn on_coordinates(model: &Model<f64>) -> (Vec<f64>, Vec<f64>) {
    let mut armature = alloc::vec![0.0; model.nv];
    for body in &model.bodies {
        let ratio = body.mimic.map_or(1.0, |m| m.multiplier * m.multiplier);
        for at in body.idx_v..body.idx_v + body.kind.nv() {
            armature[at] += ratio * body.armature;
        }
    }
    (armature, model.damping())
}

/// Constants of all rows; `None` if a massless body has a first moment.
pub(super) fn constants(model: &Model<f64>) -> Option<Vec<Constants>> {
    let mut subtree: Vec<f64> = model.bodies.iter().map(|b| b.inertia.mass).collect();
    for (i, body) in model.bodies.iter().enumerate().rev() {
        if let Some(p) = body.parent {
            subtree[p] += subtree[i];
        }
    }
    let mut all = Vec::new();
    for ((body, origin), &subtree_mass) in model.bodies.iter().zip(origins(model)).zip(&subtree) {
        for _ in 1..body.kind.nv() {
            all.push(Constants { subtree_mass, ..Constants::NONE });
        }
        let own = alignment(body);
        let parent = body.parent.map_or(Matrix3::identity(), |p| alignment(&model.bodies[p]));
        let rotation = parent.transpose() * body.placement.rotation * own;
        let translation = parent.transpose() * origin;
        let mut placement = [0.0; 12];
        placement[..9].copy_from_slice(rotation.as_slice());
        placement[9..].copy_from_slice(translation.as_slice());
        let mut joint_frame = [0.0; 9];
        joint_frame.copy_from_slice(own.transpose().as_slice());
        let (mass, h, j) = (body.inertia.mass, body.inertia.h, body.inertia.j);
        if mass == 0.0 && h != Vector3::zeros() {
            return None;
        }
        let center = if mass == 0.0 { h } else { h / mass };
        // Second moments about the origin are tr(J)/2 - J; about the centre less h c^T.
        let about_origin = Matrix3::identity() * (j.trace() * 0.5) - j;
        let spread = own.transpose() * (about_origin - h * center.transpose()) * own;
        let (ratio, offset) = body.mimic.map_or((1.0, 0.0), |m| (m.multiplier, m.offset));
        all.push(Constants {
            placement,
            joint_frame,
            ratio,
            offset,
            mass,
            center: (own.transpose() * center).into(),
            spread: [
                spread[(0, 0)],
                (spread[(0, 1)] + spread[(1, 0)]) * 0.5,
                (spread[(0, 2)] + spread[(2, 0)]) * 0.5,
                spread[(1, 1)],
                (spread[(1, 2)] + spread[(2, 1)]) * 0.5,
                spread[(2, 2)],
            ],
            subtree_mass,
        });
    }
    Some(all)
}
