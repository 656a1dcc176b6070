//! Inertias that no body within a link's shapes could have.
//!
//! The bound on the variance of mass within a box is in docs/math.md#mass-within-a-box.

use super::geometry::{Geometry, Solid, SolidShape};
use nalgebra::{Matrix3, Vector3};
use rbd_runtime::Model;
use rbd_runtime::model::Body;
use serde_json::{Value, json};

/// Shapes are drawn simpler than links are: part of the box's size by which mass may lie outside.
const SLACK: f64 = 0.1;

/// Hints about moving bodies, as the page lists findings.
pub fn hints(model: &Model<f64>, geometry: &Geometry) -> Vec<Value> {
    let bodies = model.bodies.iter().enumerate();
    bodies
        .filter_map(|(k, body)| {
            let (lower, upper) = bounds(geometry, k)?;
            let what = outside(body, &lower, &upper)?;
            let (pose, axes) = super::ellipsoid::of(&body.inertia)?;
            Some(json!({
                "severity": "hint",
                "code": "inertia-outside-shapes",
                "subject": format!("link `{}`", body.link),
                "what": what,
                "help": "compare the inertia's frame, units and mass with the shapes; links fixed to it count",
                "mark": {
                    "body": k,
                    "point": pose.translation.as_slice(),
                    "joint": null,
                    "ellipsoid": {"pose": super::data::numbers(&pose), "axes": axes.as_slice()},
                },
            }))
        })
        .collect()
}

/// Describes the part of a body's mass that cannot lie within a box in its joint frame.
fn outside(body: &Body<f64>, lower: &Vector3<f64>, upper: &Vector3<f64>) -> Option<String> {
    let mass = body.inertia.mass;
    if mass <= 0.0 {
        return None;
    }
    let center = body.inertia.h / mass;
    let central =
        body.inertia.j - (Matrix3::identity() * center.dot(&center) - center * center.transpose()) * mass;
    let slack = (upper - lower).norm() * SLACK;
    for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
        let (before, after) = (center[k] - lower[k] + slack, upper[k] + slack - center[k]);
        if before < 0.0 || after < 0.0 {
            let beyond = -before.min(after) + slack;
            return Some(format!("its centre of mass lies {beyond:.3} m outside of its shapes along {axis}"));
        }
        let variance = (central.trace() / 2.0 - central[(k, k)]) / mass;
        if variance > before * after {
            return Some(format!(
                "its mass lies {:.3} m from its centre along {axis} in the mean, and its shapes allow {:.3} m",
                variance.sqrt(),
                (before * after).sqrt()
            ));
        }
    }
    None
}

/// The box in a body's joint frame about the shapes on it. `None` without shapes.
fn bounds(geometry: &Geometry, body: usize) -> Option<(Vector3<f64>, Vector3<f64>)> {
    let solids = geometry.solids.iter().filter(|solid| solid.body == Some(body));
    let mut found: Option<(Vector3<f64>, Vector3<f64>)> = None;
    for solid in solids {
        let (lower, upper) = bounds_of(solid, geometry);
        found = Some(found.map_or((lower, upper), |(a, b)| (a.inf(&lower), b.sup(&upper))));
    }
    found
}

fn bounds_of(solid: &Solid, geometry: &Geometry) -> (Vector3<f64>, Vector3<f64>) {
    let (r, center) = (solid.pose.rotation, solid.pose.translation);
    let half = match &solid.shape {
        SolidShape::Box(size) => r.abs() * size / 2.0,
        SolidShape::Sphere(radius) => Vector3::repeat(*radius),
        SolidShape::Cylinder { radius, length } => {
            Vector3::from_fn(|i, _| radius * r[(i, 0)].hypot(r[(i, 1)]) + length / 2.0 * r[(i, 2)].abs())
        }
        SolidShape::Mesh { index, scale } => {
            let corners = geometry.meshes[*index].parts.iter().flat_map(|part| &part.corners);
            let points =
                corners.map(|p| solid.pose.act_point(&Vector3::from(p.map(f64::from)).component_mul(scale)));
            let none = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
            return points.fold(none, |(lower, upper), p| (lower.inf(&p), upper.sup(&p)));
        }
    };
    (center - half, center + half)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rbd_build::Robot;

    /// Hints about a rod of 0.1 m by 0.1 m by 1 m along z, with its centre of mass at a height.
    fn of_rod(height: f64, xx: f64, zz: f64) -> Vec<Value> {
        let urdf = format!(
            r#"<robot name="r"><link name="b"/><link name="rod"><inertial><origin xyz="0 0 {height}"/><mass value="2"/>
              <inertia ixx="{xx}" ixy="0" ixz="0" iyy="{xx}" iyz="0" izz="{zz}"/></inertial>
              <visual><origin xyz="0 0 0.5"/><geometry><box size="0.1 0.1 1"/></geometry></visual></link>
              <joint name="j" type="continuous"><parent link="b"/><child link="rod"/></joint></robot>"#
        );
        let model = Robot::from_urdf_text("r.urdf", &urdf).read().unwrap().model;
        let document = roxmltree::Document::parse(&urdf).unwrap();
        hints(&model, &super::super::geometry::read(&document, "r.urdf".as_ref(), &[], &model))
    }

    #[test]
    fn a_body_within_its_shapes_has_no_hint() {
        // Even density, and all mass at both ends.
        let even = 2.0 / 12.0 * (1.0 + 0.01);
        assert_eq!(of_rod(0.5, even, 2.0 / 12.0 * 0.02), [] as [Value; 0]);
        assert_eq!(of_rod(0.5, 2.0 * 0.25, 1e-3), [] as [Value; 0]);
    }

    #[test]
    fn mass_outside_is_a_hint() {
        for ((height, xx, zz), said) in [
            ((1.5, 0.1, 1e-3), "its centre of mass lies 0.500 m outside of its shapes along z"),
            // An inertia in kg cm^2.
            ((0.5, 1.7e3, 3.3), "its mass lies"),
            // Too close to the end for so much inertia.
            ((0.95, 0.5, 1e-3), "along z in the mean"),
        ] {
            let hints = of_rod(height, xx, zz);
            assert_eq!(hints.len(), 1);
            assert!(hints[0]["what"].as_str().unwrap().contains(said), "{}", hints[0]["what"]);
        }
    }

    #[test]
    fn shapes_have_boxes() {
        let turned =
            nalgebra::Rotation3::from_euler_angles(0.0, std::f64::consts::FRAC_PI_2, 0.0).into_inner();
        let pose =
            rbd_runtime::spatial::Placement { rotation: turned, translation: Vector3::new(1.0, 0.0, 0.0) };
        let shape = SolidShape::Cylinder { radius: 0.5, length: 4.0 };
        let solid = Solid { body: None, pose, shape, color: None, collision: false };
        let (lower, upper) = bounds_of(&solid, &Geometry::default());
        assert!((lower - Vector3::new(-1.0, -0.5, -0.5)).norm() < 1e-12, "{lower}");
        assert!((upper - Vector3::new(3.0, 0.5, 0.5)).norm() < 1e-12, "{upper}");
    }
}
