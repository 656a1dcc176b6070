//! Text for the joints' maps: what a robot's joints are in fixed text of `text/`.

use super::Writer;
use crate::emit::c_family::text::wrapped;
use crate::emit::manifold::{curved, owners};
use rbd_runtime::{JointKind, Model};
use std::fmt::Write;

use JointKind::{Planar, Spherical};

/// Entries of a twist, [linear; angular], that a joint's motions have.
fn of_twist(kind: JointKind) -> &'static [usize] {
    match kind {
        Planar => &[0, 1, 5],
        Spherical => &[3, 4, 5],
        _ => &[0, 1, 2, 3, 4, 5],
    }
}

/// True if the robot has a joint of several coordinates.
pub fn turns(model: &Model<f64>) -> bool {
    owners(model).any(|b| b.kind.nv() > 1)
}

/// Fixed text for each joint of several coordinates, with its numbers.
pub fn each(gpu: &Writer<'_>, model: &Model<f64>, text: &str) -> String {
    let mut all = String::new();
    for b in owners(model) {
        let Some(map) = curved(b.kind) else { continue };
        let (at, entries) = (b.idx_v, of_twist(b.kind));
        let list: Vec<String> = entries.iter().map(usize::to_string).collect();
        let from = if at == 0 { String::new() } else { format!("part >= {at} && ") };
        let of_joint = text
            .replace("COORDINATES", &b.kind.nq().to_string())
            .replace("COUNT", &entries.len().to_string())
            .replace("ENTRIES", &list.join(", "))
            .replace("BEGIN", &b.idx_q.to_string())
            .replace("FIRST", &at.to_string())
            .replace("IN_JOINT", &format!("{from}part < {}", at + entries.len()))
            .replace("KIND", map);
        all += &gpu.text(&of_joint, model);
    }
    all
}

/// A motion from a configuration: the array, and a factor before each of its entries, if there is one.
#[derive(Clone, Copy)]
pub struct Along {
    /// The factor.
    pub times: Option<&'static str>,
    /// The array.
    pub of: &'static str,
}

impl Along {
    /// An entry in text.
    pub fn entry(self, k: &str) -> String {
        let Self { times, of } = self;
        times.map_or_else(String::new, |times| format!("{times} * ")) + &format!("RBD_AT({of}, {k})")
    }
}

/// Statements that write the configuration to which a motion from q leads.
pub fn integrate(gpu: &Writer<'_>, model: &Model<f64>, to: &str, along: Along) -> String {
    let mut text = String::new();
    for b in owners(model).filter(|b| curved(b.kind).is_none()) {
        let (q, v) = (b.idx_q, b.idx_v);
        let moved = match along.times {
            Some(times) => format!("RBD_FMA({times}, RBD_AT({}, {v}), RBD_AT(q, {q}))", along.of),
            None => format!("RBD_AT(q, {q}) + RBD_AT({}, {v})", along.of),
        };
        let _ = writeln!(text, "RBD_AT({to}, {q}) = {moved};");
    }
    let joint = include_str!("text/integrate_joint.c");
    let joint = joint.replace("TO", to).replace("ALONG", &along.entry("FIRST + k"));
    text + &each(gpu, model, &joint)
}

/// Statements for a column `part` of derivatives of a motion, in the array `to`: they become those of the
/// configuration that it leads to. Columns by q come first.
pub fn through(gpu: &Writer<'_>, model: &Model<f64>, to: &str, along: Along) -> String {
    let single = owners(model).filter(|b| b.kind.nv() == 1).map(|b| format!("part == {}", b.idx_v));
    let single: Vec<String> = single.collect();
    let mut text = String::new();
    if !single.is_empty() {
        let all = single.join(" || ");
        let _ = writeln!(text, "{}", wrapped(&format!("if ({all}) RBD_AT({to}, part) += 1;")));
    }
    let joint = include_str!("text/through_joint.c");
    let joint = joint.replace("TO", to).replace("ALONG", &along.entry("FIRST + k"));
    text + &each(gpu, model, &joint)
}

/// Fixed text with statements for the joints at these places, in order. Names of the robot in them may have
/// any of the words of fixed text.
pub fn among(gpu: &Writer<'_>, model: &Model<f64>, text: &str, joints: &[(&str, String)]) -> String {
    let (mut all, mut rest) = (String::new(), text);
    for (place, joints) in joints {
        let (before, after) = rest.split_once(place).expect("a place for the joints");
        all += &gpu.text(before, model);
        all += joints;
        rest = after;
    }
    all + &gpu.text(rest, model)
}
