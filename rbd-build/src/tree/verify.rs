//! Verifies a tree against its model: turns and shifts must add up to the model's frames.

use super::Tree;
use nalgebra::{Matrix3, Vector3};
use rbd_runtime::spatial::Placement;
use rbd_runtime::{JointKind, Model};

/// Above the rounding of frames that are turned a few times, and below any difference that a URDF
/// can mean.
const TOLERANCE: f64 = 1e-13;

impl Tree {
    /// Checks every body, before limbs are lanes: its frame is orthonormal, its axis is the
    /// model's, and with the joint at zero its pose is the model's.
    ///
    /// # Panics
    /// If a check fails: the rewrite is wrong, and every number of the robot would be.
    pub(super) fn verify(&self, model: &Model<f64>) {
        for (lane, kind) in self.bodies.iter().map(|b| (&b.lanes[0], b.kind)) {
            let body = &model.bodies[lane.body];
            let c = &lane.in_urdf_frame;
            let is_frame = near(&(c.rotation.transpose() * c.rotation), &Matrix3::identity(), TOLERANCE);
            // The axis may be turned over, which reverses the coordinate.
            let z = Vector3::from(c.rotation.column(2));
            let sign = if z.dot(&body.axis) < 0.0 { -1.0 } else { 1.0 };
            let has_axis = matches!(kind, JointKind::Spherical | JointKind::Floating)
                || (z * sign - body.axis).amax() <= TOLERANCE
                    && lane.multiplier == sign * body.mimic.map_or(1.0, |m| m.multiplier);
            // C_parent^-1 T C, up to a turn about the axis, which was left to the joint.
            let parent = lane.parent.map(|p| self.bodies[p.body].lanes[p.lane].in_urdf_frame);
            let given = compose(&body.placement, c);
            let given = parent.map_or(given, |parent| compose(&inverse(&parent), &given));
            let turn = lane.offset - body.mimic.map_or(0.0, |m| m.offset * sign);
            let here = compose(&lane.placement, &turned(kind, turn));
            // An angle is added to the offset, and rounds with it.
            let tolerance = TOLERANCE + 4.0 * f64::EPSILON * lane.offset.abs();
            let scale = body.placement.translation.amax()
                + c.translation.amax()
                + parent.map_or(0.0, |p| p.translation.amax());
            let is_placed = near(&here.rotation, &given.rotation, tolerance)
                && (here.translation - given.translation).amax() <= TOLERANCE * scale;
            assert!(
                is_frame && has_axis && is_placed,
                "a bug of rbd: rewriting frames moved joint {:?} (frame {is_frame}, axis {has_axis}, place {is_placed})",
                body.joint
            );
        }
    }
}

/// A turn about z, of joints that turn so.
fn turned(kind: JointKind, angle: f64) -> Placement<f64> {
    let turns = matches!(kind, JointKind::Revolute | JointKind::Continuous);
    let (s, c) = if turns { angle.sin_cos() } else { (0.0, 1.0) };
    let rotation = Matrix3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0);
    Placement { rotation, translation: Vector3::zeros() }
}

/// `a` after `b`, without rounding to zero.
fn compose(a: &Placement<f64>, b: &Placement<f64>) -> Placement<f64> {
    Placement { rotation: a.rotation * b.rotation, translation: a.translation + a.rotation * b.translation }
}

/// Inverse of a placement, without rounding to zero.
fn inverse(a: &Placement<f64>) -> Placement<f64> {
    let rotation = a.rotation.transpose();
    Placement { rotation, translation: -(rotation * a.translation) }
}

fn near(a: &Matrix3<f64>, b: &Matrix3<f64>, tolerance: f64) -> bool {
    (a - b).amax() <= tolerance
}
