//! Description of a robot for the page.

use super::geometry::{Geometry, Shape, Solid};
use super::meshes::Triangles;
use super::trajectory::Trajectory;
use nalgebra::{Matrix3, Vector3};
use rbd_build::Generated;
use rbd_build::findings::{Finding, Severity};
use rbd_runtime::Model;
use rbd_runtime::spatial::{Inertia, Placement};
use serde_json::{Value, json};

/// The description.
pub fn of(robot: &Generated, geometry: &Geometry, trajectory: Option<&Trajectory>) -> Value {
    let model = &robot.model;
    let findings: Vec<(&Finding, Vec<usize>)> =
        robot.warnings.iter().map(|finding| (finding, bodies_of(model, finding))).collect();
    let is_marked = |body: usize| {
        findings.iter().any(|(finding, bodies)| finding.severity != Severity::Note && bodies.contains(&body))
    };
    let inertias: Vec<Value> = (0..model.bodies.len())
        .filter_map(|body| ellipsoid(&model.bodies[body].inertia).map(|of| (body, of)))
        .map(|(body, (pose, axes))| {
            json!({"body": body, "pose": numbers(&pose), "axes": axes.as_slice(), "marked": is_marked(body)})
        })
        .collect();
    let (center, size) = extent(model, geometry);
    let mass: f64 = model.bodies.iter().map(|body| body.inertia.mass).sum();
    json!({
        "name": model.name,
        "center": center.as_slice(),
        "size": size,
        "mass": mass,
        "links": model.bodies.iter().map(|body| &body.link).collect::<Vec<_>>(),
        "axes": model.bodies.iter().map(|body| body.axis.as_slice()).collect::<Vec<_>>(),
        "solids": geometry.solids.iter().map(solid).collect::<Vec<_>>(),
        "meshes": geometry.meshes.iter().map(mesh).collect::<Vec<_>>(),
        "inertias": inertias,
        "findings": findings.iter().map(|(finding, bodies)| described(finding, bodies)).collect::<Vec<_>>(),
        "leftOut": geometry.left_out,
        "trajectory": trajectory.map(|t| json!({"times": t.times, "configurations": t.configurations})),
    })
}

fn solid(solid: &Solid) -> Value {
    let (kind, size, mesh) = match &solid.shape {
        Shape::Box(size) => ("box", size.as_slice().to_vec(), None),
        Shape::Cylinder { radius, length } => ("cylinder", vec![*radius, *length], None),
        Shape::Sphere(radius) => ("sphere", vec![*radius], None),
        Shape::Mesh { index, scale } => ("mesh", scale.as_slice().to_vec(), Some(index)),
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

/// A body, or -1 for the world.
fn index(body: Option<usize>) -> i64 {
    body.map_or(-1, |body| i64::try_from(body).unwrap_or(-1))
}

/// Three columns of the rotation, then the translation.
fn numbers(pose: &Placement<f64>) -> Vec<f64> {
    pose.rotation.iter().chain(pose.translation.iter()).copied().collect()
}

fn described(finding: &Finding, bodies: &[usize]) -> Value {
    json!({
        "severity": finding.severity.to_string(),
        "code": finding.code,
        "subject": finding.subject,
        "what": finding.what,
        "help": finding.help,
        "joints": bodies,
    })
}

/// Bodies whose link or joint a finding is about.
fn bodies_of(model: &Model<f64>, finding: &Finding) -> Vec<usize> {
    let Some((what, name)) = finding.subject.split_once(" `") else { return Vec::new() };
    let name = name.trim_end_matches('`');
    match what {
        "joint" => model.bodies.iter().position(|body| body.joint == name).into_iter().collect(),
        "link" => model
            .frames
            .iter()
            .find(|frame| frame.name == name)
            .and_then(|frame| frame.body)
            .into_iter()
            .collect(),
        _ => Vec::new(),
    }
}

/// Ellipsoid of even density with an inertia: its pose and half axes. `None` without mass.
fn ellipsoid(inertia: &Inertia<f64>) -> Option<(Placement<f64>, Vector3<f64>)> {
    let mass = inertia.mass;
    if mass <= 0.0 {
        return None;
    }
    let com = inertia.h / mass;
    let central = inertia.j - (Matrix3::identity() * com.dot(&com) - com * com.transpose()) * mass;
    let principal = central.symmetric_eigen();
    let mut rotation = principal.eigenvectors;
    if rotation.determinant() < 0.0 {
        rotation.column_mut(2).neg_mut();
    }
    let moments = principal.eigenvalues;
    // J_x = m (b^2 + c^2) / 5, and so on.
    let axes = moments.map(|moment| (2.5 / mass * (moments.sum() - 2.0 * moment)).max(0.0).sqrt());
    Some((Placement { rotation, translation: com }, axes))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ellipsoids_have_the_inertia_they_stand_for() {
        // An ellipsoid with half axes 0.1, 0.2 and 0.3 m, beside the origin.
        let (mass, com, axes) = (3.0, Vector3::new(0.4, -0.1, 0.2), Vector3::new(0.1, 0.2, 0.3));
        let square: Vector3<f64> = axes.component_mul(&axes);
        let central = Matrix3::from_diagonal(&(Vector3::from_element(square.sum()) - square)) * (mass / 5.0);
        let (pose, found) = ellipsoid(&Inertia::from_com(mass, &com, &central)).unwrap();
        let mut sorted: Vec<f64> = found.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        assert!((Vector3::from_vec(sorted) - axes).norm() < 1e-12);
        assert!((pose.translation - com).norm() < 1e-15 && (pose.rotation.determinant() - 1.0).abs() < 1e-12);
        assert!(ellipsoid(&Inertia::zero()).is_none());
    }
}
