//! Points of a robot that may meet the ground.
//!
//! They are those of its `<collision>` shapes, or of its `<visual>` ones if no collision can be read. A robot
//! without shapes has the frames of its leaf links, such as feet, and the origins of its joints.

use super::geometry::{Geometry, Solid, SolidShape, children};
use nalgebra::Vector3;
use rbd_runtime::Model;
use roxmltree::Document;
use serde_json::{Value, json};
use std::f64::consts::TAU;

/// A point of a body, with a ball about it.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactPoint {
    /// The body.
    pub body: usize,
    /// The point in the body's joint frame, m.
    pub point: Vector3<f64>,
    /// Radius of the ball, m: not zero for spheres only.
    pub radius: f64,
}

/// Points on each rim of a cylinder.
const ON_RIM: u8 = 8;

/// Points of a mesh are at least this part of its size away from each other.
const APART: f64 = 0.01;

/// Points of a robot that may meet the ground.
pub fn points(model: &Model<f64>, document: Option<&Document>, geometry: &Geometry) -> Vec<ContactPoint> {
    let moving = || geometry.solids.iter().filter_map(|solid| Some((solid.body?, solid)));
    let collides = moving().any(|(_, solid)| solid.collision);
    let of_shapes: Vec<ContactPoint> = moving()
        .filter(|(_, solid)| solid.collision == collides)
        .flat_map(|(body, solid)| of_solid(body, solid, geometry))
        .collect();
    if of_shapes.is_empty() { of_frames(model, document) } else { of_shapes }
}

/// Contact points as the page reads them: the body, x, y, z and the radius.
pub fn described(points: &[ContactPoint]) -> Value {
    // Micrometres: numbers of meshes are long.
    let short = |x: f64| (x * 1e6).round() / 1e6;
    let all = points.iter().map(|ContactPoint { body, point, radius }| {
        json!([body, short(point.x), short(point.y), short(point.z), short(*radius)])
    });
    all.collect()
}

fn of_solid(body: usize, solid: &Solid, geometry: &Geometry) -> Vec<ContactPoint> {
    let signs = [-0.5, 0.5];
    let (local, radius): (Vec<Vector3<f64>>, f64) = match &solid.shape {
        SolidShape::Sphere(radius) => (vec![Vector3::zeros()], *radius),
        SolidShape::Box(size) => {
            let corners = signs.into_iter().flat_map(|x| signs.map(|y| (x, y)));
            let corners = corners.flat_map(|(x, y)| signs.map(|z| Vector3::new(x, y, z).component_mul(size)));
            (corners.collect(), 0.0)
        }
        SolidShape::Cylinder { radius, length } => {
            let around = (0..ON_RIM).map(|k| (f64::from(k) * TAU / f64::from(ON_RIM)).sin_cos());
            let rims = around
                .flat_map(|(sin, cos)| signs.map(|z| Vector3::new(radius * cos, radius * sin, length * z)));
            (rims.collect(), 0.0)
        }
        SolidShape::Mesh { index, scale } => {
            let corners = geometry.meshes[*index].parts.iter().flat_map(|part| &part.corners);
            (extremes(corners.map(|p| Vector3::from(p.map(f64::from)).component_mul(scale))), 0.0)
        }
    };
    let placed = local.into_iter().map(|point| solid.pose.act_point(&point));
    placed.map(|point| ContactPoint { body, point, radius }).collect()
}

/// Points of a mesh that are the farthest along the faces, edges and corners of a cube: at most 26.
fn extremes(corners: impl Iterator<Item = Vector3<f64>> + Clone) -> Vec<Vector3<f64>> {
    let steps = [-1.0, 0.0, 1.0];
    let all = steps.into_iter().flat_map(|x| steps.map(|y| (x, y)));
    let mut directions: Vec<Vector3<f64>> =
        all.flat_map(|(x, y)| steps.map(|z| Vector3::new(x, y, z))).filter(|d| d.amax() > 0.0).collect();
    // Corners first: they are the far ones of a flat sole.
    directions.sort_by(|a, b| b.norm_squared().total_cmp(&a.norm_squared()));
    let none = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
    let (lower, upper) = corners.clone().fold(none, |(lower, upper), p| (lower.inf(&p), upper.sup(&p)));
    let apart = APART * (upper - lower).norm();
    let mut found: Vec<Vector3<f64>> = Vec::new();
    for direction in directions {
        let far = corners.clone().max_by(|a, b| direction.dot(a).total_cmp(&direction.dot(b)));
        // NaN is far from nothing.
        found.extend(far.filter(|p| found.iter().all(|other| (p - other).norm() > apart)));
    }
    found
}

