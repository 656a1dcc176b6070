//! Joint frames with as few numbers as possible (docs/math.md#frame-alignment).
//!
//! A frame that its joint turns about z may be replaced by one turned about z and shifted along z:
//! the joint cannot tell. A constant turn about z before the joint's own is only an offset of its
//! angle. So every placement can be brought to the form `T(p) Rz(a) Rx(b)`. With the frame's own
//! freedom, one child of each body gets `T(p) Rx(b)` with `p` in the plane: the modified
//! Denavit-Hartenberg form.

use super::rounding::{ROUNDING, compose, inverse, terms_moved};
use super::{Lane, Origin, Tree, inertia_seen_from, rounding};
use nalgebra::{Matrix3, Vector3};
use rbd_runtime::JointKind;
use rbd_runtime::spatial::{Inertia, Placement};

impl Tree {
    /// Brings every placement to `T(p) Rz(a) Rx(b)`; with `freely`, uses the freedom of the frames too.
    pub(super) fn realign(&mut self, freely: bool) {
        let (children, favoured) = self.favoured_children();
        if freely {
            // Children first: where a child's frame slides to decides where its parent's does best.
            for i in (0..self.bodies.len()).rev() {
                let c = self.best_shift(i, favoured[i]);
                self.change_frame(i, &c, &children[i]);
            }
            for i in 0..self.bodies.len() {
                let c = self.best_turn(i, favoured[i]);
                self.change_frame(i, &c, &children[i]);
            }
        }
        for (i, children) in children.iter().enumerate() {
            self.absorb_turn(i, children);
        }
    }

    /// For each body, its children, and the favoured child for whose placement the body's frame is
    /// chosen: the child that carries most.
    fn favoured_children(&self) -> (Vec<Vec<usize>>, Vec<Option<usize>>) {
        let (mut children, mut carried) = (vec![Vec::new(); self.bodies.len()], vec![1; self.bodies.len()]);
        for i in (0..self.bodies.len()).rev() {
            if let Some(parent) = self.bodies[i].parent() {
                children[parent].push(i);
                carried[parent] += carried[i];
            }
        }
        // From the last to the first: of equals the first one is the greatest.
        let favoured = |of: &Vec<usize>| of.iter().copied().max_by_key(|&j| carried[j]);
        let favoured = children.iter().map(favoured).collect();
        (children, favoured)
    }

    /// A shift of body `i`'s frame along its axis.
    fn best_shift(&self, i: usize, favoured: Option<usize>) -> Placement<f64> {
        if !turns_about_z(self.bodies[i].kind) {
            return identity();
        }
        let z = match (favoured, self.rewrite.bodies[i].origin) {
            // The child's origin comes to lie in this frame's plane.
            (Some(child), Origin::AtChild) => self.lane(child).placement.translation.z,
            // The frame moves along its axis to where its own placement is simplest.
            _ => {
                let t = &self.lane(i).placement;
                let axis = t.rotation.column(2);
                let largest = axis.iamax();
                if (0..3).any(|k| k != largest && axis[k] != 0.0) {
                    return identity();
                }
                -t.translation[largest] * axis[largest]
            }
        };
        // Moments of inertia about x and y grow by m z^2, and algorithms take their difference.
        let Inertia { mass, j, .. } = self.lane(i).inertia;
        // An inertia given at run time may have any mass.
        if mass * z * z > MOST_GROWTH * j[(2, 2)] || !self.lane(i).given.is_empty() {
            return identity();
        }
        Placement { rotation: Matrix3::identity(), translation: Vector3::new(0.0, 0.0, z) }
    }

