//! URDF as data, so that tests can write random ones and edit them. Also a part of the build script.

use nalgebra::{Matrix3, Vector3};
use rbd_runtime::spatial::{Inertia, Placement};
use rbd_runtime::{JointKind, Mimic, Model};
use std::fmt::Write;

/// A robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Urdf {
    /// Its name.
    pub name: String,
    /// Links in the order of the file.
    pub links: Vec<Link>,
    /// Joints in the order of the file.
    pub joints: Vec<Joint>,
}

/// A link.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its name.
    pub name: String,
    /// Its inertia about its frame's origin; none where it has no mass.
    pub inertia: Option<Inertia<f64>>,
}

/// A joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its name.
    pub name: String,
    /// Type of the joint; `None` if it is fixed.
    pub kind: Option<JointKind>,
    /// The link that carries it.
    pub parent: String,
    /// The link that it moves.
    pub child: String,
    /// Its frame in the parent's.
    pub origin: Placement<f64>,
    /// Its axis in its frame.
    pub axis: Vector3<f64>,
    /// Name of the joint that it follows, multiplier and offset.
    pub mimic: Option<(String, f64, f64)>,
    /// Viscous damping.
    pub damping: f64,
}

/// The link that everything hangs on where the base is fixed.
pub const GROUND: &str = "the ground";

impl Urdf {
    /// The URDF of this model. A floating base is left to the option.
    pub fn of(model: &Model<f64>) -> Self {
        let floating = model.bodies.first().is_some_and(|b| b.joint == "root_joint");
        let mut urdf = Self { name: model.name.clone(), links: Vec::new(), joints: Vec::new() };
        if !floating {
            urdf.links.push(Link { name: GROUND.into(), inertia: None });
        }
        for b in &model.bodies {
            urdf.links.push(Link { name: b.link.clone(), inertia: Some(b.inertia) });
            if b.joint == "root_joint" {
                continue;
            }
            urdf.joints.push(Joint {
                name: b.joint.clone(),
                kind: Some(b.kind),
                parent: b.parent.map_or(GROUND.into(), |p| model.bodies[p].link.clone()),
                child: b.link.clone(),
                origin: b.placement,
                axis: b.axis,
                mimic: b.mimic.map(|Mimic { joint, multiplier, offset }| {
                    (model.bodies[joint].joint.clone(), multiplier, offset)
                }),
                damping: b.damping,
            });
        }
        urdf
    }

    /// The file.
    pub fn text(&self) -> String {
        let mut text = format!("<?xml version=\"1.0\"?>\n<robot name=\"{}\">\n", escaped(&self.name));
        for link in &self.links {
            link.write(&mut text);
        }
        for joint in &self.joints {
            joint.write(&mut text);
        }
        text.push_str("</robot>\n");
        text
    }

    /// The joint of this name.
    pub fn joint(&mut self, name: &str) -> &mut Joint {
        self.joints.iter_mut().find(|j| j.name == name).expect("a joint of this name")
    }

    /// The link of this name.
    pub fn link(&mut self, name: &str) -> &mut Link {
        self.links.iter_mut().find(|l| l.name == name).expect("a link of this name")
    }
}

impl Link {
    fn write(&self, text: &mut String) {
        let name = escaped(&self.name);
        let Some(Inertia { mass, h, j }) = &self.inertia else {
            let _ = writeln!(text, "  <link name=\"{name}\"/>");
            return;
        };
        let c = h / *mass;
        let about_com = j - (Matrix3::identity() * c.dot(&c) - c * c.transpose()) * *mass;
        let _ = writeln!(
            text,
            "  <link name=\"{name}\">\n    <inertial>\n      <origin xyz=\"{}\"/>\n      <mass value=\"{mass}\"/>\n      \
             <inertia ixx=\"{}\" ixy=\"{}\" ixz=\"{}\" iyy=\"{}\" iyz=\"{}\" izz=\"{}\"/>\n    </inertial>\n  </link>",
            spaced(&c),
            about_com[(0, 0)],
            about_com[(0, 1)],
            about_com[(0, 2)],
            about_com[(1, 1)],
            about_com[(1, 2)],
            about_com[(2, 2)]
        );
    }
}

impl Joint {
    fn write(&self, text: &mut String) {
        let kind = match self.kind {
            None => "fixed",
            Some(JointKind::Revolute) => "revolute",
            Some(JointKind::Continuous) => "continuous",
            Some(JointKind::Prismatic) => "prismatic",
            Some(JointKind::Planar) => "planar",
            Some(JointKind::Spherical) => "spherical",
            Some(JointKind::Floating) => "floating",
        };
        let _ = writeln!(
            text,
            "  <joint name=\"{}\" type=\"{kind}\">\n    <parent link=\"{}\"/>\n    <child link=\"{}\"/>\n    \
             <origin xyz=\"{}\" rpy=\"{}\"/>",
            escaped(&self.name),
            escaped(&self.parent),
            escaped(&self.child),
            spaced(&self.origin.translation),
            spaced(&roll_pitch_yaw(&self.origin.rotation))
        );
        if self.axis != Vector3::zeros() {
            let _ = writeln!(text, "    <axis xyz=\"{}\"/>", spaced(&self.axis));
        }
        if matches!(self.kind, Some(JointKind::Revolute | JointKind::Prismatic)) {
            text.push_str("    <limit lower=\"-9\" upper=\"9\" velocity=\"10\" effort=\"100\"/>\n");
        }
        if self.damping != 0.0 {
            let _ = writeln!(text, "    <dynamics damping=\"{}\"/>", self.damping);
        }
        if let Some((leader, multiplier, offset)) = &self.mimic {
            let leader = escaped(leader);
            let _ = writeln!(
                text,
                "    <mimic joint=\"{leader}\" multiplier=\"{multiplier}\" offset=\"{offset}\"/>"
            );
        }
        text.push_str("  </joint>\n");
    }
}

fn spaced(v: &Vector3<f64>) -> String {
    format!("{} {} {}", v.x, v.y, v.z)
}

/// Text as it may stand in an attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Angles about the fixed axes x, y, z whose rotation is Rz Ry Rx.
pub fn roll_pitch_yaw(r: &Matrix3<f64>) -> Vector3<f64> {
    let cos_pitch = r[(0, 0)].hypot(r[(1, 0)]);
    Vector3::new(r[(2, 1)].atan2(r[(2, 2)]), (-r[(2, 0)]).atan2(cos_pitch), r[(1, 0)].atan2(r[(0, 0)]))
}
