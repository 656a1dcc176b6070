//! One XML element at a time: attributes, numbers and children, with a finding for each fault.

use super::source::{XACRO_MEND, is_xacro};
use super::vocabulary;
use crate::urdf::findings::{At, Report, quoted};
use nalgebra::Vector3;
use roxmltree::{Attribute, Node};

/// Largest magnitude of a number: far beyond any robot, and small enough that no product of a
/// model's numbers overflows.
pub(super) const LARGEST: f64 = 1e50;
/// The least mass that is no slip, kg: a bacterium's. Numbers that a double holds with fewer digits
/// are far below.
pub(super) const LEAST_MASS: f64 = 1e-15;
/// Shorter than this, a direction or a quaternion is rounding noise.
pub(super) const SHORTEST: f64 = 1e-9;
/// Allowed error of the length of a unit vector, as of one written with four digits, without a
/// warning.
pub(super) const UNIT: f64 = 1e-4;

/// An element whose attributes and children are being read, with its owner's name in messages.
#[derive(Clone, Copy)]
pub(super) struct Element<'s, 'a, 'i> {
    pub node: Node<'a, 'i>,
    /// Subject of messages, such as ``joint `elbow` ``.
    pub subject: &'s str,
}

impl<'a, 'i> Element<'_, 'a, 'i> {
    pub fn at(&self) -> At {
        At::Byte(self.node.range().start)
    }

    /// Start of an attribute's value, or of the element if it has no such attribute.
    pub fn at_attribute(&self, name: &str) -> At {
        self.node.attribute_node(name).map_or(self.at(), |a| At::Byte(a.range_value().start))
    }

    /// Child elements that may belong to a URDF, without those of a foreign namespace.
    pub fn own_children(self) -> impl Iterator<Item = Node<'a, 'i>> {
        let namespace = self.node.tag_name().namespace();
        self.node.children().filter(move |n| n.is_element() && n.tag_name().namespace() == namespace)
    }

    /// Start of the first child of this name, or of the element if it has none.
    pub fn at_child(&self, tag: &str) -> At {
        let child = self.own_children().find(|n| n.tag_name().name() == tag);
        child.map_or(self.at(), |n| At::Byte(n.range().start))
    }

    /// Returns whether there is a child of this name.
    pub fn has(self, tag: &str) -> bool {
        self.own_children().any(|n| n.tag_name().name() == tag)
    }

    /// The only child of this name, if any.
    pub fn child(self, tag: &str, report: &mut Report) -> Option<Self> {
        let mut found = self.own_children().filter(|n| n.tag_name().name() == tag);
        let first = found.next()?;
        if let Some(second) = found.next() {
            report.error(
                "duplicate-element",
                At::Byte(second.range().start),
                self.subject,
                format!("a second `<{tag}>`"),
                "keep the one that is meant",
            );
        }
        let child = Self { node: first, subject: self.subject };
        vocabulary::judge(child, report);
        Some(child)
    }

    /// The only child of this name, which is required.
    pub fn required_child(self, tag: &str, example: &str, report: &mut Report) -> Option<Self> {
        let child = self.child(tag, report);
        if child.is_none() {
            report.error(
                "missing-element",
                self.at(),
                self.subject,
                format!("`<{}>` has no `<{tag}>`", self.node.tag_name().name()),
                format!("add `{example}`"),
            );
        }
        child
    }

    /// An attribute that must be there.
    pub fn required(&self, name: &str, report: &mut Report) -> Option<Attribute<'a, 'i>> {
        let attribute = self.node.attribute_node(name);
        if attribute.is_none() {
            let tag = self.node.tag_name().name();
            let (at, help) = match vocabulary::meant(self.node, name) {
                Some(other) => (
                    At::Byte(other.range().start),
                    format!("found {} here; did you mean `{name}`?", quoted(other.name())),
                ),
                None => (self.at(), format!("add `{name}=\"...\"`")),
            };
            let what = format!("`<{tag}>` has no attribute `{name}`");
            report.error("missing-attribute", at, self.subject, what, help);
        }
        attribute
    }

    /// A name in an attribute that must be there.
    pub fn name(&self, attribute: &str, report: &mut Report) -> Option<&'a str> {
        let value = self.required(attribute, report)?.value();
        let at = self.at_attribute(attribute);
        if value.trim().is_empty() {
            report.error("empty-name", at, self.subject, format!("`{attribute}` is empty"), "give it a name");
            return None;
        }
        if is_xacro(value) {
            let what = format!("{} is an unexpanded xacro expression", quoted(value));
            report.error("unexpanded-xacro", at, self.subject, what, XACRO_MEND);
            return None;
        }
        Some(value)
    }

    /// A number; `None` where it is absent. A faulty one is reported and reads as `None` too.
    pub fn number(&self, attribute: &str, report: &mut Report) -> Option<f64> {
        self.numbers::<1>(attribute, report).map(|[x]| x)
    }

    /// A number that must be there.
    pub fn required_number(&self, attribute: &str, report: &mut Report) -> Option<f64> {
        self.required(attribute, report)?;
        self.number(attribute, report)
    }

    /// A vector; zero where it is absent. A faulty one is reported and reads as `None`.
    pub fn vector(&self, attribute: &str, report: &mut Report) -> Option<Vector3<f64>> {
        if self.node.has_attribute(attribute) {
            self.numbers::<3>(attribute, report).map(Vector3::from)
        } else {
            Some(Vector3::zeros())
        }
    }

    /// A bound, which may be infinite; `None` if it is absent or faulty.
    pub fn bound(&self, attribute: &str, report: &mut Report) -> Option<f64> {
        let value = self.node.attribute(attribute)?.trim_ascii();
        match value.parse::<f64>() {
            Ok(x) if x.is_infinite() && value.chars().all(|c| !c.is_ascii_digit()) => Some(x),
            _ => self.number(attribute, report),
        }
    }

    /// Several numbers; `None` where they are absent. Faulty ones are reported and read as `None` too.
    pub fn numbers<const N: usize>(&self, attribute: &str, report: &mut Report) -> Option<[f64; N]> {
        let node = self.node.attribute_node(attribute)?;
        let value = node.value();
        let raw = node.range_value();
        let plain = self.node.document().input_text().get(raw.clone()) == Some(value);
        let mut fault = |code, word: &str, what: String, help: &str| {
            // Where the value stands in the file as it is, the caret can point at the very word.
            let offset = if plain { word.as_ptr() as usize - value.as_ptr() as usize } else { 0 };
            let what = format!("`{} {attribute}`: {what}", self.node.tag_name().name());
            report.error(code, At::Byte(raw.start + offset), self.subject, what, help);
            None
        };
        if is_xacro(value) {
            let what = format!("{} is an unexpanded xacro expression", quoted(value));
            return fault("unexpanded-xacro", value, what, XACRO_MEND);
        }
        let mut out = [0.0; N];
        let mut count = 0;
        for word in value.split_ascii_whitespace() {
            if let Some(at) = word.find(char::is_whitespace) {
                // Other readers take only these characters for blanks, and would read another
                // number here or none.
                let other = word[at..].chars().next().map_or(0, u32::from);
                let what = format!("the character U+{other:04X} in {} is not a blank", quoted(word));
                return fault("bad-number", &word[at..], what, "separate numbers by plain spaces");
            }
            let Ok(x) = word.parse::<f64>() else {
                let help = match word {
                    w if w.contains(',') => "separate numbers by spaces, and write decimals with a point",
                    _ => "write a plain decimal number, such as `0.25` or `1e-3`",
                };
                return fault("bad-number", word, format!("{} is not a number", quoted(word)), help);
            };
            if !x.is_finite() {
                let what = format!("{} is not a finite number", quoted(word));
                return fault(
                    "non-finite",
                    word,
                    what,
                    "write the value; what exported this file did not know it",
                );
            }
            if x.abs() > LARGEST {
                let what = format!("{} is beyond {LARGEST:e}", quoted(word));
                return fault("number-out-of-range", word, what, "use SI units: metres, radians, kilograms");
            }
            if let Some(place) = out.get_mut(count) {
                // Adding zero turns -0 into 0, which prunes as well and prints better.
                *place = x + 0.0;
            }
            count += 1;
        }
        if count != N {
            let numbers = ["no number", "one number", "two numbers", "three numbers", "four numbers"][N];
            let what = match count {
                0 => format!("it is empty, and {numbers} must stand here"),
                1 => format!("one number stands where {numbers} must"),
                _ => format!("{count} numbers stand where {numbers} must"),
            };
            let apart = if N == 1 { "" } else { ", separated by spaces" };
            return fault("wrong-length", value, what, &format!("write {numbers}{apart}"));
        }
        Some(out)
    }
}
