//! Links and joints as the file states them, before anything is put together.

use super::elements::{Element, SHORTEST, UNIT};
use super::inertial::{self, Inertial};
use super::units::Stated;
use super::{origin, rigid, vocabulary};
use crate::urdf::findings::{At, Report, quoted};
use crate::urdf::options::ReadOptions;
use nalgebra::Vector3;
use rbd_runtime::spatial::Placement;
use rbd_runtime::{JointKind, JointLimits};
use roxmltree::Node;

/// A `<link>`.
pub(super) struct Link<'a> {
    pub name: &'a str,
    pub at: At,
    pub inertial: Inertial,
    /// The numbers of its inertial's `<origin>`.
    pub stated: Option<Stated>,
    /// True if it has geometry, so that it is a body and not just a frame.
    pub has_geometry: bool,
    /// True if it has an inertial that is not read, which has a finding of its own.
    pub has_stray_inertial: bool,
}

/// Type of a joint in the file.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Type {
    Fixed,
    Moving(JointKind),
    /// Missing or unknown, and reported.
    Faulty,
}

/// A `<mimic>`.
pub(super) struct Follows<'a> {
    pub joint: &'a str,
    pub at: At,
    pub multiplier: f64,
    pub offset: f64,
}

/// A `<joint>`.
pub(super) struct Joint<'a> {
    pub name: &'a str,
    pub subject: String,
    pub at: At,
    pub kind: Type,
    /// Link names and where they stand; `None` where faulty, and reported.
    pub parent: Option<(&'a str, At)>,
    pub child: Option<(&'a str, At)>,
    pub origin: Placement<f64>,
    /// The numbers of its `<origin>`.
    pub stated: Option<Stated>,
    pub axis: Vector3<f64>,
    pub limits: JointLimits,
    /// Place of the limits in the file.
    pub limit_at: At,
    pub damping: f64,
    pub friction: f64,
    pub mimic: Option<Follows<'a>>,
}

pub(super) fn subject(what: &str, name: Option<&str>) -> String {
    name.filter(|n| !n.trim().is_empty()).map_or(format!("a {what}"), |n| format!("{what} {}", quoted(n)))
}

pub(super) fn link<'a>(node: Node<'a, '_>, options: &ReadOptions, report: &mut Report) -> Link<'a> {
    let subject = subject("link", node.attribute("name"));
    let element = Element { node, subject: &subject };
    let _ = element.name("name", report);
    vocabulary::judge(element, report);
    for part in element.own_children().filter(|n| matches!(n.tag_name().name(), "visual" | "collision")) {
        vocabulary::judge(Element { node: part, ..element }, report);
    }
    let (inertial, stated) = inertial::read(element, options, report);
    Link {
        name: node.attribute("name").unwrap_or_default(),
        at: element.at(),
        inertial,
        stated,
        has_geometry: element.has("visual") || element.has("collision"),
        has_stray_inertial: vocabulary::has_stray_inertial(element),
    }
}

pub(super) fn joint<'a>(node: Node<'a, '_>, options: &ReadOptions, report: &mut Report) -> Joint<'a> {
    let subject = subject("joint", node.attribute("name"));
    let element = Element { node, subject: &subject };
    let _ = element.name("name", report);
    vocabulary::judge(element, report);
    let kind = kind(element, report);
    let end = |tag: &str, report: &mut Report| {
        let end = element.required_child(tag, &format!("<{tag} link=\"...\"/>"), report)?;
        Some((end.name("link", report)?, end.at_attribute("link")))
    };
    let (parent, child) = (end("parent", report), end("child", report));
    let origin = element.child("origin", report).and_then(|e| origin::read(e, options, report));
    let (origin, stated) = origin.map_or((rigid::identity(), None), |(o, stated)| (o, Some(stated)));
    let axis = axis(element, kind, report);
    let limits = limits(element, kind, report);
    let (damping, friction) = dynamics(element, report);
    let mimic = element.child("mimic", report).and_then(|m| {
        let joint = m.name("joint", report);
        let multiplier = m.node.has_attribute("multiplier").then(|| m.number("multiplier", report));
        let offset = m.node.has_attribute("offset").then(|| m.number("offset", report));
        Some(Follows {
            joint: joint?,
            at: m.at(),
            multiplier: multiplier.unwrap_or(Some(1.0))?,
            offset: offset.unwrap_or(Some(0.0))?,
        })
    });
    Joint {
        name: node.attribute("name").unwrap_or_default(),
        at: element.at(),
        kind,
        parent,
        child,
        origin,
        stated,
        axis,
        limits,
        limit_at: element.at_child("limit"),
        damping,
        friction,
        mimic,
        subject: subject.clone(),
    }
}

fn kind(element: Element<'_, '_, '_>, report: &mut Report) -> Type {
    const KNOWN: &[(&str, Type)] = &[
        ("revolute", Type::Moving(JointKind::Revolute)),
        ("continuous", Type::Moving(JointKind::Continuous)),
        ("prismatic", Type::Moving(JointKind::Prismatic)),
        ("fixed", Type::Fixed),
        ("floating", Type::Moving(JointKind::Floating)),
        ("planar", Type::Moving(JointKind::Planar)),
        ("spherical", Type::Moving(JointKind::Spherical)),
        ("ball", Type::Moving(JointKind::Spherical)),
    ];
    let Some(attribute) = element.required("type", report) else { return Type::Faulty };
    let value = attribute.value().trim();
    if let Some((_, kind)) = KNOWN.iter().find(|(name, _)| *name == value) {
        return *kind;
    }
    let near = KNOWN
        .iter()
        .find(|(name, _)| value.len() <= 16 && strsim::osa_distance(name, &value.to_ascii_lowercase()) <= 2);
    let help = match near {
        Some((name, _)) => format!("write `{name}` if that is meant"),
        None => {
            "the types are revolute, continuous, prismatic, fixed, floating, planar and spherical".to_owned()
        }
    };
    let what = format!("{} is not a joint type", quoted(value));
    report.error("unknown-joint-type", element.at_attribute("type"), element.subject, what, help);
    Type::Faulty
}

/// The unit axis; zero if the joint has none.
fn axis(element: Element<'_, '_, '_>, kind: Type, report: &mut Report) -> Vector3<f64> {
    use JointKind::{Continuous, Planar, Prismatic, Revolute};
    let Type::Moving(Revolute | Continuous | Prismatic | Planar) = kind else { return Vector3::zeros() };
    let Some(child) = element.child("axis", report) else { return Vector3::x() };
    if child.required("xyz", report).is_none() {
        return Vector3::x();
    }
    let Some(axis) = child.vector("xyz", report) else { return Vector3::x() };
    let largest = axis.amax();
    if largest < SHORTEST {
        let what =
            if largest == 0.0 { "the axis is zero" } else { "the axis is too short to have a direction" };
        report.error(
            "zero-axis",
            child.at_attribute("xyz"),
            element.subject,
            what,
            "give the direction, such as `<axis xyz=\"0 0 1\"/>`, or make the joint `fixed`",
        );
        return Vector3::x();
    }
    // Divided by its largest component first, so that a multiple of a coordinate axis becomes it exactly.
    let scaled = axis / largest;
    let unit = scaled / scaled.norm();
    let norm = largest * scaled.norm();
    if (norm - 1.0).abs() > UNIT {
        report.warn(
            "non-unit-axis",
            child.at_attribute("xyz"),
            element.subject,
            format!("the axis has length {norm}; it is normalised"),
            format!("write `<axis xyz=\"{} {} {}\"/>`", unit.x, unit.y, unit.z),
        );
    }
    unit
}

fn limits(element: Element<'_, '_, '_>, kind: Type, report: &mut Report) -> JointLimits {
    use JointKind::{Continuous, Prismatic, Revolute};
    let Type::Moving(kind) = kind else { return JointLimits::NONE };
    let limited = matches!(kind, Revolute | Prismatic);
    let Some(limit) = element.child("limit", report) else {
        if limited {
            report.warn(
                "missing-limits",
                element.at(),
                element.subject,
                "there is no `<limit>`; the joint is taken as unlimited",
                "add `<limit lower=\"...\" upper=\"...\" velocity=\"...\" effort=\"...\"/>`",
            );
        }
        return JointLimits::NONE;
    };
    let [lower, upper, velocity, effort] =
        ["lower", "upper", "velocity", "effort"].map(|name| limit.bound(name, report));
    if limited {
        let missing: Vec<&str> = ["lower", "upper", "velocity", "effort"]
            .into_iter()
            .filter(|name| !limit.node.has_attribute(*name))
            .collect();
        if !missing.is_empty() {
            report.warn(
                "missing-limits",
                limit.at(),
                element.subject,
                format!("`<limit>` states no {}, taken as unlimited", missing.join(", ")),
                "state all of lower, upper, velocity and effort",
            );
        }
    } else if kind == Continuous && (lower.is_some() || upper.is_some()) {
        report.warn(
            "limits-on-continuous",
            limit.at(),
            element.subject,
            "a continuous joint has no lower and upper limit; they are ignored",
            "remove `lower` and `upper`, or make the joint `revolute`",
        );
    }
    let mut out = JointLimits::NONE;
    if limited {
        (out.lower, out.upper) = (lower.unwrap_or(out.lower), upper.unwrap_or(out.upper));
        if out.lower > out.upper || out.lower == f64::INFINITY || out.upper == f64::NEG_INFINITY {
            // Limits never enter the dynamics, and Bullet means a free joint by lower 1 and upper -1.
            report.warn(
                "limits-reversed",
                limit.at(),
                element.subject,
                format!(
                    "no position lies between lower {} and upper {}; the joint is taken as unlimited",
                    out.lower, out.upper
                ),
                "exchange `lower` and `upper`, or leave both out if the joint has no limits",
            );
            (out.lower, out.upper) = (JointLimits::NONE.lower, JointLimits::NONE.upper);
        }
    }
    (out.velocity, out.effort) = (velocity.unwrap_or(out.velocity), effort.unwrap_or(out.effort));
    for (name, value) in [("velocity", out.velocity), ("effort", out.effort)] {
        if value < 0.0 {
            report.warn(
                "negative-limit",
                limit.at_attribute(name),
                element.subject,
                format!("the {name} limit {value} is negative"),
                "limits of speed and effort are magnitudes",
            );
        }
    }
    out
}

/// Damping and friction; zero where the file states none.
fn dynamics(element: Element<'_, '_, '_>, report: &mut Report) -> (f64, f64) {
    let Some(dynamics) = element.child("dynamics", report) else { return (0.0, 0.0) };
    let [damping, friction] = ["damping", "friction"].map(|name| {
        let value = dynamics.number(name, report).unwrap_or(0.0);
        if value < 0.0 {
            report.warn(
                "negative-damping",
                dynamics.at_attribute(name),
                element.subject,
                format!("{name} {value} is negative: it drives the joint instead of slowing it"),
                "check the sign",
            );
        }
        value
    });
    (damping, friction)
}