    /// A turn of body `i`'s frame about its axis, so that its favoured child's placement begins with Rx.
    fn best_turn(&self, i: usize, favoured: Option<usize>) -> Placement<f64> {
        if !turns_about_z(self.bodies[i].kind) {
            return identity();
        }
        let Some(child) = favoured else {
            let h = self.lane(i).inertia.h;
            let length = h.x.hypot(h.y);
            return if length == 0.0 { identity() } else { about_z(h.y / length, h.x / length) };
        };
        let t = &self.lane(child).placement;
        let (x, y) = match first_turn(&t.rotation) {
            Some((sin, cos)) => (cos, sin),
            // Parallel axes: along the line between them.
            None => (t.translation.x, t.translation.y),
        };
        let length = x.hypot(y);
        if length == 0.0 { identity() } else { about_z(y / length, x / length) }
    }

    /// Replaces the frame of body `i`, which has these children, by one placed at `c` in it. `c`
    /// commutes with the joint's motion.
    pub(super) fn change_frame(&mut self, i: usize, c: &Placement<f64>, children: &[usize]) {
        if *c == identity() {
            return;
        }
        let lane = &mut self.bodies[i].lanes[0];
        lane.placement = compose(&lane.placement, c);
        lane.terms = terms_moved(&lane.terms, &inverse(c));
        lane.inertia = rounding::inertia(&inertia_seen_from(&lane.inertia, c), &lane.terms);
        lane.unfelt = inertia_seen_from(&lane.unfelt, c);
        lane.in_urdf_frame = compose(&lane.in_urdf_frame, c);
        let back = inverse(c);
        for child in children {
            let lane = &mut self.bodies[*child].lanes[0];
            lane.placement = compose(&back, &lane.placement);
        }
    }

    /// Moves the last turn about z of a placement into the joint's angle (a revolute joint) or the
    /// frame (a prismatic one).
    pub(super) fn absorb_turn(&mut self, i: usize, children: &[usize]) {
        let kind = self.bodies[i].kind;
        let (sin, cos) = last_turn(&self.lane(i).placement.rotation);
        if sin == 0.0 && cos == 1.0 {
            return;
        }
        let unturned = about_z(-sin, cos);
        match kind {
            JointKind::Revolute | JointKind::Continuous => {
                let lane = &mut self.bodies[i].lanes[0];
                lane.placement = compose(&lane.placement, &unturned);
                lane.offset += sin.atan2(cos);
            }
            JointKind::Prismatic => {
                self.change_frame(i, &unturned, children);
            }
            _ => {}
        }
    }

    fn lane(&self, i: usize) -> &Lane {
        &self.bodies[i].lanes[0]
    }
}

fn turns_about_z(kind: JointKind) -> bool {
    matches!(kind, JointKind::Revolute | JointKind::Continuous)
}

fn identity() -> Placement<f64> {
    Placement { rotation: Matrix3::identity(), translation: Vector3::zeros() }
}

fn about_z(sin: f64, cos: f64) -> Placement<f64> {
    let rotation = Matrix3::new(cos, -sin, 0.0, sin, cos, 0.0, 0.0, 0.0, 1.0);
    Placement { rotation, translation: Vector3::zeros() }
}

/// Sine and cosine of a in `R = Rz(a) Rx(b) Rz(c)`; none where the axes are parallel and only a + c counts.
fn first_turn(r: &Matrix3<f64>) -> Option<(f64, f64)> {
    let sin_b = r[(0, 2)].hypot(r[(1, 2)]);
    (sin_b > ROUNDING).then(|| (r[(0, 2)] / sin_b, -r[(1, 2)] / sin_b))
}

/// Sine and cosine of c in `R = Rz(a) Rx(b) Rz(c)`, with a = 0 where the axes are parallel.
fn last_turn(r: &Matrix3<f64>) -> (f64, f64) {
    let sin_b = r[(2, 0)].hypot(r[(2, 1)]);
    if sin_b > ROUNDING {
        (r[(2, 0)] / sin_b, r[(2, 1)] / sin_b)
    } else {
        // R = Rx(b) Rz(c), b = 0 or pi: its first row is that of Rz(c).
        (-r[(0, 1)], r[(0, 0)])
    }
}

/// Largest growth of a body's moments of inertia about x and y, relative to that about its axis, by
/// a shift along the axis. Their difference loses as many digits.
const MOST_GROWTH: f64 = 1e4;
