//! Paths from a body to the root.

use super::robot::SymbolicRobot;
use crate::algebra::Force;
use std::ops::Range;

/// A body that carries another, or is it.
#[derive(Clone)]
pub struct Ancestor {
    /// The carrying body.
    pub body: usize,
    /// The body that is carried.
    pub descendant: usize,
    /// Lanes of the ancestor.
    pub lanes: Range<usize>,
}

/// Visits body `i` and its ancestors, moving the forces at `i` along. Where lanes part, the forces
/// part too.
pub fn for_each_ancestor<'g, const N: usize>(
    robot: &SymbolicRobot<'g>,
    i: usize,
    forces: [Force<'g>; N],
    mut visit: impl FnMut(&Ancestor, [Force<'g>; N]),
) {
    let lanes = 0..usize::from(robot.bodies[i].lanes);
    let mut ways = vec![(Ancestor { body: i, descendant: i, lanes }, forces)];
    while let Some((at, forces)) = ways.pop() {
        visit(&at, forces);
        let forces = forces.map(|f| robot.bodies[at.body].transform.force_to_parent(f));
        for way in onward(robot, &at) {
            let part = |x| robot.graph.part(x, way.lanes.start - at.lanes.start, way.lanes.len());
            let whole = way.lanes == at.lanes;
            ways.push((way.clone(), if whole { forces } else { forces.map(|f| f.map(part)) }));
        }
    }
}

/// The bodies that are next on the way, one for each run of lanes.
fn onward(robot: &SymbolicRobot<'_>, at: &Ancestor) -> Vec<Ancestor> {
    let lanes = &robot.tree.bodies[at.body].lanes;
    let mut ways: Vec<Ancestor> = Vec::new();
    for lane in at.lanes.clone() {
        // A body of several lanes carries all these lanes, in order.
        let here = if lanes.len() == 1 { 0 } else { lane - at.lanes.start };
        let Some(parent) = lanes[here].parent else { continue };
        match ways.last_mut() {
            Some(way) if way.body == parent.body => way.lanes.end = lane + 1,
            _ => ways.push(Ancestor { body: parent.body, descendant: at.descendant, lanes: lane..lane + 1 }),
        }
    }
    ways
}
