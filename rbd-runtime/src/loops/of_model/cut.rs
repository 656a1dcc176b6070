//! Numbering of rows, and their division into segments, windows and strips.

use super::super::LANES;
use super::super::tables::{Block, Carry, Joint, Segment, Stretch, Strip, WORLD, Window};
use super::constants::{goes_far, origins, sizes, step};
use super::{Limits, Owned};
use crate::{JointKind, Model};
use alloc::vec::Vec;

impl Owned {
    pub(super) fn number_rows(&mut self, model: &Model<f64>) {
        for (joint, body) in self.joints.iter().zip(&model.bodies) {
            for k in 0..body.kind.nv() {
                self.parent.push(joint.parent);
                self.first.push(joint.first);
                self.coordinate.push((body.idx_v + k) as u16);
                // A planar joint's angle is its last coordinate.
                let angle = if body.kind == JointKind::Planar { 2 } else { 0 };
                self.position.push((body.idx_q + angle) as u16);
                self.end.push(joint.first + body.kind.nv() as u16);
            }
        }
        for r in (0..self.rows()).rev() {
            let parent = self.parent[r];
            if parent != WORLD {
                let end = self.end[r];
                for above in self.first[usize::from(parent)]..=parent {
                    let at = usize::from(above);
                    self.end[at] = self.end[at].max(end);
                }
            }
        }
    }

    /// First rows of limbs, which are stretches of rows without a branch.
    ///
    /// A limb begins at the first row of all, and at every joint that does not directly follow its
    /// parent or whose parent has several children.
    fn limbs(&self) -> Vec<usize> {
        let mut children = alloc::vec![0_usize; self.rows()];
        for joint in self.joints.iter().filter(|joint| joint.parent != WORLD) {
            children[usize::from(joint.parent)] += 1;
        }
        let alone = |j: &&Joint| {
            j.first == 0
                || j.parent == WORLD
                || j.parent + 1 != j.first
                || children[usize::from(j.parent)] > 1
        };
        self.joints.iter().filter(alone).map(|j| usize::from(j.first)).collect()
    }

    /// Assigns limbs to segments.
    ///
    /// A limb joins the last segment if it fits and hangs on that segment, or on the same body as
    /// its first joint. Otherwise it starts one, or several if it is long. A joint that may go far
    /// also starts one: its point is then beyond the joint.
    pub(super) fn cut_segments(&mut self, model: &Model<f64>, limits: Limits) {
        let (limbs, sizes, origins) = (self.limbs(), sizes(model), origins(model));
        // Of each joint, how far from its segment's point; of the last segment, the joint that began it.
        let (mut reach, mut start) = (Vec::<f64>::new(), 0);
        for (i, (joint, body)) in self.joints.iter().zip(&model.bodies).enumerate() {
            let first = usize::from(joint.first);
            let carrier = if joint.parent == WORLD { WORLD } else { self.segment[usize::from(joint.parent)] };
            let rows = joint.kind.nv() as u16;
            // At the start of a limb, all of the limb must fit.
            let needed = match limbs.binary_search(&first) {
                Ok(at) => limbs.get(at + 1).copied().unwrap_or(self.rows()) - first,
                Err(_) => usize::from(rows),
            };
            let rides = goes_far(body);
            let count = self.segments.len() as u16;
            let inside = count > 0 && carrier == count - 1;
            let distance = match body.parent {
                Some(p) if inside => reach[p] + step(body),
                _ => (origins[i] - origins[start]).norm(),
            };
            let fits = self.segments.last().is_some_and(|s| {
                let sibling = !s.rides && self.parent[usize::from(s.first)] == joint.parent;
                !rides
                    && usize::from(joint.first - s.first) + needed <= limits.rows
                    && (inside || sibling)
                    && distance <= limits.reach * sizes[i]
            });
            reach.push(if fits { distance } else { 0.0 });
            if !fits {
                start = i;
            }
            match self.segments.last_mut().filter(|_| fits) {
                Some(last) => last.end += rows,
                None => {
                    let end = joint.first + rows;
                    self.segments.push(Segment { first: joint.first, end, parent: carrier, rides });
                }
            }
            let own = (self.segments.len() - 1) as u16;
            self.segment.extend((0..rows).map(|_| own));
        }
    }

    /// The row before a row on its path, or the world.
    fn before(&self, row: usize) -> u16 {
        let first = self.first[row];
        if usize::from(first) == row { self.parent[row] } else { (row - 1) as u16 }
    }

    /// Returns whether a row directly follows the row before it, on a path in the same segment.
    fn continues(&self, row: usize) -> bool {
        row > 0 && usize::from(self.before(row)) == row - 1 && self.segment[row] == self.segment[row - 1]
    }

