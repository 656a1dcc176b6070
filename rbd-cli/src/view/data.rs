//! Description of a robot for the page.

use super::geometry::{Geometry, Solid, SolidShape};
use super::marks::{self, Mark};
use super::meshes::Triangles;
use super::trajectory::Trajectory;
use super::{contacts, ellipsoid, fit};
use nalgebra::Vector3;
use rbd_build::Generated;
use rbd_build::findings::Finding;
use rbd_runtime::reference::Data;
use rbd_runtime::spatial::Placement;
use rbd_runtime::{JointKind, Model};
use roxmltree::Document;
use serde_json::{Value, json};

/// The description.
pub fn of(
    robot: &Generated,
    document: Option<&Document>,
    geometry: &Geometry,
    trajectory: Option<&Trajectory>,
) -> Value {
    let model = &robot.model;
    let findings =
        robot.warnings.iter().map(|finding| described(finding, marks::of(finding, document, model)));
    let inertias: Vec<Value> = (0..model.bodies.len())
        .filter_map(|body| ellipsoid::of(&model.bodies[body].inertia).map(|of| (body, of)))
        .map(|(body, of)| json!({"body": body, "ellipsoid": of_ellipsoid(&of)}))
        .collect();
    let (center, size) = extent(model, geometry);
    let points = if floats(model) { contacts::points(model, document, geometry) } else { Vec::new() };
    let mass: f64 = model.bodies.iter().map(|body| body.inertia.mass).sum();
    json!({
        "name": model.name,
        "center": center.as_slice(),
        "size": size,
        "mass": mass,
        "links": model.bodies.iter().map(|body| &body.link).collect::<Vec<_>>(),
        "axes": model.bodies.iter().map(|body| body.axis.as_slice()).collect::<Vec<_>>(),
        "subspaces": subspaces(model),
        "contacts": contacts::described(&points),
        "solids": geometry.solids.iter().map(solid).collect::<Vec<_>>(),
        "meshes": geometry.meshes.iter().map(mesh).collect::<Vec<_>>(),
        "inertias": inertias,
        "findings": findings.chain(fit::hints(model, geometry)).collect::<Vec<_>>(),
        "leftOut": geometry.left_out,
        "trajectory": trajectory.map(|t| json!({"times": t.times, "configurations": t.configurations})),
    })
}

fn solid(solid: &Solid) -> Value {
    let (kind, size, mesh) = match &solid.shape {
        SolidShape::Box(size) => ("box", size.as_slice().to_vec(), None),
        SolidShape::Cylinder { radius, length } => ("cylinder", vec![*radius, *length], None),
        SolidShape::Sphere(radius) => ("sphere", vec![*radius], None),
        SolidShape::Mesh { index, scale } => ("mesh", scale.as_slice().to_vec(), Some(index)),
    };
    json!({
        "body": index(solid.body),
        "pose": numbers(&solid.pose),
        "kind": kind,
        "size": size,
        "mesh": mesh,
        "color": solid.color,
        "collision": solid.collision,
    })
}

fn mesh(mesh: &Triangles) -> Value {
    mesh.parts.iter().map(|part| part.described()).collect()
}

/// Returns whether the base floats: the page then has a ground.
pub fn floats(model: &Model<f64>) -> bool {
    model.bodies.iter().any(|body| body.parent.is_none() && body.kind == JointKind::Floating)
}

/// Columns of the joints' motion subspaces, linear and angular, in the bodies' frames.
fn subspaces(model: &Model<f64>) -> Value {
    let data = Data::new(model);
    let columns = |k: usize| data.motion_subspace(k).iter().map(|column| column.as_slice().to_vec());
    (0..model.bodies.len()).map(|k| columns(k).collect::<Vec<_>>()).collect::<Vec<_>>().into()
}

/// A body, or -1 for the world.
fn index(body: Option<usize>) -> i64 {
    body.map_or(-1, |body| i64::try_from(body).unwrap_or(-1))
}

/// Three columns of the rotation, then the translation.
pub(super) fn numbers(pose: &Placement<f64>) -> Vec<f64> {
    pose.rotation.iter().chain(pose.translation.iter()).copied().collect()
}

fn of_ellipsoid((pose, axes): &(Placement<f64>, Vector3<f64>)) -> Value {
    json!({"pose": numbers(pose), "axes": axes.as_slice()})
}

fn described(finding: &Finding, mark: Option<Mark>) -> Value {
    let mark = mark.map(|mark| {
        json!({
            "body": index(mark.body),
            "point": mark.point.as_slice(),
            "joint": mark.joint,
            "ellipsoid": mark.ellipsoid.as_ref().map(of_ellipsoid),
        })
    });
    json!({
        "severity": finding.severity.to_string(),
        "code": finding.code,
        "subject": finding.subject,
        "what": finding.what,
        "help": finding.help,
        "mark": mark,
    })
}

/// Poses of the bodies with all joints at zero.
fn poses(model: &Model<f64>) -> Vec<Placement<f64>> {
    let mut poses: Vec<Placement<f64>> = Vec::new();
    for body in &model.bodies {
        let parent = body.parent.map_or_else(Placement::identity, |parent| poses[parent]);
        poses.push(parent.compose(&body.placement));
    }
    poses
}

/// Middle and size of the robot with all joints at zero, m.
fn extent(model: &Model<f64>, geometry: &Geometry) -> (Vector3<f64>, f64) {
    let poses = poses(model);
    let at = |body: Option<usize>, point: &Vector3<f64>| match body {
        Some(body) => poses[body].act_point(point),
        None => *point,
    };
    let joints = poses.iter().map(|pose| pose.translation);
    let frames = model.frames.iter().map(|frame| at(frame.body, &frame.placement.translation));
    let solids = geometry.solids.iter().map(|solid| at(solid.body, &solid.pose.translation));
    let masses = model.bodies.iter().enumerate().filter(|(_, body)| body.inertia.mass > 0.0);
    let masses = masses.map(|(k, body)| at(Some(k), &(body.inertia.h / body.inertia.mass)));
    let mut points =
        joints.chain(frames).chain(solids).chain(masses).filter(|p| p.iter().all(|x| x.is_finite()));
    let first = points.next().unwrap_or_else(Vector3::zeros);
    let (lower, upper) = points.fold((first, first), |(lower, upper), p| (lower.inf(&p), upper.sup(&p)));
    let size = (upper - lower).norm();
    ((lower + upper) / 2.0, if size > 1e-6 { size } else { 1.0 })
}
