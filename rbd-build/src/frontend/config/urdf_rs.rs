//! Robots of the crate `urdf-rs`, read by it or made by a program.

use super::Robot;
use std::fmt::Write;
use urdf_rs::{Inertial, Joint, JointLimit, JointType, Link, Pose};

impl Robot {
    /// Robot read by the crate `urdf-rs`, as users of `k` and openrr have it. It is validated as a file is.
    ///
    /// `urdf-rs` fills in numbers where a URDF has no element.
    /// Zero mass and inertia therefore mean no `<inertial>`, and a limit of zeros means none.
    /// Elements unknown to `urdf-rs`, such as a joint's rotor inertia, are lost.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/iiwa14.urdf");
    /// let arm = urdf_rs::read_file(path)?;
    /// let generated = rbd_build::Robot::from_urdf_rs(&arm).name("Arm").trace()?;
    /// assert_eq!(generated.model.nv, 7);
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_urdf_rs(robot: &urdf_rs::Robot) -> Self {
        let mut text = format!("<robot name=\"{}\">\n", escaped(&robot.name));
        robot.links.iter().for_each(|link| write_link(&mut text, link));
        robot.joints.iter().for_each(|joint| write_joint(&mut text, joint));
        Self::from_urdf_text(&robot.name, text + "</robot>\n")
    }
}

/// Escapes text for the value of an attribute.
fn escaped(text: &str) -> String {
    let escape = |c: char| match c {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '"' => "&quot;".to_owned(),
        // An XML reader would turn it into a space.
        c if c.is_whitespace() && c != ' ' => format!("&#{};", u32::from(c)),
        c => c.to_string(),
    };
    text.chars().map(escape).collect()
}

fn vector(x: &[f64; 3]) -> String {
    let [x, y, z] = x;
    format!("{x:?} {y:?} {z:?}")
}

fn origin(pose: &Pose) -> String {
    format!("<origin xyz=\"{}\" rpy=\"{}\"/>", vector(&pose.xyz), vector(&pose.rpy))
}

fn write_link(out: &mut String, Link { name, inertial, .. }: &Link) {
    let Inertial { origin: at, mass, inertia } = inertial;
    let i = inertia;
    let _ = write!(out, "  <link name=\"{}\">", escaped(name));
    if [mass.value, i.ixx, i.ixy, i.ixz, i.iyy, i.iyz, i.izz].iter().any(|x| *x != 0.0) {
        let _ = write!(
            out,
            "<inertial>{}<mass value=\"{:?}\"/><inertia ixx=\"{:?}\" ixy=\"{:?}\" ixz=\"{:?}\" iyy=\"{:?}\" iyz=\"{:?}\" \
             izz=\"{:?}\"/></inertial>",
            origin(at),
            mass.value,
            i.ixx,
            i.ixy,
            i.ixz,
            i.iyy,
            i.iyz,
            i.izz
        );
    }
    out.push_str("</link>\n");
}

fn write_joint(out: &mut String, joint: &Joint) {
    let kind = match joint.joint_type {
        JointType::Revolute => "revolute",
        JointType::Continuous => "continuous",
        JointType::Prismatic => "prismatic",
        JointType::Fixed => "fixed",
        JointType::Floating => "floating",
        JointType::Planar => "planar",
        JointType::Spherical => "spherical",
    };
    let _ = write!(
        out,
        "  <joint name=\"{}\" type=\"{kind}\">{}<parent link=\"{}\"/><child link=\"{}\"/><axis xyz=\"{}\"/>",
        escaped(&joint.name),
        origin(&joint.origin),
        escaped(&joint.parent.link),
        escaped(&joint.child.link),
        vector(&joint.axis.xyz)
    );
    let JointLimit { lower, upper, effort, velocity, .. } = joint.limit;
    let range = (lower, upper) != (0.0, 0.0);
    let limits = [("lower", lower, range), ("upper", upper, range)];
    let limits = limits
        .into_iter()
        .chain([("effort", effort, effort != 0.0), ("velocity", velocity, velocity != 0.0)]);
    let limits: String = limits
        // An infinite limit also means that the element was left out.
        .filter(|(_, x, is_there)| *is_there && !x.is_infinite())
        .map(|(name, x, _)| format!(" {name}=\"{x:?}\""))
        .collect();
    if !limits.is_empty() {
        let _ = write!(out, "<limit{limits}/>");
    }
    if let Some(dynamics) = &joint.dynamics {
        let _ = write!(
            out,
            "<dynamics damping=\"{:?}\" friction=\"{:?}\"/>",
            dynamics.damping, dynamics.friction
        );
    }
    if let Some(mimic) = &joint.mimic {
        let _ = write!(out, "<mimic joint=\"{}\"", escaped(&mimic.joint));
        for (name, x) in [("multiplier", mimic.multiplier), ("offset", mimic.offset)] {
            if let Some(x) = x {
                let _ = write!(out, " {name}=\"{x:?}\"");
            }
        }
        out.push_str("/>");
    }
    out.push_str("</joint>\n");
}
