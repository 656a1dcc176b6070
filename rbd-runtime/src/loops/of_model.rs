//! Tables made from a model: what the generator writes out, and tests use as it is.

use super::tables::{Block, Carry, Joint, Rows, Segment, Strip, Tables, Topology, WORLD, Window};
use super::{LANES, padded};
use crate::model::{Body, plane_basis};
use crate::{JointKind, Model};
use alloc::vec::Vec;
use nalgebra::{Matrix3, Vector3};
use num_traits::Float;

/// The tables of one robot, with the arrays of [`Tables`] as vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct Owned {
    joints: Vec<Joint>,
    parent: Vec<u16>,
    first: Vec<u16>,
    end: Vec<u16>,
    coordinate: Vec<u16>,
    position: Vec<u16>,
    segment: Vec<u16>,
    segments: Vec<Segment>,
    windows: Vec<Window>,
    strips: Vec<Strip>,
    blocks: Vec<Block>,
    carries: Vec<Carry>,
    constants: Vec<Constants>,
    armature: Vec<f64>,
    damping: Vec<f64>,
    gravity: [f64; 3],
}

/// The numbers of one row, as [`Tables`] describes them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Constants {
    placement: [f64; 12],
    joint_frame: [f64; 9],
    ratio: f64,
    offset: f64,
    mass: f64,
    center: [f64; 3],
    spread: [f64; 6],
    subtree_mass: f64,
}

impl Constants {
    /// A row without a body.
    const NONE: Self = Self {
        placement: [0.0; 12],
        joint_frame: [0.0; 9],
        ratio: 1.0,
        offset: 0.0,
        mass: 0.0,
        center: [0.0; 3],
        spread: [0.0; 6],
        subtree_mass: 0.0,
    };
}

/// Rotates z to the joint's axis, and x and y to those of a planar joint.
fn alignment(body: &Body<f64>) -> Matrix3<f64> {
    match body.kind {
        JointKind::Spherical | JointKind::Floating => Matrix3::identity(),
        _ => {
            let (x, y) = plane_basis(&body.axis);
            Matrix3::from_columns(&[x, y, body.axis])
        }
    }
}

/// How far a joint may be from its segment's point, in sizes of what it carries: then some three digits cancel at most
/// (docs/math.md#loops-over-tables).
const REACH: f64 = 32.0;

/// Up to where a segment grows.
#[derive(Clone, Copy)]
struct Limits {
    /// Number of rows.
    rows: usize,
    /// As [`REACH`].
    reach: f64,
}

impl Owned {
    /// The tables of this robot; none where a body without mass has a first moment, or there are more than 65534 rows.
    #[must_use]
    pub fn from_model(model: &Model<f64>) -> Option<Self> {
        Self::within(model, Limits { rows: usize::MAX, reach: REACH })
    }

    /// The same with segments of at most `longest` rows, however far they reach.
    #[must_use]
    pub fn with_segments(model: &Model<f64>, longest: usize) -> Option<Self> {
        Self::within(model, Limits { rows: longest, reach: f64::INFINITY })
    }

    fn within(model: &Model<f64>, limits: Limits) -> Option<Self> {
        let rows: usize = model.bodies.iter().map(|b| b.kind.nv()).sum();
        if rows >= usize::from(WORLD) || model.nq >= usize::from(WORLD) {
            return None;
        }
        let (armature, damping) = on_coordinates(model);
        let mut owned = Self {
            joints: joints(model),
            parent: Vec::new(),
            first: Vec::new(),
            end: Vec::new(),
            coordinate: Vec::new(),
            position: Vec::new(),
            segment: Vec::new(),
            segments: Vec::new(),
            windows: Vec::new(),
            strips: Vec::new(),
            blocks: Vec::new(),
            carries: Vec::new(),
            constants: constants(model)?,
            armature,
            damping,
            gravity: model.gravity.into(),
        };
        owned.number_rows(model);
        owned.cut_segments(model, limits);
        owned.cut_windows();
        owned.make_strips();
        owned.make_blocks();
        Some(owned)
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.parent.len()
    }