/// Frames of leaf links, and origins of joints but for that of the base.
fn of_frames(model: &Model<f64>, document: Option<&Document>) -> Vec<ContactPoint> {
    let joints = || document.into_iter().flat_map(|document| children(document.root_element(), "joint"));
    let is_parent = |name: &str| {
        let mut parents = joints().flat_map(|joint| children(joint, "parent"));
        parents.any(|parent| parent.attribute("link") == Some(name))
    };
    let is_leaf = |name: &str| {
        let mut links = joints().flat_map(|joint| children(joint, "child"));
        links.any(|child| child.attribute("link") == Some(name)) && !is_parent(name)
    };
    let leaves = model.frames.iter().filter(|frame| is_leaf(&frame.name));
    let leaves = leaves.filter_map(|frame| Some((frame.body?, frame.placement.translation)));
    let bodies = model.bodies.iter().enumerate().filter(|(_, body)| body.parent.is_some());
    let origins = bodies.map(|(k, _)| (k, Vector3::zeros()));
    let mut found: Vec<ContactPoint> = Vec::new();
    for (body, point) in leaves.chain(origins) {
        if !found.iter().any(|other| other.body == body && (other.point - point).norm() < 1e-3) {
            found.push(ContactPoint { body, point, radius: 0.0 });
        }
    }
    // A body alone.
    if found.is_empty() && !model.bodies.is_empty() {
        found.push(ContactPoint { body: 0, point: Vector3::zeros(), radius: 0.0 });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::geometry;
    use rbd_build::{Base, Robot};

    /// Points of a robot whose base link has these shapes, and a leg with a foot below.
    fn of_base(shapes: &str) -> Vec<ContactPoint> {
        let inertial = r#"<inertial><mass value="1"/>
            <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>"#;
        let urdf = format!(
            r#"<robot name="r"><link name="b">{inertial}{shapes}</link><link name="leg">{inertial}</link><link name="foot"/>
            <joint name="hip" type="continuous"><origin xyz="0.3 0 0"/><parent link="b"/><child link="leg"/></joint>
            <joint name="ankle" type="fixed"><origin xyz="0 0 -0.4"/><parent link="leg"/><child link="foot"/></joint></robot>"#
        );
        let robot = Robot::from_urdf_text("r.urdf", &urdf).base(Base::Floating);
        let model = robot.read().unwrap().model;
        let document = Document::parse(&urdf).unwrap();
        points(&model, Some(&document), &geometry::read(&document, "r.urdf".as_ref(), &[], &model))
    }

    fn at(x: f64, y: f64, z: f64) -> Vector3<f64> {
        Vector3::new(x, y, z)
    }

    #[test]
    fn feet_and_joints_without_shapes() {
        let point = |point| ContactPoint { body: 1, point, radius: 0.0 };
        assert_eq!(of_base(""), [point(at(0.0, 0.0, -0.4)), point(Vector3::zeros())]);
    }

    #[test]
    fn collisions_come_before_visuals() {
        let visual =
            r#"<visual><origin xyz="1 0 0"/><geometry><box size="0.2 0.4 0.6"/></geometry></visual>"#;
        let corners = of_base(visual);
        assert_eq!(corners.len(), 8);
        for corner in [at(0.9, -0.2, -0.3), at(1.1, 0.2, 0.3)] {
            assert!(corners.iter().any(|p| p.body == 0 && (p.point - corner).norm() < 1e-12), "{corners:?}");
        }
        let ball =
            r#"<collision><origin xyz="0 0 -1"/><geometry><sphere radius="0.1"/></geometry></collision>"#;
        let found = of_base(&format!("{visual}{ball}"));
        assert_eq!(found, [ContactPoint { body: 0, point: at(0.0, 0.0, -1.0), radius: 0.1 }]);
    }

    #[test]
    fn rims_of_cylinders() {
        let rod = r#"<collision><origin rpy="1.5707963267948966 0 0"/><geometry><cylinder radius="0.1" length="1"/>
            </geometry></collision>"#;
        let found = of_base(rod);
        assert_eq!(found.len(), 16);
        for ContactPoint { point, radius, .. } in found {
            assert!(radius == 0.0 && (point.y.abs() - 0.5).abs() < 1e-12, "{point}");
            assert!((point.x.hypot(point.z) - 0.1).abs() < 1e-12, "{point}");
        }
    }

    #[test]
    fn extremes_of_a_mesh_are_its_corners() {
        let flat = [at(0.0, 0.0, 0.0), at(1.0, 0.0, 0.0), at(1.0, 2.0, 0.0), at(0.0, 2.0, 0.0)];
        // Points within the flat part, and one close to a corner, are left out.
        let all = flat.into_iter().chain([at(0.5, 1.0, 0.0), at(0.999, 0.001, 0.0), at(0.5, 1.0, 0.4)]);
        let found = extremes(all);
        assert_eq!(found.len(), 5, "{found:?}");
        assert!(flat.iter().all(|p| found.iter().any(|other| (p - other).norm() < 0.01)));
        assert!(found.contains(&at(0.5, 1.0, 0.4)));
        assert!(extremes([].into_iter()).is_empty());
    }
}