    /// Cuts windows: limbs that fit together share one. A floating base has its own, since its rows
    /// need no products.
    pub(super) fn cut_windows(&mut self) {
        let mut limbs = self.limbs();
        let base = self.joints.first().is_some_and(|j| j.kind == JointKind::Floating && j.parent == WORLD);
        let base = if base { JointKind::Floating.nv() } else { 0 };
        if let Err(at) = limbs.binary_search(&base) {
            limbs.insert(at, base);
        }
        let mut row = 0;
        while row < self.rows() {
            let (from, segment) = (row, self.segment[row]);
            row += 1;
            while row < self.rows() && self.segment[row] == segment && limbs.binary_search(&row).is_err() {
                row += 1;
            }
            let mut at = from;
            if let Some(last) = self.windows.last_mut() {
                let together = row - usize::from(last.first);
                if last.segment == segment && together <= LANES && usize::from(last.first) >= base {
                    last.rows = together as u16;
                    at = row;
                }
            }
            while at < row {
                let rows = LANES.min(row - at);
                self.windows.push(Window { first: at as u16, rows: rows as u16, segment, strips: (0, 0) });
                at += rows;
            }
        }
    }

    /// Lanes of the window that carry the column's joint, and those that are of that joint or carried by it.
    fn relation(&self, window: &Window, column: usize) -> (u8, u8) {
        let (mut above, mut below) = (0, 0);
        let (first, end) = (self.first[column], self.end[column]);
        for lane in 0..window.rows {
            let row = window.first + lane;
            let at = usize::from(row);
            if first <= row && row < end {
                below |= 1 << lane;
            } else if row < first && first < self.end[at] {
                above |= 1 << lane;
            }
        }
        (above, below)
    }

    pub(super) fn make_strips(&mut self) {
        let mut windows = core::mem::take(&mut self.windows);
        for window in &mut windows {
            let start = self.strips.len();
            for column in 0..self.rows() {
                let (above, below) = self.relation(window, column);
                let same_segment = column > 0 && self.segment[column] == self.segment[column - 1];
                match self.strips[start..].last_mut() {
                    Some(last) if (last.above, last.below) == (above, below) && same_segment => last.to += 1,
                    _ => self.strips.push(Strip { from: column as u16, to: column as u16 + 1, above, below }),
                }
            }
            window.strips = (start as u32, self.strips.len() as u32);
        }
        self.windows = windows;
    }

    pub(super) fn make_blocks(&mut self) {
        let rows = self.rows();
        for block in 0..rows.div_ceil(LANES) {
            let from = block * LANES;
            let to = (from + LANES).min(rows);
            let mut steps = [0; 3];
            for (step, mask) in steps.iter_mut().enumerate() {
                for row in from..to {
                    let last = row + (1 << step);
                    if last < to && (row + 1..=last).all(|r| self.continues(r)) {
                        *mask |= 1 << (row - from);
                    }
                }
            }
            let start = self.carries.len() as u32;
            for source in (from..rows).rev() {
                let target = self.before(source);
                let in_step = source > from && source < to && self.continues(source);
                if target == WORLD || !(from..to).contains(&usize::from(target)) || in_step {
                    continue;
                }
                let mut at = usize::from(target);
                let mut lanes = 1 << (at - from);
                while at > from && self.continues(at) {
                    at -= 1;
                    lanes |= 1 << (at - from);
                }
                let crosses = self.segment[source] != self.segment[usize::from(target)];
                self.carries.push(Carry { source: source as u16, lanes, crosses });
            }
            let carries = (start, self.carries.len() as u32);
            let turning = (from..to).map(|r| u8::from(self.turns(r)) << (r - from)).sum();
            let (follows, stretches) = self.add_stretches(from, to);
            self.blocks.push(Block { steps, carries, follows, stretches, turning });
        }
    }

    /// The stretches of a block: lanes that follow the lane before, and where the stretches are.
    fn add_stretches(&mut self, from: usize, to: usize) -> (u8, (u32, u32)) {
        let (mut follows, start) = (0, self.stretches.len());
        for row in from..to {
            let (lane, continues) = (1 << (row - from), self.continues(row));
            match self.stretches[start..].last_mut() {
                Some(last) if continues => {
                    follows |= lane;
                    last.lanes |= lane;
                }
                _ => self.stretches.push(Stretch { lanes: lane, parent: self.before(row) }),
            }
        }
        (follows, (start as u32, self.stretches.len() as u32))
    }

    /// Returns whether a row is a rotation.
    fn turns(&self, row: usize) -> bool {
        let after = self.joints.partition_point(|j| usize::from(j.first) <= row);
        let joint = after.checked_sub(1).map(|at| self.joints[at]);
        joint.is_some_and(|j| {
            let k = row - usize::from(j.first);
            match j.kind {
                JointKind::Revolute | JointKind::Continuous | JointKind::Spherical => true,
                JointKind::Prismatic => false,
                JointKind::Planar => k == 2,
                JointKind::Floating => k > 2,
            }
        })
    }
}
