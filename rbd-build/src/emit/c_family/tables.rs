//! Tables of a robot, for loops in languages that have no runtime.

use rbd_runtime::loops::{Joint, Topology, WORLD};
use rbd_runtime::{JointKind, Model};
use std::collections::BTreeSet;

/// Kind of a row's coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Angle {
    /// A length.
    Length = 0,
    /// An angle equal to the coordinate up to sign and a constant. The sine is an argument.
    Given = 1,
    /// Another angle, whose sine is computed.
    Other = 2,
    /// One of several coordinates that place a joint together.
    Together = 3,
}

/// Kind of each row, and true for rotations.
pub fn angles(t: &Topology<'_>, ratio: &[f64]) -> Vec<(Angle, bool)> {
    let mut all = Vec::new();
    for joint in t.joints {
        let first = usize::from(joint.first);
        let angle = |row: usize| if ratio[row].abs() == 1.0 { Angle::Given } else { Angle::Other };
        match joint.kind {
            JointKind::Revolute | JointKind::Continuous => all.push((angle(first), true)),
            JointKind::Prismatic => all.push((Angle::Length, false)),
            JointKind::Planar => {
                all.extend([(Angle::Together, false), (Angle::Together, false), (angle(first + 2), true)]);
            }
            JointKind::Spherical => all.extend([(Angle::Together, true); 3]),
            JointKind::Floating => {
                all.extend([(Angle::Together, false); 3]);
                all.extend([(Angle::Together, true); 3]);
            }
        }
    }
    all
}

/// True if joints have friction.
pub fn slides(model: &Model<f64>) -> bool {
    model.friction_smoothing.is_some() && model.bodies.iter().any(|body| body.friction != 0.0)
}

/// Numbers of the named component.
pub fn component<'a>(numbers: &'a [(&str, Vec<Vec<f64>>)], name: &str) -> &'a [Vec<f64>] {
    let found = numbers.iter().find(|(known, _)| *known == name);
    found.map(|(_, of)| of.as_slice()).unwrap_or_default()
}

/// Elimination tree of M: for each coordinate, the last earlier one coupled to it, fill-in included.
///
/// It is the robot's tree, except where joints share coordinates.
pub fn up(t: &Topology<'_>, nv: usize) -> Vec<u16> {
    let before = |row: u16| {
        let first = t.first[usize::from(row)];
        let before = if first < row { row - 1 } else { t.parent[usize::from(row)] };
        (before != WORLD).then_some(before)
    };
    if !t.merges() && nv > 0 {
        return (0..nv as u16).map(|row| before(row).unwrap_or(WORLD)).collect();
    }
    let mut above: Vec<BTreeSet<u16>> = vec![BTreeSet::new(); nv];
    for row in 0..t.rows {
        for other in std::iter::successors(before(row as u16), |row| before(*row)) {
            let (a, b) = (t.coordinate[row], t.coordinate[usize::from(other)]);
            if a != b {
                above[usize::from(a.max(b))].insert(a.min(b));
            }
        }
    }
    // C has no empty arrays, so a robot without joints has one entry.
    let mut up = vec![WORLD; nv.max(1)];
    for k in (0..nv).rev() {
        let mut rest = std::mem::take(&mut above[k]);
        if let Some(parent) = rest.pop_last() {
            up[k] = parent;
            above[usize::from(parent)].extend(rest);
        }
    }
    up
}

/// For each coordinate, one past the last coordinate of its subtree in the elimination tree.
pub fn reach(up: &[u16]) -> Vec<u16> {
    let mut reach: Vec<u16> = (1..=up.len() as u16).collect();
    for k in (0..up.len()).rev() {
        if up[k] != WORLD {
            let parent = usize::from(up[k]);
            reach[parent] = reach[parent].max(reach[k]);
        }
    }
    reach
}

/// A joint's last row, where its body is.
pub fn last_row(joint: &Joint) -> u16 {
    joint.first + joint.kind.nv() as u16 - 1
}

/// For each row, the row before it on its path.
pub fn above(t: &Topology<'_>) -> Vec<u16> {
    (0..t.rows)
        .map(|row| if usize::from(t.first[row]) < row { row as u16 - 1 } else { t.parent[row] })
        .collect()
}

/// For each row, the row after the last one of its joint.
pub fn joint_end(t: &Topology<'_>) -> Vec<u16> {
    t.joints.iter().flat_map(|j| vec![last_row(j) + 1; j.kind.nv()]).collect()
}

/// Number of a joint's kind: 0 for one degree of freedom.
pub fn joint_kind(joint: &Joint) -> u16 {
    match joint.kind {
        JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic => 0,
        JointKind::Planar => 1,
        JointKind::Spherical => 2,
        JointKind::Floating => 3,
    }
}
