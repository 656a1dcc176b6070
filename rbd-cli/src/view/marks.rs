//! Places of findings in the picture.

use super::ellipsoid;
use super::geometry::{children, numbers, origin};
use nalgebra::{Matrix3, Vector3};
use rbd_build::findings::{Finding, Severity};
use rbd_runtime::Model;
use rbd_runtime::spatial::{Inertia, Placement};
use roxmltree::Document;

/// Place where a finding is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// The body that carries it, or the world.
    pub body: Option<usize>,
    /// The place in the body's joint frame.
    pub point: Vector3<f64>,
    /// The moving joint that it is about, whose axis is shown.
    pub joint: Option<usize>,
    /// The link's inertia as the URDF states it, as an ellipsoid in the body's joint frame.
    pub ellipsoid: Option<(Placement<f64>, Vector3<f64>)>,
}

/// The mark of a warning about a link or a joint, in a URDF whose dynamics were accepted.
///
/// `None` for notes, and for damping: it has no place, and the page has damping of its own.
pub fn of(finding: &Finding, document: Option<&Document>, model: &Model<f64>) -> Option<Mark> {
    if finding.severity == Severity::Note || finding.code == "damping-ignored" {
        return None;
    }
    let (what, name) = finding.subject.split_once(" `")?;
    let name = name.trim_end_matches('`');
    let joint = model.bodies.iter().position(|body| body.joint == name).filter(|_| what == "joint");
    if joint.is_some() {
        return Some(Mark { body: joint, point: Vector3::zeros(), joint, ellipsoid: None });
    }
    let frame = model.frames.iter().find(|frame| frame.name == name)?;
    let inertia = document.filter(|_| what == "link").and_then(|document| inertia(document, name));
    let ellipsoid = inertia.as_ref().and_then(ellipsoid::of);
    let ellipsoid = ellipsoid.map(|(pose, axes)| (frame.placement.compose(&pose), axes));
    let center = ellipsoid.map(|(pose, _)| pose.translation);
    Some(Mark { body: frame.body, point: center.unwrap_or(frame.placement.translation), joint, ellipsoid })
}

/// Inertia that a URDF states for a link, in the link's frame.
fn inertia(document: &Document, link: &str) -> Option<Inertia<f64>> {
    let link = children(document.root_element(), "link").find(|node| node.attribute("name") == Some(link))?;
    let inertial = children(link, "inertial").next()?;
    let [mass] = numbers(children(inertial, "mass").next()?, "value")?;
    let moments = children(inertial, "inertia").next()?;
    let entry = |name| numbers(moments, name).map_or(0.0, |[x]: [f64; 1]| x);
    let [xx, xy, xz, yy, yz, zz] = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"].map(entry);
    let about_center = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    let at = origin(inertial);
    let turned = at.rotation * about_center * at.rotation.transpose();
    Some(Inertia::from_com(mass, &at.translation, &turned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rbd_build::Robot;

    const URDF: &str = r#"<robot name="r"><link name="base"/>
        <link name="arm"><inertial><origin xyz="0 0 0.5"/><mass value="1"/>
          <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.3"/></inertial></link>
        <link name="hand"><inertial><mass value="1"/>
          <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.3"/></inertial></link>
        <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
          <limit lower="1" upper="-1" velocity="1" effort="1"/></joint>
        <joint name="weld" type="fixed"><origin xyz="0 0 2"/><parent link="arm"/><child link="hand"/></joint></robot>"#;

    #[test]
    fn warnings_are_where_their_links_and_joints_are() {
        let read = Robot::from_urdf_text("r.urdf", URDF).read().unwrap();
        let document = Document::parse(URDF).unwrap();
        let mark = |subject: &str| {
            let finding = read.warnings.iter().find(|finding| finding.subject == subject).unwrap();
            of(finding, Some(&document), &read.model).unwrap()
        };
        let joint = mark("joint `turn`");
        assert_eq!((joint.body, joint.joint, joint.ellipsoid), (Some(0), Some(0), None));
        // The links' own inertias, although one body carries both.
        for (subject, height) in [("link `arm`", 0.5), ("link `hand`", 2.0)] {
            let link = mark(subject);
            assert_eq!((link.body, link.joint), (Some(0), None));
            assert!((link.point - Vector3::new(0.0, 0.0, height)).norm() < 1e-12, "{subject}");
            let (pose, axes) = link.ellipsoid.unwrap();
            // The triangle inequality fails along z: a flat disc.
            assert!((pose.rotation * axes).z.abs() < 1e-12 && axes.max() > 0.8, "{axes}");
        }
    }
}
