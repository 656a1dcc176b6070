//! The vocabulary of a URDF, as far as dynamics read it: attributes and children of each element,
//! and messages about others.
//!
//! Foreign tags pass: many tools add their own. Foreign attributes of an element that is read do
//! not pass, unless they have a prefix: a typo such as `rpv` for `rpy` would lose a rotation.

use super::elements::Element;
use crate::names::nearest::nearest;
use crate::urdf::findings::{At, Report, quoted};
use roxmltree::{Attribute, Node};

struct Word {
    tag: &'static str,
    /// Attributes that must be there.
    required: &'static [&'static str],
    /// Attributes that may be there, those included that dynamics does not need.
    optional: &'static [&'static str],
    /// Child elements that are read.
    children: &'static [&'static str],
    /// Place of the element in messages: what it belongs in.
    home: &'static str,
}

const fn word(
    tag: &'static str,
    required: &'static [&'static str],
    optional: &'static [&'static str],
    children: &'static [&'static str],
    home: &'static str,
) -> Word {
    Word { tag, required, optional, children, home }
}

/// From urdfdom's schema (`xsd/urdf.xsd`) and its parser; `acceleration`, `deceleration` and `jerk`
/// are of URDF 1.2, `concave` and `dont_collapse` are Bullet's.
const WORDS: &[Word] = &[
    word("robot", &["name"], &["version"], &["link", "joint"], "nothing else: it is the root element"),
    word("link", &["name"], &["type", "concave"], &["inertial", "visual", "collision"], "`<robot>`"),
    word("inertial", &[], &[], &["origin", "mass", "inertia"], "`<link>`"),
    word("origin", &[], &["xyz", "rpy", "quat_xyzw"], &[], "a `<joint>` or an `<inertial>`"),
    word("mass", &["value"], &[], &[], "`<inertial>`"),
    word("inertia", &["ixx", "ixy", "ixz", "iyy", "iyz", "izz"], &[], &[], "`<inertial>`"),
    word(
        "joint",
        &["name", "type"],
        &["dont_collapse"],
        &["parent", "child", "origin", "axis", "limit", "dynamics", "mimic"],
        "`<robot>`",
    ),
    word("parent", &["link"], &[], &[], "`<joint>`"),
    word("child", &["link"], &[], &[], "`<joint>`"),
    word("axis", &["xyz"], &[], &[], "`<joint>`"),
    word(
        "limit",
        &[],
        &["lower", "upper", "velocity", "effort", "acceleration", "deceleration", "jerk"],
        &[],
        "`<joint>`",
    ),
    word("dynamics", &[], &["damping", "friction"], &[], "`<joint>`"),
    word("mimic", &["joint"], &["multiplier", "offset"], &[], "`<joint>`"),
];

/// Elements whose content is not read, but in which a misplaced word would go unnoticed.
const UNREAD: &[(&str, &[&str])] = &[("visual", &["origin"]), ("collision", &["origin"])];

fn find(tag: &str) -> Option<&'static Word> {
    WORDS.iter().find(|w| w.tag == tag)
}

/// Returns whether an element of this name, with or without a prefix, is read in its right place.
pub(super) fn is_read(name: &str) -> bool {
    find(name.rsplit_once(':').map_or(name, |(_, local)| local)).is_some()
}

/// Warns of attributes and children that an element of a URDF does not have.
pub(super) fn judge(element: Element<'_, '_, '_>, report: &mut Report) {
    let tag = element.node.tag_name().name();
    let Some(word) = find(tag) else {
        if let Some((_, own)) = UNREAD.iter().find(|(name, _)| *name == tag) {
            children(element, own, &[], report);
        }
        return;
    };
    children(element, word.children, word.children, report);
    // One fault, one finding: a missing required attribute is reported together with the word found
    // in its place.
    if word.required.iter().any(|name| !element.node.has_attribute(*name)) {
        return;
    }
    for attribute in foreign(element.node, word) {
        let name = attribute.name();
        let known = word.required.iter().chain(word.optional);
        let help = match nearest(name, known.clone().copied()) {
            Some(meant) if !element.node.has_attribute(meant) => format!("write `{meant}` if that is meant"),
            _ => {
                let known: Vec<String> = known.map(|k| format!("`{k}`")).collect();
                let has = if known.is_empty() { "no attribute".to_owned() } else { known.join(", ") };
                format!("remove it: `<{tag}>` has {has}; numbers are in metres, kilograms and radians")
            }
        };
        report.warn(
            "unknown-attribute",
            At::Byte(attribute.range().start),
            element.subject,
            format!("{} is not an attribute of `<{tag}>` and is ignored", quoted(name)),
            help,
        );
    }
}

/// The attribute that was meant to be the missing one of this name.
pub(super) fn meant<'a, 'i>(node: Node<'a, 'i>, missing: &str) -> Option<Attribute<'a, 'i>> {
    let word = find(node.tag_name().name())?;
    let candidates: Vec<_> = foreign(node, word).collect();
    let near = |a: &&Attribute<'a, 'i>| nearest(a.name(), [missing]).is_some();
    // If nothing else can be meant, it need not even be similar.
    let lone = || candidates.first().filter(|_| candidates.len() == 1 && word.required.len() == 1);
    candidates.iter().find(near).or_else(lone).copied()
}

/// Attributes that the element does not have. Those with a prefix are someone else's; where the
/// prefix was not declared, the scanner has put a point for its colon.
fn foreign<'a, 'i>(node: Node<'a, 'i>, word: &'static Word) -> impl Iterator<Item = Attribute<'a, 'i>> {
    node.attributes().filter(|a| {
        let own = a.namespace().is_none() && !a.name().contains('.');
        own && !word.required.iter().chain(word.optional).any(|known| *known == a.name())
    })
}

/// Warns of children that belong elsewhere, and of those that look like a slip of the pen for one
/// that is read.
fn children(element: Element<'_, '_, '_>, own: &[&str], read: &[&str], report: &mut Report) {
    let parent = element.node.tag_name().name();
    for node in element.own_children() {
        let tag = node.tag_name().name();
        let at = At::Byte(node.range().start);
        if own.contains(&tag) {
            continue;
        }
        if let Some(word) = find(tag) {
            report.warn(
                "misplaced-element",
                at,
                element.subject,
                format!("`<{tag}>` inside of `<{parent}>` has no meaning and is ignored"),
                format!("it belongs in {}", word.home),
            );
        } else if tag.len() <= 12
            && let Some(meant) = read.iter().find(|k| k.len() > 3 && strsim::osa_distance(k, tag) <= 1)
        {
            report.warn(
                "misspelt-element",
                at,
                element.subject,
                format!("`<{tag}>` is not a tag of a URDF and is ignored"),
                format!("write `<{meant}>` if that is meant"),
            );
        }
    }
}

/// Returns whether a link has an inertial that is not read, because it is misspelt or inside
/// another element.
pub(super) fn has_stray_inertial(link: Element<'_, '_, '_>) -> bool {
    let near = |n: Node<'_, '_>| strsim::osa_distance("inertial", n.tag_name().name()) <= 1;
    link.own_children().any(|n| near(n) || n.children().any(|inner| inner.is_element() && near(inner)))
}
