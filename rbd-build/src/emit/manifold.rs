//! Joints by their manifold, for every target.

use rbd_runtime::model::Body;
use rbd_runtime::{JointKind, Model};

/// Joints that have coordinates of their own.
pub fn owners(model: &Model<f64>) -> impl Iterator<Item = &Body<f64>> {
    model.bodies.iter().filter(|b| b.mimic.is_none())
}

/// Name of a joint's kind if its manifold is curved.
pub fn curved(kind: JointKind) -> Option<&'static str> {
    match kind {
        JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic => None,
        JointKind::Planar => Some("planar"),
        JointKind::Spherical => Some("spherical"),
        JointKind::Floating => Some("floating"),
    }
}

/// True if all joints are flat: a step in coordinates is then a step in the tangent space.
#[cfg(feature = "targets")]
pub fn is_flat(model: &Model<f64>) -> bool {
    owners(model).all(|b| curved(b.kind).is_none())
}