    /// The tables for loops that are compiled for arrays of `P`; none where that is less than [`padded`] rows.
    #[must_use]
    pub fn tables<const P: usize>(&self) -> Option<Tables<'_, P>> {
        if P < padded(self.rows()) {
            return None;
        }
        Some(Tables {
            topology: self.topology(),
            placement: self.by_component(|c| c.placement),
            joint_frame: self.by_component(|c| c.joint_frame),
            ratio: self.by_component(|c| [c.ratio]),
            offset: self.by_component(|c| [c.offset]),
            mass: self.by_component(|c| [c.mass]),
            center: self.by_component(|c| c.center),
            spread: self.by_component(|c| c.spread),
            subtree_mass: self.by_component(|c| [c.subtree_mass]),
            armature: &self.armature,
            damping: &self.damping,
            gravity: self.gravity,
        })
    }

    /// What moves what.
    #[must_use]
    pub fn topology(&self) -> Topology<'_> {
        Topology {
            rows: self.rows(),
            joints: &self.joints,
            parent: &self.parent,
            first: &self.first,
            end: &self.end,
            coordinate: &self.coordinate,
            position: &self.position,
            segment: &self.segment,
            segments: &self.segments,
            windows: &self.windows,
            strips: &self.strips,
            blocks: &self.blocks,
            carries: &self.carries,
        }
    }

    fn by_component<const K: usize, const P: usize>(
        &self,
        of: impl Fn(&Constants) -> [f64; K],
    ) -> Rows<f64, K, P> {
        let mut rows = Rows([[0.0; P]; K]);
        for (r, constants) in self.constants.iter().enumerate() {
            for (row, x) in rows.0.iter_mut().zip(of(constants)) {
                row[r] = x;
            }
        }
        rows
    }

    fn number_rows(&mut self, model: &Model<f64>) {
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

    /// Stretches of rows without a branch, as first rows: the first row of all, and of every joint that does not follow its
    /// parent directly or has a parent with several children.
    fn limbs(&self) -> Vec<usize> {
        let children = |row: u16| self.joints.iter().filter(|j| j.parent == row).count();
        let alone = |j: &&Joint| {
            j.first == 0 || j.parent == WORLD || j.parent + 1 != j.first || children(j.parent) > 1
        };
        self.joints.iter().filter(alone).map(|j| usize::from(j.first)).collect()
    }

    /// A limb goes to the last segment where it fits and hangs on it, or on the same body as its first joint. Otherwise it
    /// begins one, or several where it is long. So does a joint that may go far: the point is then beyond it.
    fn cut_segments(&mut self, model: &Model<f64>, limits: Limits) {
        let (limbs, sizes) = (self.limbs(), sizes(model));
        // Of each joint, how far from its segment's point; of the last segment, the joint that began it.
        let (mut reach, mut start) = (Vec::<f64>::new(), 0);
        for (i, (joint, body)) in self.joints.iter().zip(&model.bodies).enumerate() {
            let first = usize::from(joint.first);
            let carrier = if joint.parent == WORLD { WORLD } else { self.segment[usize::from(joint.parent)] };
            let rows = joint.kind.nv() as u16;
            // At the start of a limb it is all of it that must fit.
            let needed = match limbs.binary_search(&first) {
                Ok(at) => limbs.get(at + 1).copied().unwrap_or(self.rows()) - first,
                Err(_) => usize::from(rows),
            };
            let rides = goes_far(body);
            let count = self.segments.len() as u16;
            let inside = count > 0 && carrier == count - 1;
            let distance = match body.parent {
                Some(p) if inside => reach[p] + step(body),
                _ => (body.placement.translation - model.bodies[start].placement.translation).norm(),
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

    /// The row whose sum a row's own is part of, or the world.
    fn before(&self, row: usize) -> u16 {
        let first = self.first[row];
        if usize::from(first) == row { self.parent[row] } else { (row - 1) as u16 }
    }

    /// Whether a row is reached from the row with the number before, in the same segment.
    fn continues(&self, row: usize) -> bool {
        row > 0 && usize::from(self.before(row)) == row - 1 && self.segment[row] == self.segment[row - 1]
    }

    /// Limbs that fit together share a window.
    fn cut_windows(&mut self) {
        let limbs = self.limbs();
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
                if last.segment == segment && together <= LANES {
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

    fn make_strips(&mut self) {
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

    fn make_blocks(&mut self) {
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
            self.blocks.push(Block { steps, carries, turning });
        }
    }

    /// Whether a row is a rotation.
    fn turns(&self, row: usize) -> bool {
        let joint = self.joints.iter().rfind(|j| usize::from(j.first) <= row);
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

/// How far a joint's origin may be from that of its parent.
fn step(body: &Body<f64>) -> f64 {
    let travel = if body.kind == JointKind::Prismatic {
        body.limits.upper.abs().max(body.limits.lower.abs()).min(1.0)
    } else {
        0.0
    };
    body.placement.translation.norm() + travel
}

/// Of each joint, how far what it carries may reach from its origin.
fn sizes(model: &Model<f64>) -> Vec<f64> {
    let own = |b: &Body<f64>| {
        let i = &b.inertia;
        if i.mass > 0.0 { i.h.norm() / i.mass + Float::sqrt(i.j.trace().abs() / i.mass) } else { 0.0 }
    };
    let mut sizes: Vec<f64> = model.bodies.iter().map(own).collect();
    for (i, body) in model.bodies.iter().enumerate().rev() {
        if let Some(p) = body.parent {
            sizes[p] = sizes[p].max(sizes[i] + step(body));
        }
    }
    // What has no extent has no moments to lose.
    sizes.iter_mut().filter(|s| **s == 0.0).for_each(|s| *s = f64::INFINITY);
    sizes
}

/// Whether a joint's origin may be further from where it is at q = 0 than bodies are large: a metre.
fn goes_far(body: &Body<f64>) -> bool {
    match body.kind {
        JointKind::Revolute | JointKind::Continuous | JointKind::Spherical => false,
        JointKind::Prismatic => body.limits.lower < -1.0 || body.limits.upper > 1.0,
        JointKind::Planar | JointKind::Floating => true,
    }
}

fn joints(model: &Model<f64>) -> Vec<Joint> {
    let mut rows = 0;
    let mut joints: Vec<Joint> = Vec::new();
    for body in &model.bodies {
        let last_row = |p: usize| joints[p].first + joints[p].kind.nv() as u16 - 1;
        let parent = body.parent.map_or(WORLD, last_row);
        joints.push(Joint { kind: body.kind, first: rows, parent, position: body.idx_q as u16 });
        rows += body.kind.nv() as u16;
    }
    joints
}

/// Armature and damping on the velocity coordinates: those of a mimic joint by the ratio's square.
fn on_coordinates(model: &Model<f64>) -> (Vec<f64>, Vec<f64>) {
    let (mut armature, mut damping) = (alloc::vec![0.0; model.nv], alloc::vec![0.0; model.nv]);
    for body in &model.bodies {
        let ratio = body.mimic.map_or(1.0, |m| m.multiplier * m.multiplier);
        for at in body.idx_v..body.idx_v + body.kind.nv() {
            armature[at] += ratio * body.armature;
            if model.damping_enters {
                damping[at] += ratio * body.damping;
            }
        }
    }
    (armature, damping)
}

/// Of all rows; none where a body has no mass but a first moment.
fn constants(model: &Model<f64>) -> Option<Vec<Constants>> {
    let mut subtree: Vec<f64> = model.bodies.iter().map(|b| b.inertia.mass).collect();
    for (i, body) in model.bodies.iter().enumerate().rev() {
        if let Some(p) = body.parent {
            subtree[p] += subtree[i];
        }
    }
    let mut all = Vec::new();
    for (body, &subtree_mass) in model.bodies.iter().zip(&subtree) {
        for _ in 1..body.kind.nv() {
            all.push(Constants { subtree_mass, ..Constants::NONE });
        }
        let own = alignment(body);
        let parent = body.parent.map_or(Matrix3::identity(), |p| alignment(&model.bodies[p]));
        let rotation = parent.transpose() * body.placement.rotation * own;
        let translation = parent.transpose() * body.placement.translation;
        let mut placement = [0.0; 12];
        placement[..9].copy_from_slice(rotation.as_slice());
        placement[9..].copy_from_slice(translation.as_slice());
        let mut joint_frame = [0.0; 9];
        joint_frame.copy_from_slice(own.transpose().as_slice());
        let (mass, h, j) = (body.inertia.mass, body.inertia.h, body.inertia.j);
        if mass == 0.0 && h != Vector3::zeros() {
            return None;
        }
        let center = if mass == 0.0 { h } else { h / mass };
        // Second moments about the origin are tr(J)/2 - J; about the centre less h c^T.
        let about_origin = Matrix3::identity() * (j.trace() * 0.5) - j;
        let spread = own.transpose() * (about_origin - h * center.transpose()) * own;
        let (ratio, offset) = body.mimic.map_or((1.0, 0.0), |m| (m.multiplier, m.offset));
        all.push(Constants {
            placement,
            joint_frame,
            ratio,
            offset,
            mass,
            center: (own.transpose() * center).into(),
            spread: [
                spread[(0, 0)],
                (spread[(0, 1)] + spread[(1, 0)]) * 0.5,
                (spread[(0, 2)] + spread[(2, 0)]) * 0.5,
                spread[(1, 1)],
                (spread[(1, 2)] + spread[(2, 1)]) * 0.5,
                spread[(2, 2)],
            ],
            subtree_mass,
        });
    }
    Some(all)
}
